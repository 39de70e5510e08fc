#include "compile/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "passes/pass.h"

namespace frit::compiler {
namespace {

void check_pass(const std::string& name, SourceLocation where) {
  std::vector<std::string_view> known;
  for (auto list : {passes::before_grad(), passes::before_lowering()})
    for (const passes::Pass& p : list) {
      if (p.name == name) return;
      if (std::ranges::find(known, p.name) == known.end()) known.push_back(p.name);
    }
  throw UserError(ErrorKind::value, "compile",
                  fmt::format("disabled_passes has \"{}\", expected names of passes", name),
                  fmt::format("{}", fmt::join(known, ", ")), where);
}

// An enumerator that a cast made of another number.
template <class E>
void check_choice(const char* option, E given, E last, const char* known, SourceLocation where) {
  if (given <= last) return;
  throw UserError(
      ErrorKind::value, "compile",
      fmt::format("{} = {}, expected one of {}", option, static_cast<int>(given), known),
      "one of these names", where);
}

}  // namespace

void check_options(const CompileOptions& o, SourceLocation where) {
  auto fail = [&](std::string text, const char* hint) {
    throw UserError(ErrorKind::value, "compile", std::move(text), hint, where);
  };
  check_choice("dynamic", o.dynamic, Dynamic::off, "Dynamic::automatic, off", where);
  check_choice("mode", o.mode, Mode::max_autotune, "Mode::normal, max_autotune", where);
  check_choice("backend", o.backend, Backend::frit,
               "Backend::eager, aot_eager, aot_eager_decomp, frit", where);
  if (o.recompile_limit < 1)
    fail(fmt::format("recompile_limit = {}, expected 1 or more", o.recompile_limit),
         "FRIT_DISABLE_COMPILE=1 to compile nothing");
  for (const std::string& name : o.disabled_passes) check_pass(name, where);
  if (o.ops_per_graph < 0)
    fail(fmt::format("ops_per_graph = {}, expected 0 or more", o.ops_per_graph),
         "1 for a graph an op, 0 for graphs as long as can be");
  if (o.fullgraph && o.ops_per_graph > 0)
    fail(fmt::format("fullgraph = true and ops_per_graph = {}, expected one of them",
                     o.ops_per_graph),
         "ops_per_graph = 0");
}

}  // namespace frit::compiler
