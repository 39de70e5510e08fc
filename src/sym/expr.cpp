#include "sym/expr.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace frit::sym {
namespace {

uint64_t mix(uint64_t h, uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
  return h * 0xff51afd7ed558ccdu ^ (h >> 29);
}

uint64_t hash_of(Kind kind, int64_t value, std::span<const Expr* const> args,
                 std::span<const int64_t> coefs) {
  uint64_t h = mix(static_cast<uint64_t>(kind), static_cast<uint64_t>(value));
  for (const Expr* a : args) h = mix(h, a->hash());
  for (int64_t c : coefs) h = mix(h, static_cast<uint64_t>(c));
  return h;
}

template <class T>
int three_way(T a, T b) {
  return (a > b) - (a < b);
}

}  // namespace

int compare(const Expr* a, const Expr* b) {
  if (a == b) return 0;
  if (a->kind() != b->kind()) return three_way(a->kind(), b->kind());
  if (a->is_symbol() && a->has_unbacked() != b->has_unbacked())
    return three_way(a->has_unbacked(), b->has_unbacked());
  for (size_t i = 0; i < std::min(a->args().size(), b->args().size()); ++i)
    if (int c = compare(a->arg(i), b->arg(i))) return c;
  if (int c = three_way(a->args().size(), b->args().size())) return c;
  for (size_t i = 0; i < a->coefs().size(); ++i)
    if (int c = three_way(a->coefs()[i], b->coefs()[i])) return c;
  return three_way(a->value(), b->value());
}

const Expr* Arena::symbol(int64_t index, bool unbacked) {
  const Expr* e = intern(Kind::symbol, index);
  const_cast<Expr*>(e)->has_unbacked_ = unbacked;
  return e;
}

const Expr* Arena::binary(Kind kind, const Expr* a, const Expr* b) {
  const Expr* args[] = {a, b};
  return intern(kind, 0, args);
}

const Expr* Arena::intern(Kind kind, int64_t value, std::span<const Expr* const> args,
                          std::span<const int64_t> coefs) {
  if ((count_ + 1) * 2 > table_.size()) rehash();
  uint64_t hash = hash_of(kind, value, args, coefs);
  const Expr** slot = find(hash, kind, value, args, coefs);
  if (*slot) return *slot;

  size_t n = args.size();
  auto* storage = static_cast<std::byte*>(
      allocate(sizeof(Expr) + n * sizeof(Expr*) + coefs.size() * sizeof(int64_t)));
  Expr* e = new (storage) Expr;
  auto* arg_storage = reinterpret_cast<const Expr**>(storage + sizeof(Expr));
  std::copy(args.begin(), args.end(), arg_storage);
  if (!coefs.empty()) {
    auto* coef_storage = reinterpret_cast<int64_t*>(arg_storage + n);
    std::copy(coefs.begin(), coefs.end(), coef_storage);
    e->coefs_ = coef_storage;
  }
  e->kind_ = kind;
  e->value_ = value;
  e->nargs_ = static_cast<uint32_t>(n);
  e->args_ = arg_storage;
  e->hash_ = hash;
  e->env_ = env_;
  e->has_unbacked_ =
      std::any_of(args.begin(), args.end(), [](auto* a) { return a->has_unbacked(); });
  *slot = e;
  ++count_;
  return e;
}

const Expr* Arena::lookup(Kind kind, int64_t value, std::span<const Expr* const> args,
                          std::span<const int64_t> coefs) {
  if (table_.empty()) return nullptr;
  return *find(hash_of(kind, value, args, coefs), kind, value, args, coefs);
}

const Expr** Arena::find(uint64_t hash, Kind kind, int64_t value, std::span<const Expr* const> args,
                         std::span<const int64_t> coefs) {
  size_t mask = table_.size() - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    const Expr* e = table_[i];
    if (!e) return &table_[i];
    if (e->hash_ == hash && e->kind_ == kind && e->value_ == value &&
        std::ranges::equal(e->args(), args) && std::ranges::equal(e->coefs(), coefs))
      return &table_[i];
  }
}

void Arena::rehash() {
  std::vector<const Expr*> old(std::max<size_t>(64, table_.size() * 2), nullptr);
  old.swap(table_);
  size_t mask = table_.size() - 1;
  for (const Expr* e : old) {
    if (!e) continue;
    size_t i = e->hash_ & mask;
    while (table_[i]) i = (i + 1) & mask;
    table_[i] = e;
  }
}

void* Arena::allocate(size_t bytes) {
  constexpr size_t kBlock = 16 * 1024;
  bytes = (bytes + alignof(Expr) - 1) / alignof(Expr) * alignof(Expr);
  if (bytes > left_) {
    size_t block = std::max(bytes, kBlock);
    blocks_.push_back(std::make_unique<std::byte[]>(block));
    free_ = blocks_.back().get();
    left_ = block;
  }
  void* p = free_;
  free_ += bytes;
  left_ -= bytes;
  return p;
}

}  // namespace frit::sym
