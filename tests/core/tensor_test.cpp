#include <frit/tensor.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "core/generator.h"
#include "core/layout.h"
#include "sym/shape_env.h"

namespace frit {
namespace {

template <class F>
UserError raised(F&& f) {
  try {
    f();
  } catch (const UserError& e) {
    return e;
  }
  ADD_FAILURE() << "nothing was raised";
  return UserError(ErrorKind::runtime, "", "");
}

TEST(Tensor, HasSizesAndData) {
  float values[] = {1, 2, 3, 4, 5, 6};
  Tensor t = tensor_from<float>(values, Dims{2, 3});
  EXPECT_EQ(t.dim(), 2);
  EXPECT_TRUE(static_cast<bool>(t.size(-1) == 3));
  EXPECT_TRUE(static_cast<bool>(t.stride(0) == 3));
  EXPECT_TRUE(static_cast<bool>(t.numel() == 6));
  EXPECT_TRUE(t.is_contiguous());
  EXPECT_EQ(t.data<float>()[4], 5);
  Tensor column = alias_view(t, Dims{2}, Dims{3}, 1);
  EXPECT_TRUE(column.shares_storage_with(t));
  EXPECT_FALSE(column.is_contiguous());
  EXPECT_EQ(column.data<float>()[3], 5);
}

TEST(Tensor, Errors) {
  Tensor none, scalar = empty_cpu(Dims{}, kFloat32), t = empty_cpu(Dims{2, 3}, kFloat32);
  EXPECT_EQ(raised([&] { none.dtype(); }).message(),
            "an undefined tensor was used where one is needed");
  EXPECT_EQ(raised([&] { scalar.size(0); }).message(), "a tensor of no dimensions has no size(0)");
  EXPECT_EQ(raised([&] { t.size(2); }).message(),
            "Dimension out of range (expected to be in range of [-2, 1], but got 2)");
  EXPECT_EQ(raised([&] { t.data<double>(); }).message(),
            "the tensor's dtype is float32, asked for float64");
  Tensor fake(make_ptr<TensorImpl>(make_ptr<Storage>(Storage::Fake{}, 24), kFloat32, Dims{2, 3},
                                   Dims{3, 1}, 0));
  EXPECT_EQ(raised([&] { fake.raw_data(); }).message(),
            "this tensor stands for a value that has no data here (a shape-only tensor)");
  EXPECT_EQ(raised([&] { empty_cpu(Dims{int64_t{1} << 40, int64_t{1} << 40}, kFloat32); }).op(),
            "empty");
}

TEST(Tensor, SymbolicSizesAreRead) {
  auto env = std::make_shared<sym::ShapeEnv>();
  Int s0 = env->new_symbol(4, 2, std::nullopt, "x.size(0)");
  Tensor t = empty_cpu(Dims{4, 3}, kFloat32);
  auto symbolic = std::make_unique<SymbolicMeta>();
  symbolic->sizes = {s0, Int(3)};
  symbolic->strides = {Int(3), Int(1)};
  t.impl()->symbolic = std::move(symbolic);
  EXPECT_EQ(t.size(0).str(), "s0");
  EXPECT_EQ(t.numel().str(), "3*s0");
  EXPECT_TRUE(t.is_contiguous());
  EXPECT_TRUE(env->guards().empty());  // nothing had to be asked
}

TEST(Storage, BorrowedMemoryIsReleasedOnce) {
  int released = 0;
  float memory[4] = {};
  {
    Tensor t = from_blob(memory, Dims{4}, kFloat32, [&] { ++released; });
    Tensor view = alias_view(t, Dims{2}, Dims{1}, 2);
    t = Tensor();
    EXPECT_EQ(released, 0);
    view.data<float>()[0] = 7;
  }
  EXPECT_EQ(released, 1);
  EXPECT_EQ(memory[2], 7);
}

TEST(Storage, WeakReferencesSeeTheEnd) {
  WeakPtr<Storage> weak;
  uint64_t id = 0;
  {
    Tensor t = empty_cpu(Dims{4}, kFloat32);
    weak = WeakPtr<Storage>(t.impl()->storage);
    id = t.impl()->storage->id();
    EXPECT_TRUE(weak.lock());
    EXPECT_FALSE(weak.expired());
  }
  EXPECT_TRUE(weak.expired());
  EXPECT_FALSE(weak.lock());
  EXPECT_NE(empty_cpu(Dims{4}, kFloat32).impl()->storage->id(), id);
}

TEST(Generator, OffsetsCountBlocksOfFourWords) {
  Generator g(7);
  EXPECT_EQ(g.take(1), (PhiloxState{7, 0}));
  EXPECT_EQ(g.take(4), (PhiloxState{7, 1}));
  EXPECT_EQ(g.take(0), (PhiloxState{7, 2}));
  EXPECT_EQ(g.take(9), (PhiloxState{7, 2}));
  EXPECT_EQ(g.state(), (PhiloxState{7, 5}));
  g.advance(2);
  EXPECT_EQ(g.state().offset, 7u);
  g.manual_seed(1);
  EXPECT_EQ(g.state(), (PhiloxState{1, 0}));
  EXPECT_NE(Generator().id(), g.id());
  manual_seed(11);
  EXPECT_EQ(default_generator()->state(), (PhiloxState{11, 0}));
}

TEST(IntLists, TakeWhatUsersWrite) {
  auto list = [](IntListRef l) { return dims_text(l.span()); };
  auto dims = [](DimsRef l) { return l.list(); };
  Int n = 6;
  EXPECT_EQ(list({2, -1}), "[2, -1]");
  EXPECT_EQ(list({n / 2, 4}), "[3, 4]");
  EXPECT_EQ(list(std::vector<int64_t>{1, 2}), "[1, 2]");
  EXPECT_EQ(list(std::vector<Int>{n}), "[6]");
  EXPECT_EQ(list(Dims{5}), "[5]");
  EXPECT_EQ(list({}), "[]");
  EXPECT_EQ(dims(3).size(), 1u);
  EXPECT_EQ(dims(n).size(), 1u);
  EXPECT_EQ(dims({0, 1}).size(), 2u);
  EXPECT_EQ(dims(IntList{1, 2, 3}).size(), 3u);
  EXPECT_FALSE(OptionalDimsRef().has_value());
  EXPECT_FALSE(OptionalDimsRef(std::nullopt).has_value());
  EXPECT_EQ(OptionalDimsRef(2).list()[0].constant(), 2);
  std::vector<int64_t> low{std::numeric_limits<int64_t>::min()};
  EXPECT_THROW(IntListRef{low}, UserError);
}

}  // namespace
}  // namespace frit
