// Printing, parsing and verifying graphs: what is read back is what was written, and what is wrong
// is named with its line and column.
#include <gtest/gtest.h>

#include "ir/graph.h"

namespace frit::ir {
namespace {

std::string error_of(const std::string& text) {
  try {
    verify(*parse(text));
  } catch (const std::exception& e) {
    return e.what();
  }
  return "nothing was raised";
}

TEST(Text, IsReadBackAsItIs) {
  for (const char* text : {
           "graph g(x: f32[s0, 4]{1, s0} grad, w.a: bf16[4]) {\n"
           "  symbol s0 = 5 in [2, inf] from \"x.size(0)\"\n"
           "  symbol u0 = -3 in [-inf, 9] from \"k.item_int()\"\n"
           "  %0: f32[s0, 4]{1, s0} = mul.Scalar(x, -2.5) @no_grad\n"
           "  %1: f32[s0, 4]{1, s0} = add.Tensor(%0, x, alpha=3) @optimizer\n"
           "  assert u0 >= 1 and s0 >= u0, \"a \\\"text\\\"\"\n"
           "  write x <- %1 bumps 2\n"
           "  return %0 grad bumps 2, %1 bumps 1, input x, view of input x [4]{s0}+(s0 - 1)\n"
           "}\n",
           "graph g() {\n  %0: f32[2] = full([2], inf, dtype=f32)\n  %1: f32[4] = cat([%0, %0])\n  "
           "return %1\n}\n",
           "graph g(g: f32[2, 3], x: f32[2, 3], m: f32[2, 1], r: f32[2, 1]) {\n"
           "  %0: f32[2, 3], %1: f32[3], %2: f32[3] = native_layer_norm_backward(g, x, [3], m, r, "
           "None, None, [1, 0, 1])\n  return %0\n}\n",
       }) {
    EXPECT_EQ(print(*parse(text)), text);
    EXPECT_EQ(print(*clone(*parse(text))), text);
  }
}

TEST(Text, ErrorsHaveLineAndColumn) {
  struct Case {
    const char* text;
    const char* message;
  };
  for (const Case& c : {
           Case{"graf g() {\n}\n", "[parse] line 1, column 1: expected 'graph'"},
           Case{"graph g(x: f33[2]) {\n  return input x\n}\n", "[parse] line 1, column "},
           Case{"graph g(x: f32[2]) {\n  %0: f32[2] = no_such_op(x)\n  return %0\n}\n",
                "[parse] line 2, column "},
           Case{"graph g(x: f32[2]) {\n  %0: f32[2] = relu(y)\n  return %0\n}\n",
                "[parse] line 2, column "},
           Case{"graph g(x: f32[2]) {\n  %0: f32[2] = relu(x)\n", "[parse] line 3, column "},
           Case{"graph g(x: f32[2]) {\n  %0: f32[2] = relu(x, x)\n  return %0\n}\n",
                "[parse] line 2, column "},
           Case{"graph g(x: f32[s1]) {\n  return input x\n}\n", "[parse] line 1, column "},
           Case{"graph g(x: f32[2]) {\n  return view of output 3 [2]{1}+(0)\n}\n", "3"},
       }) {
    std::string said = error_of(c.text);
    EXPECT_NE(said.find(c.message), std::string::npos) << c.text << "said: " << said;
  }
}

TEST(Verify, NamesTheNodeAndTheRule) {
  // The text says another size than the op's rule.
  std::string said = error_of("graph g(x: f32[2]) {\n  %0: f32[3] = relu(x)\n  return %0\n}\n");
  EXPECT_NE(said.find("relu"), std::string::npos) << said;
  said = error_of("graph g(x: f32[2]) {\n  %0: f64[2] = relu(x)\n  return %0\n}\n");
  EXPECT_NE(said.find("relu"), std::string::npos) << said;
  // A written form.
  said = error_of("graph g(x: f32[2]) {\n  %0: f32[2] = relu_(x)\n  return %0\n}\n");
  EXPECT_NE(said.find("relu_"), std::string::npos) << said;
}

TEST(Graph, ErasesOnlyWhatIsUnused) {
  auto g = parse(
      "graph g(x: f32[2]) {\n  %0: f32[2] = relu(x)\n  %1: f32[2] = exp(%0)\n  return %1\n}\n");
  Node* first = g->nodes().front().get();
  EXPECT_THROW(g->erase(first), InternalError);
  g->replace_all_uses(first->output(), g->inputs()[0]);
  g->erase(first);
  verify(*g);
  EXPECT_EQ(print(*g), "graph g(x: f32[2]) {\n  %0: f32[2] = exp(x)\n  return %0\n}\n");
}

}  // namespace
}  // namespace frit::ir
