// docs/ops.md: every op, its schema, what it is, what it does.
#include <fmt/format.h>

#include "ops/record.h"
#include "outputs.h"

namespace frit::generate {
namespace {

struct Section {
  Kind kind;
  const char* title;
  const char* text;
};

constexpr Section kSections[] = {
    {Kind::pointwise, "Pointwise",
     "One result element from one element of each operand, broadcast together."},
    {Kind::reduction, "Reductions",
     "Many elements combined into one, over some dimensions or all."},
    {Kind::view, "Views", "Another look at the same memory: nothing is copied, writes are shared."},
    {Kind::copy, "Copies", "The same values in memory of their own."},
    {Kind::matmul, "Matrix products",
     "Library micro-kernels; what follows them is fused into their last step."},
    {Kind::index, "Indexing", "Gathers and scatters."},
    {Kind::creation, "Creation", "Tensors from no tensor's data."},
    {Kind::random, "Random",
     "Philox 4x32-10: the same numbers eager and compiled, for any number of threads."},
    {Kind::composite, "Composites", "Written in other ops."},
    {Kind::library, "Library kernels", "Called as they are, not fused."},
    {Kind::host, "Host calls", "Calls back into the program."},
};

std::string row(const OpRecord& r) {
  std::string marks;
  auto mark = [&](bool is, const char* text) {
    if (is) marks += (marks.empty() ? "" : ", ") + std::string(text);
  };
  mark(r.inplace, "in place");
  mark(r.out, "out");
  mark(r.vjp || (r.kind == Kind::composite && r.differentiable), "gradient");
  mark(r.raises_on_data, r.raises_on_integers ? "raises on integers" : "raises on data");
  std::string schema = r.schema.str();
  return fmt::format("| `{}` | {} | {} |\n", schema, marks, r.doc);
}

}  // namespace

void write_docs(Files& files) {
  std::string text =
      "# Ops\n\n"
      "Generated from the op records by `frit-generate`; `ninja generate` renews it. Names, "
      "arguments and\n"
      "semantics are PyTorch's. \"in place\" and \"out\" say that the forms `name_` and `name_out` "
      "exist;\n"
      "\"gradient\", that the op can be differentiated. Names that begin with an underscore are "
      "parts of other ops.\n";
  for (const Section& s : kSections) {
    std::string rows;
    for (const OpRecord* r : registry().all())
      if (r->kind == s.kind && r->form == Form::functional && !r->of_graphs) rows += row(*r);
    if (rows.empty()) continue;
    text +=
        fmt::format("\n## {}\n\n{}\n\n| schema | | |\n|---|---|---|\n{}", s.title, s.text, rows);
  }
  files["docs/ops.md"] = text;
}

}  // namespace frit::generate
