// Expressions, index arithmetic, the parser's and the verifier's errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness.h"

namespace frit::loops {
namespace {

using testing::HasSubstr;

struct Loops {
  std::shared_ptr<sym::ShapeEnv> env = std::make_shared<sym::ShapeEnv>();
  Int s = env->new_symbol(8, 2, {}, "x.size(0)");
  Program p{env};
  Int i = p.loop_symbol(s, 0), j = p.loop_symbol(64, 0);
};

TEST(LoopSymbols, OneForEverySizeAndPlace) {
  Loops l;
  EXPECT_TRUE(l.p.loop_symbol(64, 0).same_as(l.j));
  EXPECT_FALSE(l.p.loop_symbol(64, 1).same_as(l.j));
  EXPECT_TRUE(l.p.size_of_symbol(l.i)->same_as(l.s));
  EXPECT_FALSE(l.p.size_of_symbol(l.s));
  EXPECT_TRUE(l.p.loop_symbol(1, 0).is_symbolic()) << "a loop of one turn has a symbol too";
}

TEST(LoopSymbols, IndicesSimplifyByTheirBounds) {
  Loops l;
  Int flat = l.i * 64 + l.j;
  EXPECT_TRUE(floordiv(flat, 64).same_as(l.i));
  EXPECT_TRUE(mod(flat, 64).same_as(l.j));
  Int other = l.j * l.s + l.i;
  EXPECT_TRUE(floordiv(other, l.s).same_as(l.j));
  EXPECT_TRUE(mod(other, l.s).same_as(l.i));
}

TEST(Affine, FormsAndWhatIsNone) {
  Loops l;
  Int symbols[] = {l.i, l.j};
  auto form = affine(l.i * l.s * 3 + l.j + 7, symbols);
  ASSERT_TRUE(form);
  EXPECT_TRUE(form->coefs[0].same_as(l.s * 3));
  EXPECT_TRUE(form->coefs[1].same_as(1));
  EXPECT_TRUE(form->base.same_as(7));
  EXPECT_TRUE(affine(l.s * 2, symbols)->base.same_as(l.s * 2));
  EXPECT_FALSE(affine(floordiv(l.j, 3), symbols));
  EXPECT_FALSE(affine(l.i * l.j, symbols));
  Int only_i[] = {l.i};
  EXPECT_TRUE(affine(floordiv(l.j, 3) + l.i, only_i)->base.same_as(floordiv(l.j, 3)));
}

TEST(Substitute, AllAtOnce) {
  Loops l;
  Int from[] = {l.i, l.j}, to[] = {l.j, l.i};
  EXPECT_TRUE(substitute(l.i * 2 + floordiv(l.j, 3), from, to).same_as(l.j * 2 + floordiv(l.i, 3)));
  EXPECT_TRUE(
      substitute(l.i < Int(5) && l.j == Int(2), from, to).same_as(l.j < Int(5) && l.i == Int(2)));
  EXPECT_TRUE(depends_on(floordiv(l.j, 3) + 1, l.j));
  EXPECT_FALSE(depends_on(l.i, l.j));
}

TEST(Expressions, AreInterned) {
  Loops l;
  l.p.buffers.push_back({.name = "x", .dtype = DType::bf16});
  const Expr* x = l.p.load(0, l.i * 64 + l.j);
  EXPECT_EQ(x, l.p.load(0, l.j + l.i * 64));
  EXPECT_EQ(x->type, DType::f32);
  EXPECT_EQ(l.p.convert(x, DType::bf16), x) << "what a half buffer holds is of the half type";
  EXPECT_EQ(l.p.convert(x, DType::f32), x);
  EXPECT_NE(l.p.convert(x, DType::f16), x);
  EXPECT_EQ(l.p.constant(Scalar(0.1), DType::f32)->scalar.to_double(), static_cast<double>(0.1f));
  EXPECT_NE(l.p.constant(Scalar(0.0), DType::f32), l.p.constant(Scalar(-0.0), DType::f32));
  EXPECT_EQ(l.p.constant(Scalar(300), DType::u8)->scalar.to_int64(), 44);
  EXPECT_EQ(l.p.select(l.i < l.s, x, l.p.constant(Scalar(0), DType::f32)), x) << "known to hold";
}

std::string error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const UserError& e) {
    return e.what();
  }
  return "no error";
}

TEST(Parser, Errors) {
  EXPECT_THAT(error_of("graph x {}"), HasSubstr("[parse] line 1, column 1: expected 'loops'"));
  EXPECT_THAT(error_of("loops x {\n  buffer a: f33[4] input 0\n}"),
              HasSubstr("line 2, column 16: 'f33' is not a dtype"));
  EXPECT_THAT(
      error_of(
          "loops x {\n  buffer a: f32[4] input 0\n  nest n0 \"\" pointwise {\n    outer i0 < 4\n"
          "    once {\n      b[i0] = a[i0]\n    }\n  }\n}"),
      HasSubstr("there is no buffer b"));
  EXPECT_THAT(
      error_of(
          "loops x {\n  buffer a: f32[4] input 0\n  nest n0 \"\" pointwise {\n    outer i0 < 4\n"
          "    once {\n      a[i7] = t0\n    }\n  }\n}"),
      HasSubstr("i7"));
  EXPECT_THAT(error_of("loops x {\n  k0: generated forward {\n    n3(;)\n  }\n}"),
              HasSubstr("there is no nest n3"));
  EXPECT_THAT(error_of("loops x {\n  buffer a: f32[4] arena"), HasSubstr("unfinished text"));
  EXPECT_THAT(error_of("loops x {\n  k0: library forward no_such_op() -> \n}"),
              HasSubstr("there is no op no_such_op"));
}

std::string fault_of(const std::string& text) {
  try {
    verify(*parse(text));
  } catch (const InternalError& e) {
    return e.what();
  }
  return "no fault";
}

TEST(Verifier, Faults) {
  std::string head =
      "loops x {\n  buffer a: f32[4] input 0\n  buffer b: f32[4] output 0\n  buffer c: f32[4] "
      "arena 0\n"
      "  buffer d: i64[4] input 1\n  check \"bad\"\n";
  auto nest = [](std::string body, std::string loops = "    outer i0 < 4\n",
                 std::string kind = "pointwise") {
    return "  nest n0 \"\" " + kind + " {\n" + loops + body + "  }\n";
  };
  std::string good = nest("    once {\n      b[i0] = a[i0]\n    }\n");
  EXPECT_EQ(fault_of(head + good + "  k0: generated forward {\n    n0(a, b; 4)\n  }\n}"),
            "no fault");
  EXPECT_THAT(fault_of(head + good + "  k0: generated forward {\n    n0(a, b, c; 4)\n  }\n}"),
              HasSubstr("a buffer for each of the nest's"));
  EXPECT_THAT(fault_of(head + good + "  k0: generated forward {\n    n0(c, b; 4)\n  }\n}"),
              HasSubstr("reads c before it is written"));
  EXPECT_THAT(fault_of(head + good + "  k0: generated forward {\n    n0(d, b; 4)\n  }\n}"),
              HasSubstr("a buffer of the nest's dtype"));
  EXPECT_THAT(fault_of(head + nest("    once {\n      b[i0] = d[i0]\n    }\n") + "}"),
              HasSubstr("a store of the buffer's compute type"));
  EXPECT_THAT(fault_of(head + nest("    over row {\n      b[i0] = a[i0]\n    }\n") + "}"),
              HasSubstr("a pass over a row that is not there"));
  EXPECT_THAT(
      fault_of(head +
               nest("    over row {\n      b[i0] = #0:f32\n      #0: f32 = sum a[i0]\n    }\n",
                    "    outer i0 < 4\n    row r0 < 8\n", "row") +
               "}"),
      HasSubstr("a reduction's result is used after its pass"));
  EXPECT_THAT(
      fault_of(head + nest("    once {\n      a[i0] = b[i0; d[i0] in 4 by 1 check 0]\n    }\n") +
               "  k0: generated forward {\n    n0(d, a, a; 4)\n  }\n}"),
      HasSubstr("may fail after an input was written"));
}

}  // namespace
}  // namespace frit::loops
