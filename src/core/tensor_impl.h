// What a Tensor points to. Sizes and strides are int64 for kernels; symbolic sizes hang off one
// pointer that is null unless a Recorder set it.
#pragma once
#include <memory>
#include <span>

#include "base/small_vector.h"
#include "core/dtype.h"
#include "core/intrusive.h"
#include "core/state.h"
#include "core/storage.h"
#include "sym/int.h"

namespace frit {

using Dims = SmallVector<int64_t, 5>;
using IntList = SmallVector<Int, 5>;

// The tape's part of a tensor; defined by the eager room (eager/autograd_meta.h).
class AutogradMetaBase {
 public:
  virtual ~AutogradMetaBase() = default;
  // A leaf that wants a gradient, or the output of a tape node. Threads that share a view may learn
  // it at once.
  bool requires_grad = false;
};

struct SymbolicMeta {
  IntList sizes, strides;
  Int offset = 0;
};

class TensorImpl final : public Intrusive {
 public:
  TensorImpl(Ptr<Storage> storage, DType dtype, std::span<const int64_t> sizes,
             std::span<const int64_t> strides, int64_t offset)
      : storage(std::move(storage)), sizes(sizes), strides(strides), offset(offset), dtype(dtype) {}

  int64_t dim() const { return static_cast<int64_t>(sizes.size()); }
  int64_t numel() const {
    uint64_t n = 1;  // beside a size of 0, the others may be too large to multiply
    for (int64_t s : sizes) n *= static_cast<uint64_t>(s);
    return static_cast<int64_t>(n);
  }
  void* data() const { return static_cast<std::byte*>(storage->data()) + offset * size_of(dtype); }
  bool requires_grad() const {
    return autograd &&
           std::atomic_ref<bool>(autograd->requires_grad).load(std::memory_order_relaxed);
  }
  // A process-wide number, never reused.
  uint64_t id() const { return id_; }

  Ptr<Storage> storage;
  Dims sizes, strides;  // in elements
  int64_t offset = 0;   // in elements
  DType dtype;
  bool is_parameter = false;
  std::atomic<bool> watched{
      false};  // some compiled entry depends on its metadata: its death is news
  std::unique_ptr<AutogradMetaBase> autograd;
  std::unique_ptr<SymbolicMeta> symbolic;
  // The object of a host language that stands for this tensor, if there is one; where the tensor
  // outlives the host's references to it, it holds the object and gives it up at its end.
  void* host = nullptr;
  static inline void (*give_up_host)(TensorImpl&) noexcept = nullptr;

 private:
  void release_contents() override {
    if (host) [[unlikely]]
      give_up_host(*this);
    if (watched.load(std::memory_order_relaxed)) bump_metadata_epoch();
    autograd.reset();
    symbolic.reset();
    storage = nullptr;
  }
  static uint64_t next_id();
  uint64_t id_ = next_id();
};

}  // namespace frit
