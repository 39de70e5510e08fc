#include "core/layout.h"

#include <frit/tensor.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "base/error.h"

namespace frit {
namespace {

using D = Dims;

// Every element's offset, by counting.
std::multiset<int64_t> offsets(const D& sizes, const D& strides) {
  std::multiset<int64_t> all{0};
  for (size_t d = 0; d < sizes.size(); ++d) {
    std::multiset<int64_t> next;
    for (int64_t at : all)
      for (int64_t i = 0; i < sizes[d]; ++i) next.insert(at + i * strides[d]);
    all = std::move(next);
  }
  return all;
}

TEST(Layout, ContiguousStrides) {
  EXPECT_EQ(contiguous_strides<int64_t>(D{2, 3, 4}), (D{12, 4, 1}));
  EXPECT_EQ(contiguous_strides<int64_t>(D{2, 0, 4}), (D{4, 4, 1}));  // as PyTorch: 0 counts as 1
  EXPECT_EQ(contiguous_strides<int64_t>(D{}), D{});
  D huge{int64_t{1} << 40, int64_t{1} << 40};
  EXPECT_EQ(contiguous_strides<int64_t>(huge), (D{int64_t{1} << 40, 1}));
  EXPECT_THROW(numel_of<int64_t>(huge), UserError);
  huge.push_back(0);
  EXPECT_EQ(numel_of<int64_t>(huge), 0);
}

TEST(Layout, IsContiguous) {
  EXPECT_TRUE(is_contiguous(D{2, 3}, D{3, 1}));
  EXPECT_FALSE(is_contiguous(D{2, 3}, D{1, 2}));
  EXPECT_TRUE(is_contiguous(D{1, 3}, D{77, 1}));  // a single row may have any stride
  EXPECT_TRUE(is_contiguous(D{2, 0, 3}, D{5, 9, 2}));
  EXPECT_TRUE(is_contiguous(D{}, D{}));
  EXPECT_FALSE(is_contiguous(D{2, 3}, D{0, 1}));
}

TEST(Layout, DenseAndOverlapAgreeWithCounting) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 3000; ++trial) {
    D sizes, strides;
    size_t rank = random() % 4;
    for (size_t d = 0; d < rank; ++d) {
      sizes.push_back(random() % 4);
      strides.push_back(random() % 13);
    }
    auto all = offsets(sizes, strides);
    std::set<int64_t> distinct(all.begin(), all.end());
    bool shares = distinct.size() < all.size();
    if (shares)
      EXPECT_TRUE(may_overlap_itself(sizes, strides)) << dims_text(std::span<const int64_t>(sizes));
    bool dense =
        !shares && (all.empty() || *distinct.rbegin() + 1 == static_cast<int64_t>(all.size()));
    EXPECT_EQ(is_dense_non_overlapping(sizes, strides), dense)
        << dims_text(std::span<const int64_t>(sizes))
        << dims_text(std::span<const int64_t>(strides));
  }
}

TEST(Layout, TensorsOverOneStorage) {
  Tensor t = empty_cpu(D{4, 4}, kFloat32);
  Tensor top = alias_view(t, D{2, 4}, D{4, 1}, 0), bottom = alias_view(t, D{2, 4}, D{4, 1}, 8);
  EXPECT_FALSE(may_overlap(*top.impl(), *bottom.impl()));
  EXPECT_TRUE(may_overlap(*top.impl(), *t.impl()));
  EXPECT_FALSE(may_overlap(*t.impl(), *empty_cpu(D{4, 4}, kFloat32).impl()));
  Tensor none = alias_view(t, D{0, 4}, D{4, 1}, 0);
  EXPECT_FALSE(may_overlap(*none.impl(), *t.impl()));
}

TEST(Layout, WrapDim) {
  EXPECT_EQ(wrap_dim(-1, 3, "sum"), 2);
  EXPECT_EQ(wrap_dim(0, 0, "sum"), 0);
  EXPECT_EQ(wrap_dim(-1, 0, "sum"), 0);
  try {
    wrap_dim(3, 3, "sum");
    FAIL();
  } catch (const UserError& e) {
    EXPECT_EQ(e.kind(), ErrorKind::index);
    EXPECT_EQ(e.message(),
              "Dimension out of range (expected to be in range of [-3, 2], but got 3)");
    EXPECT_EQ(e.hint(), "a dim between -3 and 2");
  }
}

TEST(Layout, Text) {
  EXPECT_EQ(dims_text(std::span<const int64_t>(D{2, -1})), "[2, -1]");
  EXPECT_EQ(dims_text(std::span<const int64_t>(D{})), "[]");
}

}  // namespace
}  // namespace frit
