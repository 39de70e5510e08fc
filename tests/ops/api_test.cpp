// The generated functions and methods can be called the way users write them. Nothing is run here:
// that each of these expressions compiles, to the type it should, is the test.
#include <frit/ops.h>
#include <gtest/gtest.h>

namespace frit {
namespace {

template <class T, class U>
constexpr bool same = std::is_same_v<T, U>;
#define EXPECT_TYPE(type, ...) static_assert(same<decltype(__VA_ARGS__), type>)
#define EXPECT_TENSOR(...) EXPECT_TYPE(Tensor, __VA_ARGS__)
using Two = std::tuple<Tensor, Tensor>;

TEST(PublicFunctions, TakeWhatUsersWrite) {
  Tensor x;
  Int n = 2;
  IntList dims{0, 1};
  std::vector<int64_t> sizes{2, 3};
  // Dims of reductions: none, a number, a list.
  EXPECT_TENSOR(x.sum());
  EXPECT_TENSOR(x.sum(1));
  EXPECT_TENSOR(x.sum({1}));
  EXPECT_TENSOR(x.sum({0, -1}, true));
  EXPECT_TENSOR(x.sum(1, true));
  EXPECT_TENSOR(x.sum(dims));
  EXPECT_TENSOR(x.sum(sizes));
  EXPECT_TENSOR(x.sum(kFloat64));
  EXPECT_TENSOR(x.sum(1, false, kFloat64));
  EXPECT_TENSOR(sum(x, {1}));
  EXPECT_TENSOR(x.mean(n));
  EXPECT_TENSOR(x.any());
  EXPECT_TENSOR(x.any(1));
  EXPECT_TENSOR(x.any({1}));
  EXPECT_TENSOR(x.all({0, 1}, true));
  EXPECT_TENSOR(x.amax());
  EXPECT_TENSOR(x.amax(1, true));
  EXPECT_TENSOR(x.argmax());
  EXPECT_TENSOR(x.argmax(1));
  EXPECT_TENSOR(x.std());
  EXPECT_TENSOR(x.std(1));
  EXPECT_TENSOR(x.std(1, true));
  EXPECT_TENSOR(x.std({1}, 0));
  EXPECT_TENSOR(x.var(true));
  EXPECT_TYPE(Two, var_mean(x, 1));
  EXPECT_TENSOR(x.count_nonzero({1}));
  EXPECT_TENSOR(x.count_nonzero(1));
  EXPECT_TENSOR(x.norm());
  EXPECT_TENSOR(x.norm(2, 1));
  EXPECT_TENSOR(x.prod(1));
  // Several results.
  EXPECT_TENSOR(x.max());
  EXPECT_TYPE(Two, x.max(1));
  EXPECT_TENSOR(x.max(x));
  // Numbers and tensors.
  EXPECT_TENSOR(x.add(x));
  EXPECT_TENSOR(x.add(1));
  EXPECT_TENSOR(x.add(2.5, 3));
  EXPECT_TENSOR(x.add(n));
  EXPECT_TENSOR(x.add_(x, 2).mul_(0.5));
  EXPECT_TENSOR(add_out(x, x, x));
  EXPECT_TENSOR(pow(2, x));
  EXPECT_TENSOR(pow(x, 2));
  EXPECT_TENSOR(pow(x, x));
  EXPECT_TENSOR(x.clamp(0));
  EXPECT_TENSOR(x.clamp({}, 6));
  EXPECT_TENSOR(x.clamp(x, x));
  EXPECT_TENSOR(where(x > 0, x, 0));
  EXPECT_TENSOR(where(x > 0, 0.5, x));
  EXPECT_TENSOR(x.div(2, "floor"));
  EXPECT_TENSOR(x.gelu());
  EXPECT_TENSOR(gelu(x, "tanh"));
  EXPECT_TENSOR(x.leaky_relu());
  EXPECT_TENSOR(x.masked_fill(x > 0, -1e9));
}

}  // namespace
}  // namespace frit
