// The fuzzer: random programs, eager against compiled. A mismatch is shrunk and printed.
//   fuzz [--programs N] [--seed S] [--seconds T] [--length L]
#include <fmt/format.h>
#include <frit/autograd.h>
#include <frit/compile.h>
#include <frit/ops.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <map>

#include "compile/callable.h"
#include "core/layout.h"
#include "eager/tape.h"
#include "fuzzer/program.h"

namespace frit::fuzz {
namespace {

struct Coverage {
  std::map<std::string, int> ops;
  std::map<std::string, int> dtypes;
  int64_t programs = 0, compiled_calls = 0, eager_calls = 0, entries = 0, failed_both = 0;
};

// "" where the same.
std::string difference(const Tensor& a, const Tensor& b) {
  const TensorImpl &x = *a.impl(), &y = *b.impl();
  if (x.dtype != y.dtype) return fmt::format("dtype {} and {}", name(x.dtype), name(y.dtype));
  if (!(x.sizes == y.sizes))
    return fmt::format("sizes {} and {}", dims_text(x.sizes), dims_text(y.sizes));
  if (!(x.strides == y.strides)) {
    for (size_t d = 0; d < x.sizes.size(); ++d)
      if (x.sizes[d] > 1 && x.strides[d] != y.strides[d] && x.numel() > 0)
        return fmt::format("strides {} and {} of sizes {}", dims_text(x.strides),
                           dims_text(y.strides), dims_text(x.sizes));
  }
  if (eager::requires_grad(x) != eager::requires_grad(y))
    return fmt::format("requires_grad {} and {}", eager::requires_grad(x), eager::requires_grad(y));
  auto u = a.detach().to(kFloat64).to_vector<double>(),
       v = b.detach().to(kFloat64).to_vector<double>();
  for (size_t i = 0; i < u.size(); ++i)
    if (std::memcmp(&u[i], &v[i], 8) != 0 && !(std::isnan(u[i]) && std::isnan(v[i])))
      return fmt::format("element {}: {:.9g} and {:.9g}", i, u[i], v[i]);
  return "";
}

struct Outcome {
  std::vector<Tensor> inputs, outputs, gradients;
  std::string error;
  PhiloxState rng;
};

template <class F>
Outcome observe(const Program& p, uint64_t data, int64_t grow, F&& call) {
  Outcome o;
  o.inputs = make_inputs(p, data, grow);
  manual_seed(data);
  try {
    o.outputs = call(o.inputs);
    for (Tensor& t : o.outputs)
      if (t.requires_grad() && t.dtype() != kBFloat16 && t.dtype() != kFloat16) {
        t.sum().backward({}, true);
        break;
      }
  } catch (const UserError& e) {
    o.error = e.message();
  } catch (const InternalError& e) {
    o.error = std::string("INTERNAL ") + e.what();
  }
  o.rng = default_generator()->state();
  for (const Tensor& t : o.inputs) o.gradients.push_back(t.is_leaf() ? t.grad() : Tensor());
  return o;
}

std::string compare(const Outcome& a, const Outcome& b) {
  if (a.error.empty() != b.error.empty())
    return fmt::format("error '{}' and '{}'", a.error, b.error);
  if (!a.error.empty()) return "";
  if (!(a.rng == b.rng)) return fmt::format("generator at {} and {}", a.rng.offset, b.rng.offset);
  for (size_t i = 0; i < a.outputs.size(); ++i) {
    if (std::string d = difference(a.outputs[i], b.outputs[i]); !d.empty())
      return fmt::format("output {}: {}", i, d);
    for (size_t j = 0; j < a.inputs.size(); ++j) {
      if (a.outputs[i].is_same(a.inputs[j]) != b.outputs[i].is_same(b.inputs[j]))
        return fmt::format("output {} is input {} in one only", i, j);
      if (a.outputs[i].shares_storage_with(a.inputs[j]) !=
          b.outputs[i].shares_storage_with(b.inputs[j]))
        return fmt::format("output {} aliases input {} in one only", i, j);
    }
    for (size_t j = 0; j < i; ++j)
      if (a.outputs[i].shares_storage_with(a.outputs[j]) !=
          b.outputs[i].shares_storage_with(b.outputs[j]))
        return fmt::format("outputs {} and {} alias in one only", j, i);
  }
  for (size_t i = 0; i < a.inputs.size(); ++i) {
    if (std::string d = difference(a.inputs[i], b.inputs[i]); !d.empty())
      return fmt::format("input {} after: {}", i, d);
    if (a.inputs[i].version() != b.inputs[i].version())
      return fmt::format("version of input {}: {} and {}", i, a.inputs[i].version(),
                         b.inputs[i].version());
    if (a.gradients[i].defined() != b.gradients[i].defined())
      return fmt::format("gradient of input {} in one only", i);
    if (a.gradients[i].defined())
      if (std::string d = difference(a.gradients[i], b.gradients[i]); !d.empty())
        return fmt::format("gradient of input {}: {}", i, d);
  }
  return "";
}

std::string check(const Program& p, Backend backend, bool fuse, Coverage* coverage) {
  CompileOptions options;
  options.backend = backend;
  options.fuse = fuse;
  auto body = [&p](std::vector<Tensor> inputs) { return run(p, std::move(inputs)); };
  auto compiled = compile(body, options);
  struct Call {
    uint64_t data;
    int64_t grow;
  };
  std::string found;
  for (Call c : {Call{0, 0}, Call{0, 0}, Call{1, 0}, Call{2, 0}, Call{1, 3}, Call{2, 3}}) {
    Outcome a = observe(p, c.data, c.grow, [&](const std::vector<Tensor>& in) { return body(in); });
    Outcome b =
        observe(p, c.data, c.grow, [&](const std::vector<Tensor>& in) { return compiled(in); });
    if (std::string d = compare(a, b); !d.empty()) {
      found = fmt::format("call with data {} and sizes + {}: {} (eager, then compiled)", c.data,
                          c.grow, d);
      break;
    }
    if (coverage && !a.error.empty()) ++coverage->failed_both;
  }
  if (found.empty())
    for (auto& b : compiled.callable()->breaks())
      if (b.stop.internal) found = "capture dropped: " + b.stop.kind + ": " + b.stop.text;
  if (coverage) {
    coverage->compiled_calls +=
        static_cast<int64_t>(compiled.callable()->calls() - compiled.callable()->eager_calls());
    coverage->eager_calls += static_cast<int64_t>(compiled.callable()->eager_calls());
    coverage->entries += static_cast<int64_t>(compiled.callable()->all_entries().size());
  }
  return found;
}

// Variables of a dropped statement are replaced by an earlier one where that still runs.
bool drop_statement(Program& p, size_t k) {
  if (p.statements[k].branch_on_item) return false;
  int first = static_cast<int>(p.inputs.size());
  for (size_t i = 0; i < k; ++i)
    first += p.statements[i].branch_on_item ? 1 : p.statements[i].results;
  int count = p.statements[k].results;
  int stand_in = -1;
  for (auto& v : p.statements[k].variables)
    if (!v.empty() && stand_in < 0) stand_in = v[0];
  if (stand_in < 0) stand_in = 0;
  auto mapped = [&](int v) { return v < first ? v : v < first + count ? stand_in : v - count; };
  p.statements.erase(p.statements.begin() + static_cast<std::ptrdiff_t>(k));
  for (Statement& s : p.statements) {
    for (auto& list : s.variables)
      for (int& v : list) v = mapped(v);
    if (s.branch_on_item) s.branch_variable = mapped(s.branch_variable);
  }
  for (int& o : p.outputs) o = mapped(o);
  return true;
}

bool runs(const Program& p) {
  try {
    run(p, make_inputs(p, 0, 0));
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

Program shrink(Program p, Backend backend, bool fuse) {
  for (bool again = true; again;) {
    again = false;
    for (size_t k = p.statements.size(); k-- > 0;) {
      Program smaller = p;
      if (drop_statement(smaller, k) && runs(smaller) &&
          !check(smaller, backend, fuse, nullptr).empty()) {
        p = std::move(smaller);
        again = true;
      }
    }
    for (size_t o = p.outputs.size(); p.outputs.size() > 1 && o-- > 0;) {
      Program smaller = p;
      smaller.outputs.erase(smaller.outputs.begin() + static_cast<std::ptrdiff_t>(o));
      if (!check(smaller, backend, fuse, nullptr).empty()) p = std::move(smaller), again = true;
    }
  }
  return p;
}

}  // namespace

int main_of(int argc, char** argv) {
  int64_t programs = 1000, seconds = 0;
  uint64_t seed = 1;
  int length = 7, most = 20;
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string key = argv[i];
    int64_t v = std::atoll(argv[i + 1]);
    if (key == "--programs")
      programs = v;
    else if (key == "--seed")
      seed = static_cast<uint64_t>(v);
    else if (key == "--seconds")
      seconds = v;
    else if (key == "--length")
      length = static_cast<int>(v);
    else if (key == "--most")
      most = static_cast<int>(v);
    else {
      fmt::print(stderr, "fuzz: unknown option {}\n", key);
      return 2;
    }
  }
  Coverage coverage;
  int failures = 0;
  auto start = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < programs; ++i) {
    if (seconds && std::chrono::steady_clock::now() - start > std::chrono::seconds(seconds)) break;
    Program p = generate(seed + static_cast<uint64_t>(i), length);
    if (p.outputs.empty()) continue;
    Backend backend = i % 4 == 3   ? Backend::aot_eager
                      : i % 4 == 2 ? Backend::aot_eager_decomp
                                   : Backend::frit;
    bool fuse = i % 8 != 1;
    ++coverage.programs;
    for (const Statement& s : p.statements)
      if (s.record) ++coverage.ops[s.record->full_name];
    for (const InputSpec& s : p.inputs) ++coverage.dtypes[std::string(name(s.dtype))];
    std::string found = check(p, backend, fuse, &coverage);
    if (found.empty()) continue;
    ++failures;
    Program small = shrink(p, backend, fuse);
    fmt::print("MISMATCH seed {} backend {} fuse {}\n{}\n{}\n", p.seed, static_cast<int>(backend),
               fuse, check(small, backend, fuse, nullptr), text(small));
    std::fflush(stdout);
    if (failures >= most) break;
  }
  fmt::print(
      "{} programs from seed {}, {} ops, {} dtypes; {} entries, {} compiled calls, {} eager ones, "
      "{} raised in both\n",
      coverage.programs, seed, coverage.ops.size(), coverage.dtypes.size(), coverage.entries,
      coverage.compiled_calls, coverage.eager_calls, coverage.failed_both);
  fmt::print("{} passed, {} failed\n", coverage.programs - failures, failures);
  return failures ? 1 : 0;
}

}  // namespace frit::fuzz

int main(int argc, char** argv) { return frit::fuzz::main_of(argc, argv); }
