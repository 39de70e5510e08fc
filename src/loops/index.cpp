// Reading and rewriting index expressions.
#include <algorithm>

#include "loops/loop_ir.h"

namespace frit::loops {
namespace {

bool contains(const sym::Expr* e, const sym::Expr* symbol) {
  if (e == symbol) return true;
  for (const sym::Expr* a : e->args())
    if (contains(a, symbol)) return true;
  return false;
}

void collect(const sym::Expr* e, std::vector<const sym::Expr*>& found) {
  if (e->is_symbol()) {
    if (std::find(found.begin(), found.end(), e) == found.end()) found.push_back(e);
    return;
  }
  for (const sym::Expr* a : e->args()) collect(a, found);
}

class AffineReader {
 public:
  explicit AffineReader(std::span<const Int> symbols) {
    for (Int s : symbols) symbols_.push_back(s.expr());
    form_.base = Int(0);
    form_.coefs.assign(symbols.size(), Int(0));
  }

  std::optional<Affine> read(Int index) {
    const sym::Expr* e = index.expr();
    if (!e) {
      form_.base = index;
      return form_;
    }
    if (e->kind() == sym::Kind::sum) {
      form_.base = Int(e->value());
      for (size_t i = 0; i < e->args().size(); ++i)
        if (!term(e->coefs()[i], e->arg(i))) return std::nullopt;
      return form_;
    }
    if (!term(1, e)) return std::nullopt;
    return form_;
  }

 private:
  int find(const sym::Expr* e) const {
    for (size_t i = 0; i < symbols_.size(); ++i)
      if (symbols_[i] == e) return static_cast<int>(i);
    return -1;
  }
  bool touches(const sym::Expr* e) const {
    if (e->is_symbol()) return find(e) >= 0;
    for (const sym::Expr* a : e->args())
      if (touches(a)) return true;
    return false;
  }

  bool term(int64_t coef, const sym::Expr* e) {
    if (e->kind() == sym::Kind::product) {
      int at = -1;
      Int rest = coef;
      for (const sym::Expr* factor : e->args()) {
        int s = find(factor);
        if (s >= 0) {
          if (at >= 0) return false;
          at = s;
        } else {
          if (touches(factor)) return false;
          rest = rest * Int(factor);
        }
      }
      add(at, rest);
      return true;
    }
    int s = find(e);
    if (s < 0 && touches(e)) return false;
    add(s, s >= 0 ? Int(coef) : Int(coef) * Int(e));
    return true;
  }
  void add(int at, Int what) {
    Int& to = at < 0 ? form_.base : form_.coefs[static_cast<size_t>(at)];
    to = to + what;
  }

  std::vector<const sym::Expr*> symbols_;
  Affine form_;
};

class Substitution {
 public:
  Substitution(std::span<const Int> from, std::span<const Int> to) : to_(to) {
    for (Int s : from) from_.push_back(s.expr());
  }

  Int apply(const sym::Expr* e) {
    using sym::Kind;
    for (size_t i = 0; i < from_.size(); ++i)
      if (e == from_[i]) return to_[i];
    if (!touches(e)) return e->is_constant() ? Int(e->value()) : Int(e);
    switch (e->kind()) {
      case Kind::product: {
        Int r = 1;
        for (const sym::Expr* a : e->args()) r = r * apply(a);
        return r;
      }
      case Kind::sum: {
        Int r = e->value();
        for (size_t i = 0; i < e->args().size(); ++i) r = r + Int(e->coefs()[i]) * apply(e->arg(i));
        return r;
      }
      case Kind::floordiv:
        return floordiv(apply(e->arg(0)), apply(e->arg(1)));
      case Kind::mod:
        return mod(apply(e->arg(0)), apply(e->arg(1)));
      case Kind::min:
      case Kind::max: {
        Int r = apply(e->arg(0));
        for (size_t i = 1; i < e->args().size(); ++i)
          r = e->kind() == Kind::min ? min(r, apply(e->arg(i))) : max(r, apply(e->arg(i)));
        return r;
      }
      case Kind::constant:
      case Kind::symbol:
      case Kind::truth:
      case Kind::eq:
      case Kind::ne:
      case Kind::ge:
      case Kind::conj:
      case Kind::disj:
        break;
    }
    throw InternalError("substitution in an index of an unexpected kind");
  }

  Bool apply_truth(const sym::Expr* e) {
    using sym::Kind;
    switch (e->kind()) {
      case Kind::truth:
        return Bool(e->value() != 0);
      case Kind::eq:
        return apply(e->arg(0)) == Int(0);
      case Kind::ne:
        return apply(e->arg(0)) != Int(0);
      case Kind::ge:
        return apply(e->arg(0)) >= Int(0);
      case Kind::conj:
      case Kind::disj: {
        Bool r = apply_truth(e->arg(0));
        for (size_t i = 1; i < e->args().size(); ++i)
          r = e->kind() == Kind::conj ? (r && apply_truth(e->arg(i)))
                                      : (r || apply_truth(e->arg(i)));
        return r;
      }
      case Kind::constant:
      case Kind::symbol:
      case Kind::product:
      case Kind::sum:
      case Kind::floordiv:
      case Kind::mod:
      case Kind::min:
      case Kind::max:
        break;
    }
    throw InternalError("substitution in a condition of an unexpected kind");
  }

 private:
  bool touches(const sym::Expr* e) const {
    if (e->is_symbol()) return std::find(from_.begin(), from_.end(), e) != from_.end();
    for (const sym::Expr* a : e->args())
      if (touches(a)) return true;
    return false;
  }
  std::vector<const sym::Expr*> from_;
  std::span<const Int> to_;
};

}  // namespace

std::optional<Affine> affine(Int index, std::span<const Int> symbols) {
  return AffineReader(symbols).read(index);
}

bool depends_on(Int index, Int symbol) {
  const sym::Expr* e = index.expr();
  return e && contains(e, symbol.expr());
}

bool depends_on(Bool condition, Int symbol) {
  const sym::Expr* e = condition.expr();
  return e && contains(e, symbol.expr());
}

void for_each_symbol(Int index, const std::function<void(const sym::Expr*)>& fn) {
  std::vector<const sym::Expr*> found;
  if (const sym::Expr* e = index.expr()) collect(e, found);
  for (const sym::Expr* s : found) fn(s);
}

void for_each_symbol(Bool condition, const std::function<void(const sym::Expr*)>& fn) {
  std::vector<const sym::Expr*> found;
  if (!condition.is_constant()) collect(condition.env()->as_made(condition), found);
  for (const sym::Expr* s : found) fn(s);
}

void for_each_made_size(const Library& l,
                        const std::function<void(size_t, size_t, const sym::Expr*)>& fn) {
  if (!l.record || !l.record->data_dependent) return;
  for (size_t i = 0; i < l.outs.size(); ++i)
    for (size_t d = 0; d < l.outs[i].sizes.size(); ++d) {
      const sym::Expr* e = l.outs[i].sizes[d].as_made();
      if (e && e->is_symbol() && e->has_unbacked()) fn(i, d, e);
    }
}

Int substitute(Int index, std::span<const Int> from, std::span<const Int> to) {
  const sym::Expr* e = index.expr();
  return e && !from.empty() ? Substitution(from, to).apply(e) : index;
}

Bool substitute(Bool condition, std::span<const Int> from, std::span<const Int> to) {
  const sym::Expr* e = condition.expr();
  return e && !from.empty() ? Substitution(from, to).apply_truth(e) : condition;
}

}  // namespace frit::loops
