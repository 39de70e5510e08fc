#include "sym/poly.h"

#include <algorithm>
#include <numeric>

namespace frit::sym {

int64_t exact_add(int64_t a, int64_t b) {
  int64_t r;
  if (__builtin_add_overflow(a, b, &r)) throw Overflow{};
  return r;
}

int64_t exact_mul(int64_t a, int64_t b) {
  int64_t r;
  if (__builtin_mul_overflow(a, b, &r)) throw Overflow{};
  return r;
}

int64_t exact_floordiv(int64_t a, int64_t b) {
  if (b == -1) return exact_mul(a, -1);
  int64_t q = a / b;
  return q - (a % b != 0 && (a < 0) != (b < 0));
}

int64_t exact_mod(int64_t a, int64_t b) {
  if (b == -1) return 0;
  int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

namespace {

int64_t gcd(int64_t a, int64_t b) {
  if (a == kMinusInf || b == kMinusInf) return 1;  // its magnitude does not fit
  return std::gcd(a, b);
}

const Expr* product(Arena& arena, std::span<const Expr* const> parts) {
  if (parts.empty()) return nullptr;
  if (parts.size() == 1) return parts[0];
  return arena.intern(Kind::product, 0, parts);
}

bool before(const Term& a, const Term& b) { return compare_monomials(a.monomial, b.monomial) < 0; }

// Brings terms in any order into order, with equal monomials collected.
void collect(SmallVector<Term, 4>& terms) {
  std::sort(terms.begin(), terms.end(), before);
  size_t out = 0;
  for (size_t i = 0; i < terms.size();) {
    Term t = terms[i++];
    while (i < terms.size() && terms[i].monomial == t.monomial)
      t.coef = exact_add(t.coef, terms[i++].coef);
    if (t.coef != 0) terms[out++] = t;
  }
  terms.resize(out, Term{0, nullptr});
}

}  // namespace

std::span<const Expr* const> factors(const Expr* const& monomial) {
  if (!monomial) return {};
  if (monomial->kind() == Kind::product) return monomial->args();
  return {&monomial, 1};
}

int compare_monomials(const Expr* a, const Expr* b) {
  if (a == b) return 0;
  auto fa = factors(a), fb = factors(b);
  if (fa.size() != fb.size()) return fa.size() > fb.size() ? -1 : 1;
  for (size_t i = 0; i < fa.size(); ++i)
    if (int c = compare(fa[i], fb[i])) return c;
  return 0;
}

const Expr* multiply(Arena& arena, const Expr* a, const Expr* b) {
  if (!a) return b;
  if (!b) return a;
  auto fa = factors(a), fb = factors(b);
  SmallVector<const Expr*, 8> parts;
  parts.resize(fa.size() + fb.size());
  std::merge(fa.begin(), fa.end(), fb.begin(), fb.end(), parts.begin(),
             [](const Expr* x, const Expr* y) { return compare(x, y) < 0; });
  return product(arena, parts);
}

std::optional<const Expr*> divide(Arena& arena, const Expr* a, const Expr* b) {
  auto fa = factors(a), fb = factors(b);
  SmallVector<const Expr*, 8> left;
  size_t j = 0;
  for (const Expr* f : fa) {
    if (j < fb.size() && fb[j] == f)
      ++j;
    else
      left.push_back(f);
  }
  if (j != fb.size()) return std::nullopt;
  return product(arena, left);
}

const Expr* common_factors(Arena& arena, const Expr* a, const Expr* b) {
  auto fa = factors(a), fb = factors(b);
  SmallVector<const Expr*, 8> both;
  for (size_t i = 0, j = 0; i < fa.size() && j < fb.size();) {
    int c = compare(fa[i], fb[j]);
    if (c == 0)
      both.push_back(fa[i]), ++i, ++j;
    else if (c < 0)
      ++i;
    else
      ++j;
  }
  return product(arena, both);
}

Poly Poly::of(const Expr* e) {
  if (e->is_constant()) return Poly(e->value());
  if (e->kind() != Kind::sum) return term(1, e);
  Poly p(e->value());
  for (size_t i = 0; i < e->args().size(); ++i) p.terms.push_back({e->coefs()[i], e->arg(i)});
  return p;
}

Poly Poly::term(int64_t coef, const Expr* monomial) {
  if (!monomial || coef == 0) return Poly(coef);
  Poly p;
  p.terms.push_back({coef, monomial});
  return p;
}

std::optional<Term> Poly::single() const {
  if (terms.empty()) return Term{constant, nullptr};
  if (terms.size() == 1 && constant == 0) return terms[0];
  return std::nullopt;
}

int64_t Poly::coef_of(const Expr* monomial) const {
  for (const Term& t : terms)
    if (t.monomial == monomial) return t.coef;
  return 0;
}

void Poly::add(const Poly& o, int64_t times) {
  constant = exact_add(constant, exact_mul(o.constant, times));
  if (times == 0 || o.terms.empty()) return;
  SmallVector<Term, 4> merged;
  merged.reserve(terms.size() + o.terms.size());
  size_t i = 0, j = 0;
  while (i < terms.size() || j < o.terms.size()) {
    int c = i == terms.size()     ? 1
            : j == o.terms.size() ? -1
                                  : compare_monomials(terms[i].monomial, o.terms[j].monomial);
    if (c < 0) {
      merged.push_back(terms[i++]);
    } else if (c > 0) {
      merged.push_back({exact_mul(o.terms[j].coef, times), o.terms[j].monomial});
      ++j;
    } else {
      int64_t coef = exact_add(terms[i].coef, exact_mul(o.terms[j].coef, times));
      if (coef != 0) merged.push_back({coef, terms[i].monomial});
      ++i, ++j;
    }
  }
  terms = std::move(merged);
}

Poly Poly::scaled(int64_t k) const {
  Poly r;
  r.add(*this, k);
  return r;
}

Poly Poly::without_constant() const {
  Poly r = *this;
  r.constant = 0;
  return r;
}

int64_t Poly::content_of_terms() const {
  int64_t g = 0;
  for (const Term& t : terms) g = gcd(g, t.coef);
  return g;
}

int64_t Poly::content() const {
  return constant == 0 ? content_of_terms() : gcd(content_of_terms(), constant);
}

const Expr* Poly::common_monomial(Arena& arena) const {
  if (constant != 0 || terms.empty()) return nullptr;
  const Expr* m = terms[0].monomial;
  for (size_t i = 1; i < terms.size() && m; ++i) m = common_factors(arena, m, terms[i].monomial);
  return m;
}

namespace {

struct SumParts {
  SmallVector<const Expr*, 8> args;
  SmallVector<int64_t, 8> coefs;
  explicit SumParts(const Poly& p) {
    for (const Term& t : p.terms) args.push_back(t.monomial), coefs.push_back(t.coef);
  }
};

bool is_monomial(const Poly& p) {
  return p.terms.size() == 1 && p.constant == 0 && p.terms[0].coef == 1;
}

}  // namespace

const Expr* Poly::expr(Arena& arena) const {
  if (terms.empty()) return arena.constant(constant);
  if (is_monomial(*this)) return terms[0].monomial;
  SumParts parts(*this);
  return arena.intern(Kind::sum, constant, parts.args, parts.coefs);
}

const Expr* Poly::existing(Arena& arena) const {
  if (terms.empty()) return arena.lookup(Kind::constant, constant);
  if (is_monomial(*this)) return terms[0].monomial;
  SumParts parts(*this);
  return arena.lookup(Kind::sum, constant, parts.args, parts.coefs);
}

Poly multiply(Arena& arena, const Poly& a, int64_t coef, const Expr* monomial) {
  Poly r;
  if (coef == 0) return r;
  for (const Term& t : a.terms)
    r.terms.push_back({exact_mul(t.coef, coef), multiply(arena, t.monomial, monomial)});
  int64_t c = exact_mul(a.constant, coef);
  if (c != 0) {
    if (monomial)
      r.terms.push_back({c, monomial});
    else
      r.constant = c;
  }
  collect(r.terms);
  return r;
}

Poly multiply(Arena& arena, const Poly& a, const Poly& b) {
  if (auto s = b.single()) return multiply(arena, a, s->coef, s->monomial);
  if (auto s = a.single()) return multiply(arena, b, s->coef, s->monomial);
  if ((a.terms.size() + 1) * (b.terms.size() + 1) > kMostTerms)
    return Poly::term(1, multiply(arena, a.expr(arena), b.expr(arena)));
  Poly r;
  for (const Term& t : b.terms) r.add(multiply(arena, a, t.coef, t.monomial));
  r.add(a, b.constant);
  return r;
}

std::optional<Poly> divide_exactly(Arena& arena, const Poly& a, const Poly& b) {
  // A number is the last term, with the monomial 1.
  auto leading = [](const Poly& p) {
    return p.terms.empty() ? Term{p.constant, nullptr} : p.terms[0];
  };
  Term head = leading(b);
  Poly rest = a, quotient;
  for (size_t step = 0; !rest.is_zero(); ++step) {
    Term t = leading(rest);
    auto m = divide(arena, t.monomial, head.monomial);
    if (!m || exact_mod(t.coef, head.coef) != 0 || step > kMostTerms) return std::nullopt;
    int64_t c = exact_floordiv(t.coef, head.coef);
    quotient.add(Poly::term(c, *m));
    rest.add(multiply(arena, b, c, *m), -1);
  }
  return quotient;
}

bool occurs(const Expr* part, const Expr* e) {
  if (part == e) return true;
  return std::ranges::any_of(e->args(), [&](const Expr* a) { return occurs(part, a); });
}

}  // namespace frit::sym
