// What compiling costs: the plugin's dlopen, the first compile of a process, later ones a kernel,
// the link, the load, and a hit of the cache. Each cold figure is a process of its own.
//
//   compile_plugin [--runs N] [--json FILE]
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "jit/compiler.h"
#include "processes.h"
#include "vec/text.h"

namespace {

using frit::Json;
using frit::jit::Compiler;
using frit::jit::CompileRequest;
using frit::jit::CompileResult;
using frit::jit::CompilerOptions;

// A pointwise kernel as the code generator writes it: vectors, then a masked tail, over a range
// that a parallel loop hands out. `body` computes r from x, y and z.
std::string pointwise(const std::string& name, const std::string& body) {
  return fmt::format(R"(
struct {0}_args {{ const float *x, *y, *z; float* out; }};
static void {0}_range(long begin, long end, void* context) {{
  const {0}_args& a = *({0}_args*)context;
  loop(begin, end,
    [&](i64 i) {{
      vf32 x = load(a.x + i);
      vf32 y = load(a.y + i);
      vf32 z = load(a.z + i);
      vf32 r;
      {1}
      store(a.out + i, r);
    }},
    [&](i64 i, i64 n) {{
      vf32 x = load_n(a.x + i, n);
      vf32 y = load_n(a.y + i, n);
      vf32 z = load_n(a.z + i, n);
      vf32 r;
      {1}
      store_n(a.out + i, r, n);
    }});
}}
extern "C" void {0}(const float* const* in, float* out, const long* sizes, parallel_fn parallel) {{
  {0}_args a = {{in[0], in[1], in[2], out}};
  parallel(sizes[0], 16384, {0}_range, &a);
}}
)",
                     name, body);
}

// Rows of a matrix: two passes over a row, the second with what the first has summed up.
std::string normalize_rows(const std::string& name, const std::string& body) {
  return fmt::format(R"(
struct {0}_args {{ const float *x, *weight, *bias; float* out; i64 width; }};
static void {0}_range(long begin, long end, void* context) {{
  const {0}_args& a = *({0}_args*)context;
  for (i64 row = begin; row < end; ++row) {{
    const float* x = a.x + row * a.width;
    vf32 sum = (vf32)0.0f, squares = (vf32)0.0f;
    loop(0, a.width,
      [&](i64 i) {{
        vf32 v = load(x + i);
        sum = add(sum, v);
        squares = fma(v, v, squares);
      }},
      [&](i64 i, i64 n) {{
        vf32 v = load_n(x + i, n);
        sum = add(sum, v);
        squares = fma(v, v, squares);
      }});
    float total = 0, total_squares = 0;
    for (int i = 0; i < L; ++i) total += sum[i], total_squares += squares[i];
    vf32 mean = (vf32)(total / a.width);
    vf32 scale = rsqrt((vf32)(total_squares / a.width + 1e-5f) - mean * mean);
    float* out = a.out + row * a.width;
    loop(0, a.width,
      [&](i64 i) {{
        vf32 r = (load(x + i) - mean) * scale * load(a.weight + i) + load(a.bias + i);
        {1}
        store(out + i, r);
      }},
      [&](i64 i, i64 n) {{
        vf32 r = (load_n(x + i, n) - mean) * scale * load_n(a.weight + i, n) + load_n(a.bias + i, n);
        {1}
        store_n(out + i, r, n);
      }});
  }}
}}
extern "C" void {0}(const float* const* in, float* out, const long* sizes, parallel_fn parallel) {{
  {0}_args a = {{in[0], in[1], in[2], out, sizes[1]}};
  parallel(sizes[0], 16, {0}_range, &a);
}}
)",
                     name, body);
}

std::string kernel(int i) {
  std::string name = "k" + std::to_string(i), number = std::to_string(i) + ".5f";
  switch (i % 5) {
    case 0:
      return pointwise(name, "r = relu(x + y) * z + (vf32)" + number + ";");
    case 1:
      return pointwise(
          name, "r = x * (vf32)1.0f / ((vf32)1.0f + exp(neg(x + y))) * z + (vf32)" + number + ";");
    case 2:
      return pointwise(name, "r = maximum(log(exp(x) + exp(y)), z) * (vf32)" + number + ";");
    case 3:
      return normalize_rows(name, "r = relu(r + (vf32)" + number + ");");
    default:
      return normalize_rows(name, "r = r / ((vf32)1.0f + exp(neg(r * (vf32)" + number + ")));");
  }
}

std::string module_of(int first, int last, int salt) {
  std::string text =
      "using namespace fv;\n"
      "typedef void (*parallel_fn)(long, long, void (*)(long, long, void*), void*);\n";
  for (int i = first; i < last; ++i) text += kernel(i);
  return text + "// " + std::to_string(salt) + "\n";
}

CompileRequest request_of(std::vector<std::string> modules) {
  CompileRequest request;
  request.name = "bench";
  request.modules = std::move(modules);
  request.header = frit::vec::vec_header_text();
  request.level = frit::cpu_level();
  request.threads = static_cast<int>(request.modules.size());
  return request;
}

Json times_of(const CompileResult& r) {
  if (!r) {
    fmt::print(stderr, "{}\n", r.message);
    std::exit(1);
  }
  return {{"total", r.times.total},
          {"lookup", r.times.lookup},
          {"dlopen plugin", r.times.load_plugin},
          {"precompile", r.times.precompile},
          {"front end", r.times.front_end},
          {"optimise", r.times.optimize},
          {"codegen", r.times.codegen},
          {"link", r.times.link},
          {"store+load", r.times.load}};
}

CompilerOptions options_in(const frit::fs::path& folder) {
  CompilerOptions options = CompilerOptions::from_environment();
  options.cache.folder = folder;
  options.cache.limit_bytes = uint64_t(1) << 30;
  return options;
}

// This program again, to compile one text of a salt and say what that took.
Json in_fresh_process(const frit::fs::path& folder, int salt) {
  std::string command = fmt::format(
      "{} --child {} {}", frit::fs::read_symlink("/proc/self/exe").string(), folder.string(), salt);
  FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  char buffer[4096];
  while (size_t n = fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, n);
  if (pclose(pipe) != 0) std::exit(1);
  return Json::parse(text);
}

int salt = 1;

Json medians(int runs, const std::function<Json()>& run) {
  std::vector<Json> all;
  for (int i = 0; i < runs; ++i) all.push_back(run());
  Json result;
  result["fastest"] = 1e9;  // the total that other work on the machine disturbed least
  for (auto& one : all)
    result["fastest"] = std::min(result["fastest"].get<double>(), one["total"].get<double>());
  for (auto& [name, value] : all[0].items()) {
    std::vector<double> values;
    for (auto& one : all) values.push_back(one[name]);
    std::nth_element(values.begin(), values.begin() + runs / 2, values.end());
    result[name] = values[runs / 2];
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  int runs = 11;
  std::string json_file;
  std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() == 3 && args[0] == "--child") {
    Compiler compiler(options_in(args[1]));
    fmt::print(
        "{}", times_of(compiler.compile(request_of({module_of(0, 5, std::stoi(args[2]))}))).dump());
    return 0;
  }
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "--runs" && i + 1 < args.size())
      runs = std::max(1, std::atoi(args[++i].c_str()));
    else if (args[i] == "--json" && i + 1 < args.size())
      json_file = args[++i];
    else {
      fmt::print(stderr, "compile_plugin [--runs N] [--json FILE]\n");
      return 2;
    }
  }

  bench::Json figures{{"benchmark", "compile_plugin"},
                      {"unit", "ms"},
                      {"cpu", frit::cpu_info().model},
                      {"load_at_start", bench::load_now()},
                      {"machine_scale_ns", support::machine_scale_ns()}};
  bench::print_machine(figures);
  std::string five = module_of(0, 5, 0);
  Json rows;
  auto row = [&](const char* name, const std::function<Json()>& run) {
    rows[name] = medians(runs, run);
  };

  row("new process, empty cache, 5 kernels", [] {
    frit::TempDir folder("frit_bench");
    return in_fresh_process(folder.path(), salt++);
  });
  frit::TempDir folder("frit_bench");
  in_fresh_process(folder.path(), 0);
  row("new process, header precompiled, 5 kernels",
      [&] { return in_fresh_process(folder.path(), salt++); });
  row("new process, object in the cache", [&] { return in_fresh_process(folder.path(), 0); });

  Compiler compiler(options_in(folder.path()));
  auto compile = [&](std::vector<std::string> modules) {
    modules[0] += "// " + std::to_string(salt++) + "\n";
    return times_of(compiler.compile(request_of(std::move(modules))));
  };
  compile({five});
  row("same process, 5 kernels", [&] { return compile({five}); });
  row("same process, 5 kernels in 2 modules",
      [&] { return compile({module_of(0, 3, 0), module_of(3, 5, 0)}); });
  row("same process, 1 kernel", [&] { return compile({module_of(1, 2, 0)}); });
  row("same process, 20 kernels", [&] { return compile({module_of(0, 20, 0)}); });
  row("same process, object in the cache",
      [&] { return times_of(compiler.compile(request_of({five}))); });

  fmt::print(
      "{} lines in 5 kernels, header {} bytes, level {}, plugin {}; medians of {}, ms (phases "
      "summed over modules)\n\n",
      std::count(five.begin(), five.end(), '\n'), frit::vec::vec_header_text().size(),
      frit::cpu_level_name(frit::cpu_level()), frit::jit::plugin_build(), runs);
  fmt::print("{:44}", "");
  for (auto& [name, value] : rows.begin()->items()) fmt::print(" {:>13}", name);
  for (auto& [name, times] : rows.items()) {
    fmt::print("\n{:44}", name);
    for (auto& value : times) fmt::print(" {:13.2f}", value.get<double>());
  }
  fmt::print("\n");
  figures["rows"] = rows;
  bench::write_json(json_file, figures);
}
