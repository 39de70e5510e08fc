#include "harness.h"

#include <fmt/format.h>
#include <frit/autograd.h>

#include <cstring>
#include <random>

#include "core/layout.h"
#include "core/state.h"
#include "eager/values.h"
#include "jit/compiler.h"
#include "kernels/cpu/install.h"
#include "passes/interpret.h"
#include "passes/pass.h"

namespace frit::codegen::cpu {
namespace {

jit::Compiler& compiler() {
  static jit::Compiler c;
  return c;
}

Tensor copy_of(const Tensor& t) {
  const TensorImpl& i = *t.impl();
  Tensor c = empty_strided_cpu(i.sizes, i.strides, i.dtype);
  if (i.storage->bytes())
    std::memcpy(c.impl()->storage->data(), static_cast<const std::byte*>(i.data()),
                c.impl()->storage->bytes());
  return c;
}

// Elements in row-major order as bytes; every NaN is the same.
std::string bytes_of(const Tensor& t) {
  std::string s;
  const DType d = t.dtype();
  eager::for_each_element(*t.impl(), [&](const std::byte* at) {
    if (is_floating(d) &&
        eager::read_element(at, d).to_double() != eager::read_element(at, d).to_double())
      s += "nan";
    else
      s.append(reinterpret_cast<const char*>(at), static_cast<size_t>(size_of(d)));
  });
  return s;
}

std::string describe(const Tensor& t) {
  std::string s = fmt::format("{}{} strides {}:", short_name(t.dtype()), dims_text(t.impl()->sizes),
                              dims_text(t.impl()->strides));
  int n = 0;
  eager::for_each_element(*t.impl(), [&](const std::byte* at) {
    if (n++ < 24) s += fmt::format(" {:.9g}", eager::read_element(at, t.dtype()).to_double());
  });
  return s;
}

void expect_same(const Tensor& got, const Tensor& want, const std::string& what) {
  ASSERT_TRUE(got.defined() && want.defined()) << what;
  EXPECT_EQ(got.dtype(), want.dtype()) << what;
  EXPECT_EQ(dims_text(got.impl()->sizes), dims_text(want.impl()->sizes)) << what;
  EXPECT_EQ(dims_text(got.impl()->strides), dims_text(want.impl()->strides)) << what;
  EXPECT_TRUE(bytes_of(got) == bytes_of(want))
      << what << "\n got  " << describe(got) << "\n want " << describe(want);
}

}  // namespace

namespace {
Compiled compile_graph(std::unique_ptr<ir::Graph> graph, const loops::Options& lowering,
                       const Options& options);
}

Ref Maker::input(IntList sizes, DType dtype, IntList strides) {
  if (strides.size() != sizes.size()) strides = contiguous_strides<Int>(sizes);
  static const char* const kNames[] = {"x", "y", "z", "w", "a", "b", "c", "d"};
  size_t n = graph->inputs().size();
  return Ref(graph->add_input(n < 8 ? kNames[n] : "in" + std::to_string(n), dtype, sizes, strides));
}

Compiled compile(Maker&& m, const loops::Options& lowering, const Options& options) {
  m.graph->refresh_uses();
  passes::decompose(*m.graph);
  Int offset = 0;
  for (const auto& n : m.graph->nodes())
    if (n->record().kind == Kind::random) {
      m.graph->set_rng_offset(n.get(), offset);
      offset = offset + ceildiv(n->output()->numel() * 2, Int(4)) + 1;
    }
  return compile_graph(std::move(m.graph), lowering, options);
}

Compiled compile_text(std::string_view ir_text, const loops::Options& lowering,
                      const Options& options) {
  return compile_graph(ir::parse(ir_text), lowering, options);
}

namespace {
Compiled compile_graph(std::unique_ptr<ir::Graph> graph, const loops::Options& lowering,
                       const Options& options) {
  Compiled c;
  c.graph = std::move(graph);
  c.program = loops::lower(*c.graph, lowering);
  loops::verify(*c.program);
  c.generated = generate(*c.program, *c.graph, options);
  jit::CompileRequest request;
  request.name = c.graph->name;
  request.modules = c.generated.modules;
  request.header = header();
  request.level = cpu_level();
  jit::CompileResult result = compiler().compile(request);
  c.compile_ms = result.times.total;
  if (std::getenv("SHOW_TIMES"))
    fmt::print(
        "{}: total {:.1f} plugin {:.1f} header {:.1f} front end {:.1f} optimize {:.1f} codegen "
        "{:.1f} link {:.1f}{}\n",
        c.graph->name, result.times.total, result.times.load_plugin, result.times.precompile,
        result.times.front_end, result.times.optimize, result.times.codegen, result.times.link,
        result.hit ? " (found)" : "");
  std::string all;
  for (const std::string& m : c.generated.modules) all += m;
  if (!result) {
    ADD_FAILURE() << result.message << "\n" << all;
    return c;
  }
  if (std::getenv("SHOW")) std::puts((loops::print(*c.program) + "\n" + all).c_str());
  c.code = std::make_unique<runtime::CompiledGraph>(result.library, c.generated.plan);
  return c;
}
}  // namespace

Tensor strided_numbers(std::vector<int64_t> sizes, std::vector<int64_t> strides, DType dtype,
                       uint64_t seed) {
  Tensor t = empty_strided_cpu(sizes, strides, dtype);
  std::mt19937_64 random(seed);
  auto* bytes = static_cast<std::byte*>(t.impl()->storage->data());
  const int64_t size = size_of(dtype);
  const auto n = static_cast<int64_t>(t.impl()->storage->bytes()) / size;
  for (int64_t i = 0; i < n; ++i) {
    double v = static_cast<double>(static_cast<int64_t>(random() % 2001) - 1000) / 250;
    std::byte* at = bytes + i * size;
    auto put = [&](auto x) { std::memcpy(at, &x, sizeof x); };
    switch (dtype) {
      case DType::f32:
        put(static_cast<float>(v));
        break;
      case DType::f64:
        put(v);
        break;
      case DType::bf16: {
        float f = static_cast<float>(v);
        uint32_t u;
        std::memcpy(&u, &f, 4);
        put(static_cast<uint16_t>(u >> 16));
        break;
      }
      case DType::f16:
        put(static_cast<_Float16>(v));
        break;
      case DType::i8:
        put(static_cast<int8_t>(v * 10));
        break;
      case DType::i16:
        put(static_cast<int16_t>(v * 10));
        break;
      case DType::i32:
        put(static_cast<int32_t>(v * 10));
        break;
      case DType::i64:
        put(static_cast<int64_t>(v * 10));
        break;
      case DType::u8:
        put(static_cast<uint8_t>(v * 10 + 40));
        break;
      case DType::boolean:
        put(static_cast<uint8_t>(v > 0));
        break;
    }
  }
  return t;
}

Tensor numbers(std::vector<int64_t> sizes, DType dtype, uint64_t seed) {
  auto strides = contiguous_strides<int64_t>(sizes);
  return strided_numbers(sizes, std::vector<int64_t>(strides.begin(), strides.end()), dtype, seed);
}

int expect_equal(const Compiled& c, const std::vector<Tensor>& inputs, PhiloxState rng) {
  if (!c.code) return -1;
  const runtime::GraphPlan& plan = c.generated.plan;
  int failed = -1;
  for (int threads : {1, 2}) {
    set_num_threads(threads);
    std::vector<Tensor> theirs, ours;
    for (const Tensor& t : inputs) theirs.push_back(copy_of(t)), ours.push_back(copy_of(t));
    std::vector<Tensor> outs(plan.outputs.size());
    std::vector<int64_t> symbols(plan.symbols.size());
    c.code->bind_symbols(ours, symbols);
    failed = c.code->run(ours, symbols, rng, outs);
    if (failed >= 0) {
      EXPECT_THROW(passes::interpret(*c.graph, theirs, rng), UserError)
          << plan.checks[static_cast<size_t>(failed)].text;
      continue;
    }
    passes::Interpreted want = passes::interpret(*c.graph, theirs, rng);
    for (size_t i = 0; i < c.program->outputs.size(); ++i) {
      int o = c.program->outputs[i].output;
      expect_same(outs[i], want.outputs[static_cast<size_t>(o)],
                  fmt::format("output {}, {} threads", o, threads));
    }
    for (size_t i = 0; i < c.graph->effects.size(); ++i) {
      const ir::Effect& e = c.graph->effects[i];
      if (e.kind != ir::Effect::Kind::write_input) continue;
      const Tensor &got = ours[static_cast<size_t>(e.input)], &value = want.effects[i];
      EXPECT_TRUE(bytes_of(got) == bytes_of(value))
          << "input " << e.input << "\n got  " << describe(got) << "\n want " << describe(value);
    }
  }
  if (testing::Test::HasFailure()) {
    static std::string said;
    std::string all = loops::print(*c.program) + "\n";
    for (const std::string& m : c.generated.modules) all += m;
    if (said != all) std::puts((said = all).c_str());
  }
  return failed;
}

int expect_equal(std::string_view ir_text, const std::vector<Tensor>& inputs) {
  Compiled c = compile_text(ir_text);
  return expect_equal(c, inputs);
}

}  // namespace frit::codegen::cpu
