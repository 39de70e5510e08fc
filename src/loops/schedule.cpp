#include "loops/schedule.h"

#include <algorithm>
#include <queue>

#include "base/fault.h"
#include "loops/part_writes.h"
#include "loops/rewrite.h"

namespace frit::loops {
namespace {

// Bytes that may stay alive longer so that two kernels become one.
constexpr int64_t kMostHeld = 1 << 20;
constexpr int kMostVisits = 4096;

int64_t bytes_hint(const Buffer& b) {
  return (b.elements.has_hint() ? b.elements.hint() : 4096) * size_of(b.dtype);
}

class Scheduler {
 public:
  Scheduler(const ir::Graph& g, Program& p, const Fusion& f, Built b, const Options& o)
      : graph_(g),
        program_(p),
        fusion_(f),
        built_(std::move(b)),
        options_(o),
        units_(built_.units) {}

  std::unordered_set<int> run() {
    add_checks();
    add_output_copies();
    add_allocations();
    link();
    add_write_backs();
    order_part_writes();
    order();
    if (order_.size() < units_.size()) return stuck();
    group();
    if (options_.fuse) sink();
    emit();
    return {};
  }

 private:
  struct Group {
    std::vector<int> units;
    bool generated = false;
    bool gone = false;
    ir::Stage stage;
  };

  Buffer& buffer(int b) { return program_.buffers[static_cast<size_t>(b)]; }

  // --- What the graph wants besides its clusters ---

  void add_checks() {
    for (const ir::RuntimeAssert& a : graph_.asserts) {
      Unit u;
      u.kind = StepKind::check;
      u.condition = a.condition;
      u.check = static_cast<int>(program_.checks.size());
      u.raises = true;
      if (a.where) u.where.push_back(a.where);
      program_.checks.push_back({a.message, a.where});
      units_.push_back(std::move(u));
    }
  }

  void add_output_copies() {
    for (const FreshOutput& o : program_.outputs) {
      ir::Value* v = graph_.outputs[static_cast<size_t>(o.output)].value;
      int from = built_.buffers.at(memory_of(v));
      if (from != o.buffer && !known_zero(v->numel())) add_copy(from, o.buffer, v);
    }
  }

  // Buffers whose size a step of this program decides get memory when it is known.
  void add_allocations() {
    std::vector<char> made(program_.buffers.size(), 0);
    for (size_t i = 0; i < units_.size(); ++i) {
      const Unit& u = units_[i];
      auto defines = [&](const sym::Expr* s) { defines_[s] = static_cast<int>(i); };
      if (u.kind == StepKind::symbol) defines(u.symbol.as_made());
      for_each_made_size(u.library, [&](size_t, size_t, const sym::Expr* s) { defines(s); });
      // Such a kernel makes its results, whatever their sizes come to (rows of no columns).
      if (u.kind == StepKind::library && u.library.record->data_dependent)
        for (const TensorArg& t : u.library.outs) made[static_cast<size_t>(t.buffer)] = 1;
    }
    for (size_t b = 0; b < program_.buffers.size(); ++b) {
      Buffer& buffer = program_.buffers[b];
      bool late = made[b];
      auto ask = [&](Int i) {
        for_each_symbol(i, [&](const sym::Expr* s) { late = late || defines_.count(s); });
      };
      ask(buffer.elements);
      if (buffer.place == Place::output) {
        const FreshOutput& o = program_.outputs[static_cast<size_t>(buffer.index)];
        for (const IntList* list : {&o.sizes, &o.strides})
          for (Int i : *list) ask(i);
      }
      if (!late || (buffer.place != Place::arena && buffer.place != Place::output)) continue;
      if (buffer.place == Place::arena) {
        buffer.place = Place::own;
        buffer.index = program_.num_own++;
      }
      if (made[b]) continue;
      Unit u;
      u.kind = StepKind::allocate;
      u.buffer = static_cast<int>(b);
      u.check = static_cast<int>(program_.checks.size());
      u.raises = true;
      program_.checks.push_back({"no memory for a size of " + dims_text(buffer.sizes), {}});
      units_.push_back(std::move(u));
    }
  }

  ir::Stage stage_of(const ir::Value* v) const {
    return v->producer() ? v->producer()->provenance().stage : ir::Stage::forward;
  }

  ir::Value* memory_of(ir::Value* v) const {
    ir::Value* base = fusion_.same_memory(v);
    return base ? base : v;
  }

  int add_copy(int from, int to, ir::Value* v) {
    Unit u = copy_unit(program_, fusion_, from, to, memory_of(v) != v);
    u.stage = stage_of(v);
    units_.push_back(std::move(u));
    return static_cast<int>(units_.size()) - 1;
  }

  // --- Dependences ---

  void edge(int from, int to) {
    if (from == to) return;
    auto& list = after_[static_cast<size_t>(from)];
    if (std::find(list.begin(), list.end(), to) == list.end()) list.push_back(to);
  }

  void link() {
    after_.resize(units_.size());
    auto& writer = writer_;
    std::unordered_map<int, int> allocates;
    for (size_t i = 0; i < units_.size(); ++i) {
      for (int b : units_[i].writes) writer[b] = static_cast<int>(i);
      if (units_[i].kind == StepKind::allocate) allocates[units_[i].buffer] = static_cast<int>(i);
    }
    for (size_t i = 0; i < units_.size(); ++i) {
      for (int b : units_[i].reads) {
        readers_[b].push_back(static_cast<int>(i));
        auto w = writer.find(b);
        if (w != writer.end()) edge(w->second, static_cast<int>(i));
      }
      for (int b : units_[i].needs)
        if (auto w = writer.find(b); w != writer.end()) edge(w->second, static_cast<int>(i));
      if (defines_.empty()) continue;
      for (int b : units_[i].writes)
        if (auto a = allocates.find(b); a != allocates.end()) edge(a->second, static_cast<int>(i));
      auto needs = [&](const sym::Expr* s) {
        auto d = defines_.find(s);
        if (d != defines_.end()) edge(d->second, static_cast<int>(i));
      };
      for_each_size(units_[i], needs);
    }
    if (!defines_.empty()) check_first();
  }

  // What a check says of a size holds for whoever uses it, so the check comes first, except before
  // what it needs itself.
  void check_first() {
    for (size_t c = 0; c < units_.size(); ++c) {
      if (units_[c].kind != StepKind::check) continue;
      std::unordered_set<const sym::Expr*> symbols;
      for_each_symbol(units_[c].condition, [&](const sym::Expr* s) {
        if (defines_.count(s)) symbols.insert(s);
      });
      if (symbols.empty()) continue;
      const int check = static_cast<int>(c);
      for (size_t i = 0; i < units_.size(); ++i) {
        if (i == c) continue;
        bool uses = false;
        for_each_size(units_[i], [&](const sym::Expr* s) { uses = uses || symbols.count(s); });
        if (uses && !reaches(static_cast<int>(i), [&](int u) { return u == check; }))
          edge(check, static_cast<int>(i));
      }
    }
  }

  void for_each_size(const Unit& u, const std::function<void(const sym::Expr*)>& fn) const {
    auto of = [&](Int i) { for_each_symbol(i, fn); };
    auto of_list = [&](const IntList& list) {
      for (Int i : list) of(i);
    };
    auto of_buffer = [&](int b) {
      const Buffer& buffer = program_.buffers[static_cast<size_t>(b)];
      of(buffer.elements);
      of_list(buffer.sizes);
      of_list(buffer.strides);
    };
    auto of_tensor = [&](const TensorArg& t) {
      of_list(t.sizes);
      of_list(t.strides);
      of(t.offset);
    };
    auto of_indirect = [&](const std::vector<Indirect>& list) {
      for (const Indirect& i : list) {
        of(i.size);
        of(i.stride);
      }
    };
    for (int b : u.reads) of_buffer(b);
    for (int b : u.writes) of_buffer(b);
    if (u.kind == StepKind::allocate) {
      const Buffer& buffer = program_.buffers[static_cast<size_t>(u.buffer)];
      of_buffer(u.buffer);
      if (buffer.place == Place::output) {
        const FreshOutput& o = program_.outputs[static_cast<size_t>(buffer.index)];
        of_list(o.sizes);
        of_list(o.strides);
      }
    }
    for (const Range& r : u.nest.outer) for_each_symbol(r.size, fn);
    for (const Range& r : u.nest.row) for_each_symbol(r.size, fn);
    auto all = roots(u.nest);
    for_each_expr(all, [&](const Expr* e) {
      of(e->index);
      of(e->offset);
      for_each_symbol(e->condition, fn);
      of_indirect(e->indirect);
    });
    for (const Stage& stage : u.nest.stages)
      for (const Store& s : stage.stores) {
        of(s.index);
        of_indirect(s.indirect);
      }
    for (Int n : {u.gemm.m, u.gemm.n, u.gemm.k, u.gemm.batch}) of(n);
    for (const Matrix* m : {&u.gemm.a, &u.gemm.b, &u.gemm.c})
      for (Int i : {m->offset, m->batch_stride, m->row_stride, m->col_stride}) of(i);
    for (const Library::Argument& a : u.library.args) {
      for (const TensorArg& t : a.tensors) of_tensor(t);
      if (a.fixed.is<Int>()) of(a.fixed.as<Int>());
      if (a.fixed.is<IntList>()) of_list(a.fixed.as<IntList>());
      if (a.fixed.is<Scalar>() && a.fixed.as<Scalar>().is_symbolic())
        of(a.fixed.as<Scalar>().as_int());
    }
    for (const TensorArg& t : u.library.outs) of_tensor(t);
    of(u.library.rng_offset);
    of(u.index);
    for_each_symbol(u.condition, fn);
  }

  bool reaches(int from, const std::function<bool(int)>& wanted) {
    seen_.resize(units_.size(), 0);
    ++stamp_;
    std::vector<int> stack{from};
    int visits = 0;
    while (!stack.empty()) {
      int u = stack.back();
      stack.pop_back();
      for (int next : after_[static_cast<size_t>(u)]) {
        if (wanted(next)) return true;
        if (std::exchange(seen_[static_cast<size_t>(next)], stamp_) == stamp_) continue;
        if (++visits > kMostVisits) return true;
        stack.push_back(next);
      }
    }
    return false;
  }

  // --- Write-backs ---

  void add_write_backs() {
    std::vector<int> raising;
    for (size_t i = 0; i < units_.size(); ++i)
      if (units_[i].raises) raising.push_back(static_cast<int>(i));
    for (const ir::Effect& e : graph_.effects) {
      if (e.kind != ir::Effect::Kind::write_input || !e.value) continue;
      program_.written_inputs.push_back(e.input);
      if (known_zero(e.value->numel())) continue;
      int to = built_.input_buffers[static_cast<size_t>(e.input)];
      int from = built_.buffers.at(memory_of(e.value));
      if (from == to || written_by_parts(e)) continue;
      int unit = direct_writer(from, to);
      if (unit >= 0) {
        Buffer& b = buffer(from);
        b.place = Place::input;
        b.index = e.input;
      } else {
        unit = add_copy(from, to, e.value);
        after_.resize(units_.size());
        readers_[from].push_back(unit);
        if (auto w = writer_.find(from); w != writer_.end()) edge(w->second, unit);
      }
      for (int r : raising) edge(r, unit);
      for (int r : readers_[to])
        if (!fault(Fault::early_write_back)) edge(r, unit);
    }
    std::sort(program_.written_inputs.begin(), program_.written_inputs.end());
    program_.written_inputs.erase(
        std::unique(program_.written_inputs.begin(), program_.written_inputs.end()),
        program_.written_inputs.end());
  }

  bool written_by_parts(const ir::Effect& e) const {
    const PartWrite* w = fusion_.making(e.value);
    return w && w->input == e.input;
  }

  // After whoever reads what they replace, and whatever may fail.
  void order_part_writes() {
    if (fusion_.part_writes().empty()) return;
    for (const PartWrite& w : fusion_.part_writes()) {
      const int unit = writer_.at(built_.buffers.at(w.after()));
      for (size_t i = 0; i < units_.size(); ++i)
        if (units_[i].raises) edge(static_cast<int>(i), unit);
      for (int r : readers_[built_.buffers.at(w.before)])
        if (!fault(Fault::early_write_back)) edge(r, unit);
    }
  }

  // Inputs whose parts cannot be written in place: something that reads what they replace, or may
  // fail, needs what they write.
  std::unordered_set<int> stuck() const {
    std::unordered_set<int> inputs;
    std::vector<char> done(units_.size(), 0);
    for (int u : order_) done[static_cast<size_t>(u)] = 1;
    for (const PartWrite& w : fusion_.part_writes())
      if (!done[static_cast<size_t>(writer_.at(built_.buffers.at(w.after())))])
        inputs.insert(w.input);
    FRIT_INVARIANT(!inputs.empty(), "the steps depend on one another in a circle");
    return inputs;
  }

  static bool has(const std::vector<int>& list, int b) {
    return std::find(list.begin(), list.end(), b) != list.end();
  }

  static bool row_major(const Buffer& b) {
    IntList expected = contiguous_strides<Int>(b.sizes);
    for (size_t i = 0; i < expected.size(); ++i)
      if (!known_one(b.sizes[i]) && !b.strides[i].same_as(expected[i])) return false;
    return true;
  }

  // Does a flat index mean the same element of both?
  static bool same_layout(const Buffer& a, const Buffer& b) {
    if (row_major(a) && row_major(b)) return a.elements.same_as(b.elements);
    if (a.sizes.size() != b.sizes.size()) return false;
    for (size_t i = 0; i < a.sizes.size(); ++i) {
      if (!a.sizes[i].same_as(b.sizes[i])) return false;
      if (!known_one(a.sizes[i]) && !a.strides[i].same_as(b.strides[i])) return false;
    }
    return true;
  }

  // The unit that may store buffer `from` straight into the input; -1 if that would show.
  int direct_writer(int from, int to) {
    const Buffer &b = buffer(from), &in = buffer(to);
    if (b.place != Place::arena || b.dtype != in.dtype || !same_layout(b, in)) return -1;
    auto writer = writer_.find(from);
    int unit = writer == writer_.end() ? -1 : writer->second;
    if (unit < 0 || units_[static_cast<size_t>(unit)].raises) return -1;
    if (fault(Fault::early_write_back)) return unit;
    if (!in_place(units_[static_cast<size_t>(unit)], from, to)) return -1;
    bool late = reaches(unit, [&](int u) {
      return units_[static_cast<size_t>(u)].raises || has(units_[static_cast<size_t>(u)].reads, to);
    });
    return late ? -1 : unit;
  }

  // Does the unit read `to` only at the elements of `from` it is about to store?
  bool in_place(const Unit& u, int from, int to) const {
    if (!has(u.reads, to)) return true;
    if (u.kind == StepKind::library) return false;
    if (u.kind == StepKind::gemm && (u.gemm.a.buffer == to || u.gemm.b.buffer == to)) return false;
    Int index = 0;
    size_t stored_in = 0;
    for (size_t s = 0; s < u.nest.stages.size(); ++s)
      for (const Store& st : u.nest.stages[s].stores)
        if (st.buffer == from) {
          index = st.index;
          stored_in = s;
          if (!st.indirect.empty() || !u.nest.stages[s].reductions.empty()) return false;
        }
    bool safe = true;
    for (size_t s = 0; s < u.nest.stages.size(); ++s) {
      auto all = roots(u.nest.stages[s]);
      for_each_expr(all, [&](const Expr* e) {
        if (e->kind != ExprKind::load || e->buffer != to) return;
        safe = safe && s <= stored_in && e->indirect.empty() && e->index.same_as(index);
      });
    }
    return safe;
  }

  // --- Order and groups ---

  void order() {
    std::vector<int> waiting(units_.size(), 0);
    for (auto& list : after_)
      for (int to : list) ++waiting[static_cast<size_t>(to)];
    std::priority_queue<int, std::vector<int>, std::greater<>> ready;
    for (size_t i = 0; i < units_.size(); ++i)
      if (waiting[i] == 0) ready.push(static_cast<int>(i));
    while (!ready.empty()) {
      int u = ready.top();
      ready.pop();
      order_.push_back(u);
      for (int to : after_[static_cast<size_t>(u)])
        if (--waiting[static_cast<size_t>(to)] == 0) ready.push(to);
    }
  }

  // Each unit joins the first kernel of its stage that comes after all it needs.
  void group() {
    group_of_.assign(units_.size(), -1);
    std::vector<int> earliest(units_.size(), 0);
    for (int u : order_) {
      const Unit& unit = units_[static_cast<size_t>(u)];
      int at = -1;
      if (options_.fuse && unit.kind == StepKind::generated)
        for (size_t g = static_cast<size_t>(earliest[static_cast<size_t>(u)]);
             g < groups_.size() && at < 0; ++g)
          if (groups_[g].generated && groups_[g].stage == unit.stage) at = static_cast<int>(g);
      if (at < 0) {
        at = static_cast<int>(groups_.size());
        groups_.push_back({{}, unit.kind == StepKind::generated, false, unit.stage});
      }
      groups_[static_cast<size_t>(at)].units.push_back(u);
      group_of_[static_cast<size_t>(u)] = at;
      for (int to : after_[static_cast<size_t>(u)])
        earliest[static_cast<size_t>(to)] = std::max(earliest[static_cast<size_t>(to)], at + 1);
    }
  }

  // A kernel nobody waits for soon runs with a later one.
  void sink() {
    for (size_t g = groups_.size(); g-- > 0;) {
      Group& group = groups_[g];
      if (!group.generated) continue;
      int needed = static_cast<int>(groups_.size());
      for (int u : group.units)
        for (int to : after_[static_cast<size_t>(u)])
          needed = std::min(needed, group_of_[static_cast<size_t>(to)]);
      int into = -1;
      for (int j = needed - 1; j > static_cast<int>(g) && into < 0; --j) {
        const Group& other = groups_[static_cast<size_t>(j)];
        if (other.generated && !other.gone && other.stage == group.stage) into = j;
      }
      // The nearest one keeps least memory alive.
      for (int j = static_cast<int>(g) + 1; into >= 0 && j < into; ++j) {
        const Group& other = groups_[static_cast<size_t>(j)];
        if (other.generated && !other.gone && other.stage == group.stage) into = j;
      }
      if (into < 0 || held_bytes(group, into) > kMostHeld) continue;
      Group& target = groups_[static_cast<size_t>(into)];
      target.units.insert(target.units.begin(), group.units.begin(), group.units.end());
      for (int u : group.units) group_of_[static_cast<size_t>(u)] = into;
      group.units.clear();
      group.gone = true;
    }
  }

  int64_t held_bytes(const Group& group, int until) {
    int64_t bytes = 0;
    for (int u : group.units)
      for (int b : units_[static_cast<size_t>(u)].reads) {
        if (buffer(b).place != Place::arena) continue;
        int last = 0;
        for (int r : readers_[b])
          if (!has(group.units, r)) last = std::max(last, group_of_[static_cast<size_t>(r)]);
        if (last < until) bytes += bytes_hint(buffer(b));
      }
    return bytes;
  }

  // --- Steps ---

  void emit() {
    NestSharing sharing(program_);
    for (Group& g : groups_) {
      if (g.gone || g.units.empty()) continue;
      Step s;
      s.stage = g.stage;
      std::vector<std::string> names;
      for (int i : g.units) {
        Unit& u = units_[static_cast<size_t>(i)];
        s.kind = u.kind;
        s.ops.insert(s.ops.end(), u.ops.begin(), u.ops.end());
        for (const SourceLocation& l : u.where)
          if (std::find(s.where.begin(), s.where.end(), l) == s.where.end()) s.where.push_back(l);
        if (std::find(names.begin(), names.end(), u.nest.name) == names.end())
          names.push_back(u.nest.name);
        switch (u.kind) {
          case StepKind::generated:
            s.parts.push_back(sharing.add(std::move(u.nest)));
            break;
          case StepKind::gemm:
            s.gemm = u.gemm;
            if (u.has_epilogue) {
              s.gemm.epilogue = static_cast<int>(program_.nests.size());
              program_.nests.push_back(std::move(u.nest));
            }
            break;
          case StepKind::library:
            s.library = std::move(u.library);
            break;
          case StepKind::symbol:
            s.buffer = u.buffer;
            s.index = u.index;
            s.symbol = u.symbol;
            break;
          case StepKind::allocate:
            s.buffer = u.buffer;
            s.check = u.check;
            break;
          case StepKind::check:
            s.condition = u.condition;
            s.check = u.check;
            break;
        }
      }
      s.name = "k" + std::to_string(program_.steps.size());
      for (size_t i = 0; i < names.size() && i < 2; ++i)
        if (!names[i].empty()) s.name += "_" + names[i];
      program_.steps.push_back(std::move(s));
    }
  }

  const ir::Graph& graph_;
  Program& program_;
  const Fusion& fusion_;
  Built built_;
  const Options& options_;
  std::vector<Unit>& units_;
  std::vector<std::vector<int>> after_;
  std::vector<int> order_, group_of_;
  std::vector<Group> groups_;
  std::unordered_map<const sym::Expr*, int> defines_;  // of a symbol: the unit that finds it
  std::unordered_map<int, int> writer_;                // of a buffer: the unit
  std::unordered_map<int, std::vector<int>> readers_;  // of a buffer: units
  std::vector<uint32_t> seen_;
  uint32_t stamp_ = 0;
};

}  // namespace

std::unordered_set<int> schedule(const ir::Graph& g, Program& p, const Fusion& f, Built b,
                                 const Options& o) {
  return Scheduler(g, p, f, std::move(b), o).run();
}

}  // namespace frit::loops
