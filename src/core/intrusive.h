// Reference counts inside the object, strong and weak: what tensors and storages are held by. A
// weak reference keeps the memory, not the contents, so that it can tell whether the object still
// lives.
#pragma once
#include <atomic>
#include <concepts>
#include <cstdint>
#include <utility>

#include "core/object_pool.h"

namespace frit {

class Intrusive {
 public:
  Intrusive() = default;
  Intrusive(const Intrusive&) = delete;
  Intrusive& operator=(const Intrusive&) = delete;
  static void* operator new(size_t bytes) { return allocate_object(bytes); }
  static void operator delete(void* object, size_t bytes) noexcept { free_object(object, bytes); }
  // Who finds the last reference may change the object: what others did before they let go is done.
  uint32_t use_count() const { return strong_.load(std::memory_order_acquire); }

 protected:
  virtual ~Intrusive() = default;
  // Drops everything the object owns; called once, when the last strong reference goes.
  virtual void release_contents() {}
  // Contents that were dropped are there again, for one strong reference that the caller takes
  // over. Nobody else does so, and a weak reference keeps the object.
  Intrusive* live_again() {
    retain_weak();
    strong_.store(1, std::memory_order_release);
    return this;
  }

 private:
  template <class T>
  friend class Ptr;
  template <class T>
  friend class WeakPtr;
  void retain() const { strong_.fetch_add(1, std::memory_order_relaxed); }
  void release() const {
    if (strong_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      const_cast<Intrusive*>(this)->release_contents();
      release_weak();
    }
  }
  void retain_weak() const { weak_.fetch_add(1, std::memory_order_relaxed); }
  void release_weak() const {
    if (weak_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  bool try_retain() const {
    uint32_t n = strong_.load(std::memory_order_relaxed);
    while (n != 0)
      if (strong_.compare_exchange_weak(n, n + 1, std::memory_order_acq_rel)) return true;
    return false;
  }
  mutable std::atomic<uint32_t> strong_{0};
  mutable std::atomic<uint32_t> weak_{1};  // one for all strong references together
};

template <class T>
class Ptr {
 public:
  Ptr() = default;
  Ptr(std::nullptr_t) {}
  explicit Ptr(T* p) : p_(p) {
    if (p_) p_->retain();
  }
  Ptr(const Ptr& o) : p_(o.p_) {
    if (p_) p_->retain();
  }
  Ptr(Ptr&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  template <class Derived>
    requires std::derived_from<Derived, T>
  Ptr(Ptr<Derived>&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  Ptr& operator=(Ptr o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  ~Ptr() {
    if (p_) p_->release();
  }
  T* get() const { return p_; }
  T* operator->() const { return p_; }
  T& operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }
  bool operator==(const Ptr& o) const { return p_ == o.p_; }
  // Takes over a reference that is already counted.
  static Ptr adopt(T* p) {
    Ptr r;
    r.p_ = p;
    return r;
  }

 private:
  template <class U>
  friend class Ptr;
  T* p_ = nullptr;
};

template <class T, class... A>
Ptr<T> make_ptr(A&&... a) {
  return Ptr<T>(new T(std::forward<A>(a)...));
}

template <class T>
class WeakPtr {
 public:
  WeakPtr() = default;
  explicit WeakPtr(T* p) : p_(p) {
    if (p_) p_->retain_weak();
  }
  WeakPtr(const Ptr<T>& p) : WeakPtr(p.get()) {}
  WeakPtr(const WeakPtr& o) : WeakPtr(o.p_) {}
  WeakPtr(WeakPtr&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  WeakPtr& operator=(WeakPtr o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  ~WeakPtr() {
    if (p_) p_->release_weak();
  }
  Ptr<T> lock() const { return p_ && p_->try_retain() ? Ptr<T>::adopt(p_) : Ptr<T>(); }
  bool expired() const { return !p_ || p_->use_count() == 0; }
  // The address, valid to compare while this weak reference lives, even when the object is dead.
  T* address() const { return p_; }

 private:
  T* p_ = nullptr;
};

}  // namespace frit
