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
// out, and so are checks, which a run that knows more of its sizes does not need.
std::vector<std::string> lines_of(const ir::Graph& g, const ir::PrintOptions& options) {
  std::istringstream text(ir::print(g, options));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);)
    if (!line.starts_with("  symbol ") && !line.starts_with("  assert ")) lines.push_back(line);
  return lines;
}
std::vector<std::string> lines_of(const ir::Graph& g) {
  return lines_of(g, {.locations = false, .strides = false});
}

// Sizes as the numbers they are on this call. Graphs of one run may be of several recordings, of
// which each knows something else about its sizes.
std::vector<std::string> lines_on(const ir::Graph& g, const sym::ShapeEnv& call) {
  const std::shared_ptr<sym::ShapeEnv>& env = g.env();
  const std::vector<int64_t> values = call.hints();
  size_t known = 0;  // symbols that both have, in the same order
  while (env && known < std::min(env->symbols().size(), values.size()) &&
         env->symbols()[known].name == call.symbols()[known].name && call.symbols()[known].hint)
    ++known;
  auto number = [&](Int n) {
    if (n.is_constant()) return n.str();
    const sym::Program p = env->compile(n);
    int64_t value = 0;
    if (p.symbols_needed() > static_cast<int64_t>(known) ||
        !p.try_run(std::span(values).first(known), &value))
      return n.str();
    return std::to_string(value);
  };
  return lines_of(g, {.locations = false, .strides = true, .number = number});
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
  if (const eager::AutogradMeta* meta = eager::meta_of(*t.impl())) {
    grads_.emplace_back(t, meta->grad);
    add(meta->grad);
  }
  for (const Contents& known : contents_)
    if (known.flat.impl()->storage == t.impl()->storage) return;
  int64_t n = static_cast<int64_t>(t.impl()->storage->bytes()) / size_of(t.dtype()), one = 1;
  Tensor flat(make_ptr<TensorImpl>(t.impl()->storage, t.dtype(), std::span<const int64_t>(&n, 1),
                                   std::span<const int64_t>(&one, 1), 0));
  Tensor copy = empty_cpu(std::span<const int64_t>(&n, 1), t.dtype());
  kernels::copy(copy, flat);
  contents_.push_back({flat, copy, t.impl()->storage->version()});
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
  for (const Contents& c : contents_) {
    kernels::copy(c.flat, c.copy);
    c.flat.impl()->storage->set_version(c.version);
  }
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
    const ir::Graph &recorded = *then.compilation->recorded, &seen = *stretches[k].graph;
    const auto a = lines_on(recorded, *stretches[k].env), b = lines_on(seen, *stretches[k].env);
    const auto at = static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
    if (at == std::max(a.size(), b.size())) continue;
    auto line = [&](const std::vector<std::string>& lines) {
      if (at >= lines.size()) return std::string("nothing");
      return lines[at].substr(std::min(lines[at].find_first_not_of(' '), lines[at].size()));
    };
    std::string had = line(lines_of(recorded)), does = line(lines_of(seen));
    if (had == does) had = line(a), does = line(b);  // the same form, of other sizes
    differs(name, fmt::format("graph {} has `{}` where the callable now does `{}`", k, had, does),
            "captured numbers and what they decide are constants: pass them as arguments", where);
  }
  if (ran.size() != stretches.size())
    differs(name, fmt::format("it ran {} graphs, now it records {}", ran.size(), stretches.size()),
            "", where);
  for (size_t i = 0; i < compiled.tensors.size() && i < eager.tensors.size(); ++i)
    if (std::string d = values_differ(compiled.tensors[i], eager.tensors[i]); !d.empty())
      differs(name, fmt::format("result {}: {}", i, d), "", where);
}

}  // namespace frit::compiler
