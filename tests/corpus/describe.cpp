#include "corpus/describe.h"

#include <fmt/format.h>

#include <map>

namespace frit::corpus {
namespace {

// A graph longer than this is given by its length: whole training steps change with every op
// record.
constexpr size_t kMostNodes = 24;

const char* source_text(compiler::Source::Kind k) {
  using Kind = compiler::Source::Kind;
  switch (k) {
    case Kind::argument:
      return "argument";
    case Kind::captured:
      return "captured";
    case Kind::module:
      return "module";
    case Kind::prefix:
      return "prefix";
    case Kind::grad:
      return "grad";
    case Kind::whole:
      return "whole";
  }
  return "?";
}

std::string scalar_text(const Scalar& s) {
  if (s.is_bool()) return s.to_bool() ? "true" : "false";
  return s.is_real() ? fmt::format("{}", s.to_double()) : s.as_int().str();
}

std::string end_text(const compiler::Entry& e) {
  switch (e.end) {
    case compiler::Entry::End::returned:
      return "returns";
    case compiler::Entry::End::value_read:
      return "ends where a value is read";
    case compiler::Entry::End::op_count:
      return "ends by its number of ops";
    case compiler::Entry::End::rest_is_eager:
      return "leaves the rest to eager: " + e.rest_why->text;
  }
  return "?";
}

void add_entry(std::string& out, const compiler::Entry& e, const std::string& after, int number) {
  out += fmt::format("entry {}{}: {}\n", number, after, end_text(e));
  for (const auto& g : e.watched)
    out += fmt::format("  watches {} {} {}\n", source_text(g.source.kind), g.name,
                       short_name(g.seen.dtype));
  for (const auto& s : e.sharing)
    out += fmt::format("  guard {} and {} {}\n", e.inputs[static_cast<size_t>(s.a)].name,
                       e.inputs[static_cast<size_t>(s.b)].name,
                       s.shared ? "share memory" : "do not overlap");
  for (const auto& f : e.flags)
    if (f.what == std::string_view("the training flag"))
      out += fmt::format("  guard training is {}\n", f.value);
  for (const auto& g : e.grads)
    out += fmt::format("  guard {}.grad is {}\n", e.inputs[static_cast<size_t>(g.leaf)].name,
                       g.defined ? "a tensor" : "None");
  for (const auto& n : e.numbers)
    out += fmt::format("  guard number {}\n", scalar_text(n.constant));
  for (size_t i = 0; i < e.condition_of.size(); ++i) out += "  guard " + e.condition_text(i) + "\n";
  if (!(e.grad_mode & kGradEnabled)) out += "  guard gradients are off\n";
  if (!e.compilation) return;
  const ir::Graph& g = *e.compilation->recorded;
  if (g.nodes().size() > kMostNodes) {
    std::map<std::string, int> stages;
    for (const auto& n : g.nodes()) ++stages[ir::stage_text(n->provenance().stage)];
    out += "  graph of";
    for (auto& [stage, n] : stages) out += fmt::format(" {} {}", n, stage);
    out += " nodes\n";
    return;
  }
  out += ir::print(g, {.locations = false, .strides = false});
}

}  // namespace

std::string describe(const compiler::Callable& c) {
  std::string out;
  auto all = c.all_entries();
  for (size_t i = 0; i < all.size(); ++i) {
    std::string after;
    for (size_t j = 0; j < all.size(); ++j)
      for (auto& [value, list] : all[j]->next)
        for (auto& e : *list->load())
          if (e == all[i]) after = fmt::format(", after entry {} read {}", j, scalar_text(value));
    add_entry(out, *all[i], after, static_cast<int>(i));
  }
  for (const auto& b : c.breaks())
    out += fmt::format("break {}: {}{}\n", b.stop.kind, b.stop.text,
                       b.stop.hint.empty() ? "" : "; try " + b.stop.hint);
  for (const auto& r : c.recompiles()) out += "recompile: " + r.reason + "\n";
  return out;
}

}  // namespace frit::corpus
