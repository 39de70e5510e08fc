// What the tests of this room share: a graph from text, lowered, generated, compiled and run beside
// eager's run of the same graph, op by op.
#pragma once
#include <frit/tensor.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/parallel.h"
#include "codegen/cpu/generate.h"
#include "ir/graph.h"
#include "loops/lower.h"
#include "runtime/compiled_graph.h"

namespace frit::codegen::cpu {

struct Compiled {
  std::unique_ptr<ir::Graph> graph;
  std::unique_ptr<loops::Program> program;
  Generated generated;
  std::unique_ptr<runtime::CompiledGraph> code;
  double compile_ms = 0;
};

// Builds a graph by calls.
class Maker {
 public:
  Maker()
      : env(std::make_shared<sym::ShapeEnv>()),
        graph(std::make_unique<ir::Graph>(env, "test")),
        caller(*graph) {}
  Int symbol(int64_t hint = 8, int64_t lower = 2) {
    return env->new_symbol(hint, lower, {}, "n" + std::to_string(env->symbols().size()));
  }
  Ref input(IntList sizes, DType dtype = DType::f32, IntList strides = {});
  template <OpName name, class... A>
  Ref op(A&&... args) {
    return caller.op<name>(std::forward<A>(args)...);
  }
  template <OpName name, class... A>
  RefList ops(A&&... args) {
    return caller.ops<name>(std::forward<A>(args)...);
  }
  void output(const Ref& r) {
    ir::Output o;
    o.value = r.value();
    graph->outputs.push_back(o);
  }
  void write(int input, const Ref& r) {
    ir::Effect e;
    e.value = r.value();
    e.input = input;
    graph->effects.push_back(e);
  }

  std::shared_ptr<sym::ShapeEnv> env;
  std::unique_ptr<ir::Graph> graph;
  ir::BuilderCaller caller;
};

// Decomposes, lowers, generates and compiles.
Compiled compile(Maker&& maker, const loops::Options& lowering = {}, const Options& options = {});

// Fails the test and gives nothing where the text does not compile.
Compiled compile_text(std::string_view ir_text, const loops::Options& lowering = {},
                      const Options& options = {});

// Small numbers of either sign, or whole numbers, in every element; from a fixed stream of `seed`.
Tensor numbers(std::vector<int64_t> sizes, DType dtype = DType::f32, uint64_t seed = 1);
// The same with these strides.
Tensor strided_numbers(std::vector<int64_t> sizes, std::vector<int64_t> strides,
                       DType dtype = DType::f32, uint64_t seed = 1);

// Runs both on copies of the inputs; outputs and written inputs must have the same bytes, sizes,
// dtypes and strides. On one thread and on two. Returns the check that failed, or -1.
int expect_equal(const Compiled& compiled, const std::vector<Tensor>& inputs,
                 PhiloxState rng = {7, 3});
// The same, compiled here.
int expect_equal(std::string_view ir_text, const std::vector<Tensor>& inputs);

}  // namespace frit::codegen::cpu
