// Making expressions and loop symbols.
#include <bit>
#include <unordered_set>

#include "base/hash.h"
#include "loops/below.h"
#include "loops/loop_ir.h"

namespace frit::loops {
namespace {

constexpr DType kIndexType = DType::i64;

bool same_indirect(const Indirect& a, const Indirect& b) {
  return a.value == b.value && a.size.same_as(b.size) && a.stride.same_as(b.stride) &&
         a.wrap == b.wrap && a.check == b.check;
}

bool same_expr(const Expr& a, const Expr& b) {
  if (a.kind != b.kind || a.type != b.type || a.to != b.to || a.buffer != b.buffer ||
      a.slot != b.slot || a.body != b.body || a.args != b.args ||
      a.indirect.size() != b.indirect.size())
    return false;
  if (!a.scalar.same_as(b.scalar) || !a.index.same_as(b.index) || !a.offset.same_as(b.offset) ||
      !a.condition.same_as(b.condition))
    return false;
  for (size_t i = 0; i < a.indirect.size(); ++i)
    if (!same_indirect(a.indirect[i], b.indirect[i])) return false;
  return true;
}

size_t hash_scalar(const Scalar& s) {
  if (s.is_real()) return std::bit_cast<uint64_t>(s.to_double());
  // No Int is below its lowest number, but a constant may be.
  const bool low = !s.is_symbolic() && s.to_int64() < Int::kLowest;
  return low ? static_cast<size_t>(s.to_int64()) : s.as_int().hash();
}

uint64_t hash_expr(const Expr& e) {
  size_t h = hash_combine(static_cast<size_t>(e.kind), static_cast<size_t>(e.type));
  h = hash_combine(h, static_cast<size_t>(e.to));
  h = hash_combine(h, static_cast<size_t>(e.buffer));
  h = hash_combine(h, static_cast<size_t>(e.slot));
  if (e.kind == ExprKind::constant) h = hash_combine(h, hash_scalar(e.scalar));
  h = hash_combine(h, e.index.hash());
  h = hash_combine(h, e.offset.hash());
  h = hash_combine(h, e.body.hash());
  for (const Expr* a : e.args) h = hash_combine(h, static_cast<size_t>(a->id));
  for (const Indirect& i : e.indirect) {
    h = hash_combine(h, static_cast<size_t>(i.value->id));
    h = hash_combine(h, i.stride.hash());
  }
  return h;
}

void require_compute_type(DType t) {
  FRIT_INVARIANT(compute_type(t) == t, "a lane value of a half type");
}

// The number as a tensor of that type would hold it.
Scalar as_type(const Scalar& s, DType t) {
  switch (t) {
    case DType::f32:
      return Scalar(static_cast<double>(static_cast<float>(s.to_double())));
    case DType::f64:
      return Scalar(s.to_double());
    case DType::i8:
      return Scalar(static_cast<int64_t>(static_cast<int8_t>(s.to_int64())));
    case DType::i16:
      return Scalar(static_cast<int64_t>(static_cast<int16_t>(s.to_int64())));
    case DType::i32:
      return Scalar(static_cast<int64_t>(static_cast<int32_t>(s.to_int64())));
    case DType::i64: {
      // The lowest numbers have no Int.
      if (s.is_bool()) return Scalar(static_cast<int64_t>(s.to_bool()));
      return s.is_real() ? Scalar(static_cast<int64_t>(s.to_double())) : s;
    }
    case DType::u8:
      return Scalar(static_cast<int64_t>(static_cast<uint8_t>(s.to_int64())));
    case DType::boolean:
      return Scalar(s.to_bool());
    case DType::bf16:
    case DType::f16:
      break;
  }
  throw InternalError("a constant of a half type");
}

}  // namespace

// Where a size may be 0, its loop takes no turn: that says nothing of the size.
void assume_below(sym::ShapeEnv& env, Int index, Int size) {
  if (!size.is_symbolic()) return;
  const Int bound = env.statically_known_true(size >= 1) ? size : max(size, Int(1));
  // A symbol in [0, 0] would be the number 0.
  if (!bound.is_constant() || bound.constant() > 1) env.assume(index < bound);
}

Int Program::loop_symbol(Int size, int k) {
  LoopSymbol* entry = nullptr;
  for (LoopSymbol& l : loop_symbols_)
    if (l.size.same_as(size)) entry = &l;
  if (!entry) entry = &loop_symbols_.emplace_back(LoopSymbol{size, {}});
  while (static_cast<int>(entry->symbols.size()) <= k) {
    // A symbol in [0, 0] would be the number 0; indices do not mention that of a loop of one turn.
    int64_t last = size.is_constant() ? std::max<int64_t>(size.constant() - 1, 1) : sym::kPlusInf;
    if (last == sym::kPlusInf) {
      sym::Range r = env->bounds(size);
      if (r.hi < sym::kPlusInf) last = std::max<int64_t>(r.hi - 1, 1);
    }
    Int symbol = env->new_unbacked("loop", {}, 0, last);
    assume_below(*env, symbol, size);
    size_of_.emplace(symbol.expr(), size);
    entry->symbols.push_back(symbol);
  }
  return entry->symbols[static_cast<size_t>(k)];
}

std::optional<Int> Program::size_of_symbol(Int symbol) const {
  auto it = size_of_.find(symbol.expr());
  if (it == size_of_.end()) return std::nullopt;
  return it->second;
}

const Expr* Program::intern(Expr e) {
  e.hash = hash_expr(e);
  auto [first, last] = interned_.equal_range(e.hash);
  for (auto it = first; it != last; ++it)
    if (same_expr(*it->second, e)) return it->second;
  e.id = static_cast<uint32_t>(exprs_.size());
  const Expr* made = &exprs_.emplace_back(std::move(e));
  interned_.emplace(made->hash, made);
  return made;
}

const Expr* Program::load(int buffer, Int index, std::vector<Indirect> indirect) {
  FRIT_INVARIANT(buffer >= 0 && buffer < static_cast<int>(buffers.size()), "a load of no buffer");
  for (const Indirect& i : indirect)
    FRIT_INVARIANT(i.value && i.value->type == kIndexType, "an index that is not an int64");
  Expr e{.kind = ExprKind::load};
  e.type = compute_type(buffers[static_cast<size_t>(buffer)].dtype);
  e.buffer = buffer;
  e.index = index;
  e.indirect = std::move(indirect);
  return intern(std::move(e));
}

const Expr* Program::constant(Scalar value, DType type) {
  require_compute_type(type);
  if (value.is_symbolic()) return convert(index(value.as_int()), type);
  Expr e{.kind = ExprKind::constant};
  e.type = type;
  e.scalar = as_type(value, type);
  return intern(std::move(e));
}

const Expr* Program::index(Int value) {
  if (value.is_constant()) return constant(Scalar(value.constant()), kIndexType);
  Expr e{.kind = ExprKind::index};
  e.type = kIndexType;
  e.index = value;
  return intern(std::move(e));
}

const Expr* Program::call(Symbol body, std::vector<const Expr*> args, DType type) {
  require_compute_type(type);
  FRIT_INVARIANT(!body.empty(), "a call of no function");
  Expr e{.kind = ExprKind::call};
  e.type = type;
  e.body = body;
  e.args = std::move(args);
  return intern(std::move(e));
}

const Expr* Program::convert(const Expr* value, DType to) {
  DType type = compute_type(to);
  if (to == value->type) return value;
  if (value->kind == ExprKind::convert && value->to == to) return value;
  // What a half type gives is of that type already.
  if (value->kind == ExprKind::load && buffers[static_cast<size_t>(value->buffer)].dtype == to)
    return value;
  if (value->kind == ExprKind::constant && type == to &&
      !(value->type == DType::f64 && !is_floating(to)) &&
      !(value->type == DType::f32 && !is_floating(to)))
    return constant(value->scalar, to);
  Expr e{.kind = ExprKind::convert};
  e.type = type;
  e.to = to;
  e.args = {value};
  return intern(std::move(e));
}

const Expr* Program::select(Bool condition, const Expr* yes, const Expr* no) {
  FRIT_INVARIANT(yes->type == no->type, "a selection between two types");
  if (condition.known_true() || yes == no) return yes;
  if (condition.known_false()) return no;
  Expr e{.kind = ExprKind::select};
  e.type = yes->type;
  e.condition = condition;
  e.args = {yes, no};
  return intern(std::move(e));
}

const Expr* Program::random(Symbol body, Int offset, Int element, std::vector<const Expr*> args,
                            DType type) {
  require_compute_type(type);
  Expr e{.kind = ExprKind::random};
  e.type = type;
  e.body = body;
  e.offset = offset;
  e.index = element;
  e.args = std::move(args);
  return intern(std::move(e));
}

const Expr* Program::reduced(int slot, DType type) {
  require_compute_type(type);
  Expr e{.kind = ExprKind::reduced};
  e.type = type;
  e.slot = slot;
  return intern(std::move(e));
}

const Expr* Program::tile(DType accumulator) {
  require_compute_type(accumulator);
  Expr e{.kind = ExprKind::tile};
  e.type = accumulator;
  return intern(std::move(e));
}

void for_each_expr(std::span<const Expr* const> roots, const std::function<void(const Expr*)>& fn) {
  std::unordered_set<const Expr*> seen;
  std::vector<std::pair<const Expr*, size_t>> stack;
  auto child = [](const Expr* e, size_t i) -> const Expr* {
    if (i < e->args.size()) return e->args[i];
    i -= e->args.size();
    return i < e->indirect.size() ? e->indirect[i].value : nullptr;
  };
  for (const Expr* root : roots) {
    if (!root || !seen.insert(root).second) continue;
    stack.emplace_back(root, 0);
    while (!stack.empty()) {
      auto& [e, next] = stack.back();
      if (const Expr* c = child(e, next++)) {
        if (seen.insert(c).second) stack.emplace_back(c, 0);
      } else {
        fn(e);
        stack.pop_back();
      }
    }
  }
}

}  // namespace frit::loops
