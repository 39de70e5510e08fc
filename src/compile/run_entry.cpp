#include "compile/run_entry.h"

#include <frit/autograd.h>
#include <frit/ops.h>

#include <optional>

#include "base/fault.h"
#include "compile/node.h"
#include "core/layout.h"
#include "passes/interpret.h"

namespace frit::compiler {
namespace {

// The view's layout, evaluated.
struct Layout {
  Dims sizes, strides;
  int64_t offset = 0;
};
Layout layout_of(const TensorResult& r, std::span<const int64_t> symbols) {
  Layout l;
  for (const sym::Program& p : r.sizes) l.sizes.push_back(p.run(symbols));
  for (const sym::Program& p : r.strides) l.strides.push_back(p.run(symbols));
  l.offset = r.offset.run(symbols);
  return l;
}

// The base's dimensions in the view's order, where the view is no more than that: the gradient that
// comes through it then has the strides that the program's own transposition gives.
std::optional<IntList> order_in(const Layout& view, const TensorImpl& base) {
  const size_t n = base.sizes.size();
  if (view.offset != 0 || view.sizes.size() != n) return std::nullopt;
  SmallVector<bool, 5> taken(n, false);
  IntList order;
  for (size_t d = 0; d < n; ++d) {
    size_t b = 0;
    while (b < n &&
           (taken[b] || base.sizes[b] != view.sizes[d] || base.strides[b] != view.strides[d]))
      ++b;
    if (b == n) return std::nullopt;
    taken[b] = true;
    order.push_back(Int(static_cast<int64_t>(b)));
  }
  return order;
}

Tensor view_of(const Tensor& base, const TensorResult& r, std::span<const int64_t> symbols,
               const sym::ShapeEnv& env) {
  Layout l = layout_of(r, symbols);
  int64_t offset = base.impl()->offset + l.offset;
  // A view of an input is a real one, so that later writes through it reach the input's history.
  bool tracked = r.kind == TensorResult::Kind::view_of_input && !eager::requires_grad(base) &&
                 is_grad_enabled();
  if (tracked || (r.requires_grad && eager::requires_grad(base))) {
    WordScope mode(r.in_inference ? uint32_t{kInferenceMode} : 0u,
                   r.without_grad ? uint32_t{kGradEnabled} : 0u);
    const TensorImpl& b = *base.impl();
    if (!r.views.empty() && may_overlap_itself(b.sizes, b.strides)) {
      // The gradient of as_strided would be shared out among elements in one place.
      Tensor view = base;
      for (const ViewCall& v : r.views)
        view = passes::call_view(*v.record, {v.args.data(), v.args.size()}, view, env, symbols);
      return view;
    }
    if (std::optional<IntList> order = order_in(l, *base.impl())) return base.permute(*order);
    IntList sizes(l.sizes.begin(), l.sizes.end()), strides(l.strides.begin(), l.strides.end());
    return as_strided(base, sizes, strides, Int(offset));
  }
  return alias_view(base, l.sizes, l.strides, offset);
}

}  // namespace

Scalar read_value(const Tensor& t) {
  return is_floating(t.dtype()) ? Scalar(t.item<double>())
         : is_bool(t.dtype())   ? Scalar(t.item<bool>())
                                : Scalar(t.item<int64_t>());
}

bool run_entry(const Entry& e, Gathered& g, Kept& kept) {
  const Compilation& c = *e.compilation;
  if (!c.forward->sizes_hold({g.symbols.data(), g.symbols.size()})) [[unlikely]]
    return false;  // eager says which tensor is too large
  PhiloxState rng;
  uint64_t blocks = 0;
  const std::shared_ptr<Generator>& generator = default_generator();
  if (e.uses_rng && e.rng_after) {
    rng = generator->state();
  } else if (e.uses_rng) {
    blocks = static_cast<uint64_t>(e.rng_blocks.run(g.symbols));
    rng = generator->take(blocks * 4);
  }
  SmallVector<Tensor, 8> fresh(static_cast<size_t>(c.forward->fresh_outputs()));
  std::span<const Tensor> inputs(g.inputs.data(), g.inputs.size());
  bool has_node = c.needs_grad && c.settings.backend != Backend::eager;
  // Backward reads what inputs held before the run.
  SmallVector<Tensor, 12> copies;
  if (has_node && !e.writes.empty()) {
    copies.append(inputs.begin(), inputs.end());
    WordScope plain(0, kRecording | kReplaying | kGradEnabled);
    for (auto [input, bumps] : e.writes)
      copies[static_cast<size_t>(input)] = inputs[static_cast<size_t>(input)].clone();
  }
  int failed = -1;
  try {
    failed = c.forward->run(inputs, {g.symbols.data(), g.symbols.size()}, rng,
                            {fresh.data(), fresh.size()});
  } catch (const UserError&) {
    failed = 0;  // no memory: eager needs less at once, or says at which line
  }
  if (failed >= 0) {
    if (blocks) generator->advance(~blocks + 1);  // as if nothing had been drawn
    return false;
  }
  // Commit: cannot fail from here on.
  if (e.rng_after) generator->advance(static_cast<uint64_t>(e.rng_blocks.run(g.symbols)));
  for (auto [input, bumps] : e.writes)
    for (int i = 0; i < bumps && !fault(Fault::version_bump); ++i)
      g.inputs[static_cast<size_t>(input)].impl()->storage->bump_version();
  for (auto [output, bumps] : e.fresh_writes)
    for (int i = 0; i < bumps && !fault(Fault::version_bump); ++i)
      fresh[static_cast<size_t>(output)].impl()->storage->bump_version();
  Ptr<CompiledNode> node;
  if (has_node) {
    node = make_ptr<CompiledNode>(
        e.compilation, inputs, std::span<const Tensor>(fresh.data(), fresh.size()),
        std::span<const int64_t>(g.symbols.data(), g.symbols.size()), rng);
    SmallVector<Tensor, 4> outs;
    for (int o : node->outputs_of())
      outs.push_back(fresh[static_cast<size_t>(e.kept[static_cast<size_t>(o)].index)]);
    eager::attach(Ptr<eager::TapeNode>(node.get()), {outs.data(), outs.size()});
    node->save({fresh.data(), fresh.size()});
  }
  kept.resize(e.kept.size());
  for (size_t i = 0; i < e.kept.size(); ++i) {
    const TensorResult& r = e.kept[i];
    if (r.kind == TensorResult::Kind::fresh) {
      kept[i] = fresh[static_cast<size_t>(r.index)];
      kept[i].impl()->storage->set_inference(r.inference);
    }
    if (r.kind == TensorResult::Kind::input) kept[i] = g.inputs[static_cast<size_t>(r.index)];
  }
  for (size_t i = 0; i < e.kept.size(); ++i) {
    const TensorResult& r = e.kept[i];
    if (r.kind == TensorResult::Kind::view_of_input)
      kept[i] = view_of(g.inputs[static_cast<size_t>(r.index)], r,
                        {g.symbols.data(), g.symbols.size()}, *e.env);
    if (r.kind == TensorResult::Kind::view_of_output)
      kept[i] = view_of(kept[static_cast<size_t>(r.index)], r, {g.symbols.data(), g.symbols.size()},
                        *e.env);
  }
  for (const GradEffect& effect : e.grad_effects)
    g.inputs[static_cast<size_t>(effect.leaf)].set_grad(
        effect.output < 0 ? Tensor() : kept[static_cast<size_t>(effect.output)]);
  if (node) node->keep_inputs({g.inputs.data(), g.inputs.size()}, {copies.data(), copies.size()});
  return true;
}

}  // namespace frit::compiler
