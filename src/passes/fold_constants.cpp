// Constants: a small node that reads only constants is computed once, here, by eager's own kernels;
// if all its elements are equal it becomes `full`. Values are the same bits either way.
#include <cstring>

#include "core/layout.h"
#include "eager/dispatch.h"
#include "passes/pass.h"
#include "passes/rewrite.h"

namespace frit::passes {
namespace {

constexpr int64_t kMostElements = 1024;

bool foldable(const ir::Node& n) {
  const OpRecord& r = n.record();
  if (r.kind != Kind::pointwise && r.kind != Kind::view && r.kind != Kind::reduction) return false;
  if (n.outputs().size() != 1 || may_raise(r, n.args())) return false;
  for (Int s : n.output()->sizes())
    if (!s.is_constant()) return false;
  return true;
}

// A small `full` of a value that is known: a symbolic one is another number in every run.
bool constant_node(const ir::Node* n) {
  static const OpRecord& full = find_op("full");
  if (!n || &n->record() != &full || n->args()[1].to_scalar().is_symbolic()) return false;
  int64_t numel = 1;
  for (Int s : n->output()->sizes()) {
    if (!s.is_constant()) return false;
    numel *= s.constant();
  }
  return numel <= kMostElements;
}

Tensor evaluate(const ir::Node& n, const std::function<Tensor(ir::Value*)>& value) {
  ArgList args;
  for (const Arg& a : n.args()) {
    if (a.is_ref())
      args.push_back(Arg(value(a.ref().value())));
    else
      args.push_back(a);
  }
  WordScope plain(0, kGradEnabled | kRecording | kReplaying);
  Tensor out;
  eager::dispatch(n.record(), args, std::span<Tensor>(&out, 1), {});
  return out;
}

// The one value every element has, as a Scalar.
std::optional<Scalar> uniform(const Tensor& t) {
  if (t.impl()->numel() == 0) return std::nullopt;
  if (!is_contiguous(t.impl()->sizes, t.impl()->strides)) return std::nullopt;
  const auto* bytes = static_cast<const std::byte*>(t.impl()->data());
  auto size = static_cast<size_t>(size_of(t.dtype()));
  for (int64_t i = 1; i < t.impl()->numel(); ++i)
    if (std::memcmp(bytes, bytes + static_cast<size_t>(i) * size, size) != 0) return std::nullopt;
  Tensor first = alias_view(t, {}, {}, t.impl()->offset);
  if (is_floating(t.dtype())) return Scalar(first.item<double>());
  if (is_bool(t.dtype())) return Scalar(first.item<bool>());
  return Scalar(first.item<int64_t>());
}

}  // namespace

int fold_constants(ir::Graph& g) {
  int changes = 0;
  std::vector<ir::Node*> nodes;
  for (const auto& n : g.nodes()) nodes.push_back(n.get());
  for (ir::Node* n : nodes) {
    if (!foldable(*n)) continue;
    bool all = true, any = false;
    for_each_ref(n->args(), [&](const Ref& r) {
      any = true;
      all = all && constant_node(r.value()->producer());
    });
    for (const Arg& a : n->args()) {
      if (a.is_ref_list()) all = false;
      if (a.is<Int>() && a.as<Int>().is_symbolic()) all = false;
      if (a.is<Scalar>() && a.as<Scalar>().is_symbolic()) all = false;
      if (a.is<IntList>())
        for (Int i : a.as<IntList>()) all = all && i.is_constant();
    }
    if (!all || !any) continue;
    int64_t numel = 1;
    for (Int s : n->output()->sizes()) numel *= s.constant();
    if (numel > kMostElements) continue;
    Tensor t = evaluate(*n, [](ir::Value* v) { return evaluate(*v->producer(), nullptr); });
    auto value = uniform(t);
    if (!value) continue;
    ir::BuilderCaller builder(g, derived(*n, "fold_constants"), n);
    Ref made = builder.op<"full">(n->output()->sizes(), *value, n->output()->dtype());
    if (!same_layout(*made.value(), *n->output())) continue;
    g.replace_all_uses(n->output(), made.value());
    g.erase(n);
    ++changes;
  }
  return changes;
}

}  // namespace frit::passes
