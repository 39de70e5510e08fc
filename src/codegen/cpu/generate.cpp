// A program's texts: steps and the nests they call, frit_plan, frit_run, and the plan beside them.
#include "codegen/cpu/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "codegen/cpu/steps.h"

namespace frit::codegen::cpu {

using loops::Program;
using loops::Step;
using runtime::GraphPlan;
using runtime::SymbolSource;

namespace {

// Every symbol of the environment that some text may name, and where its value comes from.
class SymbolFinder {
 public:
  SymbolFinder(const Program& program, const ir::Graph& graph) : program_(program), graph_(graph) {}

  void add(Int i) {
    loops::for_each_symbol(i, [&](const sym::Expr* s) { add(s); });
  }
  void add(Bool b) {
    loops::for_each_symbol(b, [&](const sym::Expr* s) { add(s); });
  }
  void add(const loops::Expr* root) {
    const loops::Expr* roots[] = {root};
    loops::for_each_expr(roots, [&](const loops::Expr* e) {
      add(e->index);
      add(e->offset);
      add(e->condition);
      indirect(e->indirect);
    });
  }
  void indirect(const std::vector<loops::Indirect>& list) {
    for (const loops::Indirect& i : list) {
      add(i.size);
      add(i.stride);
      if (i.value) add(i.value);
    }
  }
  void matrix(const loops::Matrix& m) {
    for (Int i : {m.offset, m.batch_stride, m.row_stride, m.col_stride}) add(i);
  }
  void tensor(const loops::TensorArg& t) {
    for (Int i : t.sizes) add(i);
    for (Int i : t.strides) add(i);
    add(t.offset);
  }

  void everything() {
    for (const loops::Buffer& b : program_.buffers) add(b.offset);
    for (const loops::FreshOutput& o : program_.outputs) {
      for (Int i : o.sizes) add(i);
      for (Int i : o.strides) add(i);
    }
    add(program_.arena_bytes);
    for (const loops::Nest& n : program_.nests) {
      for (const loops::Range& r : n.outer) add(r.size);
      for (const loops::Range& r : n.row) add(r.size);
      for (const loops::Stage& s : n.stages) {
        for (const loops::Reduction& r : s.reductions) add(r.value);
        for (const loops::Store& t : s.stores) {
          add(t.index);
          indirect(t.indirect);
          add(t.value);
        }
      }
    }
    for (const Step& s : program_.steps) {
      for (const loops::Part& p : s.parts)
        for (Int i : p.sizes) add(i);
      if (s.kind == loops::StepKind::gemm) {
        for (Int i : {s.gemm.m, s.gemm.n, s.gemm.k, s.gemm.batch}) add(i);
        matrix(s.gemm.a);
        matrix(s.gemm.b);
        if (s.gemm.epilogue < 0) matrix(s.gemm.c);
      }
      for (const loops::Library::Argument& a : s.library.args) {
        for (const loops::TensorArg& t : a.tensors) tensor(t);
        if (a.fixed.is<Int>()) add(a.fixed.as<Int>());
        if (a.fixed.is<Scalar>() && a.fixed.as<Scalar>().is_symbolic())
          add(a.fixed.as<Scalar>().as_int());
        if (a.fixed.is<IntList>())
          for (Int i : a.fixed.as<IntList>()) add(i);
      }
      for (const loops::TensorArg& t : s.library.outs) tensor(t);
      add(s.library.rng_offset);
      add(s.index);
      if (const sym::Expr* e = s.symbol.as_made()) add(e);
      add(s.condition);
    }
  }

  // In the order of the environment, so that plans do not depend on the order of steps.
  SymbolSlots slots() const {
    SymbolSlots r(found_.begin(), found_.end());
    std::sort(r.begin(), r.end(),
              [](const sym::Expr* a, const sym::Expr* b) { return a->value() < b->value(); });
    return r;
  }

  SymbolSource source(const sym::Expr* s) const {
    SymbolSource r;
    r.name = program_.env->symbol(s).name;
    auto inputs = graph_.inputs();
    using Kind = SymbolSource::Kind;
    for (bool strides : {false, true})
      for (size_t i = 0; i < inputs.size(); ++i) {
        const IntList& list = strides ? inputs[i]->strides() : inputs[i]->sizes();
        for (size_t d = 0; d < list.size(); ++d)
          if (list[d].expr() == s) {
            r.kind = strides ? Kind::input_stride : Kind::input_size;
            r.input = static_cast<int>(i);
            r.dim = static_cast<int>(d);
            return r;
          }
      }
    r.kind = Kind::number;
    for (const Step& step : program_.steps) {
      if (step.kind == loops::StepKind::symbol && step.symbol.as_made() == s) r.kind = Kind::step;
      loops::for_each_made_size(step.library, [&](size_t, size_t, const sym::Expr* made) {
        if (made == s) r.kind = Kind::step;
      });
    }
    return r;
  }

 private:
  void add(const sym::Expr* s) {
    if (!program_.size_of_symbol(Int(s))) found_.insert(s);
  }
  const Program& program_;
  const ir::Graph& graph_;
  std::set<const sym::Expr*> found_;
};

// At most how large the expression is, on the way too, where no symbol is above `symbol`.
double largest(const sym::Expr* e, double symbol) {
  auto args = e->args();
  double r = 0;
  switch (e->kind()) {
    case sym::Kind::constant:
      return std::abs(static_cast<double>(e->value()));
    case sym::Kind::symbol:
      return symbol;
    case sym::Kind::product:
      r = 1;
      for (const sym::Expr* a : args) r *= std::max(largest(a, symbol), 1.0);
      return r;
    case sym::Kind::sum:
      r = std::abs(static_cast<double>(e->value()));
      for (size_t i = 0; i < args.size(); ++i)
        r += std::abs(static_cast<double>(e->coefs()[i])) * largest(args[i], symbol);
      return r;
    default:  // quotients, remainders, extremes, conditions
      r = 1;
      for (const sym::Expr* a : args) r = std::max(r, largest(a, symbol));
      return r;
  }
}

// What memory a run takes, for checks where sizes are so large that frit_plan would wrap around.
void plan_bytes(const Program& program, GraphPlan& plan) {
  IntList all{program.arena_bytes};
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    if (plan.outputs[i].late >= 0) continue;  // its own step makes it
    const loops::Buffer& b = program.buffers[static_cast<size_t>(program.outputs[i].buffer)];
    all.push_back(b.elements * size_of(b.dtype));
  }
  std::vector<const sym::Expr*> symbolic;
  for (Int i : all)
    if (i.is_symbolic()) symbolic.push_back(i.expr());
  for (const sym::Expr* e : symbolic) plan.bytes.push_back(sym::Program::compile(e));
  plan.small = std::numeric_limits<int64_t>::max();
  auto exact = [&] {
    return std::ranges::all_of(symbolic, [&](const sym::Expr* e) {
      return largest(e, static_cast<double>(plan.small)) < 0x1p62;
    });
  };
  while (plan.small > 0 && !exact()) plan.small >>= 1;
}

std::string plan_function(const Program& program, const SymbolSlots& slots, GraphPlan& plan) {
  SymbolUse symbols(program, slots, "symbols");
  std::string text;
  int words = 0;
  for (const loops::FreshOutput& o : program.outputs) {
    const std::string& name = program.buffers[static_cast<size_t>(o.buffer)].name;
    auto is_this = [&](const auto& b) { return b.output == static_cast<int>(plan.outputs.size()); };
    auto late = std::find_if(plan.late.begin(), plan.late.end(), is_this);
    bool known = late == plan.late.end();
    plan.outputs.push_back({o.dtype, static_cast<int>(o.sizes.size()),
                            known ? -1 : static_cast<int>(late - plan.late.begin())});
    if (!known) continue;
    std::string line;
    for (const IntList* list : {&o.sizes, &o.strides})
      for (Int i : *list) line += fmt::format("out[{}] = {}; ", words++, symbols.text(i));
    text += line + fmt::format("// {} {}\n", short_name(o.dtype), name);
  }
  text += fmt::format("out[{}] = {};  // bytes of the arena\n", words++,
                      symbols.text(program.arena_bytes));
  plan.plan_words = words;
  plan_bytes(program, plan);
  return fmt::format("extern \"C\" void frit_plan(const i64* symbols, i64* out) {{\n{}{}}}\n",
                     indented(symbols.lines(), 2), indented(text, 2));
}

const char* kind_name(loops::StepKind k) {
  switch (k) {
    case loops::StepKind::generated:
      return "generated";
    case loops::StepKind::gemm:
      return "gemm";
    case loops::StepKind::library:
      return "library";
    case loops::StepKind::symbol:
    case loops::StepKind::allocate:
    case loops::StepKind::check:
      break;
  }
  return nullptr;
}

// Steps that share a nest stay together; the groups are spread over at most `count` texts.
std::vector<std::vector<size_t>> partition(const std::vector<StepText>& steps,
                                           const std::vector<size_t>& bytes, size_t count) {
  std::vector<size_t> group(steps.size());
  std::iota(group.begin(), group.end(), size_t{0});
  std::map<int, size_t> owner;
  auto root = [&](size_t i) {
    while (group[i] != i) i = group[i];
    return i;
  };
  for (size_t i = 0; i < steps.size(); ++i)
    for (int n : steps[i].nests) {
      auto [it, fresh] = owner.emplace(n, i);
      if (!fresh) group[root(i)] = root(it->second);
    }
  std::map<size_t, std::vector<size_t>> groups;
  for (size_t i = 0; i < steps.size(); ++i) groups[root(i)].push_back(i);
  std::vector<std::pair<size_t, const std::vector<size_t>*>> order;
  for (const auto& [r, list] : groups) {
    size_t sum = 0;
    for (size_t i : list) sum += bytes[i];
    order.emplace_back(sum, &list);
  }
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second->front() < b.second->front();
  });
  std::vector<std::vector<size_t>> bins(count);
  std::vector<size_t> load(count, 0);
  for (const auto& [size, list] : order) {
    size_t best = static_cast<size_t>(std::min_element(load.begin(), load.end()) - load.begin());
    load[best] += size;
    bins[best].insert(bins[best].end(), list->begin(), list->end());
  }
  for (auto& b : bins) std::sort(b.begin(), b.end());
  std::erase_if(bins, [](const auto& b) { return b.empty(); });
  return bins;
}

}  // namespace

Generated generate(const Program& program, const ir::Graph& graph, const Options& options) {
  Generated out;
  GraphPlan& plan = out.plan;
  plan.num_inputs = program.num_inputs;
  plan.written_inputs = program.written_inputs;
  plan.uses_rng = program.uses_rng;
  plan.num_own = program.num_own;
  for (const loops::Check& c : program.checks) plan.checks.push_back({c.text, c.where});
  SymbolFinder finder(program, graph);
  finder.everything();
  SymbolSlots slots = finder.slots();
  for (const sym::Expr* s : slots) plan.symbols.push_back(finder.source(s));
  StepWriter writer(program, slots, plan);
  std::vector<StepText> steps;
  std::vector<size_t> bytes;
  std::set<int> counted;
  size_t total = 0;
  for (const Step& s : program.steps) {
    steps.push_back(writer.write(s));
    size_t n = steps.back().function.size();
    for (int nest : steps.back().nests)
      if (counted.insert(nest).second) n += writer.nests().get(nest).text.size();
    bytes.push_back(n);
    total += n;
    if (const char* kind = kind_name(s.kind))
      plan.kernels.push_back({s.name, kind, s.ops, s.where, ir::stage_text(s.stage)});
  }
  std::string run = "extern \"C\" i64 frit_run(FritRun* run) {\n";
  for (const StepText& s : steps) run += indented(s.call, 2);
  run += "  return 0;\n}\n";
  std::string plan_text = plan_function(program, slots, plan);

  size_t count =
      std::min<size_t>(static_cast<size_t>(std::max(options.modules, 1)),
                       1 + total / static_cast<size_t>(std::max<int64_t>(options.module_bytes, 1)));
  auto bins = partition(steps, bytes, count);
  if (bins.empty()) bins.emplace_back();
  const bool split = bins.size() > 1;
  for (size_t b = 0; b < bins.size(); ++b) {
    std::string text = fmt::format("// {}{}\n\n", program.name.empty() ? "graph" : program.name,
                                   split ? fmt::format(", part {} of {}", b + 1, bins.size()) : "");
    std::set<int> here;
    for (size_t i : bins[b]) {
      for (int nest : steps[i].nests)
        if (here.insert(nest).second) text += writer.nests().get(nest).text + "\n";
      std::string f = steps[i].function;
      size_t at = f.find(steps[i].declaration + " {");
      if (at != std::string::npos)
        f.insert(at, split ? "extern \"C\" __attribute__((visibility(\"hidden\"))) " : "static ");
      text += f + "\n";
    }
    if (b == 0) {
      for (size_t o = 1; o < bins.size(); ++o)
        for (size_t i : bins[o])
          text += fmt::format("extern \"C\" __attribute__((visibility(\"hidden\"))) {};\n",
                              steps[i].declaration);
      text += plan_text + "\n" + run;
    }
    out.modules.push_back(std::move(text));
  }
  return out;
}

}  // namespace frit::codegen::cpu
