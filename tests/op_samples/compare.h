#pragma once
// What the tests over PyTorch's samples share: inputs made from a sample, elements looked at,
// values compared, and the tables of what is left out.
#include <string>
#include <vector>

#include "core/tensor_impl.h"
#include "ops/sample_args.h"

namespace frit::test {

const std::filesystem::path kFolder = std::string(FRIT_SOURCE_DIR) + "/tests/op_samples";

double value_at(const std::byte* p, DType t);

// The elements of a tensor, row by row.
template <class F>
void each_element(const TensorImpl& t, F f) {
  const int64_t n = t.numel();
  Dims index(t.sizes.size(), 0);
  int64_t offset = 0;
  for (int64_t i = 0; i < n; ++i) {
    f(i, static_cast<const std::byte*>(t.data()) + offset * size_of(t.dtype));
    for (size_t d = index.size(); d-- > 0;) {
      offset += t.strides[d];
      if (++index[d] < t.sizes[d]) break;
      offset -= t.sizes[d] * t.strides[d];
      index[d] = 0;
    }
  }
}
std::vector<std::byte> values_by_row(const TensorImpl& t);

// "" or the first difference to values by row, which `whose` gave.
std::string difference(const Tensor& given, std::span<const std::byte> expected, const char* whose);

std::string layout(DType t, std::span<const int64_t> sizes, std::span<const int64_t> strides);

std::vector<Tensor> make_inputs(const op_samples::Sample& s);

// A line of a table: op|part of the sample's source ("*": any)|how many at most|why
struct LeftOut {
  std::string op, source, reason;
  int allowed = 0, found = 0;
};
std::vector<LeftOut> left_out_table(const char* file);
// The line that a sample falls under, counted; null where there is none.
LeftOut* left_out(std::vector<LeftOut>& table, const op_samples::Sample& s);

}  // namespace frit::test
