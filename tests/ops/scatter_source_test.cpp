// Scatters through a view refuse a source that is not as large as the view: reading past it was a
// crash.
#include <gtest/gtest.h>

#include "ops/record.h"

namespace frit {
namespace {

Tensor made(std::initializer_list<int64_t> sizes) {
  std::vector<int64_t> n(sizes);
  return empty_cpu(n, DType::f32);
}

std::string error_of(const char* op, ArgList args) {
  const OpRecord& record = find_op(op);
  for (size_t i = args.size(); i < record.schema.args.size(); ++i)
    args.push_back(record.schema.args[i].default_value);
  std::string eager, traced;
  try {
    ShapeCtx<int64_t> s(record, args);
    record.shape(s);
  } catch (const UserError& e) {
    eager = e.what();
  }
  try {
    ShapeCtx<Int> s(record, args);
    record.shape_symbolic(s);
  } catch (const UserError& e) {
    traced = e.what();
  }
  EXPECT_EQ(eager, traced);
  return eager;
}

TEST(ScatterSource, MustBeAsLargeAsTheView) {
  Tensor self = made({3, 4}), small = made({2});
  EXPECT_EQ(error_of("select_scatter", {Arg(self), Arg(small), Arg(0), Arg(1)}),
            "[select_scatter] expected src to have a size equal to the slice of self. src size = "
            "[2], slice size = [4]\n"
            "  try: a src of sizes [4]");
  EXPECT_EQ(error_of("slice_scatter", {Arg(self), Arg(small), Arg(0), Arg(0), Arg(2)}),
            "[slice_scatter] expected src to have a size equal to the slice of self. src size = "
            "[2], slice size = [2, 4]\n"
            "  try: a src of sizes [2, 4]");
  EXPECT_EQ(error_of("diagonal_scatter", {Arg(self), Arg(small)}),
            "[diagonal_scatter] expected src to have a size equal to the slice of self. src size = "
            "[2], slice size = [3]\n"
            "  try: a src of sizes [3]");
  EXPECT_EQ(error_of("select_scatter", {Arg(self), Arg(made({4})), Arg(0), Arg(1)}), "");
}

}  // namespace
}  // namespace frit
