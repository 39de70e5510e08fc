// Text in and out, and programs: what is printed is read back, errors of the parser, C++ text
// compiled and run, and postfix programs.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sym/parse.h"
#include "sym/print.h"
#include "sym/random_expr.h"

namespace frit::sym {
namespace {

template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const UserError& e) {
    return e.what();
  } catch (const InternalError& e) {
    return std::string("internal: ") + e.what();
  }
  return "no error";
}

struct TextTest : testing::Test {
  std::shared_ptr<ShapeEnv> env = std::make_shared<ShapeEnv>();
  Int s0 = env->new_symbol(8, 2, std::nullopt, "x.size(0)");
  Int u0 = env->new_unbacked("n.item_int()", {}, 0);
  Int s1 = env->new_symbol(6, 2, std::nullopt, "x.size(1)");
};

TEST_F(TextTest, WhatIsPrintedIsReadBack) {
  for (const char* t : {"0",
                        "4",
                        "-4",
                        "s0",
                        "-s0",
                        "2*s0 + s1",
                        "s0*s1 + s0 + 1",
                        "4 - s0",
                        "-2*s0 - 4",
                        "s1 - 3*s0",
                        "s0//2",
                        "s0 % 2",
                        "-(s0 % 2)",
                        "-(s0//2)",
                        "4 - s0//2",
                        "2*(s0//2)",
                        "s0*(s1//2)",
                        "(s0 + 1)//2",
                        "s0//s1",
                        "s0 % (s1 + 1)",
                        "(s0//2) % s1",
                        "min(s0, 4)",
                        "max(s0, s1 + 1, 9)",
                        "min(s1, max(s0, 5), 7)",
                        "2*min(s0, 4) + 1",
                        "s0*s0",
                        "u0 + 1",
                        "s0*u0",
                        "s0//(s1 % 3 + 1)"}) {
    EXPECT_EQ(parse(*env, t).str(), t);
  }
  for (const char* t : {"True",
                        "False",
                        "s0 >= 3",
                        "s0 <= 3",
                        "s0 == 4",
                        "s0 != 4",
                        "s0 % 2 == 0",
                        "s0 % 3 == 1",
                        "s0 < s1",
                        "s0 >= s1 + 3",
                        "s0 + 3 >= s1",
                        "2*s0 == 3*s1",
                        "s0*s1 == 4*u0 + 3",
                        "s0 >= 3 and s1 >= 3",
                        "s0 == 3 or s1 >= 4 and u0 != 0",
                        "(s0 == 3 or s1 >= 4) and u0 != 0",
                        "u0 != 0 and s0 % u0 == 0",
                        "s0 == s1 + 1",
                        "s0 + 1 == s1",
                        "u0 <= 4",
                        "s0 >= u0"}) {
    EXPECT_EQ(parse_bool(*env, t).str(), t);
  }
}

TEST_F(TextTest, OtherSpellingsAreRead) {
  EXPECT_EQ(parse(*env, " (1+ s0)*2 ").str(), "2*s0 + 2");
  EXPECT_EQ(parse(*env, "- s0 + 3").str(), "3 - s0");
  EXPECT_EQ(parse(*env, "7 // 2 % 2").str(), "1");
  EXPECT_EQ(parse(*env, "-7 // 2").str(), "-4");
  EXPECT_EQ(parse(*env, "min(3)").str(), "3");
  EXPECT_EQ(parse_bool(*env, "not s0 == 4").str(), "s0 != 4");
  EXPECT_EQ(parse_bool(*env, "!(s0 > 4) || s1 == 3 && u0 == 1").str(),
            "s0 <= 4 or s1 == 3 and u0 == 1");
  EXPECT_EQ(parse_bool(*env, "2 < s0").str(), "s0 >= 3");
}

TEST_F(TextTest, AnotherEnvironmentReadsTheSame) {
  Int e = (s0 + 3) / 4 * s1 + min(u0, s0);
  auto other = std::make_shared<ShapeEnv>();
  other->new_unbacked("n.item_int()", {}, 0);
  other->new_symbol(3, 2, std::nullopt, "x.size(0)");
  other->new_symbol(3, 2, std::nullopt, "x.size(1)");
  EXPECT_EQ(parse(*other, e.str()).str(), e.str());
}

TEST_F(TextTest, ParserErrors) {
  auto error = [&](const char* t) { return error_of([&] { parse(*env, t); }); };
  EXPECT_EQ(error("2*s7"), "[parse] \"2*s7\" at column 3: expected a symbol of this graph here");
  EXPECT_EQ(error("2*"), "[parse] \"2*\" at column 3: expected a size here");
  EXPECT_EQ(error("(s0"), "[parse] \"(s0\" at column 4: expected \")\" here");
  EXPECT_EQ(error("min s0"), "[parse] \"min s0\" at column 5: expected \"(\" here");
  EXPECT_EQ(error("s0 s1"), "[parse] \"s0 s1\" at column 4: expected the end here");
  EXPECT_EQ(error("s0 == 4"),
            "[parse] \"s0 == 4\" at column 8: expected an integer, not a condition, here");
  EXPECT_EQ(
      error("99999999999999999999"),
      "[parse] \"99999999999999999999\" at column 1: expected an integer in [-2^62, 2^63) here");
  EXPECT_EQ(error("s0 // 0"), "[size] division of s0 by zero");
  EXPECT_EQ(error_of([&] { parse_bool(*env, "s0"); }),
            "[parse] \"s0\" at column 3: expected a condition, not an integer, here");
  EXPECT_THAT(error(std::string(5000, '(').c_str()), testing::HasSubstr("expected less nesting"));
  EXPECT_THAT(error(std::string(5000, '-').c_str()), testing::HasSubstr("expected less nesting"));
  EXPECT_THAT(error_of([&] {
                std::string nots;
                for (int i = 0; i < 5000; ++i) nots += "not ";
                parse_bool(*env, nots);
              }),
              testing::HasSubstr("expected less nesting"));
}

TEST_F(TextTest, Programs) {
  EXPECT_EQ(env->compile(2 * s0 + s1 + 1).str(), "symbol 0; scale 2; symbol 2; add; offset 1");
  EXPECT_EQ(env->compile(s0 / 2 % s1).str(), "symbol 0; constant 2; floordiv; symbol 2; mod");
  EXPECT_EQ(env->compile(min(s0, 4)).str(), "symbol 0; constant 4; min");
  EXPECT_EQ(env->compile(u0 != 0 && s0 % u0 == 0).str(),
            "symbol 1; is_nonzero; and_jump 7; symbol 0; symbol 1; mod; is_zero");
  EXPECT_EQ(env->compile(Int(4)).str(), "constant 4");
  EXPECT_EQ(env->compile(s1).symbols_needed(), 3);
}

TEST_F(TextTest, ProgramsStopBeforeWhatIsUndefined) {
  Program p = env->compile(u0 != 0 && s0 % u0 == 0);
  int64_t r = -1;
  EXPECT_TRUE(p.try_run(std::vector<int64_t>{8, 0, 2}, &r));
  EXPECT_EQ(r, 0);
  EXPECT_EQ(p.run(std::vector<int64_t>{8, 4, 2}), 1);
  EXPECT_EQ(p.run(std::vector<int64_t>{8, 3, 2}), 0);
  Program q = env->compile(u0 == 0 || s0 % u0 == 0);
  EXPECT_EQ(q.run(std::vector<int64_t>{8, 0, 2}), 1);
  EXPECT_EQ(q.run(std::vector<int64_t>{8, 3, 2}), 0);
}

TEST_F(TextTest, ProgramsCheckForOverflow) {
  const int64_t big = int64_t{1} << 62;
  int64_t r;
  EXPECT_FALSE(env->compile(s0 * s1).try_run(std::vector<int64_t>{big, 0, 4}, &r));
  EXPECT_FALSE(env->compile(2 * s0).try_run(std::vector<int64_t>{big, 0, 4}, &r));
  EXPECT_FALSE(env->compile(s0 + s1).try_run(std::vector<int64_t>{big, 0, big}, &r));
  EXPECT_FALSE(env->compile(s0 + big).try_run(std::vector<int64_t>{big, 0, big}, &r));
  EXPECT_FALSE(env->compile(s0 / u0).try_run(std::vector<int64_t>{8, 0, 4}, &r));
  EXPECT_FALSE(env->compile(s1).try_run(std::vector<int64_t>{8}, &r));
  EXPECT_EQ(error_of([&] { env->compile(s0 * s1).run(std::vector<int64_t>{big, 0, 4}); }),
            "[size] a size expression does not fit into 64 bits for the sizes given");
  EXPECT_EQ(error_of([&] { env->compile(s0 / u0).run(std::vector<int64_t>{8, 0, 4}); }),
            "[size] a size expression divides by zero for the sizes given");
}

TEST_F(TextTest, CppText) {
  auto cpp = [&](Int v) { return cpp_text(env->expr(v), [](const Expr* s) { return text(s); }); };
  auto cpp_bool = [&](Bool v) {
    return cpp_text(env->expr(v),
                    [](const Expr* s) { return "n[" + std::to_string(s->value()) + "]"; });
  };
  EXPECT_EQ(cpp(2 * s0 - s1 + 1), "(2 * s0 - s1 + 1)");
  EXPECT_EQ(cpp(s0 / 2 * s1), "(s1 * (s0 / 2))");
  EXPECT_EQ(cpp(s0 % 4), "(s0 % 4)");
  EXPECT_EQ(cpp((s0 - 7) / s1), "sym_floordiv((s0 - 7), s1)");
  EXPECT_EQ(cpp(s0 / u0), "sym_floordiv(s0, u0)");
  EXPECT_EQ(cpp(min(min(s0, s1), 4)), "sym_min(s0, sym_min(s1, 4))");
  EXPECT_EQ(cpp(Int(5)), "5");
  EXPECT_EQ(cpp_bool(s0 % 2 == 0 && s1 >= 3), "(((n[0] % 2) == 0) && ((n[2] - 3) >= 0))");
}

TEST(CppText, CompiledGivesTheSameValues) {
#ifndef FRIT_TEST_CXX
  GTEST_SKIP() << "no compiler is known to the test";
#else
  auto env = std::make_shared<ShapeEnv>();
  std::vector<Int> symbols{env->new_symbol(5, 1, std::nullopt, ""),
                           env->new_symbol(3, 0, std::nullopt, ""), env->new_symbol(0, -9, 9, "")};
  random::Generator g(7, 3);
  std::vector<std::shared_ptr<random::Node> > nodes;
  std::string code = cpp_helpers("long");
  while (nodes.size() < 200) {
    auto n = g.node(3);
    try {
      Int e = n->build(symbols);
      code += "extern \"C\" long f" + std::to_string(nodes.size()) + "(const long* n) { return " +
              cpp_text(env->expr(e),
                       [](const Expr* s) { return "n[" + std::to_string(s->value()) + "]"; }) +
              "; }\n";
      nodes.push_back(n);
    } catch (const UserError&) {  // it divides by the number 0
    }
  }
  auto stem =
      std::filesystem::temp_directory_path() / ("frit_cpp_text_" + std::to_string(getpid()));
  std::string source = stem.string() + ".cpp", object = stem.string() + ".so";
  std::ofstream(source) << code;
  int status = std::system((std::string(FRIT_TEST_CXX) + " -O0 -shared -fPIC -Wno-everything -o '" +
                            object + "' '" + source + "'")
                               .c_str());
  void* library = status == 0 ? dlopen(object.c_str(), RTLD_NOW) : nullptr;
  std::filesystem::remove(source);
  std::filesystem::remove(object);
  ASSERT_NE(library, nullptr) << code;
  int compared = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    auto f = reinterpret_cast<long (*)(const int64_t*)>(
        dlsym(library, ("f" + std::to_string(i)).c_str()));
    ASSERT_NE(f, nullptr);
    for (int k = 0; k < 20; ++k) {
      std::vector<int64_t> v{g.number(1, 20), g.number(0, 20), g.number(-9, 9)};
      auto expected = nodes[i]->evaluate(v);
      if (!expected) continue;
      ASSERT_EQ(f(v.data()), *expected) << nodes[i]->str();
      ++compared;
    }
  }
  EXPECT_GT(compared, 1000);
  dlclose(library);
#endif
}

}  // namespace
}  // namespace frit::sym
