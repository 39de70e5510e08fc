// The generated text as a program for people: edit it, build it, run it, time it.
#include <fmt/format.h>

#include <cmath>

#include "codegen/cpu/generate.h"
#include "codegen/cpu/text.h"

namespace frit::codegen::cpu {
namespace {

constexpr const char* kIncludes = R"(#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "frit_header.h"

)";

constexpr const char* kHost = R"(
// --- what the library does for the code above, in a few plain lines ---

namespace host {

void parallel_for(i64 n, i64, void (*region)(i64, i64, void*), void* ctx) {
  if (n > 0) region(0, n, ctx);
}

// The library's micro-kernels give the same bits, fast.
template <class T> void product(const FritGemm* g) {
  typedef fv::compute<T> S;
  const i64 rows = 16, columns = 64;
  const T *a = (const T*)g->a, *b = (const T*)g->b;
  for (i64 at = 0; at < g->batch; at++)
    for (i64 m0 = 0; m0 < g->m; m0 += rows)
      for (i64 n0 = 0; n0 < g->n; n0 += columns) {
        alignas(64) S tile[16 * 64] = {};
        i64 mb = fv::least(rows, g->m - m0), nb = fv::least(columns, g->n - n0);
        for (i64 m = 0; m < mb; m++)
          for (i64 n = 0; n < nb; n++) {
            S sum = 0;
            for (i64 k0 = 0; k0 < g->k; k0 += 256) {
              S s = 0;
              for (i64 k = k0; k < fv::least(k0 + 256, g->k); k++) {
                S x = fv::load1(a + at * g->a_batch_stride + (m0 + m) * g->a_row_stride + k * g->a_col_stride);
                S y = fv::load1(b + at * g->b_batch_stride + k * g->b_row_stride + (n0 + n) * g->b_col_stride);
                if constexpr (fv::is_float<S>) s = fv::fma(x, y, s);
                else s = fv::add(s, fv::mul(x, y));
              }
              sum = fv::add(sum, s);
            }
            tile[m * columns + n] = sum;
            if (!g->epilogue)
              fv::store1((T*)g->c + at * g->c_batch_stride + (m0 + m) * g->c_row_stride + n0 + n, sum);
          }
        if (g->epilogue) g->epilogue(tile, columns, m0, mb, n0, nb, at, g->epilogue_ctx);
      }
}

void gemm(const FritGemm* g) {
  switch (g->dtype) {
    case 0: return product<f32>(g);
    case 1: return product<f64>(g);
    case 2: return product<bf16_t>(g);
    case 3: return product<f16_t>(g);
    case 4: return product<i8>(g);
    case 5: return product<fv::i16>(g);
    case 6: return product<i32>(g);
    case 7: return product<i64>(g);
    default: return product<u8>(g);
  }
}

frit_i64 library_step(FritRun*, int step, void* const*, const frit_i64*) {
  std::printf("step %d needs a kernel of the library, which is not here\n", step);
  std::exit(1);
}

// Floats between two bounds, one truth value, whole numbers 0: they may be indices. Of these the
// first is taken that gives finite results.
struct Example {
  double low, high;
  bool truth;
};
const Example examples[] = {{-1, 1, false}, {0.25, 1, false}, {1, 2, false},
                            {-1, 1, true},  {0.25, 1, true},  {1, 2, true}};

template <class T> void fill(std::vector<T>& v, unsigned seed, bool truths, const Example& e) {
  for (T& x : v) {
    seed = seed * 1664525u + 1013904223u;
    double value = e.low + (e.high - e.low) * ((double)seed / 4294967296.0);
    fv::compute<T> number = 0;
    if constexpr (fv::is_float<fv::compute<T>>) number = (fv::compute<T>)value;
    else if (truths) number = (fv::compute<T>)e.truth;
    fv::store1(&x, number);
  }
}
template <class T> bool finite(const T* v, i64 elements) {
  bool all = true;
  for (i64 i = 0; i < elements; i++) all = all && std::isfinite((double)fv::load1(v + i));
  return all;
}
template <class T> void show(const char* name, const T* v, i64 elements) {
  double sum = 0;
  long others = 0;
  for (i64 i = 0; i < elements; i++) {
    double x = (double)fv::load1(v + i);
    std::isfinite(x) ? (void)(sum += x) : (void)++others;
  }
  std::printf("%-20s %10ld elements, sum %.9g", name, elements, sum);
  if (others) std::printf(" without %ld that are not finite", others);
  std::printf("\n");
}

}  // namespace host

)";

constexpr const char* kLate = R"(
// Buffers whose size is known only while the graph runs.
namespace host {{

struct Late {{
  i64 bytes;
  int rank, output, own;
}};
const Late late[] = {{{}}};
i64 late_elements[{}];

frit_i64 allocate(FritRun* run, int buffer, const frit_i64* layout) {{
  const Late& b = late[buffer];
  i64 n = 1;
  for (int d = 0; d < b.rank; d++) n += (layout[d] - 1) * layout[b.rank + d];
  for (int d = 0; d < b.rank; d++)
    if (layout[d] <= 0) n = 0;
  void*& place = b.output >= 0 ? ((void**)run->outputs)[b.output] : ((void**)run->own)[b.own];
  std::free(place);
  place = std::malloc((size_t)(n * b.bytes + 64));
  late_elements[buffer] = n;
  return 0;
}}

}}  // namespace host

)";

int64_t extent(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides) {
  int64_t n = 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) return 0;
    n += (sizes[i] - 1) * strides[i];
  }
  return n;
}

}  // namespace

std::string standalone(const Generated& generated, const ir::Graph& graph,
                       std::span<const int64_t> symbols, std::string_view file) {
  const runtime::GraphPlan& plan = generated.plan;
  FRIT_INVARIANT(symbols.size() == plan.symbols.size(), "example values of other symbols");
  const sym::ShapeEnv& env = *graph.env();
  std::vector<int64_t> values = env.hints();
  values.resize(env.symbols().size(), 0);
  for (size_t i = 0; i < symbols.size(); ++i)
    for (size_t k = 0; k < values.size(); ++k)
      if (env.symbols()[k].name == plan.symbols[i].name) values[k] = symbols[i];
  auto evaluate = [&](const IntList& list) {
    std::vector<int64_t> r;
    for (Int i : list) r.push_back(env.evaluate(i, values));
    return r;
  };

  const std::string program(file.substr(0, file.rfind('.')));
  std::string out = fmt::format(
      "// Build: clang++-19 -std=c++20 -O2 -march=native -ffp-contract=off {} -o {}\n"
      "// Run:   ./{} [times]\n\n",
      file, program, program);
  out += kIncludes;
  for (const std::string& m : generated.modules) out += m + "\n";
  out += kHost;
  Names names;
  for (const char* taken : {"symbols", "plan", "arena", "api", "inputs", "outputs", "times",
                            "failed", "start", "us", "run", "fill", "example", "e"})
    names.take(taken);
  std::string body, inputs, outputs, shows, fills, finite = "true";
  unsigned seed = 1;
  for (const ir::Value* v : graph.inputs()) {
    auto sizes = evaluate(v->sizes()), strides = evaluate(v->strides());
    std::string name = names.take(v->name().empty() ? "input" : v->name().str());
    body += fmt::format("  std::vector<{}> {}({} + 64);\n", storage_type(v->dtype()), name,
                        extent(sizes, strides));
    fills += fmt::format("    host::fill({}, {}, {}, e);\n", name, seed++, is_bool(v->dtype()));
    inputs += (inputs.empty() ? "" : ", ") + name + ".data()";
  }
  std::string list;
  for (int64_t s : symbols) list += (list.empty() ? "" : ", ") + std::to_string(s);
  body += fmt::format("  i64 symbols[] = {{{}}};\n", list.empty() ? "0" : list);
  body +=
      fmt::format("  i64 plan[{}];\n  frit_plan(symbols, plan);\n", std::max(plan.plan_words, 1));
  int word = 0, number = 0;
  std::string late_buffers;
  for (const runtime::LateBuffer& b : plan.late)
    late_buffers += fmt::format("{{{}, {}, {}, {}}}, ", size_of(b.dtype), b.rank, b.output, b.own);
  for (const runtime::OutputPlan& o : plan.outputs) {
    if (o.late >= 0) {
      outputs += outputs.empty() ? "nullptr" : ", nullptr";
      shows += fmt::format(
          "  host::show(\"out{0}\", (const {1}*)outputs[{0}], host::late_elements[{2}]);\n", number,
          storage_type(o.dtype), o.late);
      finite += fmt::format(
          "\n        && host::finite((const {1}*)outputs[{0}], host::late_elements[{2}])", number,
          storage_type(o.dtype), o.late);
      ++number;
      continue;
    }
    std::string elements = "1";
    std::string empty;
    for (int d = 0; d < o.rank; ++d) {
      elements += fmt::format(" + (plan[{}] - 1) * plan[{}]", word + d, word + o.rank + d);
      empty += fmt::format("{}plan[{}] == 0", empty.empty() ? "" : " || ", word + d);
    }
    word += 2 * o.rank;
    if (!empty.empty()) elements = fmt::format("{} ? 0 : {}", empty, elements);
    std::string name = names.take(fmt::format("out{}", number++));
    body += fmt::format(
        "  const i64 {0}_elements = {2};\n  std::vector<{1}> {0}((size_t){0}_elements + 64);\n",
        name, storage_type(o.dtype), elements);
    outputs += (outputs.empty() ? "" : ", ") + name + ".data()";
    shows += fmt::format("  host::show(\"{0}\", {0}.data(), {0}_elements);\n", name);
    finite += fmt::format("\n        && host::finite({0}.data(), {0}_elements)", name);
  }
  body += fmt::format(
      "  void* arena = std::aligned_alloc(64, (size_t)(plan[{}] + 64) / 64 * 64);\n", word);
  body += fmt::format(
      "  void* const inputs[] = {{{}}};\n  void* outputs[] = {{{}}};\n"
      "  void* own[{}] = {{}};\n",
      inputs.empty() ? "nullptr" : inputs, outputs.empty() ? "nullptr" : outputs,
      std::max(plan.num_own, 1));
  body +=
      "  const FritApi api = {2, host::parallel_for, host::gemm, host::library_step, "
      "host::allocate};\n"
      "  const int times = argc > 1 ? std::atoi(argv[1]) : 100;\n"
      "  double us = 0;\n"
      "  auto fill = [&](const host::Example& e) {\n" +
      fills +
      "    (void)e;\n"
      "  };\n"
      "  auto run = [&]() {\n"
      "    FritRun r = {inputs, outputs, own, (char*)arena, symbols, nullptr, 1, 0, &api, nullptr, "
      "{}};\n"
      "    auto start = std::chrono::steady_clock::now();\n"
      "    if (i64 failed = frit_run(&r)) {\n"
      "      std::printf(\"check %ld failed, value %ld\\n\", failed - 1, r.detail[0]);\n"
      "      std::exit(1);\n"
      "    }\n"
      "    double t = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - "
      "start).count();\n"
      "    if (us == 0 || t < us) us = t;\n"
      "  };\n"
      "  const host::Example* example = nullptr;\n"
      "  for (const host::Example& e : host::examples) {\n"
      "    fill(e);\n"
      "    run();\n"
      "    if (" +
      finite +
      ") {\n"
      "      example = &e;\n"
      "      break;\n"
      "    }\n"
      "  }\n"
      "  if (!example) example = host::examples;\n"
      "  us = 0;\n"
      "  for (int i = 0; i < times; i++) {\n"
      "    fill(*example);\n"
      "    run();\n"
      "  }\n";
  body += shows;
  body +=
      "  std::printf(\"fastest of %d runs: %.2f us on one thread\\n\", times, us);\n  "
      "std::free(arena);\n";
  out += fmt::format(kLate, late_buffers.empty() ? "{}" : late_buffers,
                     std::max<size_t>(plan.late.size(), 1));
  out += "int main(int argc, char** argv) {\n" + body + "}\n";
  return out;
}

}  // namespace frit::codegen::cpu
