// Reductions against the definition, over dtypes, layouts and sizes; their bits against the threads
// and the layout.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "calls.h"

namespace frit::kernels::test {
namespace {

struct Problem {
  Dims sizes;
  std::vector<int64_t> dims;
};
const std::vector<Problem>& problems() {
  static const std::vector<Problem> all{
      {{}, {}},
      {{1}, {0}},
      {{7}, {0}},
      {{33}, {0}},
      {{5, 9}, {1}},
      {{5, 9}, {0}},
      {{5, 9}, {0, 1}},
      {{3, 1, 70}, {2}},
      {{3, 4, 5}, {1}},
      {{3, 4, 5}, {0, 2}},
      {{2, 3, 4, 5}, {0, 2}},
      {{2, 3, 4, 5}, {1, 3}},
      {{4, 0}, {0}},
      {{0, 4}, {0}},
      {{70, 130}, {0}},
      {{1, 5, 1}, {0, 2}},
  };
  return all;
}

// Elements of each output, in row-major order.
std::vector<std::vector<double>> groups(const Tensor& x, const Problem& p) {
  std::vector<double> v = values(x);
  std::map<std::vector<int64_t>, std::vector<double>> by;
  Dims kept = p.sizes;
  for (int64_t d : p.dims) kept[static_cast<size_t>(d)] = 1;
  each_index(kept, [&](const Dims& i) { by[{i.begin(), i.end()}]; });
  size_t n = 0;
  each_index(p.sizes, [&](const Dims& i) {
    Dims at = i;
    for (int64_t d : p.dims) at[static_cast<size_t>(d)] = 0;
    by[{at.begin(), at.end()}].push_back(v[n++]);
  });
  std::vector<std::vector<double>> out;
  for (auto& [key, g] : by) out.push_back(std::move(g));
  return out;
}

IntList dims_of(const Problem& p) {
  IntList dims;
  for (int64_t d : p.dims) dims.push_back(Int(d));
  return dims;
}

template <class F>
void check(const Tensor& out, const Tensor& x, const Problem& p, F definition, const char* what) {
  auto g = groups(x, p);
  auto given = values(out);
  ASSERT_EQ(given.size(), g.size()) << what;
  for (size_t i = 0; i < g.size(); ++i)
    ASSERT_EQ(given[i], definition(g[i]))
        << what << " of " << name(x.dtype()) << dims_text(p.sizes) << " at " << i;
}

double sum_of(const std::vector<double>& v) {
  double s = 0;
  for (double x : v) s += x;
  return s;
}

TEST(Reductions, ByTheirDefinition) {
  for (const Problem& p : problems())
    for (DType t : kTypes)
      for (int how : {0, 1, 2}) {
        Tensor x = laid_out(small_numbers(p.sizes, t), how);
        IntList dims = dims_of(p);
        check(op<"sum.dim_IntList">(x, dims, false), x, p, sum_of, "sum");
        check(
            op<"any.dims">(x, dims, false), x, p,
            [](auto& v) {
              return std::any_of(v.begin(), v.end(), [](double a) { return a != 0; });
            },
            "any");
        check(
            op<"all.dims">(x, dims, false), x, p,
            [](auto& v) {
              return std::all_of(v.begin(), v.end(), [](double a) { return a != 0; });
            },
            "all");
        check(
            op<"count_nonzero.dim_IntList">(x, dims), x, p,
            [](auto& v) {
              return std::count_if(v.begin(), v.end(), [](double a) { return a != 0; });
            },
            "count_nonzero");
        bool empty = false;
        for (int64_t d : p.dims) empty = empty || p.sizes[static_cast<size_t>(d)] == 0;
        if (empty) continue;
        check(
            op<"amax">(x, dims, false), x, p,
            [](auto& v) { return *std::max_element(v.begin(), v.end()); }, "amax");
        check(
            op<"amin">(x, dims, false), x, p,
            [](auto& v) { return *std::min_element(v.begin(), v.end()); }, "amin");
        if (p.dims.size() != 1 || is_bool(t)) continue;  // no bool, as in PyTorch
        check(
            op<"argmax">(x, dims[0], false), x, p,
            [](auto& v) { return std::max_element(v.begin(), v.end()) - v.begin(); }, "argmax");
        check(
            op<"argmin">(x, dims[0], false), x, p,
            [](auto& v) { return std::min_element(v.begin(), v.end()) - v.begin(); }, "argmin");
        RefList both = KernelCaller().ops<"max.dim">(x, dims[0], false);
        check(
            both[0].tensor(), x, p, [](auto& v) { return *std::max_element(v.begin(), v.end()); },
            "max.dim");
        check(
            both[1].tensor(), x, p,
            [](auto& v) { return std::max_element(v.begin(), v.end()) - v.begin(); },
            "max.dim indices");
      }
}

TEST(Reductions, ProductsAndMeans) {
  for (DType t : kTypes)
    for (int how : {0, 1, 2}) {
      const Problem p{{3, 5, 2}, {1}};
      Tensor x = laid_out(small_numbers(p.sizes, t, 3, 4), how);
      check(
          op<"prod.dim_int">(x, 1, false), x, p,
          [](auto& v) {
            double r = 1;
            for (double a : v) r *= a;
            return r;
          },
          "prod");
      if (!is_floating(t)) continue;
      const Problem four{{3, 4, 2}, {1}};
      Tensor y = laid_out(small_numbers(four.sizes, t), how);
      check(
          op<"mean.dim">(y, IntList{Int(1)}, false), y, four, [](auto& v) { return sum_of(v) / 4; },
          "mean");
    }
}

TEST(Reductions, OfNothing) {
  const Dims sizes{3, 0};
  Tensor x = empty_cpu(sizes, DType::f32);
  EXPECT_EQ(values(op<"sum.dim_IntList">(x, IntList{Int(1)}, false)), std::vector<double>(3, 0.0));
  EXPECT_EQ(values(op<"prod.dim_int">(x, 1, false)), std::vector<double>(3, 1.0));
  EXPECT_TRUE(std::isnan(values(op<"mean.dim">(x, IntList{Int(1)}, false))[0]));
  EXPECT_EQ(values(op<"all.dims">(x, IntList{Int(1)}, false)), std::vector<double>(3, 1.0));
}

TEST(Reductions, NanWins) {
  Tensor x = from_values({1, std::nan(""), 3, std::nan("")}, Dims{4}, DType::f32);
  EXPECT_TRUE(std::isnan(values(op<"amax">(x, IntList{}, false))[0]));
  EXPECT_TRUE(std::isnan(values(op<"amin">(x, IntList{}, false))[0]));
  EXPECT_EQ(values(op<"argmax">(x, Arg(), false))[0], 1);
  EXPECT_EQ(values(op<"argmin">(x, Arg(), false))[0], 1);
}

TEST(Reductions, IntegersWrapAndKeepAllTheirBits) {
  Tensor x = empty_cpu(Dims{2}, DType::i64);
  auto* p = static_cast<int64_t*>(x.impl()->data());
  p[0] = std::numeric_limits<int64_t>::max(), p[1] = 1;
  Tensor sum = op<"sum.dim_IntList">(x, IntList{Int(0)}, false);
  EXPECT_EQ(*static_cast<int64_t*>(sum.impl()->data()), std::numeric_limits<int64_t>::min());
  Tensor high = op<"amax">(x, IntList{}, false);
  EXPECT_EQ(*static_cast<int64_t*>(high.impl()->data()), p[0]);
}

// The order of a sum is a function of sizes alone.
TEST(Reductions, SameBitsForEveryThreadCountAndLayout) {
  const std::vector<Problem> large{
      {{300000}, {0}},    {{3, 100000}, {1}},  {{100000, 3}, {0}},     {{5000, 70}, {0}},
      {{1000, 300}, {1}}, {{50, 60, 70}, {1}}, {{50, 60, 70}, {0, 2}}, {{9000, 40}, {0}},
  };
  for (DType t : kFloats)
    for (const Problem& p : large) {
      Tensor x = real_numbers(p.sizes, t);
      std::vector<std::byte> first;
      const bool whole = p.sizes.size() == p.dims.size();
      const double exact = whole ? sum_of(values(x)) : 0;
      for (int how : {0, 1, 2}) {
        Tensor y = laid_out(x, how);
        with_threads([&](int) {
          Tensor sum = op<"sum.dim_IntList">(y, dims_of(p), false);
          auto b = bits(sum);
          if (first.empty()) {
            first = b;
            if (whole) {
              EXPECT_NEAR(values(sum)[0], exact, 1e-2 * std::abs(exact) + 0.5);
            }
          }
          EXPECT_EQ(b, first) << name(t) << dims_text(p.sizes) << " layout " << how;
        });
      }
    }
}

TEST(Reductions, SameIndexForEveryThreadCount) {
  Tensor x = real_numbers(Dims{400000}, DType::f32);
  auto v = values(x);
  with_threads([&](int) {
    EXPECT_EQ(values(op<"argmax">(x, Arg(), false))[0],
              std::max_element(v.begin(), v.end()) - v.begin());
  });
}

}  // namespace
}  // namespace frit::kernels::test
