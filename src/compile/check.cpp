#include "compile/check.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <sstream>

#include "base/config.h"
#include "eager/autograd_meta.h"
#include "kernels/cpu/kernels.h"

namespace frit::compiler {
namespace {

// Orders of sums and products differ by this much, relative to the largest element.
constexpr double kTolerance = 1e-3;

[[noreturn]] void differs(const std::string& name, const std::string& what, const std::string& hint,
                          SourceLocation where) {
  throw UserError(ErrorKind::runtime, "compile", "FRIT_CHECK=replay: " + name + ": " + what, hint,
                  where);
}

// Lines of the graph that say what the program did: symbols and their values at capture are left
// out.
std::vector<std::string> lines_of(const ir::Graph& g) {
  std::istringstream text(ir::print(g, {.locations = false, .strides = false}));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);)
    if (!line.starts_with("  symbol ")) lines.push_back(line);
  return lines;
}

}  // namespace

bool same_recording(const Entry& e, const Stretch& now) {
  const auto& inputs = now.entry->inputs;
  if (e.end != now.entry->end || e.inputs.size() != inputs.size()) return false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Source &a = e.inputs[i].source, &b = inputs[i].source;
    if (a.kind != b.kind || a.index != b.index || a.path != b.path) return false;
    if (a.kind == Source::Kind::captured && a.tensor.lock() != b.tensor.lock()) return false;
  }
  return lines_of(*e.compilation->recorded) == lines_of(*now.graph);
}

namespace {

std::string values_differ(const Tensor& a, const Tensor& b) {
  if (a.defined() != b.defined()) return "one is undefined";
  if (!a.defined()) return {};
  if (a.dtype() != b.dtype()) return "dtypes differ";
  if (!(a.impl()->sizes == b.impl()->sizes)) return "sizes differ";
  WordScope quiet(0, kGradEnabled);
  auto x = a.detach().to(DType::f64).contiguous().to_vector<double>(),
       y = b.detach().to(DType::f64).contiguous().to_vector<double>();
  double scale = 0;
  for (double v : y)
    if (std::isfinite(v)) scale = std::max(scale, std::abs(v));
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i])) ||
        std::abs(x[i] - y[i]) <= kTolerance * scale)
      continue;
    return fmt::format("element {} is {} compiled, {} eager", i, x[i], y[i]);
  }
  return {};
}

}  // namespace

bool check_enabled(std::string_view word) {
  constexpr std::string_view kKnown[] = {"replay", "verify"};
  const std::string given = env("FRIT_CHECK").value_or("");
  bool enabled = false;
  for (auto part : given | std::views::split(',')) {
    const std::string_view one(part.begin(), part.end());
    enabled = enabled || one == word;
    if (!one.empty() && std::ranges::find(kKnown, one) == std::end(kKnown))
      notice_once("FRIT_CHECK",
                  fmt::format("FRIT_CHECK: unknown: {}; known: {}", one, fmt::join(kKnown, ", ")));
  }
  return enabled;
}

void Snapshot::add(const Tensor& t) {
  if (!t.defined() || !t.impl()->storage->has_data()) return;
  for (auto& [flat, copy] : contents_)
    if (flat.impl()->storage == t.impl()->storage) return;
  int64_t n = static_cast<int64_t>(t.impl()->storage->bytes()) / size_of(t.dtype()), one = 1;
  Tensor flat(make_ptr<TensorImpl>(t.impl()->storage, t.dtype(), std::span<const int64_t>(&n, 1),
                                   std::span<const int64_t>(&one, 1), 0));
  Tensor copy = empty_cpu(std::span<const int64_t>(&n, 1), t.dtype());
  kernels::copy(copy, flat);
  contents_.emplace_back(flat, copy);
  if (const eager::AutogradMeta* meta = eager::meta_of(*t.impl())) {
    grads_.emplace_back(t, meta->grad);
    add(meta->grad);
  }
}

Snapshot::Snapshot(const Leaves& args, nn::Module* module,
                   std::span<const std::shared_ptr<Entry>> entries)
    : rng_(default_generator()->state()) {
  for (const Tensor& t : args.tensors) add(t);
  for (const auto& e : entries)
    for (const InputGuard& g : e->inputs)
      if (g.source.kind == Source::Kind::captured) add(Tensor(g.source.tensor.lock()));
  if (!module) return;
  for (auto& [name, t] : module->named_parameters()) add(t);
  for (auto& [name, t] : module->named_buffers()) add(t);
}

void Snapshot::restore() const {
  for (auto& [flat, copy] : contents_) kernels::copy(flat, copy);
  for (auto& [leaf, grad] : grads_) leaf.set_grad(grad);
  default_generator()->set_state(rng_);
}

void check_same(const std::string& name, std::span<const std::shared_ptr<Entry>> ran,
                const Leaves& compiled, Capture& now, const Leaves& eager, SourceLocation where) {
  if (now.stopped())
    differs(name, "run again it cannot be captured: " + now.stopped()->text, now.stopped()->hint,
            where);
  auto& stretches = now.stretches();
  for (size_t k = 0; k < ran.size() && k < stretches.size(); ++k) {
    const Entry &then = *ran[k], &again = *stretches[k].entry;
    for (size_t i = 0; i < then.inputs.size() && i < again.inputs.size(); ++i) {
      const Source &a = then.inputs[i].source, &b = again.inputs[i].source;
      if (a.kind == Source::Kind::captured && b.kind == Source::Kind::captured &&
          a.tensor.lock() != b.tensor.lock())
        differs(name,
                then.inputs[i].name +
                    " is another tensor than at the first call: the variable the callable captured "
                    "was assigned",
                "pass it as an argument, or write into the tensor", where);
    }
    auto recorded = lines_of(*then.compilation->recorded), seen = lines_of(*stretches[k].graph);
    for (size_t i = 0; i < std::max(recorded.size(), seen.size()); ++i) {
      std::string a = i < recorded.size() ? recorded[i] : "nothing",
                  b = i < seen.size() ? seen[i] : "nothing";
      if (a == b) continue;
      auto trimmed = [](const std::string& s) {
        return s.substr(std::min(s.find_first_not_of(' '), s.size()));
      };
      differs(name,
              fmt::format("graph {} has `{}` where the callable now does `{}`", k, trimmed(a),
                          trimmed(b)),
              "captured numbers and what they decide are constants: pass them as arguments", where);
    }
  }
  if (ran.size() != stretches.size())
    differs(name, fmt::format("it ran {} graphs, now it records {}", ran.size(), stretches.size()),
            "", where);
  for (size_t i = 0; i < compiled.tensors.size() && i < eager.tensors.size(); ++i)
    if (std::string d = values_differ(compiled.tensors[i], eager.tensors[i]); !d.empty())
      differs(name, fmt::format("result {}: {}", i, d), "", where);
}

}  // namespace frit::compiler
