// A block of bytes that tensors share. Its version rises once per eager write through any alias.
#pragma once
#include <functional>

#include "core/allocator.h"
#include "core/intrusive.h"
#include "core/state.h"

namespace frit {

class Storage final : public Intrusive {
 public:
  explicit Storage(size_t bytes)
      : data_(allocate_bytes(bytes)), bytes_(bytes), inference_(t_state.word & kInferenceMode) {}
  // Borrowed memory: `release` is called when the storage dies.
  Storage(void* data, size_t bytes, std::function<void()> release)
      : data_(data), bytes_(bytes), release_(std::move(release)), borrowed_(true) {}
  // No memory at all: tensors of the fake kind (export, custom-op fakes) have such a storage.
  struct Fake {};
  Storage(Fake, size_t bytes) : bytes_(bytes), borrowed_(true) {}
  ~Storage() override { drop(); }

  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  bool has_data() const { return data_ != nullptr || bytes_ == 0; }
  uint64_t version() const { return version_.load(std::memory_order_relaxed); }
  void bump_version() { version_.fetch_add(1, std::memory_order_relaxed); }
  // For whoever puts contents back as they were.
  void set_version(uint64_t v) { version_.store(v, std::memory_order_relaxed); }
  // Made in InferenceMode: written in that mode only, and not kept for a backward pass.
  bool is_inference() const { return inference_; }
  void set_inference(bool on) { inference_ = on; }
  // A process-wide number, never reused: what recorders and guards know a storage by.
  uint64_t id() const { return id_; }

 private:
  void release_contents() override { drop(); }
  void drop();
  static uint64_t next_id();
  void* data_ = nullptr;
  size_t bytes_ = 0;
  std::atomic<uint64_t> version_{0};
  uint64_t id_ = next_id();
  std::function<void()> release_;
  bool borrowed_ = false, inference_ = false;
};

}  // namespace frit
