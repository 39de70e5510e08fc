#include "adapters/frit/bind.h"

#include <nanobind/stl/string.h>

#include "adapters/choose_library.h"
#include "compile/options.h"
#include "frame/abi/availability.h"
#include "frame/abi/compiled.h"
#include "frame/walk/c_functions.h"
#include "frame/walk/fault.h"
#include "frame/walk/region.h"

namespace frit::python {
namespace {

using walk::Region;

Region& region_of(nb::handle compiled) {
  if (!frame::is_compiled(compiled.ptr())) throw nb::type_error("expected a compiled function");
  auto* r = dynamic_cast<Region*>(&frame::handler_of(compiled.ptr()));
  if (!r) throw nb::type_error("expected a compiled function");
  return *r;
}

CompileOptions options_of(nb::dict given) {
  CompileOptions o;
  for (auto [k, v] : given) {
    const std::string key = nb::cast<std::string>(k);
    if (key == "fullgraph") {
      o.fullgraph = nb::cast<bool>(v);
    } else if (key == "dynamic") {
      o.dynamic = nb::cast<bool>(v) ? Dynamic::automatic : Dynamic::off;
    } else if (key == "backend") {
      const std::string b = nb::cast<std::string>(v);
      o.backend = b == "eager"              ? Backend::eager
                  : b == "aot_eager"        ? Backend::aot_eager
                  : b == "aot_eager_decomp" ? Backend::aot_eager_decomp
                                            : Backend::frit;
    } else if (key == "mode") {
      o.mode = nb::cast<std::string>(v) == "max-autotune" ? Mode::max_autotune : Mode::normal;
    } else if (key == "recompile_limit") {
      o.recompile_limit = nb::cast<int>(v);
    } else if (key == "fuse") {
      o.fuse = nb::cast<bool>(v);
    } else if (key == "disabled_passes") {
      for (nb::handle p : nb::iter(v)) o.disabled_passes.push_back(nb::cast<std::string>(p));
    }
  }
  compiler::check_options(o, {});
  return o;
}

nb::object compile(nb::object callable, nb::object rebuild, nb::dict options) {
  std::string name = "compiled";
  if (nb::hasattr(callable, "__qualname__"))
    name = nb::cast<std::string>(nb::str(callable.attr("__qualname__")));
  prepare_libraries();
  auto region = std::make_shared<Region>(choose_library, options_of(options), name);
  return nb::steal(checked(
      frame::make_compiled(callable.ptr(), std::move(region), rebuild.ptr(), options.ptr())));
}

nb::dict stop_dict(const walk::WalkStop& s, int times) {
  nb::dict d;
  d["kind"] = s.kind;
  d["text"] = s.text;
  d["hint"] = s.hint;
  d["where"] = s.where;
  nb::list stack;
  for (const std::string& line : s.stack) stack.append(line);
  d["stack"] = stack;
  d["times"] = times;
  return d;
}

nb::dict explain(nb::object compiled) {
  Region& r = region_of(compiled);
  nb::dict d;
  nb::list entries, breaks, recompiles;
  for (const walk::Entry* e : r.entries()) {
    nb::dict x;
    nb::list guards;
    for (const std::string& g : e->guards.texts()) guards.append(g);
    x["name"] = e->name;
    x["guards"] = guards;
    x["sizes"] = e->tensors->guards_text();
    nb::list checks;
    for (const std::string& c : e->tensors->checks()) checks.append(c);
    x["checks"] = checks;
    x["graph"] = e->tensors->graph_text();
    x["ops"] = e->tensors->ops();
    x["runs"] = e->runs;
    x["opcodes"] = e->opcodes;
    nb::list effects;
    for (const walk::EffectRecipe& f : e->effects) effects.append(walk::effect_name(f.kind));
    x["effects"] = effects;
    x["returns"] = e->returns;
    x["compile_ms"] = e->tensors->compile_ms();
    entries.append(x);
  }
  for (const walk::BreakNote& b : r.breaks()) breaks.append(stop_dict(b.stop, b.times));
  for (const walk::RecompileNote& n : r.recompiles()) {
    nb::dict x;
    x["reason"] = n.reason;
    x["hint"] = n.hint;
    x["where"] = n.where;
    recompiles.append(x);
  }
  d["name"] = r.name();
  d["entries"] = entries;
  d["breaks"] = breaks;
  d["recompiles"] = recompiles;
  d["plain_calls"] = r.plain_calls();
  return d;
}

}  // namespace

void bind_compile(nb::module_& m) {
  walk::start_watching();
  for (const char* package : {"frit", "torch"}) Region::add_package(package);
  m.def("_compile", compile);
  m.def("_explain", explain);
  m.def("_reset", [](nb::object compiled) { region_of(compiled).reset(); });
  m.def("_faults", [] {
    nb::list all;
    for (const walk::FaultText& f : walk::faults()) all.append(nb::make_tuple(f.name, f.what));
    return all;
  });
  m.def("_set_stance", [](int stance) { Region::set_stance(static_cast<walk::Stance>(stance)); });
  // For tests of guards: how they are watched, and each check done in full, too.
  m.def("_watch_guards", [](const std::string& how) {
    walk::set_watch_mode(how == "none"   ? walk::WatchMode::none
                         : how == "tags" ? walk::WatchMode::tags
                                         : walk::WatchMode::watchers);
  });
  m.def("_verify_guards", [](bool on) { walk::GuardProgram::verify(on); });
  m.def("_verified_guards", [] {
    const walk::GuardProgram::Verified& v = walk::GuardProgram::verified();
    nb::dict d;
    d["checks"] = v.checks;
    d["held"] = v.held;
    d["fast"] = v.fast;
    d["missed"] = v.missed;
    d["needless"] = v.needless;
    return d;
  });
  m.def("_is_compiled", [](nb::object o) { return frame::is_compiled(o.ptr()); });
  m.def("_why_no_capture",
        [] { return frame::capture_available() ? "" : frame::why_unavailable(); });
  // Answered by the walk: true while it is on.
  m.def("_answer_true", [](nb::object function) {
    walk::add_python_model(function.ptr(), [](walk::Walker& w, PyObject*, walk::Args&, bool) {
      return w.boolean(true);
    });
  });
}

}  // namespace frit::python
