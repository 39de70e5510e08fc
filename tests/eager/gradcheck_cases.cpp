#include "gradcheck_cases.h"

#include "common.h"

namespace frit::test {
namespace {

// Distinct values, away from corners.
Tensor some(std::vector<int64_t> sizes, double from = 0.2) {
  int64_t n = 1;
  for (int64_t s : sizes) n *= s;
  std::vector<double> v;
  for (int64_t i = 0; i < n; ++i) v.push_back(from + 0.13 * static_cast<double>((i * 7) % 11));
  return make(std::move(v), std::move(sizes)).requires_grad_();
}

Tensor ints(std::vector<int64_t> v, std::vector<int64_t> sizes) {
  return tensor_from<int64_t>(v, sizes);
}

Tensor mask(std::vector<double> v, std::vector<int64_t> sizes) {
  return make(std::move(v), std::move(sizes)) > 0.5;
}

Arg list(std::vector<Tensor> tensors) {
  return Arg(std::vector<Ref>(tensors.begin(), tensors.end()));
}

IntList dims(std::initializer_list<Int> l) { return IntList(l); }

}  // namespace

std::map<std::string, std::vector<ArgList>> gradcheck_cases() {
  Tensor x = some({2, 3}), y = some({2, 3}, 0.5);
  Tensor m = mask({1, 0, 0, 1, 1, 0}, {2, 3});
  Tensor index = ints({1, 0, 1, 0, 1, 1}, {2, 3});
  Scalar half(0.5);
  return {
      {"where.self", {{m, x, y}, {m, some({3}), some({2, 1})}}},
      {"where.ScalarOther", {{m, x, half}}},
      {"where.ScalarSelf", {{m, half, x}}},
      {"masked_fill.Scalar", {{x, m, half}}},
      {"masked_fill.Tensor", {{x, m, some({})}}},
      {"fill.Tensor", {{x, some({})}}},
      {"masked_scatter", {{x, m, some({4})}}},
      {"view", {{x, dims({3, 2})}, {x, dims({-1})}}},
      {"expand", {{some({1, 3}), dims({2, 3}), false}, {some({3}), dims({2, -1}), false}}},
      {"as_strided", {{x, dims({2, 2}), dims({3, 1}), 1}, {x, dims({2, 3}), dims({1, 1}), Arg()}}},
      {"unfold", {{some({2, 5}), 1, 3, 2}, {some({5}), 0, 2, 1}}},
      {"select_scatter", {{x, some({3}), 0, 1}, {x, some({2}), 1, -1}}},
      {"slice_scatter", {{some({4, 2}), some({2, 2}), 0, 1, 4, 2}}},
      {"diagonal_scatter", {{x, some({2}), 0, 0, 1}, {x, some({1}), 2, 0, 1}}},
      {"as_strided_scatter", {{x, some({2, 2}), dims({2, 2}), dims({3, 1}), 1}}},
      {"unfold_backward", {{some({2, 2, 3}), dims({2, 5}), 1, 3, 2}}},
      {"bmm", {{some({2, 2, 3}), some({2, 3, 2})}}},
      {"baddbmm", {{some({2, 2, 2}), some({2, 2, 3}), some({2, 3, 2}), Scalar(0.5), Scalar(1.5)}}},
      {"index_select", {{x, 1, ints({2, 0, 2}, {3})}, {x, 0, ints({1}, {1})}}},
      {"gather", {{x, 0, index, false}, {x, 1, ints({2, 2, 0, 1}, {2, 2}), false}}},
      {"scatter.src", {{some({3, 3}), 0, ints({0, 1, 2, 1, 2, 0}, {2, 3}), x}}},
      {"scatter.value", {{x, 1, ints({0, 2}, {2, 1}), half}}},
      {"scatter_add", {{x, 0, index, y}}},
      {"scatter_reduce.two", {{x, 0, index, y, "sum", true}, {x, 0, index, y, "mean", false}}},
      {"index_add", {{x, 1, ints({2, 0}, {2}), some({2, 2}), Scalar(0.5)}}},
      {"index_copy", {{x, 1, ints({2, 0}, {2}), some({2, 2})}}},
      {"_index",
       {{x, list({ints({1, 0, 1}, {3})})},
        {x, list({Tensor(), ints({2, 2}, {2})})},
        {x, list({ints({1, 0}, {2, 1}), ints({2, 0}, {2})})}}},
      {"_index_put",
       {{x, list({ints({1}, {1})}), some({1, 3}), false},
        {x, list({ints({1, 1}, {2}), ints({2, 2}, {2})}), some({2}), true}}},
      {"embedding",
       {{some({4, 2}), ints({1, 3, 1}, {3}), -1, false, false},
        {some({4, 2}), ints({1, 0, 1}, {3}), 3, false, false}}},
      {"roll", {{x, dims({1}), dims({1})}, {x, dims({2}), dims({})}}},
      {"cat", {{list({x, some({1, 3})}), 0}, {list({x, some({2, 1})}), 1}}},
      {"_softmax", {{x, 1, false}, {some({3}), 0, false}}},
      {"_log_softmax", {{x, 1, false}, {x, 0, false}}},
      {"_softmax_backward_data", {{x, y, 1, DType::f64}}},
      {"_log_softmax_backward_data", {{x, y, 1, DType::f64}}},
      {"native_layer_norm",
       {{x, dims({3}), some({3}), some({3}, 0.4), 1e-5}, {x, dims({2, 3}), Arg(), Arg(), 1e-5}}},
      {"nll_loss_forward",
       {{x, ints({2, 0}, {2}), Arg(), 1, -100},
        {x, ints({2, 0}, {2}), make({0.5, 1, 2}, {3}), 1, -100},
        {x, ints({2, 0}, {2}), Arg(), 0, 0}}},
  };
}

}  // namespace frit::test
