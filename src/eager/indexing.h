// Indexing by lists whose length is known when the program runs.
#pragma once
#include <frit/indexing.h>

#include <source_location>
#include <span>

namespace frit::eager {

// x[indices], a view or a copy as in PyTorch.
Tensor index(const Tensor& self, std::span<const indexing::Index> indices,
             std::source_location where);
// x[indices] = values.
void index_put(const Tensor& self, std::span<const indexing::Index> indices, const Tensor& values,
               std::source_location where);
void index_put(const Tensor& self, std::span<const indexing::Index> indices, const Scalar& value,
               std::source_location where);

}  // namespace frit::eager
