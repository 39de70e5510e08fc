// Schema text in and out, and arguments put into schema form.
#include "ops/schema.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace frit {
namespace {

TEST(Schema, PrintsWhatItReads) {
  for (const char* text : {
           "add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
           "add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)",
           "max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
           "sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? "
           "dtype=None) "
           "-> Tensor",
           "gelu(Tensor self, *, str approximate=\"none\") -> Tensor",
           "index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
           "split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]",
           "roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor",
           "randint(SymInt high, SymInt[] size, *, ScalarType? dtype=4, Layout? layout=None) -> "
           "Tensor",
           "f(float a=1., float b=0.5, Scalar c=0.01, bool d=True, int e=-100) -> (Tensor, Tensor)",
           "g(Tensor[] tensors, Generator? generator=None, bool[3] output_mask) -> ()",
       })
    EXPECT_EQ(parse_schema(text).str(), text);
  // The two ways in which 1e-5 is written are one number.
  EXPECT_EQ(parse_schema("f(float eps=1.0000000000000001e-05) -> Tensor").str(),
            parse_schema("f(float eps=1e-05) -> Tensor").str());
  EXPECT_EQ(parse_schema("aten::relu(Tensor self) -> Tensor").full_name(), "relu");
}

TEST(Schema, KnowsItsArguments) {
  Schema s = parse_schema(
      "to.dtype(Tensor(a) self, ScalarType dtype, bool copy=False, int[2] pad=0) -> Tensor(a)");
  EXPECT_EQ(s.name, "to");
  EXPECT_EQ(s.overload, "dtype");
  EXPECT_EQ(s.find("dtype"), 1);
  EXPECT_EQ(s.find("other"), -1);
  EXPECT_EQ(s.args[0].alias_set, 'a');
  EXPECT_FALSE(s.args[0].is_written);
  EXPECT_EQ(s.args[3].default_value.to_ints().size(), 2u);
}

TEST(Schema, SaysWhereTextIsNoSchema) {
  for (auto [text, part] : std::vector<std::pair<const char*, const char*>>{
           {"add(Tensor self", "expected , at column 16"},
           {"add(Tenser self) -> Tensor", "expected a known type at column 11"},
           {"add(Tensor self)", "expected -> at column 17"},
           {"add(Tensor self) -> Tensor x y", "expected the end at column 30"},
           {"add(int a=) -> Tensor", "expected a value at column 11"},
       }) {
    try {
      parse_schema(text);
      ADD_FAILURE() << text;
    } catch (const InternalError& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  }
}

class Binding : public testing::Test {
 protected:
  std::string error(std::vector<Arg> given,
                    std::vector<std::pair<std::string_view, Arg>> keywords = {}) {
    try {
      bind_arguments(schema, given, keywords);
    } catch (const UserError& e) {
      EXPECT_EQ(e.kind(), ErrorKind::type);
      EXPECT_EQ(e.hint(), "its signature is " + schema.str());
      return e.message();
    }
    return "";
  }
  Schema schema = parse_schema(
      "f(Tensor self, int[2] size, float p=0.5, *, Scalar alpha=1, str? mode=None) -> Tensor");
  Tensor x = empty_cpu(Dims{2}, kFloat32);
};

TEST_F(Binding, FillsDefaultsAndConverts) {
  ArgList args = bind_arguments(schema, std::vector<Arg>{x, 3, 2});
  ASSERT_EQ(args.size(), 5u);
  EXPECT_EQ(args[1].to_ints(), (IntList{3, 3}));  // a lone int stands for both
  EXPECT_TRUE(args[2].is<double>());
  EXPECT_TRUE(args[3].is<Scalar>());
  EXPECT_TRUE(args[4].is_none());
  std::vector<std::pair<std::string_view, Arg>> keywords{
      {"alpha", Arg(2.5)}, {"mode", Arg("floor")}, {"size", Arg({1, 2})}};
  args = bind_arguments(schema, std::vector<Arg>{x}, keywords);
  EXPECT_EQ(args[3].to_double(), 2.5);
  EXPECT_EQ(args[4].as<Symbol>(), "floor");
}

TEST_F(Binding, ErrorsAreInPyTorchsWords) {
  EXPECT_EQ(error({x}), "f() missing 1 required positional argument: \"size\"");
  EXPECT_EQ(error({}), "f() missing 2 required positional arguments: \"self\", \"size\"");
  EXPECT_EQ(error({x, 1, 0.5, 2}), "f() takes 3 positional arguments but 4 were given");
  EXPECT_EQ(error({x, 1}, {{"beta", Arg(1)}}), "f() got an unexpected keyword argument 'beta'");
  EXPECT_EQ(error({x, 1}, {{"size", Arg(1)}}), "f() got multiple values for argument 'size'");
  EXPECT_EQ(error({3, 1}), "f(): argument 'self' (position 1) must be Tensor, not int");
  EXPECT_EQ(error({Arg(), 1}), "f(): argument 'self' (position 1) must be Tensor, not NoneType");
  EXPECT_EQ(error({x, x}), "f(): argument 'size' (position 2) must be tuple of ints, not Tensor");
  EXPECT_EQ(error({x, 1, "a"}), "f(): argument 'p' (position 3) must be float, not str");
  EXPECT_EQ(error({x, 1}, {{"mode", Arg(true)}}),
            "f(): argument 'mode' (position 5) must be str, not bool");
}

TEST(Args, ConvertWhereNothingIsLost) {
  EXPECT_EQ(Arg(true).to_int().constant(), 1);
  EXPECT_EQ(Arg(3).to_double(), 3.0);
  EXPECT_TRUE(Arg(2.5).to_scalar().is_real());
  EXPECT_EQ(Arg(4).to_ints(), (IntList{4}));
  EXPECT_TRUE(Arg(Tensor()).is_none());
  EXPECT_TRUE(Arg(std::optional<Int>()).is_none());
  EXPECT_THROW(Arg(2.5).to_int(), InternalError);
  EXPECT_THROW(Arg("x").to_double(), InternalError);
  EXPECT_THROW(Arg(1).ref(), InternalError);
}

}  // namespace
}  // namespace frit
