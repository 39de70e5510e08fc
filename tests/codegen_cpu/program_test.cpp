// Whole programs: library steps, symbols, checks, several modules, the text itself.
#include <fstream>
#include <sstream>

#include "base/file.h"
#include "harness.h"

namespace frit::codegen::cpu {
namespace {

const DType f32 = DType::f32;

// relu-squared MLP with a normalization, a loss and its gradient by hand.
Maker network() {
  Maker m;
  Int n = m.symbol(64);
  Ref x = m.input({n, Int(64)}), w1 = m.input({Int(128), Int(64)}), b1 = m.input({Int(128)}),
      w2 = m.input({Int(10), Int(128)}), b2 = m.input({Int(10)}), t = m.input({n}, DType::i64);
  Ref h = m.op<"addmm">(b1, x, m.op<"t">(w1));
  Ref a = m.op<"square">(m.op<"relu">(h));
  RefList ln = m.ops<"native_layer_norm">(a, Arg(IntList{Int(128)}), Arg(), Arg(), 1e-5);
  RefList d = m.ops<"native_dropout">(ln[0], 0.1, true);
  Ref y = m.op<"addmm">(b2, d[0], m.op<"t">(w2));
  Ref logp = m.op<"_log_softmax">(y, Int(1), false);
  RefList loss = m.ops<"nll_loss_forward">(logp, t, Arg(), Int(1), Int(-100));
  m.output(loss[0]);
  Ref one = m.op<"ones_like">(loss[0]);
  Ref g = m.op<"nll_loss_backward">(one, logp, t, Arg(), Int(1), Int(-100), loss[1]);
  Ref gy = m.op<"_log_softmax_backward_data">(g, logp, Int(1), f32);
  Ref gb2 = m.op<"sum.dim_IntList">(gy, Arg(IntList{Int(0)}), false);
  Ref gw2 = m.op<"mm">(m.op<"t">(gy), d[0]);
  Ref gd = m.op<"native_dropout_backward">(m.op<"mm">(gy, w2), d[1], 1 / 0.9);
  RefList gln =
      m.ops<"native_layer_norm_backward">(gd, a, Arg(IntList{Int(128)}), ln[1], ln[2], Arg(), Arg(),
                                          Arg(IntList{Int(1), Int(0), Int(0)}));
  Ref gh = m.op<"threshold_backward">(
      m.op<"mul.Tensor">(gln[0], m.op<"mul.Scalar">(m.op<"relu">(h), Scalar(2.0))), h, Scalar(0.0));
  Ref gb1 = m.op<"sum.dim_IntList">(gh, Arg(IntList{Int(0)}), false);
  Ref gw1 = m.op<"mm">(m.op<"t">(gh), x);
  Ref params[] = {w1, b1, w2, b2}, grads[] = {gw1, gb1, gw2, gb2};
  for (int i = 0; i < 4; ++i)
    m.write(1 + i, m.op<"sub.Tensor">(params[i], m.op<"mul.Scalar">(grads[i], Scalar(0.01))));
  return m;
}

std::vector<Tensor> network_inputs(int64_t n) {
  std::vector<int64_t> labels(static_cast<size_t>(n));
  for (size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<int64_t>(i * 7 % 10);
  std::vector<int64_t> sizes{n};
  return {numbers({n, 64}),       numbers({128, 64}, f32, 2),
          numbers({128}, f32, 3), numbers({10, 128}, f32, 4),
          numbers({10}, f32, 5),  tensor_from<int64_t>(labels, sizes)};
}

TEST(Program, TrainingStep) {
  Compiled c = compile(network());
  for (int64_t n : {64, 2, 17}) expect_equal(c, network_inputs(n));
  std::printf("%zu kernels, %zu bytes of text, compiled in %.0f ms\n",
              c.generated.plan.kernels.size(), c.generated.modules[0].size(), c.compile_ms);
}

TEST(Program, WithoutFusion) {
  loops::Options plain;
  plain.fuse = false;
  plain.plan_memory = false;
  Compiled c = compile(network(), plain);
  for (int64_t n : {64, 2}) expect_equal(c, network_inputs(n));
}

TEST(Program, SeveralModules) {
  Options two;
  two.modules = 2;
  two.module_bytes = 1000;
  Compiled c = compile(network(), {}, two);
  EXPECT_EQ(c.generated.modules.size(), 2u);
  expect_equal(c, network_inputs(33));
}

TEST(Program, TheTextIsTheSameEveryTime) {
  Compiled a = compile(network()), b = compile(network());
  EXPECT_EQ(a.generated.modules, b.generated.modules);
}

TEST(Program, LibraryStep) {
  Maker m;
  Int n = m.symbol();
  Ref x = m.input({n, Int(5)});
  Ref s = m.op<"cumsum">(m.op<"exp">(x), Int(1));
  m.output(m.op<"relu">(m.op<"neg">(s)));
  m.output(s);
  Compiled c = compile(std::move(m));
  for (int64_t k : {2, 9}) expect_equal(c, {numbers({k, 5})});
}

TEST(Program, Standalone) {
  Compiled c = compile(network());
  std::vector<int64_t> symbols(c.generated.plan.symbols.size(), 64);
  std::string text = standalone(c.generated, *c.graph, symbols, "forward_output_code.cpp");
  TempDir folder;
  std::ofstream(folder.path() / "forward_output_code.cpp") << text;
  std::ofstream(folder.path() / "frit_header.h") << header();
  std::string command = text.substr(0, text.find('\n'));
  command = command.substr(command.find("clang++"));
  command = "cd " + folder.path().string() + " && " + command +
            " -w 2>&1 && ./forward_output_code 3 2>&1";
  std::string said;
  FILE* pipe = popen(command.c_str(), "r");
  char buffer[4096];
  for (size_t k; (k = fread(buffer, 1, sizeof buffer, pipe)) > 0;) said.append(buffer, k);
  EXPECT_EQ(pclose(pipe), 0) << said;
  EXPECT_NE(said.find("fastest of 3 runs"), std::string::npos) << said;
  EXPECT_EQ(said.find("nan"), std::string::npos) << said;
  EXPECT_EQ(said.find("not finite"), std::string::npos) << said;
}

}  // namespace
}  // namespace frit::codegen::cpu
