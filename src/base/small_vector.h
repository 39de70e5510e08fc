// A vector whose first N elements live inside it: sizes, strides and argument lists rarely need
// more.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace frit {
// NOLINTBEGIN(bugprone-sizeof*,bugprone-multi-level*): T may be a pointer, and that is no slip
template <class T, size_t N>
class SmallVector {
 public:
  using value_type = T;
  SmallVector() = default;
  explicit SmallVector(size_t n, const T& v = T()) { resize(n, v); }
  SmallVector(std::initializer_list<T> l) { append(l.begin(), l.end()); }
  SmallVector(std::span<const T> s) { append(s.begin(), s.end()); }
  template <class It>
  SmallVector(It first, It last) {
    append(first, last);
  }
  SmallVector(const SmallVector& o) { append(o.begin(), o.end()); }
  SmallVector(SmallVector&& o) noexcept { take(std::move(o)); }
  SmallVector& operator=(const SmallVector& o) {
    if (this != &o) {
      clear();
      append(o.begin(), o.end());
    }
    return *this;
  }
  SmallVector& operator=(SmallVector&& o) noexcept {
    if (this != &o) {
      release();
      take(std::move(o));
    }
    return *this;
  }
  ~SmallVector() { release(); }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T& front() { return data_[0]; }
  T& back() { return data_[size_ - 1]; }
  const T& front() const { return data_[0]; }
  const T& back() const { return data_[size_ - 1]; }
  operator std::span<const T>() const { return {data_, size_}; }

  void reserve(size_t n) {
    if (n > capacity_) grow(n);
  }
  void push_back(T v) { emplace_back(std::move(v)); }
  template <class... A>
  T& emplace_back(A&&... a) {
    if (size_ == capacity_) grow(capacity_ * 2);
    return *new (data_ + size_++) T(std::forward<A>(a)...);
  }
  void pop_back() { data_[--size_].~T(); }
  void clear() {
    std::destroy_n(data_, size_);
    size_ = 0;
  }
  void resize(size_t n, const T& v = T()) {
    while (size_ > n) pop_back();
    if (n > capacity_) grow(std::max(n, capacity_ * 2));  // so that resizing often is not quadratic
    while (size_ < n) new (data_ + size_++) T(v);
  }
  template <class It>
  void append(It first, It last) {
    if constexpr (std::forward_iterator<It> && std::is_trivially_copyable_v<T>) {
      // No element of it moves while it is read: what is appended may be part of this.
      const size_t n = static_cast<size_t>(std::distance(first, last));
      if (size_ + n <= capacity_) {
        for (T* to = data_ + size_; first != last; ++first, ++to) new (to) T(*first);
        size_ += n;
        return;
      }
    }
    for (; first != last; ++first) emplace_back(*first);
  }
  void insert(size_t at, T v) {
    emplace_back(std::move(v));
    for (size_t i = size_ - 1; i > at; --i) std::swap(data_[i], data_[i - 1]);
  }
  void erase(size_t at) {
    for (size_t i = at; i + 1 < size_; ++i) data_[i] = std::move(data_[i + 1]);
    pop_back();
  }
  bool operator==(const SmallVector& o) const {
    if (size_ != o.size_) return false;
    for (size_t i = 0; i < size_; ++i)
      if (!(data_[i] == o.data_[i])) return false;
    return true;
  }

 private:
  T* inline_data() { return std::launder(reinterpret_cast<T*>(inline_)); }
  bool on_heap() const { return reinterpret_cast<const std::byte*>(data_) != inline_; }
  void grow(size_t n) {
    T* fresh = static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t(alignof(T))));
    std::uninitialized_move_n(data_, size_, fresh);
    std::destroy_n(data_, size_);
    if (on_heap()) ::operator delete(data_, std::align_val_t(alignof(T)));
    data_ = fresh;
    capacity_ = n;
  }
  void release() {
    std::destroy_n(data_, size_);
    if (on_heap()) ::operator delete(data_, std::align_val_t(alignof(T)));
    data_ = inline_data();
    size_ = 0;
    capacity_ = N;
  }
  void take(SmallVector&& o) noexcept {
    if (o.on_heap()) {
      data_ = o.data_, size_ = o.size_, capacity_ = o.capacity_;
      o.data_ = o.inline_data(), o.size_ = 0, o.capacity_ = N;
    } else {
      data_ = inline_data(), size_ = o.size_, capacity_ = N;
      std::uninitialized_move_n(o.data_, size_, data_);
      o.clear();
    }
  }

  alignas(T) std::byte inline_[N * sizeof(T)];
  T* data_ = inline_data();
  size_t size_ = 0, capacity_ = N;
};  // NOLINTEND(bugprone-sizeof*,bugprone-multi-level*)

}  // namespace frit
