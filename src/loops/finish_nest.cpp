// The last steps on a nest as it was built.
#include <algorithm>
#include <unordered_set>

#include "loops/lowering.h"
#include "loops/rewrite.h"

namespace frit::loops {
namespace {

IntList symbols_of(std::span<const Range> ranges) {
  IntList s;
  for (const Range& r : ranges) s.push_back(r.symbol);
  return s;
}

// --- Values that more than one pass over the row needs ---

class RowKeeper {
 public:
  RowKeeper(Program& p, Nest& n) : program_(p), nest_(n), row_(symbols_of(n.row)) {
    int slot = 0;
    for (size_t s = 0; s < n.stages.size(); ++s)
      for (size_t k = 0; k < n.stages[s].reductions.size(); ++k)
        slot_stages_[slot++] = static_cast<int>(s);
  }

  void run() {
    for (size_t s = 1; s < nest_.stages.size(); ++s) {
      Stage& stage = nest_.stages[s];
      if (!stage.over_row) continue;
      seen_.clear();
      for (const Expr* root : roots(stage)) find(root, s);
      if (kept_.empty()) continue;
      Rewriter rewriter(program_);
      for (auto& [from, to] : kept_)
        if (kept_in_.at(from) < s) rewriter.replace(from, to);
      for (Reduction& r : stage.reductions) r.value = rewriter.apply(r.value);
      for (Store& st : stage.stores) rewriter.apply(st);
    }
  }

 private:
  // Notes the outermost costly expressions below e that an earlier pass makes.
  void find(const Expr* e, size_t stage) {
    if (!seen_.insert(e).second || kept_.count(e)) return;
    if (is_costly(*e) && varies(e, row_)) {
      auto at = static_cast<size_t>(phase_of(e, slot_stages_, phases_));
      for (; at < stage; ++at)
        if (nest_.stages[at].over_row && made_in(e, at)) return keep(e, at);
    }
    for (const Expr* a : e->args) find(a, stage);
    for (const Indirect& i : e->indirect) find(i.value, stage);
  }

  bool made_in(const Expr* e, size_t stage) const {
    bool found = false;
    auto all = roots(nest_.stages[stage]);
    for_each_expr(all, [&](const Expr* x) { found = found || x == e; });
    return found;
  }

  void keep(const Expr* e, size_t stage) {
    kept_in_[e] = stage;
    for (const Store& s : nest_.stages[stage].stores) {
      const Buffer& b = program_.buffers[static_cast<size_t>(s.buffer)];
      if (s.value == e && s.indirect.empty() && b.dtype == e->type) {
        kept_.add(e, program_.load(s.buffer, s.index));
        return;
      }
    }
    Int row_elements = 1;
    for (const Range& r : nest_.row) row_elements = row_elements * r.size;
    bool local = nest_.algorithm == Algorithm::row && row_elements.is_constant() &&
                 row_elements.constant() * size_of(e->type) <= kRowScratchBytes;
    Buffer b{.name = "row" + std::to_string(program_.buffers.size())};
    b.dtype = e->type;
    b.place = local ? Place::row : Place::arena;
    Int index = 0;
    auto add = [&](std::span<const Range> ranges) {
      for (const Range& r : ranges) {
        b.sizes.push_back(r.size);
        index = index * r.size + r.symbol;
      }
    };
    // The lanes lie one after another: those of a column nest are along the outer ranges.
    if (!local && nest_.algorithm != Algorithm::column) add(nest_.outer);
    add(nest_.row);
    if (!local && nest_.algorithm == Algorithm::column) add(nest_.outer);
    b.strides = contiguous_strides<Int>(b.sizes);
    b.elements = numel_of<Int>(b.sizes);
    program_.buffers.push_back(std::move(b));
    Store s;
    s.buffer = static_cast<int>(program_.buffers.size()) - 1;
    s.index = index;
    s.value = e;
    nest_.stages[stage].stores.push_back(s);
    kept_.add(e, program_.load(s.buffer, index));
  }

  struct Kept : std::vector<std::pair<const Expr*, const Expr*>> {
    void add(const Expr* a, const Expr* b) { emplace_back(a, b); }
    bool count(const Expr* e) const {
      return std::any_of(begin(), end(), [&](auto& k) { return k.first == e; });
    }
  };

  Program& program_;
  Nest& nest_;
  IntList row_;
  std::unordered_map<int, int> slot_stages_;
  std::unordered_map<const Expr*, int> phases_;
  Kept kept_;
  std::unordered_map<const Expr*, size_t> kept_in_;
  std::unordered_set<const Expr*> seen_;
};

// --- Ranges that every access sees as one ---

class Collapser {
 public:
  Collapser(Program& p, Nest& n, std::span<const char> joined)
      : program_(p), nest_(n), joined_(joined) {
    for (const Range& r : n.outer) ranges_.push_back(r);
    for (const Range& r : n.row) ranges_.push_back(r);
    symbols_ = symbols_of(ranges_);
  }

  void run() {
    collect();
    std::vector<Range> outer, row;
    Rewriter rewriter(program_);
    size_t split = nest_.outer.size();
    std::vector<Group> groups;
    for (size_t i = 0; i < ranges_.size(); ++i) {
      bool first = i == 0 || i == split;
      bool same_row = i > split && !joined_.empty() && joined_[i - split];
      if (!first && (i < split || same_row)) {
        bool linear = collapsible(i - 1, i);
        // Eager has one range here, whatever the accesses look like.
        if (linear || i > split) {
          groups.back().members.push_back(i);
          groups.back().linear = groups.back().linear && linear;
          continue;
        }
      }
      groups.push_back({{i}, true});
    }
    std::vector<Int> sizes;
    for (const Group& g : groups) {
      Int size = 1;
      for (size_t i : g.members) size = size * ranges_[i].size;
      int k = 0;
      for (Int other : sizes) k += other.same_as(size);
      sizes.push_back(size);
      Int symbol =
          known_one(size) ? ranges_[g.members.back()].symbol : program_.loop_symbol(size, k);
      (g.members.back() < split ? outer : row).push_back({symbol, size});
      Int rest = symbol;
      for (size_t k2 = g.members.size(); k2-- > 0;) {
        const Range& r = ranges_[g.members[k2]];
        Int to;
        if (g.linear)
          to = k2 + 1 == g.members.size() ? symbol : Int(0);
        else
          to = k2 == 0 ? rest : known_zero(r.size) ? Int(0) : mod(rest, r.size);
        // A loop over nothing has no place to tell.
        if (!g.linear && !known_zero(r.size)) rest = floordiv(rest, r.size);
        if (!to.same_as(r.symbol)) rewriter.symbol(r.symbol, to);
      }
    }
    rewriter.apply(nest_);
    nest_.outer = std::move(outer);
    nest_.row = std::move(row);
  }

 private:
  struct Group {
    std::vector<size_t> members;
    bool linear;
  };

  void collect() {
    std::unordered_set<const sym::Expr*> seen;
    auto add = [&](Int i) {
      const sym::Expr* e = i.expr();
      if (!e || !seen.insert(e).second) return;
      if (auto form = affine(i, symbols_)) {
        forms_.push_back(std::move(*form));
      } else {
        for_each_symbol(i, [&](const sym::Expr* s) { block(s); });
      }
    };
    auto all = roots(nest_);
    for_each_expr(all, [&](const Expr* e) {
      if (e->kind == ExprKind::load || e->kind == ExprKind::index || e->kind == ExprKind::random)
        add(e->index);
      if (e->kind == ExprKind::select) add_condition(e->condition.expr(), add);
    });
    for (const Stage& s : nest_.stages)
      for (const Store& st : s.stores) add(st.index);
  }

  template <class Add>
  void add_condition(const sym::Expr* e, Add&& add) {
    if (!e) return;
    if (e->kind() == sym::Kind::conj || e->kind() == sym::Kind::disj) {
      for (const sym::Expr* a : e->args()) add_condition(a, add);
    } else if (e->kind() != sym::Kind::truth) {
      add(Int(e->arg(0)));
    }
  }

  void block(const sym::Expr* symbol) {
    for (Int s : symbols_)
      if (s.expr() == symbol) blocked_.insert(symbol);
  }

  bool collapsible(size_t a, size_t b) const {
    if (blocked_.count(symbols_[a].expr()) || blocked_.count(symbols_[b].expr())) return false;
    for (const Affine& f : forms_)
      if (!f.coefs[a].same_as(f.coefs[b] * ranges_[b].size)) return false;
    return true;
  }

  Program& program_;
  Nest& nest_;
  std::span<const char> joined_;
  std::vector<Range> ranges_;
  IntList symbols_;
  std::vector<Affine> forms_;
  std::unordered_set<const sym::Expr*> blocked_;
};

}  // namespace

void finish_nest(Program& p, Nest& n, std::span<const char> joined) {
  if (n.stages.size() > 1) RowKeeper(p, n).run();
  bool epilogue = false;
  auto all = roots(n);
  for_each_expr(all, [&](const Expr* e) { epilogue = epilogue || e->kind == ExprKind::tile; });
  if (!epilogue) Collapser(p, n, joined).run();
  list_buffers(n);
}

void list_buffers(Nest& n) {
  n.buffers.clear();
  n.num_ops = 0;
  auto add = [&](int b) {
    if (std::find(n.buffers.begin(), n.buffers.end(), b) == n.buffers.end()) n.buffers.push_back(b);
  };
  auto all = roots(n);
  for_each_expr(all, [&](const Expr* e) {
    if (e->kind == ExprKind::load) add(e->buffer);
    n.num_ops +=
        e->kind == ExprKind::call || e->kind == ExprKind::convert || e->kind == ExprKind::random;
  });
  for (const Stage& s : n.stages)
    for (const Store& st : s.stores) add(st.buffer);
}

}  // namespace frit::loops
