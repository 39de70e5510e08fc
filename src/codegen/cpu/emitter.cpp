#include "codegen/cpu/emitter.h"

#include <fmt/format.h>

#include <algorithm>

namespace frit::codegen::cpu {

using loops::Expr;
using loops::ExprKind;

namespace {

constexpr size_t kInlineText = 70;  // a longer expression gets a name

std::string plus(const std::string& a, const std::string& b) {
  if (b.empty() || b == "0") return a;
  return a.empty() ? b : a + " + " + b;
}

}  // namespace

void Emitter::bind_symbol(const sym::Expr* symbol, std::string text, int level) {
  symbols_[symbol] = {std::move(text), level};
}

void Emitter::set_lane(const sym::Expr* symbol, std::string text, int level) {
  lane_ = symbol;
  lane_text_ = text;
  lane_level_ = level;
  symbols_[symbol] = {std::move(text), level};
}

void Emitter::count_uses(const std::vector<const Expr*>& roots) {
  for (const Expr* r : roots) ++uses_[r];
  loops::for_each_expr(roots, [&](const Expr* e) {
    for (const Expr* a : e->args) ++uses_[a];
    for (const loops::Indirect& i : e->indirect) uses_[i.value] += 2;
  });
}

void Emitter::set_slot(int slot, Operand value, int level) {
  slots_[slot] = {std::move(value), level};
}

void Emitter::forget(const std::set<int>& buffers) {
  auto reads = [&](const Expr* e) {
    bool found = false;
    const Expr* roots[] = {e};
    loops::for_each_expr(roots, [&](const Expr* x) {
      found = found || (x->kind == ExprKind::load && buffers.contains(x->buffer));
    });
    return found;
  };
  for (Block* b : blocks_)
    if (b) {
      std::erase_if(b->known, [&](const auto& k) { return reads(k.first.first); });
      b->rows.clear();
    }
}

// --- what an expression depends on ---

int Emitter::level_of(Int i) {
  int level = kFunction;
  loops::for_each_symbol(i, [&](const sym::Expr* s) {
    if (auto it = symbols_.find(s); it != symbols_.end()) level = std::max(level, it->second.level);
  });
  return level;
}

int Emitter::level_of(const Expr* e) {
  if (auto it = levels_.find(e); it != levels_.end()) return it->second;
  int level = kFunction;
  for (const Expr* a : e->args) level = std::max(level, level_of(a));
  for (const loops::Indirect& i : e->indirect) level = std::max(level, level_of(i.value));
  level = std::max(level, level_of(e->index));
  if (e->kind == ExprKind::select)
    loops::for_each_symbol(e->condition, [&](const sym::Expr* s) {
      if (auto it = symbols_.find(s); it != symbols_.end())
        level = std::max(level, it->second.level);
    });
  if (e->kind == ExprKind::load && stored_.contains(e->buffer))
    level = std::max(level, stored_level_);
  if (e->kind == ExprKind::tile) level = kInner;
  if (e->kind == ExprKind::reduced) level = slots_.at(e->slot).level;
  return levels_[e] = level;
}

bool Emitter::is_vector(const Expr* e) {
  if (auto it = vectors_.find(e); it != vectors_.end()) return it->second;
  bool v = on_lane(e->index) || e->kind == ExprKind::tile;
  for (const Expr* a : e->args) v = v || is_vector(a);
  for (const loops::Indirect& i : e->indirect) v = v || is_vector(i.value);
  if (e->kind == ExprKind::select) v = v || (lane_ && loops::depends_on(e->condition, Int(lane_)));
  if (e->kind == ExprKind::reduced) v = slots_.at(e->slot).value.vector;
  return vectors_[e] = v;
}

bool Emitter::has_loads(const Expr* e) {
  if (auto it = loads_.find(e); it != loads_.end()) return it->second;
  bool any = e->kind == ExprKind::load;
  for (const Expr* a : e->args) any = any || has_loads(a);
  return loads_[e] = any;
}

// --- text of indices ---

SymbolName Emitter::symbol(const sym::Expr* s) {
  if (s == lane_) {
    name_lanes();
    return {lanes_text_, true};
  }
  if (auto it = symbols_.find(s); it != symbols_.end()) return {it->second.text, false};
  FRIT_INVARIANT(!program_.size_of_symbol(Int(s)), "a loop symbol of another nest");
  if (std::find(free_symbols.begin(), free_symbols.end(), s) == free_symbols.end())
    free_symbols.push_back(s);
  return {program_.env->symbol(s).name, false};
}

SymbolName Emitter::text(Int i) {
  return index_text(i, [this](const sym::Expr* s) { return symbol(s); });
}

std::string Emitter::index(Int i) {
  SymbolName t = text(i);
  FRIT_INVARIANT(!t.vector, "an index that differs between lanes");
  return t.text;
}

void Emitter::name_lanes() {
  if (lanes_named_) return;
  lanes_named_ = true;
  if (lanes_text_.empty()) lanes_text_ = names_.take(lane_text_ + "_lanes");
  Block* b = blocks_[lane_level_];
  b->line(fmt::format("const vi64 {} = {} + fv::iota<vi64>();", lanes_text_, lane_text_));
}

Block* Emitter::home(int level) {
  for (int l = level; l < kLevels; ++l)
    if (blocks_[l]) return blocks_[l];
  throw InternalError("a value wanted outside of its loops");
}

// --- values ---

std::string Emitter::as_vector(const Operand& o, DType t) const {
  return o.vector ? o.text : fmt::format("({}){}", vector_type(t), o.text);
}

Operand Emitter::define(const Expr* e, Block& b, Operand value, const char* wish) {
  std::string name = names_.take(wish);
  b.line(fmt::format("const {} {} = {};",
                     value.vector ? vector_type(e->type) : scalar_type(e->type), name, value.text));
  return {name, value.vector};
}

Operand Emitter::value(const Expr* e, const Place& wanted) {
  if (e->kind == ExprKind::constant) return {literal(e->scalar, e->type), false};
  if (e->kind == ExprKind::reduced) return slots_.at(e->slot).value;
  Place at = wanted;
  const bool loads = has_loads(e);
  if (!loads || (!wanted.conditional && !keep_loads_)) {
    at.block = home(level_of(e));
    if (at.block->level > wanted.block->level) at.block = wanted.block;
    at.conditional = false;
    at.mask.clear();
  }
  for (Block* b = wanted.block; b; b = b->parent)
    for (const std::string& mask : {std::string(), wanted.mask}) {
      auto it = b->known.find({e, loads ? mask : std::string()});
      if (it != b->known.end()) return it->second;
    }
  Operand r;
  if (staged_.contains(e))
    r = staged(e);
  else
    switch (e->kind) {
      case ExprKind::load:
        r = load(e, at);
        break;
      case ExprKind::index: {
        SymbolName t = text(e->index);
        r = {t.vector ? t.text : fmt::format("(i64){}", t.text), t.vector};
        break;
      }
      case ExprKind::convert: {
        Operand a = value(e->args[0], at);
        r = {fmt::format("fv::convert<{}>({})", convert_type(e->to), a.text), a.vector};
        break;
      }
      case ExprKind::call:
        r = call(e, at);
        break;
      case ExprKind::select:
        r = select(e, at);
        break;
      case ExprKind::random:
        r = drawn(e, at);
        break;
      case ExprKind::tile:
        r = {fmt::format("fv::load_part({} + {}, m)", tile_, lane_text_), true};
        break;
      case ExprKind::constant:
      case ExprKind::reduced:
        break;
    }
  bool small =
      e->kind == ExprKind::call || e->kind == ExprKind::convert || e->kind == ExprKind::index;
  if (small && uses_[e] <= 1 && at.block == wanted.block && r.text.size() < kInlineText) return r;
  const char* wish = "t";
  std::string of_buffer;
  if (e->kind == ExprKind::load) {
    of_buffer = pointers_.at(e->buffer) + "_v";
    wish = of_buffer.c_str();
  } else if (e->kind == ExprKind::tile) {
    wish = "sum";
  } else if (e->kind == ExprKind::random) {
    wish = "drawn";
  }
  Operand named = define(e, *at.block, r, wish);
  at.block->known[{e, loads ? at.mask : std::string()}] = named;
  return named;
}

Operand Emitter::call(const Expr* e, const Place& at) {
  std::vector<Operand> args;
  bool vector = false;
  for (const Expr* a : e->args) {
    args.push_back(value(a, at));
    vector |= args.back().vector;
  }
  std::string text = fmt::format("fv::{}(", e->body.str());
  for (size_t i = 0; i < args.size(); ++i)
    text += (i ? ", " : "") + (vector ? as_vector(args[i], e->args[i]->type) : args[i].text);
  return {text + ")", vector};
}

Operand Emitter::drawn(const Expr* e, const Place& at) {
  random = true;
  std::string args;
  for (const Expr* a : e->args) {
    Operand o = value(a, at);
    FRIT_INVARIANT(!o.vector, "a random draw's number differs between lanes");
    args += ", " + o.text;
  }
  std::string offset = "rng";
  if (!(e->offset.is_constant() && e->offset.constant() == 0))
    offset = "rng + (u64)" + index(e->offset);
  const char* vector = vector_type(e->type);
  const char* scalar = scalar_type(e->type);
  if (!on_lane(e->index))
    return {fmt::format("fv::{}<{}>(seed, {}, {}{})", e->body.str(), scalar, offset,
                        index(e->index), args),
            false};
  const Int lane[] = {Int(lane_)};
  auto form = loops::affine(e->index, lane);
  if (form && form->coefs[0].is_constant() && form->coefs[0].constant() == 1)
    return {fmt::format("fv::{}<{}>(seed, {}, {}{})", e->body.str(), vector, offset,
                        plus(lane_text_, index(form->base)), args),
            true};
  return {fmt::format("fv::each_lane<{}>({}, [&](i64 e) {{ return fv::{}<{}>(seed, {}, e{}); }})",
                      vector, text(e->index).text, e->body.str(), scalar, offset, args),
          true};
}

Operand Emitter::select(const Expr* e, const Place& at) {
  const Expr *yes = e->args[0], *no = e->args[1];
  const bool vector = is_vector(e);
  SymbolName c = condition_text(e->condition, [this](const sym::Expr* s) { return symbol(s); });
  if (!c.vector) {
    if (!has_loads(yes) && !has_loads(no)) {
      Operand a = value(yes, at), b = value(no, at);
      return {fmt::format("({} ? {} : {})", c.text, vector ? as_vector(a, e->type) : a.text,
                          vector ? as_vector(b, e->type) : b.text),
              vector};
    }
    std::string name = names_.take("t");
    at.block->line(
        fmt::format("{} {} = {{}};", vector ? vector_type(e->type) : scalar_type(e->type), name));
    std::string sides[2];
    for (int side = 0; side < 2; ++side) {
      Block b;
      b.parent = at.block;
      b.level = at.block->level;
      b.in_lambda = at.block->in_lambda;
      Operand v = value(side ? no : yes, Place(&b, true, at.mask));
      b.line(fmt::format("{} = {};", name, vector ? as_vector(v, e->type) : v.text));
      sides[side] = indented(b.text, 2);
    }
    at.block->text += fmt::format("if ({}) {{\n{}}} else {{\n{}}}\n", c.text, sides[0], sides[1]);
    return {name, vector};
  }
  std::string condition = names_.take("c");
  at.block->line(fmt::format("const mask {} = {};", condition, c.text));
  std::string active = at.mask.empty() ? "fv::first_n(m)" : at.mask;
  auto side = [&](const Expr* x, const std::string& lanes) {
    if (!has_loads(x)) return value(x, at);
    std::string name = names_.take("c");
    at.block->line(fmt::format("const mask {} = {} & {};", name, lanes, active));
    return value(x, Place(at.block, true, name));
  };
  Operand a = side(yes, condition), b = side(no, "~" + condition);
  return {
      fmt::format("fv::where({}, {}, {})", condition, as_vector(a, e->type), as_vector(b, e->type)),
      true};
}

// --- memory ---

// An address: pointer + offset, and where lanes do not lie one after another a vector of indices.
struct Emitter::Address {
  std::string base;    // pointer and all that is the same in the lanes
  std::string lanes;   // vi64, added to base; empty: none
  std::string stride;  // lanes at base + lane * stride; empty: no lane term
  std::string mask;    // lanes in bounds, where that was checked
  std::string bad;     // a scalar condition: an index was out of bounds
};

Emitter::Address Emitter::address(int buffer, Int idx, const std::vector<loops::Indirect>& indirect,
                                  const Place& at, bool vector) {
  Address r;
  r.base = pointers_.at(buffer);
  for (const loops::Indirect& i : indirect) {
    // An index that is the same in all lanes is checked where it is first known.
    Place here = at;
    const bool uniform = !is_vector(i.value) && at.mask.empty();
    if (uniform && !at.conditional && !keep_loads_)
      if (Block* h =
              home(std::max(level_of(i.value), std::max(level_of(i.size), level_of(i.stride))));
          h->level <= at.block->level)
        here.block = h;
    Block& b = *here.block;
    std::string key = fmt::format("{} {} {} {}", i.value->id, i.size.str(), i.wrap, i.check);
    if (uniform) {
      const std::string* known = nullptr;
      for (Block* p = at.block; p && !known; p = p->parent)
        if (auto it = p->rows.find(key); it != p->rows.end()) known = &it->second;
      if (known) {
        std::string stride = index(i.stride);
        r.base += stride == "1" ? " + " + *known : fmt::format(" + {} * {}", *known, stride);
        continue;
      }
    }
    Operand v = value(i.value, here);
    std::string size = index(i.size), stride = index(i.stride);
    if (i.check >= 0) checks = true;
    bool lanes = v.vector || !at.mask.empty();
    const char* type = lanes ? "vi64" : "i64";
    std::string given = names_.take("given"), at_ = names_.take("row");
    b.line(
        fmt::format("const {} {} = {};", type, given, lanes ? as_vector(v, DType::i64) : v.text));
    std::string wrapped = i.wrap ? fmt::format("fv::wrap_index({}, {})", given, size) : given;
    if (!lanes && i.check >= 0 && b.in_lambda) {
      b.line(fmt::format("const i64 {} = fv::checked_index(run, {}, {}, {}, {});", at_, i.check,
                         given, wrapped, size));
      r.bad += fmt::format("{}{} < 0", r.bad.empty() ? "" : " || ", at_);
    } else {
      b.line(fmt::format("const {} {} = {};", type, at_, wrapped));
      if (i.check >= 0 && !lanes)
        b.line(fmt::format("if (fv::outside({}, {})) return fv::report(run, {}, {});", at_, size,
                           i.check, given));
    }
    std::string term = stride == "1" ? at_ : fmt::format("{} * {}", at_, stride);
    if (!lanes) {
      r.base += " + " + term;
      if (r.bad.empty()) b.rows[key] = at_;
      continue;
    }
    r.lanes = plus(r.lanes, term);
    if (i.check >= 0) {
      std::string active = !r.mask.empty() ? r.mask : !at.mask.empty() ? at.mask : "fv::first_n(m)";
      std::string good = names_.take("good");
      b.line(fmt::format("const mask {} = fv::checked_lanes(run, {}, {}, {}, {}, {});", good,
                         i.check, active, given, at_, size));
      r.mask = good;
    }
  }
  if (!vector || !on_lane(idx)) {
    std::string s = index(idx);
    if (s != "0") r.base += " + " + s;
    return r;
  }
  const Int lane[] = {Int(lane_)};
  if (auto form = loops::affine(idx, lane)) {
    std::string s = index(form->base);
    if (s != "0") r.base += " + " + s;
    r.stride = index(form->coefs[0]);
    if (r.stride == "0") r.stride.clear();
  } else {
    r.lanes = plus(r.lanes, text(idx).text);
  }
  if (!r.lanes.empty() && !r.stride.empty()) {
    name_lanes();
    r.lanes = plus(r.lanes,
                   r.stride == "1" ? lanes_text_ : fmt::format("{} * {}", lanes_text_, r.stride));
    r.stride.clear();
  }
  return r;
}

Operand Emitter::staged(const Expr* e) const {
  const auto& [text, first] = staged_.at(e);
  return {fmt::format("fv::load_part({} + ({} - {}), m)", text, lane_text_, first), true};
}

std::string Emitter::truth_bytes(const Expr* e, const Place& at) {
  if (e->kind != loops::ExprKind::load || e->type != DType::boolean || !e->indirect.empty() ||
      !at.mask.empty() || !is_vector(e) || staged_.contains(e))
    return {};
  Address a = address(e->buffer, e->index, e->indirect, at, true);
  if (!a.lanes.empty() || a.stride != "1" || !a.bad.empty()) return {};
  return fmt::format("fv::load_part((const u8*)({} + {}), m)", a.base, lane_text_);
}

Operand Emitter::load(const Expr* e, const Place& at) {
  const bool vector = is_vector(e);
  Address a = address(e->buffer, e->index, e->indirect, at, vector);
  const char* type = scalar_type(e->type);
  std::string mask = !a.mask.empty() ? a.mask : at.mask;
  if (!a.lanes.empty()) {
    std::string active = mask.empty() ? "fv::first_n(m)" : mask;
    if (!a.bad.empty()) active = fmt::format("({} ? fv::first_n(0) : {})", a.bad, active);
    return {fmt::format("fv::gather({}, {}, {})", a.base, a.lanes, active), true};
  }
  if (a.stride.empty()) {
    std::string one = fmt::format("fv::load1({})", a.base);
    std::string unless = a.bad;
    if (!mask.empty())
      unless = plus(unless.empty() ? "" : "(" + unless + ") |", "") + "!fv::any(" + mask + ")";
    Operand r{unless.empty() ? one : fmt::format("({} ? {}() : {})", unless, type, one), false};
    return r;
  }
  std::string p = a.base + " + " +
                  (a.stride == "1" ? lane_text_ : fmt::format("{} * {}", lane_text_, a.stride));
  std::string count = a.bad.empty() ? "m" : fmt::format("({} ? 0 : m)", a.bad);
  if (a.stride == "1") {
    if (mask.empty()) return {fmt::format("fv::load_part({}, {})", p, count), true};
    return {fmt::format("fv::load_where({}, {})", mask, p), true};
  }
  if (mask.empty() && a.stride == "(-1)")
    return {fmt::format("fv::load_reversed({}, {})", p, count), true};
  if (mask.empty()) return {fmt::format("fv::load_strided({}, {}, {})", p, a.stride, count), true};
  return {fmt::format("fv::gather({}, fv::iota<vi64>() * {}, {})", p, a.stride, mask), true};
}

void Emitter::store(const loops::Store& s, const Place& at, bool lanes, std::string& later) {
  Operand v = value(s.value, at);
  bool vector = lanes;
  Address a = address(s.buffer, s.index, s.indirect, at, vector);
  std::string x = vector ? as_vector(v, s.value->type) : v.text;
  if (!vector) {
    FRIT_INVARIANT(!v.vector, "a vector stored to one element");
    if (s.accumulate) x = fmt::format("fv::add(fv::load1({}), {})", a.base, x);
    std::string line = fmt::format("fv::store1({}, {});\n", a.base, x);
    later += a.bad.empty() ? line : fmt::format("if (!({})) {}", a.bad, line);
    return;
  }
  std::string count = a.bad.empty() ? "m" : fmt::format("({} ? 0 : m)", a.bad);
  if (!a.lanes.empty() || (s.accumulate && a.stride != "1")) {
    std::string active = !a.mask.empty() ? a.mask : fmt::format("fv::first_n({})", count);
    std::string where = a.lanes;
    if (where.empty()) {
      name_lanes();
      where = a.stride.empty() ? "(vi64)0" : fmt::format("{} * {}", lanes_text_, a.stride);
    }
    later += fmt::format("fv::{}({}, {}, {}, {});\n", s.accumulate ? "scatter_add" : "scatter",
                         a.base, where, x, active);
    return;
  }
  std::string p = a.base;
  if (!a.stride.empty())
    p += " + " + (a.stride == "1" ? lane_text_ : fmt::format("{} * {}", lane_text_, a.stride));
  if (a.stride == "1") {
    if (s.accumulate) x = fmt::format("fv::add(fv::load_part({}, {}), {})", p, count, x);
    later += fmt::format("fv::store_part({}, {}, {});\n", p, x, count);
  } else {
    later += fmt::format("fv::store_strided({}, {}, {}, {});\n", p,
                         a.stride.empty() ? "0" : a.stride, x, count);
  }
}

}  // namespace frit::codegen::cpu
