// Memory for packed panels and tiles: the calling thread's own, aligned to 64 bytes, kept from call
// to call so that a repeated call touches no new page.
#pragma once
#include <cstddef>

namespace frit::kernels {

class GemmScratch {
 public:
  explicit GemmScratch(size_t bytes);
  ~GemmScratch();
  GemmScratch(const GemmScratch&) = delete;
  GemmScratch& operator=(const GemmScratch&) = delete;
  // Cuts the next `bytes` off, rounded up to whole lines; the pieces must not exceed what was asked
  // for, rounded up likewise.
  void* take(size_t bytes);

 private:
  char* data_;
  size_t used_ = 0, size_;
  bool own_;  // not the thread's: a product inside the epilogue of another one
};

}  // namespace frit::kernels
