#include "fuzzer/check.h"

#include <fmt/format.h>
#include <frit/autograd.h>
#include <frit/ops.h>

#include <cmath>
#include <cstring>

#include "compile/callable.h"
#include "core/layout.h"
#include "eager/intercept.h"
#include "eager/tape.h"
#include "fuzzer/sums.h"

namespace frit::fuzz {
namespace {

// What a call has that the first one had not.
enum class Change : uint8_t { none, dtype, layout, gradient, same_object, overlap, no_grad };
constexpr const char* kChangeNames[] = {
    "nothing",          "dtype",  "layout", "requires_grad", "one tensor given twice",
    "two that overlap", "no_grad"};

struct Call {
  uint64_t data = 0;
  int64_t grow = 0;
  Change change = Change::none;
  size_t input = 0;

  std::string str() const {
    std::string t = fmt::format("data {}, sizes + {}", data, grow);
    if (change != Change::none)
      t += fmt::format(", other {} (v{})", kChangeNames[static_cast<int>(change)], input);
    return t;
  }
};

// The calls of a program: the same again, other data, other sizes, and what guards are for.
std::vector<Call> calls_of(const Program& p) {
  std::vector<Call> calls{{0, 0}, {0, 0}, {1, 0}, {2, 0}, {1, 3}, {2, 3}};
  uint64_t h = p.seed * 0x9e3779b97f4a7c15u;
  size_t n = p.inputs.size();
  for (int k = 0; k < 2; ++k, h = (h >> 7) * 0x9e3779b97f4a7c15u) {
    Call c{3, 0};
    c.change = static_cast<Change>(1 + (h >> 33) % 6);
    c.input = (h >> 50) % n;
    calls.push_back(c);
  }
  switch ((h >> 21) % 3) {
    case 0:
      calls.push_back({1, -1});
      break;
    case 1:
      calls.push_back({1, -64});  // leading sizes of 1
      break;
    default:  // and those first: what is made for them must not serve others
      calls.insert(calls.begin(), 2, {1, -64});
      break;
  }
  calls.push_back({4, 0});
  return calls;
}

DType other_dtype(DType t) {
  switch (t) {
    case DType::f32:
      return DType::f64;
    case DType::f64:
      return DType::f32;
    case DType::f16:
      return DType::bf16;
    case DType::bf16:
      return DType::f32;
    case DType::i64:
      return DType::i32;
    default:
      return DType::i64;
  }
}

Program changed(const Program& p, const Call& c) {
  Program q = p;
  InputSpec& s = q.inputs[c.input];
  if (c.change == Change::dtype) {
    bool floating = is_floating(s.dtype);
    s.dtype = other_dtype(s.dtype);
    s.requires_grad = s.requires_grad && floating;
  } else if (c.change == Change::gradient) {
    s.requires_grad = is_floating(s.dtype) && !s.requires_grad;
  } else if (c.change == Change::layout && !s.sizes.empty() && s.sizes.back() && s.sizes.front()) {
    using Layout = InputSpec::Layout;
    s.layout = s.layout == Layout::dense ? c.data % 2 ? Layout::sliced : Layout::transposed
                                         : Layout::dense;
  }
  return q;
}

Inputs inputs_for(const Program& p, const Call& c) {
  Inputs in = make_inputs(changed(p, c), c.data, c.grow);
  size_t other = (c.input + 1) % in.given.size();
  if (c.change == Change::same_object) {
    in.given[other] = in.given[c.input];
    in.leaves[other] = in.leaves[c.input];
  } else if (c.change == Change::overlap && !in.given[c.input].requires_grad()) {
    // Both in one memory, the second from its second element on.
    const Tensor a = in.given[c.input], b = in.given[other];
    if (a.dtype() != b.dtype() || b.requires_grad()) return in;
    const int64_t n = std::max(a.impl()->numel(), b.impl()->numel() + 1);
    Tensor memory = frit::arange(n).to(a.dtype());
    auto put = [&](size_t i, const Tensor& like, int64_t offset) {
      in.given[i] = in.leaves[i] = alias_view(
          memory, like.impl()->sizes,
          contiguous_strides<int64_t>(std::span<const int64_t>(like.impl()->sizes)), offset);
    };
    put(c.input, a, 0);
    put(other, b, 1);
  }
  return in;
}

std::string difference(const Tensor& a, const Tensor& b) {
  const TensorImpl &x = *a.impl(), &y = *b.impl();
  if (x.dtype != y.dtype) return fmt::format("dtype {} and {}", name(x.dtype), name(y.dtype));
  if (!(x.sizes == y.sizes))
    return fmt::format("sizes {} and {}", dims_text(x.sizes), dims_text(y.sizes));
  for (size_t d = 0; d < x.sizes.size(); ++d)
    if (x.sizes[d] > 1 && x.strides[d] != y.strides[d] && x.numel() > 0)
      return fmt::format("strides {} and {} of sizes {}", dims_text(x.strides),
                         dims_text(y.strides), dims_text(x.sizes));
  if (eager::requires_grad(x) != eager::requires_grad(y))
    return fmt::format("requires_grad {} and {}", eager::requires_grad(x), eager::requires_grad(y));
  // float64 holds every value of the others but large integers.
  bool wide = x.dtype == DType::i64;
  auto values = [&](const Tensor& t) { return t.detach().to(kFloat64).to_vector<double>(); };
  auto integers = [&](const Tensor& t) { return t.detach().to_vector<int64_t>(); };
  if (wide) {
    auto u = integers(a), v = integers(b);
    for (size_t i = 0; i < u.size(); ++i)
      if (u[i] != v[i]) return fmt::format("element {}: {} and {}", i, u[i], v[i]);
    return "";
  }
  auto u = values(a), v = values(b);
  for (size_t i = 0; i < u.size(); ++i)
    if (std::memcmp(&u[i], &v[i], 8) != 0 && !(std::isnan(u[i]) && std::isnan(v[i])))
      return fmt::format("element {}: {:.9g} and {:.9g}", i, u[i], v[i]);
  return "";
}

struct Outcome {
  Inputs inputs;
  std::vector<Tensor> outputs, gradients;
  std::string error;
  PhiloxState rng;
};

// A sum in which each element counts differently, so that gradients tell elements apart.
Tensor weighed(const Tensor& t) {
  Tensor w = frit::remainder(frit::arange(t.impl()->numel(), kFloat32), 7) + 1;
  return (t * w.to(t.dtype()).reshape(IntList(t.sizes()))).sum();
}

template <class F>
Outcome observe(const Program& p, const Call& c, F&& call) {
  Outcome o;
  o.inputs = inputs_for(p, c);
  manual_seed(c.data);
  GradMode mode(c.change != Change::no_grad);
  try {
    o.outputs = call(o.inputs.given);
    o.rng = default_generator()->state();
    // Other outputs take part in the loss at other calls.
    Tensor loss;
    size_t k = 0;
    for (const Tensor& t : o.outputs) {
      if (!t.requires_grad() || t.impl()->numel() == 0 || ((c.data >> k++) & 1 && loss.defined()))
        continue;
      Tensor one = weighed(t).to(kFloat64);
      loss = loss.defined() ? loss + one : one;
    }
    if (loss.defined() && loss.requires_grad()) loss.backward({}, true);
  } catch (const UserError& e) {
    o.error = e.message();
  } catch (const InternalError& e) {
    o.error = std::string("INTERNAL ") + e.what();
  }
  o.rng = default_generator()->state();
  for (const Tensor& t : o.inputs.leaves) o.gradients.push_back(t.is_leaf() ? t.grad() : Tensor());
  return o;
}

std::string compare_aliases(const Outcome& a, const Outcome& b) {
  const auto &x = a.inputs.given, &y = b.inputs.given;
  for (size_t i = 0; i < a.outputs.size(); ++i) {
    for (size_t j = 0; j < x.size(); ++j) {
      if (a.outputs[i].is_same(x[j]) != b.outputs[i].is_same(y[j]))
        return fmt::format("output {} is input {} in one only", i, j);
      if (a.outputs[i].shares_storage_with(x[j]) != b.outputs[i].shares_storage_with(y[j]))
        return fmt::format("output {} aliases input {} in one only", i, j);
      if (a.outputs[i].shares_storage_with(x[j]) &&
          a.outputs[i].impl()->offset != b.outputs[i].impl()->offset)
        return fmt::format("output {} begins at {} and {}", i, a.outputs[i].impl()->offset,
                           b.outputs[i].impl()->offset);
    }
    for (size_t j = 0; j < i; ++j) {
      if (a.outputs[i].is_same(a.outputs[j]) != b.outputs[i].is_same(b.outputs[j]))
        return fmt::format("outputs {} and {} are one in one only", j, i);
      if (a.outputs[i].shares_storage_with(a.outputs[j]) !=
          b.outputs[i].shares_storage_with(b.outputs[j]))
        return fmt::format("outputs {} and {} alias in one only", j, i);
    }
  }
  return "";
}

// Of a leaf's gradients that differ: is it that the same terms are added in another order?
using AddedInAnotherOrder = std::function<bool(size_t input, const Tensor&, const Tensor&)>;

std::string compare(const Outcome& a, const Outcome& b, const AddedInAnotherOrder& reordered) {
  if (a.error != b.error) return fmt::format("error '{}' and '{}'", a.error, b.error);
  if (!(a.rng == b.rng)) return fmt::format("generator at {} and {}", a.rng.offset, b.rng.offset);
  for (size_t i = 0; i < std::min(a.outputs.size(), b.outputs.size()); ++i)
    if (std::string d = difference(a.outputs[i], b.outputs[i]); !d.empty())
      return fmt::format("output {}: {}", i, d);
  for (size_t i = 0; i < std::min(a.outputs.size(), b.outputs.size()); ++i)
    if (a.outputs[i].version() != b.outputs[i].version())
      return fmt::format("version of output {}: {} and {}", i, a.outputs[i].version(),
                         b.outputs[i].version());
  if (std::string d = compare_aliases(a, b); !d.empty()) return d;
  const auto &x = a.inputs.given, &y = b.inputs.given;
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::string d = difference(x[i], y[i]); !d.empty())
      return fmt::format("input {} after: {}", i, d);
    if (x[i].version() != y[i].version())
      return fmt::format("version of input {}: {} and {}", i, x[i].version(), y[i].version());
    if (a.gradients[i].defined() != b.gradients[i].defined())
      return fmt::format("gradient of input {} in one only", i);
    if (a.gradients[i].defined())
      if (std::string d = difference(a.gradients[i], b.gradients[i]);
          !d.empty() && !reordered(i, a.gradients[i], b.gradients[i]))
        return fmt::format("gradient of input {}: {}", i, d);
  }
  return "";
}

// Does what comes from more than one graph, or from the caller too, meet in the input's gradient?
bool read_beside_a_graph(const Program& p, const Outcome& o, size_t input) {
  const Tensor& x = o.inputs.given[input];
  return std::ranges::any_of(
             o.outputs,
             [&](const Tensor& t) { return t.requires_grad() && t.shares_storage_with(x); }) ||
         std::ranges::any_of(p.statements, [](const Statement& s) {
           return s.kind == Statement::Kind::branch_on_item;
         });
}

bool added_in_another_order(const Program& p, const Call& c, size_t input, const Tensor& x,
                            const Tensor& y) {
  GradientSums sums;
  eager::InterceptorScope watched(sums);
  Outcome o = observe(p, c, [&](const std::vector<Tensor>& in) { return run(p, in); });
  eager::set_intercepting(false, false);
  return sums.explains(o.gradients[input], x, y);
}

void note_graphs(const compiler::Callable& callable, Coverage& coverage) {
  auto note = [&](const ir::Graph& g) {
    for (const auto& n : g.nodes()) coverage.count("graph ops", n->record().full_name);
  };
  for (const auto& e : callable.all_entries()) {
    if (!e->compilation) continue;
    if (e->compilation->recorded) note(*e->compilation->recorded);
    if (e->compilation->forward) note(e->compilation->forward->graph());
    if (const auto* b = e->compilation->backward_if_ready()) note(b->graph());
  }
  coverage.count("calls", "compiled",
                 static_cast<int64_t>(callable.calls() - callable.eager_calls()));
  coverage.count("calls", "eager", static_cast<int64_t>(callable.eager_calls()));
  coverage.count("entries", "all", static_cast<int64_t>(callable.all_entries().size()));
  for (const auto& b : callable.breaks()) coverage.count("breaks", b.stop.kind, b.times);
}

}  // namespace

Config config_of(uint64_t seed) {
  Config c;
  c.backend = seed % 4 == 3   ? Backend::aot_eager
              : seed % 4 == 2 ? Backend::aot_eager_decomp
                              : Backend::frit;
  c.fuse = seed % 8 != 1;
  return c;
}

std::string text(const Config& c) {
  static constexpr const char* kNames[] = {"eager", "aot_eager", "aot_eager_decomp", "frit"};
  return fmt::format("backend {}{}", kNames[static_cast<int>(c.backend)],
                     c.fuse ? "" : ", without fusion");
}

std::string check(const Program& p, const Config& config, Coverage* coverage) {
  CompileOptions options;
  options.backend = config.backend;
  options.fuse = config.fuse;
  options.dynamic = p.fixed_sizes ? Dynamic::off : Dynamic::automatic;
  auto body = [&p](std::vector<Tensor> inputs) { return run(p, std::move(inputs)); };
  auto compiled = compile(body, options);
  std::string found;
  int number = 0;
  for (const Call& c : calls_of(p)) {
    Outcome a = observe(p, c, [&](const std::vector<Tensor>& in) { return body(in); });
    uint64_t eager = compiled.callable()->eager_calls();
    Outcome b = observe(p, c, [&](const std::vector<Tensor>& in) { return compiled(in); });
    ++number;
    auto reordered = [&](size_t i, const Tensor& x, const Tensor& y) {
      return read_beside_a_graph(p, a, i) && added_in_another_order(p, c, i, x, y);
    };
    if (std::string d = compare(a, b, reordered); !d.empty()) {
      found = fmt::format("call {} ({}): {} (eager, then compiled)", number, c.str(), d);
      break;
    }
    if (!coverage) continue;
    bool cached = compiled.callable()->eager_calls() == eager;
    std::string kind = c.change != Change::none
                           ? std::string("other ") + kChangeNames[static_cast<int>(c.change)]
                       : c.grow     ? "other sizes"
                       : number > 2 ? "other data"
                       : number > 1 ? "again"
                                    : "first";
    coverage->count("calls", kind);
    if (cached) coverage->count("cached calls", kind);
    if (!a.error.empty()) coverage->count("calls", "raised in both");
    for (const Tensor& g : a.gradients)
      if (g.defined()) {
        coverage->count("calls", "with gradients");
        break;
      }
  }
  if (found.empty())
    for (auto& b : compiled.callable()->breaks())
      if (b.stop.internal) found = "capture dropped: " + b.stop.kind + ": " + b.stop.text;
  if (coverage) note_graphs(*compiled.callable(), *coverage);
  return found;
}

}  // namespace frit::fuzz
