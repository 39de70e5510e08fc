#include "kernels/cpu/micro/gemm_scratch.h"

#include <cstdlib>
#include <new>

#include "base/error.h"

namespace frit::kernels {

namespace {

constexpr size_t kLine = 64;
// A thread keeps no more than this; larger requests, which only products of long rows make, are
// given back.
constexpr size_t kKept = size_t{32} << 20;

size_t rounded(size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

char* allocate(size_t bytes) {
  void* p = std::aligned_alloc(kLine, bytes);
  if (!p) throw std::bad_alloc();
  return static_cast<char*>(p);
}

struct ThreadBuffer {
  char* data = nullptr;
  size_t size = 0;
  bool in_use = false;
  ~ThreadBuffer() { std::free(data); }
};
thread_local ThreadBuffer buffer;

}  // namespace

GemmScratch::GemmScratch(size_t bytes) : size_(rounded(bytes)) {
  own_ = buffer.in_use || size_ > kKept;
  if (own_) {
    data_ = allocate(size_);
    return;
  }
  if (buffer.size < size_) {
    const size_t size = size_ < buffer.size * 2 ? buffer.size * 2 : size_;
    char* data = allocate(size);
    std::free(buffer.data);
    buffer.data = data;
    buffer.size = size;
  }
  data_ = buffer.data;
  buffer.in_use = true;
}

GemmScratch::~GemmScratch() {
  if (own_)
    std::free(data_);
  else
    buffer.in_use = false;
}

void* GemmScratch::take(size_t bytes) {
  void* p = data_ + used_;
  used_ += rounded(bytes);
  FRIT_INVARIANT(used_ <= size_, "the scratch of a matrix product is too small");
  return p;
}

}  // namespace frit::kernels
