#include "codegen/cpu/nest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/fault.h"
#include "codegen/cpu/chain.h"
#include "codegen/cpu/emitter.h"

namespace frit::codegen::cpu {

using loops::Algorithm;
using loops::Expr;
using loops::Nest;
using loops::Reduction;
using loops::Stage;

namespace {

// Whatever the processor, a multiple of this many elements is a number of whole vectors.
constexpr int64_t kWidestVector = 16;
constexpr int64_t kRowBlock = 4096;  // fv::kRowBlock: a shorter row is one block
// A body of more expressions than this is written to the object once, with masks, rather than once
// for whole vectors and once for the tail.
constexpr int kLongBody = 10;
// Loads that are staged: blocks of so many rows of 64 lanes, for at most so many loads.
constexpr int64_t kStagedRows = 32, kMostStaged = 4;
constexpr int64_t kSweepOutputs = 256;  // columns reduced side by side by column_sweep

const char* op_name(Reduction::Op op) {
  switch (op) {
    case Reduction::Op::sum:
      return "fv::Sum";
    case Reduction::Op::prod:
      return "fv::Prod";
    case Reduction::Op::max:
    case Reduction::Op::arg_max:
    case Reduction::Op::first_max:
      return "fv::Max";
    case Reduction::Op::min:
    case Reduction::Op::arg_min:
    case Reduction::Op::first_min:
      return "fv::Min";
    case Reduction::Op::any:
      return "fv::Any";
    case Reduction::Op::all:
      return "fv::All";
  }
  return "";
}
bool is_first(Reduction::Op op) {
  return op == Reduction::Op::first_max || op == Reduction::Op::first_min;
}
// Found by row_arg and column_arg, which know the element and its number.
bool is_arg(Reduction::Op op) {
  return op == Reduction::Op::arg_max || op == Reduction::Op::arg_min || is_first(op);
}

// An extreme element, and beside it where that is: one search finds both.
bool is_pair(const Stage& stage, size_t i) {
  if (i + 1 >= stage.reductions.size()) return false;
  const Reduction &a = stage.reductions[i], &b = stage.reductions[i + 1];
  return is_first(a.op) && a.value == b.value && is_arg(b.op) && !is_first(b.op) &&
         std::string_view(op_name(a.op)) == op_name(b.op);
}

struct Loop {
  std::string name, size;
  const sym::Expr* symbol = nullptr;  // null: the size is 1 and nothing names it
  Int extent = 0;
  bool varies = false;  // nests of other extents share the function: extent is one of several
};

class NestWriter {
 public:
  NestWriter(const loops::Program& program, const Nest& nest, const NestUse& use,
             const std::string& name)
      : program_(program), nest_(nest), use_(use), emit_(program, names_) {
    out_.name = name;
    names_.take(name);
  }

  NestFunction write() {
    name_everything();
    std::vector<const Expr*> roots;
    for (const Stage& s : nest_.stages) {
      for (const Reduction& r : s.reductions) roots.push_back(r.value);
      for (const loops::Store& t : s.stores) {
        roots.push_back(t.value);
        for (const loops::Indirect& i : t.indirect) roots.push_back(i.value);
      }
    }
    emit_.count_uses(roots);
    if (use_.chunked) chunks_ = emit_.in_block(kFunction, false, [&](Block& b) { chunks(b); });
    std::string body = emit_.in_block(kFunction, false, [&](Block& b) {
      if (use_.epilogue)
        epilogue(b);
      else if (use_.chunked)
        after_chunks(b);
      else if (nest_.algorithm == Algorithm::row)
        row(b);
      else if (nest_.algorithm == Algorithm::column)
        column(b);
      else
        pointwise(b);
    });
    finish(body, roots);
    return std::move(out_);
  }

 private:
  // --- parameters and loops ---

  void name_everything() {
    std::set<int> stored;
    for (const Stage& s : nest_.stages)
      for (const loops::Store& t : s.stores) stored.insert(t.buffer);
    for (size_t k = 0; k < nest_.buffers.size(); ++k) {
      const loops::Buffer& buffer = program_.buffers[static_cast<size_t>(nest_.buffers[k])];
      std::string name = names_.take(buffer.name);
      const char* type = storage_type(buffer.dtype);
      emit_.bind_buffer(nest_.buffers[k], name);
      if (buffer.place == loops::Place::row) {
        locals_ += fmt::format("alignas(64) {} {}[{}];\n", type, name,
                               std::max<int64_t>(buffer.elements.constant(), 1));
        continue;
      }
      out_.buffers.push_back(k);
      bool written = stored.contains(nest_.buffers[k]);
      params_ += fmt::format(", {}{}* {}", written ? "" : "const ", type, name);
    }
    emit_.set_stored(std::move(stored), nest_.stages.size() > 1 ? kTurn : kFunction);
    for (const sym::Symbol& s : program_.env->symbols())
      if (!program_.size_of_symbol(Int(s.expr))) names_.take(s.name);
    static const char* const kNames[] = {"i", "j", "k", "l"};
    auto loop_of = [&](const loops::Range& r, size_t number, const std::string& wish) {
      Loop l;
      l.extent = r.size;
      l.symbol = r.symbol.expr();
      l.name = names_.take(wish);
      l.varies = number < use_.varying_size.size() && use_.varying_size[number];
      if (l.varies) {
        l.size = names_.take("n_" + wish);
        out_.sizes.push_back(number);
        size_params_ += fmt::format(", i64 {}", l.size);
      }
      return l;
    };
    for (size_t i = 0; i < nest_.outer.size(); ++i)
      outer_.push_back(loop_of(nest_.outer[i], i, i < 4 ? kNames[i] : fmt::format("i{}", i)));
    for (size_t i = 0; i < nest_.row.size(); ++i)
      row_.push_back(loop_of(nest_.row[i], nest_.outer.size() + i,
                             nest_.row.size() == 1 ? "e" : fmt::format("e{}", i)));
    if (!use_.epilogue && nest_.algorithm == Algorithm::pointwise) choose_lanes();
  }

  // Sizes that are no parameters become constants of the function, where they are used.
  void name_sizes() {
    for (std::vector<Loop>* loops : {&outer_, &row_})
      for (Loop& l : *loops)
        if (l.size.empty()) {
          if (l.extent.is_constant()) {
            l.size = std::to_string(l.extent.constant());
          } else {
            l.size = names_.take("n_" + l.name);
            sizes_.emplace_back(l.size, l.extent);
          }
        }
  }
  static bool mentions(const std::string& text, const std::string& name) {
    auto part_of_name = [](char c) {
      return c == '_' || std::isalnum(static_cast<unsigned char>(c));
    };
    for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
      if ((at == 0 || !part_of_name(text[at - 1])) &&
          (at + name.size() == text.size() || !part_of_name(text[at + name.size()])))
        return true;
    return false;
  }

  void bind(const Loop& l, int level) {
    if (l.symbol) emit_.bind_symbol(l.symbol, l.name, level);
  }

  // Lanes along the outer range in which most accesses lie one after another: it becomes the last.
  void choose_lanes() {
    if (outer_.size() < 2) return;
    std::vector<Int> symbols;
    for (const Loop& l : outer_) symbols.push_back(l.symbol ? Int(l.symbol) : Int(0));
    std::vector<int64_t> score(outer_.size(), 0);
    auto count = [&](Int index, int weight) {
      for (size_t i = 0; i < outer_.size(); ++i) {
        if (!outer_[i].symbol) continue;
        const Int one[] = {symbols[i]};
        auto form = loops::affine(index, one);
        if (!form)
          score[i] -= 2 * weight;
        else if (form->coefs[0].is_constant() && form->coefs[0].constant() == 1)
          score[i] += 4 * weight;
        else if (form->coefs[0].is_constant() && form->coefs[0].constant() == 0)
          score[i] += weight;
      }
    };
    std::vector<const Expr*> roots;
    for (const loops::Store& s : nest_.stages[0].stores) {
      count(s.index, 2);
      roots.push_back(s.value);
    }
    loops::for_each_expr(roots, [&](const Expr* e) {
      if (e->kind == loops::ExprKind::load || e->kind == loops::ExprKind::random)
        count(e->index, 1);
    });
    size_t best = outer_.size() - 1;
    for (size_t i = outer_.size(); i-- > 0;) {
      bool tiny = outer_[i].extent.has_hint() && outer_[i].extent.hint() < 4;
      if (tiny) score[i] -= 1000;
      if (!outer_[i].symbol) score[i] -= 2000;
      if (score[i] > score[best]) best = i;
    }
    std::rotate(outer_.begin() + static_cast<std::ptrdiff_t>(best),
                outer_.begin() + static_cast<std::ptrdiff_t>(best) + 1, outer_.end());
  }

  // --- the walk over the outer loops ---

  // `loops` counted up together from turn `begin`; text of one step of the count.
  void start_count(Block& b, std::span<const Loop> loops) {
    std::string rest = "begin";
    for (size_t i = loops.size(); i-- > 0;) {
      b.line(i ? fmt::format("i64 {} = {} % {};", loops[i].name, rest, loops[i].size)
               : fmt::format("i64 {} = {};", loops[i].name, rest));
      rest = rest == "begin" ? fmt::format("begin / {}", loops[i].size)
                             : fmt::format("{} / {}", rest, loops[i].size);
    }
  }
  // One is nested in the other: if (++j == n) { j = 0; ++i; }
  static std::string count_text(std::span<const Loop> loops) {
    if (loops.empty()) return {};
    if (loops.size() == 1) return fmt::format("++{};", loops[0].name);
    const Loop& last = loops.back();
    return fmt::format("if (++{0} == {1}) {{ {0} = 0; {2} }}", last.name, last.size,
                       count_text(loops.first(loops.size() - 1)));
  }

  // Runs of the last loop, cut at begin and end: `body` writes what is done for [from, to) of it.
  template <class F>
  void runs(Block& b, F body) {
    const Loop lane = outer_.back();
    std::span<const Loop> rest(outer_.data(), outer_.size() - 1);
    if (rest.empty()) return body(b, "begin", "end");
    std::string from = names_.take(lane.name + "0"), to = names_.take(lane.name + "1");
    for (const Loop& l : rest) bind(l, kTurn);
    std::vector<Loop> count(outer_);
    count.back().name = from;
    start_count(b, count);
    b.line("for (i64 at = begin; at < end;) {");
    std::string inner = emit_.in_block(kTurn, false, [&](Block& t) {
      t.line(fmt::format("const i64 {} = fv::least({}, {} + end - at);", to, lane.size, from));
      body(t, from, to);
      t.line(fmt::format("at += {} - {};", to, from));
      t.line(fmt::format("{} = 0;", from));
      t.line(count_text(rest));
    });
    b.text += indented(inner, 2) + "}\n";
  }

  // Vectors of [from, to): the body has `name` and `m`, the number of lanes in use.
  template <class F>
  void vectors(Block& b, int level, const std::string& name, const std::string& from,
               const std::string& to, F body, int expressions = 0, bool whole = false) {
    std::string inner = emit_.in_block(level, true, body);
    const char* loop = whole ? "loop_whole" : expressions > kLongBody ? "loop_masked" : "loop";
    const std::string end =
        fault(Fault::vector_tail) ? fmt::format("{0} + ({1} - {0}) / 16 * 16", from, to) : to;
    b.text += fmt::format("fv::{}({}, {}, [&](i64 {}, i64 m) {{\n{}}});\n", loop, from, end, name,
                          indented(inner, 2));
  }
  static bool whole_vectors(const Loop& l) {
    return !l.varies && l.extent.is_constant() && l.extent.constant() > 0 &&
           l.extent.constant() % kWidestVector == 0;
  }
  static int expressions(const Stage& s) {
    std::vector<const Expr*> roots;
    for (const loops::Store& t : s.stores) roots.push_back(t.value);
    return expressions(roots);
  }
  static int expressions(std::span<const Expr* const> roots) {
    int n = 0;
    loops::for_each_expr(roots, [&](const Expr* e) { n += e->kind != loops::ExprKind::constant; });
    return n;
  }

  // The stores of a pointwise nest for [from, to) of the lanes, in as many passes over each block
  // as its functions of functions want.
  void each_element(Block& b, const std::string& lane, const std::string& from,
                    const std::string& to) {
    const Stage& stage = nest_.stages[0];
    auto last = [&](Block& v) { stores(stage, Place(&v), true); };
    std::vector<const Expr*> roots;
    for (const loops::Store& s : stage.stores) {
      roots.push_back(s.value);
      for (const loops::Indirect& i : s.indirect) roots.push_back(i.value);
    }
    const auto passes = passes_before(roots, [&](const Expr* e) { return emit_.is_vector(e); });
    if (passes.empty()) return vectors(b, kInner, lane, from, to, last, expressions(stage));
    const std::string first = names_.take(lane + "b"), end = names_.take(lane + "e");
    Block inner;
    for (const auto& pass : passes) {
      std::vector<std::string> kept;
      vectors(
          inner, kInner, lane, first, end,
          [&](Block& v) {
            for (const Expr* e : pass) {
              kept.push_back(names_.take("kept"));
              v.line(fmt::format("fv::store_part({} + ({} - {}), {}, m);", kept.back(), lane, first,
                                 emit_.as_vector(emit_.value(e, Place(&v)), e->type)));
            }
          },
          expressions(pass));
      for (size_t i = 0; i < pass.size(); ++i) {
        locals_ += fmt::format("alignas(64) {} {}[{}];\n", scalar_type(pass[i]->type), kept[i],
                               kPassBlock);
        emit_.set_staged(pass[i], kept[i], first);
      }
    }
    vectors(inner, kInner, lane, first, end, last, expressions(stage));
    b.text += fmt::format(
        "for (i64 {0} = {1}; {0} < {2}; {0} += {3}) {{\n  const i64 {4} = fv::least({2}, {0} + "
        "{3});\n{5}}}\n",
        first, from, to, kPassBlock, end, indented(inner.text, 2));
  }

  void stores(const Stage& s, const Place& at, bool lanes) {
    std::string later;
    for (const loops::Store& t : s.stores) emit_.store(t, at, lanes, later);
    at.block->text += later;
  }
  void done_with(const Stage& s) {
    std::set<int> stored;
    for (const loops::Store& t : s.stores) stored.insert(t.buffer);
    if (!stored.empty()) emit_.forget(stored);
  }

  // --- loads across the lanes ---

  // A load whose lanes lie far apart, while the turns of another loop lie one after another in
  // memory. Blocks of both are fetched along memory and transposed on the way.
  struct Staged {
    const Expr* load;
    Int base, stride;  // at row 0 and lane 0; from lane to lane
    std::string tile;
  };
  // Loads that every element does; what is on one side of a choice may lie out of bounds.
  static void always_loaded(const Expr* e, std::vector<const Expr*>& found) {
    if (e->kind == loops::ExprKind::select) return;
    if (e->kind == loops::ExprKind::load && e->indirect.empty() &&
        std::find(found.begin(), found.end(), e) == found.end())
      found.push_back(e);
    for (const Expr* a : e->args) always_loaded(a, found);
  }

  // They agree on the loop of the rows, which becomes the last but one.
  std::vector<Staged> find_staged() {
    std::vector<const Expr*> loads;
    std::set<int> stored;
    for (const loops::Store& s : nest_.stages[0].stores) {
      if (!s.indirect.empty() || s.accumulate) return {};
      stored.insert(s.buffer);
      always_loaded(s.value, loads);
    }
    const Loop& lane = outer_.back();
    std::vector<Staged> best;
    size_t best_row = 0;
    for (size_t i = 0; lane.symbol && i + 1 < outer_.size(); ++i) {
      const Loop& row = outer_[i];
      if (!row.symbol || (row.extent.has_hint() && row.extent.hint() < 8)) continue;
      std::vector<Staged> found;
      for (const Expr* e : loads) {
        const Int symbols[] = {Int(row.symbol), Int(lane.symbol)};
        auto form = loops::affine(e->index, symbols);
        if (stored.contains(e->buffer) || !form || !form->coefs[0].is_constant() ||
            form->coefs[0].constant() != 1 ||
            (form->coefs[1].is_constant() && std::abs(form->coefs[1].constant()) < 4))
          continue;
        found.push_back({e, form->base, form->coefs[1], {}});
      }
      if (found.size() > kMostStaged) found.resize(kMostStaged);
      if (found.size() > best.size()) best = std::move(found), best_row = i;
    }
    if (best.empty()) return best;
    const auto row = outer_.begin() + static_cast<std::ptrdiff_t>(best_row);
    std::rotate(row, row + 1, outer_.end() - 1);
    for (Staged& s : best) {
      s.tile = names_.take("tile");
      locals_ +=
          fmt::format("alignas(64) {} {}[{}];\n",
                      storage_type(program_.buffers[static_cast<size_t>(s.load->buffer)].dtype),
                      s.tile, kStagedRows * 64);
    }
    return best;
  }

  // Whole rows where there are any in what is left of begin to end, else a piece of one.
  void by_blocks(Block& b, const std::vector<Staged>& loads) {
    const Loop lane = outer_.back(), row = outer_[outer_.size() - 2];
    std::span<const Loop> rest(outer_.data(), outer_.size() - 2);
    for (const Loop& l : rest) bind(l, kTurn);
    bind(row, kOtherRow);
    auto take = [&](const Loop& l, const char* what) { return names_.take(l.name + what); };
    const std::string r0 = take(row, "0"), r1 = take(row, "1"), rb = take(row, "b"),
                      re = take(row, "e"), l0 = take(lane, "0"), l1 = take(lane, "1"),
                      lb = take(lane, "b"), le = take(lane, "e");
    std::vector<Loop> count(outer_);
    count[count.size() - 2].name = r0;
    count.back().name = l0;
    start_count(b, count);
    for (const Staged& s : loads)
      emit_.set_staged(s.load, fmt::format("{} + ({} - {}) * 64", s.tile, row.name, rb), lb);
    b.line("for (i64 at = begin; at < end;) {");
    std::string turn = emit_.in_block(kTurn, false, [&](Block& t) {
      std::string rows =
          emit_.in_block(kOtherRow, false, [&](Block& r) { each_element(r, lane.name, lb, le); });
      std::string fetch;
      for (const Staged& s : loads) {
        const std::string base = emit_.index(s.base), stride = emit_.index(s.stride);
        fetch += fmt::format("fv::stage({} + {} + {} + {} * {}, {}, {}, {} - {}, {} - {});\n",
                             emit_.pointer(s.load->buffer), base, rb, lb, stride, stride, s.tile,
                             re, rb, le, lb);
      }
      t.line(fmt::format("const bool whole = {} == 0 && end - at >= {};", l0, lane.size));
      t.line(
          fmt::format("const i64 {0} = whole ? fv::least({1}, {2} + (end - at) / {3}) : {2} + 1;",
                      r1, row.size, r0, lane.size));
      t.line(fmt::format("const i64 {0} = whole ? {1} : fv::least({1}, {2} + end - at);", l1,
                         lane.size, l0));
      const std::string each_row = fmt::format("for (i64 {0} = {1}; {0} < {2}; {0}++) {{\n{3}}}\n",
                                               row.name, rb, re, indented(rows, 2));
      const std::string lanes = fmt::format(
          "for (i64 {0} = {1}; {0} < {2}; {0} += 64) {{\n  const i64 {3} = fv::least({2}, {0} + "
          "64);\n{4}}}\n",
          lb, l0, l1, le, indented(fetch + each_row, 2));
      t.text += fmt::format(
          "for (i64 {0} = {1}; {0} < {2}; {0} += {3}) {{\n  const i64 {4} = fv::least({2}, {0} + "
          "{3});\n{5}}}\n",
          rb, r0, r1, kStagedRows, re, indented(lanes, 2));
      t.line(fmt::format("at += ({} - {}) * ({} - {});", r1, r0, l1, l0));
      t.line(fmt::format("{} = {} == {} ? 0 : {};", l0, l1, lane.size, l1));
      const std::string next = count_text(rest);
      t.line(fmt::format("if ({} == 0) {} = {};", l0, r0, r1));
      t.line(fmt::format("if ({0} == {1}) {{ {0} = 0; {2} }}", r0, row.size, next));
    });
    b.text += indented(turn, 2) + "}\n";
  }

  // --- algorithms ---

  void pointwise(Block& b) {
    name_sizes();
    if (outer_.empty()) return stores(nest_.stages[0], Place(&b), false);
    const Loop lane = outer_.back();
    emit_.set_lane(lane.symbol, lane.name, kInner);
    if (std::vector<Staged> loads = find_staged(); !loads.empty()) return by_blocks(b, loads);
    runs(b, [&](Block& t, const std::string& from, const std::string& to) {
      each_element(t, lane.name, from, to);
    });
  }

  // The tile is a piece of the domain: rows m0 on, columns n0 on, of one batch element.
  void epilogue(Block& b) {
    FRIT_INVARIANT(outer_.size() == 3, "an epilogue runs over batch, rows and columns");
    name_sizes();
    bind(outer_[0], kFunction);
    bind(outer_[1], kTurn);
    emit_.set_lane(outer_[2].symbol, outer_[2].name, kInner);
    std::string row = names_.take("sums");
    emit_.set_tile(row);
    DType type = DType::f32;
    std::vector<const Expr*> roots;
    for (const loops::Store& s : nest_.stages[0].stores) roots.push_back(s.value);
    loops::for_each_expr(roots, [&](const Expr* e) {
      if (e->kind == loops::ExprKind::tile) type = e->type;
    });
    std::string inner = emit_.in_block(kTurn, false, [&](Block& t) {
      t.line(fmt::format("const {0}* {1} = (const {0}*)tile + ({2} - m0) * tile_ld - n0;",
                         storage_type(type), row, outer_[1].name));
      each_element(t, outer_[2].name, "n0", "n0 + nb");
    });
    b.text += fmt::format("for (i64 {0} = m0; {0} < m0 + mb; {0}++) {{\n{1}}}\n", outer_[1].name,
                          indented(inner, 2));
  }

  bool row_may_be_empty() const {
    for (const Loop& l : row_)
      if (!(l.extent >= Int(1)).known_true()) return true;
    return false;
  }
  // What there is of the row but its last range, as one number of turns.
  std::string other_rows() const {
    std::string s;
    for (size_t i = 0; i + 1 < row_.size(); ++i) s += (s.empty() ? "" : " * ") + row_[i].size;
    return s;
  }
  void split_other_rows(Block& b, const std::string& number) {
    std::string rest = number;
    for (size_t i = row_.size() - 1; i-- > 0;) {
      b.line(
          fmt::format("const i64 {} = {}{};", row_[i].name, rest, i ? " % " + row_[i].size : ""));
      rest += " / " + row_[i].size;
    }
  }

  // A pass over the row with lanes along its last range: one reduction (or none), and the stores.
  void row_pass(Block& b, const Stage& stage, const Reduction* reduction, bool with_stores,
                const std::string& result, const std::string& where) {
    const Loop& last = row_.back();
    auto element = [&](Block& v) {
      Operand x;
      if (reduction) x = emit_.value(reduction->value, Place(&v));
      if (with_stores) stores(stage, Place(&v), true);
      if (reduction) v.line(fmt::format("return {};", emit_.as_vector(x, reduction->value->type)));
    };
    std::string others = other_rows();
    if (!reduction) {
      auto vector_loop = [&](Block& t) {
        vectors(t, kInner, last.name, "0", last.size, element, expressions(stage),
                whole_vectors(last));
      };
      if (others.empty()) return vector_loop(b);
      std::string p = names_.take("turn");
      std::string inner = emit_.in_block(kOtherRow, false, [&](Block& t) {
        split_other_rows(t, p);
        vector_loop(t);
      });
      b.text += fmt::format("for (i64 {0} = 0; {0} < {1}; {0}++) {{\n{2}}}\n", p, others,
                            indented(inner, 2));
      return;
    }
    const char* op = op_name(reduction->op);
    const char* type = scalar_type(reduction->value->type);
    const bool whole = whole_vectors(last) && last.extent.constant() <= kRowBlock;
    auto call = [&](Block&) {
      std::string inner = emit_.in_block(kInner, true, element);
      return fmt::format("fv::{}<{}, {}>({}, [&](i64 {}, i64 m) {{\n{}}})",
                         is_arg(reduction->op) ? "row_arg"
                         : whole               ? "row_whole"
                                               : "row",
                         op, type, last.size, last.name, indented(inner, 2));
    };
    finish_reduction(b, *reduction, op, type, result, where, others, call);
  }

  // Joins the results over the other ranges of the row, if there are any, and names the whole.
  template <class Call>
  void finish_reduction(Block& b, const Reduction& r, const char* op, const char* type,
                        const std::string& result, const std::string& where,
                        const std::string& others, Call call, bool vector = false) {
    auto type_of = [&](DType t) { return vector ? vector_type(t) : scalar_type(t); };
    const std::string result_type = type_of(r.type);
    auto found = [&](const std::string& text) {
      if (where.empty()) {
        b.text += fmt::format("const {} {} = {}.{};\n", result_type, result, text,
                              is_first(r.op) ? "value" : "index");
        return;
      }
      const std::string both = names_.take("found");
      b.text += fmt::format(
          "const auto {0} = {1};\nconst {2} {3} = {0}.value;\n"
          "const {4} {5} = {0}.index;\n",
          both, text, result_type, result, type_of(DType::i64), where);
    };
    if (others.empty()) {
      std::string text = call(b);
      if (is_arg(r.op)) return found(text);
      b.text += fmt::format("const {} {} = {};\n", result_type, result, text);
      return;
    }
    std::string p = names_.take("turn"), inner_call;
    std::string inner = emit_.in_block(kOtherRow, true, [&](Block& t) {
      split_other_rows(t, p);
      inner_call = call(t);
      t.text += fmt::format("return {};\n", inner_call);
    });
    if (!is_arg(r.op)) {
      b.text += fmt::format("const {} {} = fv::combine<{}, {}>({}, [&](i64 {}) {{\n{}}});\n",
                            result_type, result, op, type, others, p, indented(inner, 2));
      return;
    }
    found(fmt::format("fv::combine_arg<{}, {}>({}, {}, [&](i64 {}) {{\n{}}})", op, type, others,
                      row_.back().size, p, indented(inner, 2)));
  }

  // The stages of one turn, whose results have names in `t`. pass(stage, reduction or null, with
  // its stores?, the result's name, and beside an extreme element's its place's) goes over the row.
  template <class Pass>
  void each_stage(Block& t, Level level, Pass pass) {
    const bool lanes = level == kColumnLane;
    int slot = 0;
    for (const Stage& stage : nest_.stages) {
      if (stage.over_row) {
        emit_.keep_loads(row_may_be_empty());
        const size_t count = stage.reductions.size();
        for (size_t i = 0; i < count; ++i) {
          const Reduction& r = stage.reductions[i];
          std::string result = names_.take(fmt::format("r{}", slot)), where;
          results_.push_back({slot++, {result, lanes}});
          if (is_pair(stage, i)) {
            where = names_.take(fmt::format("r{}", slot));
            results_.push_back({slot++, {where, lanes}});
            ++i;
          }
          pass(stage, &r, i + 1 == count, result, where);
        }
        if (count == 0) pass(stage, nullptr, true, "", "");
        emit_.keep_loads(false);
      } else {
        stores(stage, Place(&t), lanes);
      }
      for (auto& [s, value] : results_) emit_.set_slot(s, value, level);
      results_.clear();
      done_with(stage);
    }
  }

  void row(Block& b) {
    name_sizes();
    for (const Loop& l : outer_) bind(l, kTurn);
    for (size_t i = 0; i + 1 < row_.size(); ++i) bind(row_[i], kOtherRow);
    FRIT_INVARIANT(!row_.empty(), "a row nest without a row");
    emit_.set_lane(row_.back().symbol, row_.back().name, kInner);
    auto turn = [&](Block& t) {
      each_stage(t, kTurn, [&](auto&&... a) { row_pass(t, std::forward<decltype(a)>(a)...); });
    };
    if (outer_.empty()) {
      std::string text = emit_.in_block(kTurn, false, turn);
      b.text += text;
      return;
    }
    std::string head;
    if (outer_.size() == 1) {
      head = fmt::format("for (i64 {0} = begin; {0} < end; {0}++) {{\n", outer_[0].name);
    } else {
      start_count(b, outer_);
      head = "for (i64 at = begin; at < end; at++) {\n";
    }
    std::string inner = emit_.in_block(kTurn, false, turn);
    if (outer_.size() > 1) inner += count_text(outer_) + "\n";
    b.text += head + indented(inner, 2) + "}\n";
  }

  // The first stage of a chunked nest: chunk number `chunk` of each reduction.
  void chunks(Block& b) {
    name_sizes();
    const Loop& last = row_.back();
    emit_.set_lane(last.symbol, last.name, kInner);
    std::string chunk = names_.take("chunk");
    std::string inner = emit_.in_block(kTurn, false, [&](Block& t) {
      for (const Reduction& r : nest_.stages[0].reductions) {
        const char *op = op_name(r.op), *type = scalar_type(r.value->type);
        std::string name = names_.take(fmt::format("r{}", out_.partials.size()));
        out_.partials.push_back({op, type});
        partials_.push_back(name);
        std::string element = emit_.in_block(kInner, true, [&](Block& v) {
          v.line(fmt::format("return {};",
                             emit_.as_vector(emit_.value(r.value, Place(&v)), r.value->type)));
        });
        t.text += fmt::format(
            "{}[{}] = fv::row_chunk<{}, {}>({}, first + {}, [&](i64 {}, i64 m) {{\n{}}});\n", name,
            chunk, op, type, last.size, chunk, last.name, indented(element, 2));
      }
    });
    b.text += fmt::format("for (i64 {0} = begin; {0} < end; {0}++) {{\n{1}}}\n", chunk,
                          indented(inner, 2));
  }
  void after_chunks(Block& b) {
    for (size_t i = 0; i < partials_.size(); ++i)
      emit_.set_slot(static_cast<int>(i), {partials_[i], false}, kFunction);
    for (size_t i = 1; i < nest_.stages.size(); ++i) {
      stores(nest_.stages[i], Place(&b), false);
      done_with(nest_.stages[i]);
    }
  }

  // A pass of a column nest within a vector of outputs.
  void column_pass(Block& b, const Stage& stage, const Reduction* reduction, bool with_stores,
                   const std::string& result, const std::string& where) {
    const Loop& last = row_.back();
    auto element = [&](Block& v) {
      Operand x;
      if (reduction) x = emit_.value(reduction->value, Place(&v));
      if (with_stores) stores(stage, Place(&v), true);
      if (reduction) v.line(fmt::format("return {};", emit_.as_vector(x, reduction->value->type)));
    };
    std::string others = other_rows();
    if (!reduction) {
      auto time_loop = [&](Block& t) {
        std::string inner = emit_.in_block(kInner, true, element);
        t.text += fmt::format("for (i64 {0} = 0; {0} < {1}; {0}++) {{\n{2}}}\n", last.name,
                              last.size, indented(inner, 2));
      };
      if (others.empty()) return time_loop(b);
      std::string p = names_.take("turn");
      std::string inner = emit_.in_block(kOtherRow, true, [&](Block& t) {
        split_other_rows(t, p);
        time_loop(t);
      });
      b.text += fmt::format("for (i64 {0} = 0; {0} < {1}; {0}++) {{\n{2}}}\n", p, others,
                            indented(inner, 2));
      return;
    }
    const char* op = op_name(reduction->op);
    const char* type = vector_type(reduction->value->type);
    auto call = [&](Block&) {
      std::string inner = emit_.in_block(kInner, true, element);
      return fmt::format("fv::{}<{}, {}>({}, [&](i64 {}) {{\n{}}})",
                         is_arg(reduction->op) ? "column_arg" : "column", op, type, last.size,
                         last.name, indented(inner, 2));
    };
    finish_reduction(b, *reduction, op, type, result, where, others, call, true);
  }

  // One reduction and what is made of it: many columns are reduced side by side.
  bool side_by_side() const {
    if (nest_.stages.empty() || row_.size() != 1) return false;
    const Stage& first = nest_.stages[0];
    if (!first.over_row || first.reductions.size() != 1 || !first.stores.empty()) return false;
    if (is_arg(first.reductions[0].op)) return false;
    for (size_t i = 1; i < nest_.stages.size(); ++i)
      if (nest_.stages[i].over_row) return false;
    return true;
  }
  // Long columns of long bodies, one vector each, are read along memory's rows. Their results so
  // far are kept, as truth values cannot be.
  bool sweeps() const {
    return nest_.stages[0].reductions[0].value->type != DType::boolean &&
           !(row_[0].extent <= Int(64)).known_true();
  }
  // Are the bodies short enough to be written four times?
  bool reduces_four() const {
    const Expr* const value[] = {nest_.stages[0].reductions[0].value};
    int n = expressions(value);
    for (size_t i = 1; i < nest_.stages.size(); ++i) n += expressions(nest_.stages[i]);
    return n <= kLongBody;
  }

  // What gives a row's elements of columns, and what takes the columns' results, as lambdas of
  // `column`; `begin` is written before both bodies.
  struct ColumnBodies {
    std::string op, type, text;
  };
  ColumnBodies column_bodies(const std::string& column, const std::string& begin) {
    const Loop& last = row_.back();
    const Reduction& r = nest_.stages[0].reductions[0];
    ColumnBodies out{op_name(r.op), vector_type(r.value->type), {}};
    const std::string result = names_.take("r0");
    std::string given = result;
    std::string element = emit_.in_block(kColumnLane, true, [&](Block& v) {
      if (!begin.empty()) v.line(begin);
      v.text += emit_.in_block(kInner, true, [&](Block& e) {
        // Truth values that lie in memory are reduced as the bytes they are.
        std::string x = emit_.truth_bytes(r.value, Place(&e));
        if (x.empty()) {
          x = emit_.as_vector(emit_.value(r.value, Place(&e)), r.value->type);
        } else {
          const bool most = r.op == Reduction::Op::any || r.op == Reduction::Op::max;
          out.op = most ? "fv::Max" : "fv::Min";
          out.type = vector_type(DType::u8);
          given = names_.take("byte");
        }
        e.line(fmt::format("return {};", x));
      });
    });
    emit_.set_slot(0, {result, true}, kColumnLane);
    std::string after = emit_.in_block(kColumnLane, true, [&](Block& v) {
      if (!begin.empty()) v.line(begin);
      if (given != result)
        v.line(fmt::format("const mask {} = fv::to_mask({} != ({})0);", result, given, out.type));
      for (size_t i = 1; i < nest_.stages.size(); ++i) {
        stores(nest_.stages[i], Place(&v), true);
        done_with(nest_.stages[i]);
      }
    });
    out.text = fmt::format(
        "[&](i64 {0}, i64 {1}, i64 m) {{\n{2}}}, [&](i64 {1}, i64 m, {3} {4}) {{\n{5}}}", last.name,
        column, indented(element, 2), out.type, given, indented(after, 2));
    return out;
  }

  void sweep(Block& t, const std::string& from, const std::string& to) {
    const Loop& lane = outer_.back();
    const char* type = scalar_type(nest_.stages[0].reductions[0].value->type);
    std::string first = names_.take("first"), count = names_.take("columns"),
                column = names_.take("column");
    t.line(fmt::format("{} scratch[3 * {}];", type, kSweepOutputs));
    const ColumnBodies bodies =
        column_bodies(column, fmt::format("const i64 {} = {} + {};", lane.name, first, column));
    std::string call = fmt::format(
        "const i64 {0} = fv::least({1}, {2} - {3});\n"
        "fv::column_sweep<{4}, {5}>({6}, {0}, scratch, {7});\n",
        count, kSweepOutputs, to, first, bodies.op, type, row_.back().size, bodies.text);
    t.text += fmt::format("for (i64 {0} = {1}; {0} < {2}; {0} += {3}) {{\n{4}}}\n", first, from, to,
                          kSweepOutputs, indented(call, 2));
  }

  void four_at_a_time(Block& t, const std::string& from, const std::string& to) {
    const ColumnBodies bodies = column_bodies(outer_.back().name, "");
    t.text += fmt::format("fv::columns<{}, {}>({}, {}, {}, {});\n", bodies.op, bodies.type,
                          row_.back().size, from, to, bodies.text);
  }

  void column(Block& b) {
    FRIT_INVARIANT(!outer_.empty() && !row_.empty(), "a column nest without columns or rows");
    name_sizes();
    for (size_t i = 0; i + 1 < row_.size(); ++i) bind(row_[i], kOtherRow);
    bind(row_.back(), kInner);
    const Loop lane = outer_.back();
    emit_.set_lane(lane.symbol, lane.name, kColumnLane);
    runs(b, [&](Block& t, const std::string& from, const std::string& to) {
      if (side_by_side() && reduces_four()) return four_at_a_time(t, from, to);
      if (side_by_side() && sweeps()) return sweep(t, from, to);
      vectors(t, kColumnLane, lane.name, from, to, [&](Block& v) {
        each_stage(v, kColumnLane,
                   [&](auto&&... a) { column_pass(v, std::forward<decltype(a)>(a)...); });
      });
    });
  }

  // --- the whole ---

  std::string chunked_signature(const std::string& params, bool of_chunks) const {
    std::string results;
    for (size_t i = 0; i < partials_.size(); ++i)
      results += fmt::format("{}{}{} {}", results.empty() && !of_chunks ? "" : ", ",
                             out_.partials[i].type, of_chunks ? "*" : "", partials_[i]);
    return of_chunks ? fmt::format("static void {}_chunks(i64 begin, i64 end, i64 first{}{})",
                                   out_.name, results, params)
                     : fmt::format("static void {}({}{})", out_.name, results, params);
  }

  void finish(const std::string& body, const std::vector<const Expr*>& roots) {
    std::string sizes;
    for (const auto& [name, extent] : sizes_)
      if (mentions(body + chunks_, name))
        sizes += fmt::format("const i64 {} = {};\n", name, emit_.index(extent));
    out_.symbols = emit_.free_symbols;
    out_.random = emit_.random;
    out_.checks = emit_.checks;
    std::string params = params_ + size_params_;
    for (const sym::Expr* s : out_.symbols)
      params += fmt::format(", i64 {}", program_.env->symbol(s).name);
    if (out_.random) params += ", u64 seed, u64 rng";
    if (out_.checks) params += ", FritRun* run";
    if (use_.epilogue)
      out_.signature = fmt::format(
          "static void {}(const void* tile, i64 tile_ld, i64 m0, i64 mb, i64 n0, i64 nb, i64 {}{})",
          out_.name, outer_[0].name, params);
    else if (use_.chunked)
      out_.signature = chunked_signature(params, false);
    else
      out_.signature = fmt::format("static void {}(i64 begin, i64 end{})", out_.name, params);
    std::string comment;
    for (const std::string& op : nest_.ops) comment += (comment.empty() ? "" : ", ") + op;
    if (!comment.empty()) comment = "// " + comment + "\n";
    std::set<std::string> places;
    for (const SourceLocation& w : nest_.where)
      if (w && places.size() < 8 && places.insert(w.text()).second)
        comment += "//   " + w.text() + "\n";
    out_.text = comment + out_.signature + " {\n" + indented(sizes + locals_ + body, 2) + "}\n";
    if (use_.chunked)
      out_.text = comment + chunked_signature(params, true) + " {\n" +
                  indented(sizes + chunks_, 2) + "}\n" + out_.text.substr(comment.size());
    int weight = 0;
    loops::for_each_expr(roots, [&](const Expr* e) {
      if (e->kind == loops::ExprKind::random)
        weight += 8;
      else if (e->kind != loops::ExprKind::constant)
        ++weight;
    });
    out_.weight = std::max(1, weight + static_cast<int>(nest_.stages.size()));
  }

  const loops::Program& program_;
  const Nest& nest_;
  const NestUse& use_;
  Names names_;
  Emitter emit_;
  NestFunction out_;
  std::string params_, size_params_, locals_, chunks_;
  std::vector<std::string> partials_;
  std::vector<Loop> outer_, row_;
  std::vector<std::pair<int, Operand>> results_;
  std::vector<std::pair<std::string, Int>> sizes_;
};

}  // namespace

bool can_be_chunked(const Nest& nest) {
  if (nest.algorithm != Algorithm::row || !nest.outer.empty() || nest.row.size() != 1 ||
      nest.serial)
    return false;
  for (size_t i = 0; i < nest.stages.size(); ++i) {
    const Stage& s = nest.stages[i];
    if (s.over_row != (i == 0)) return false;
    if (i == 0 && (s.reductions.empty() || !s.stores.empty())) return false;
    for (const Reduction& r : s.reductions)
      if (is_arg(r.op)) return false;
  }
  return !nest.stages.empty();
}

NestFunction write_nest(const loops::Program& program, const Nest& nest, const NestUse& use,
                        const std::string& name) {
  return NestWriter(program, nest, use, name).write();
}

}  // namespace frit::codegen::cpu
