// The elements of a tensor as bytes of a file: row by row, little endian.
#pragma once
#include <frit/tensor.h>

#include <optional>
#include <span>

#include "io/stream.h"

namespace frit::io {

// Bytes of a contiguous tensor of these sizes; nullopt where a size is negative or they are more
// than an int64 can count.
std::optional<int64_t> byte_count(std::span<const int64_t> sizes, DType dtype);

void write_elements(AtomicWriter& file, const Tensor& t);
// A new contiguous tensor from the file's bytes at `offset`, which the caller has found to be
// there.
Tensor read_elements(const Reader& file, uint64_t offset, std::span<const int64_t> sizes,
                     DType dtype);

}  // namespace frit::io
