#include "loops/rewrite.h"

#include <algorithm>

namespace frit::loops {

const Expr* Rewriter::apply(const Expr* e) {
  if (!e) return nullptr;
  auto found = done_.find(e);
  if (found != done_.end()) return found->second;
  std::vector<const Expr*> args;
  for (const Expr* a : e->args) args.push_back(apply(a));
  std::vector<Indirect> indirect = e->indirect;
  for (Indirect& i : indirect) {
    i.value = apply(i.value);
    i.size = apply(i.size);
    i.stride = apply(i.stride);
  }
  const Expr* r = nullptr;
  switch (e->kind) {
    case ExprKind::load: {
      auto b = buffers_.find(e->buffer);
      r = program_.load(b == buffers_.end() ? e->buffer : b->second, apply(e->index),
                        std::move(indirect));
      break;
    }
    case ExprKind::constant:
    case ExprKind::tile:
      r = e;
      break;
    case ExprKind::index:
      r = program_.index(apply(e->index));
      break;
    case ExprKind::call:
      r = program_.call(e->body, std::move(args), e->type);
      break;
    case ExprKind::convert:
      r = program_.convert(args[0], e->to);
      break;
    case ExprKind::select: {
      Bool c = from_.empty() ? e->condition : substitute(e->condition, from_, to_);
      r = program_.select(c, args[0], args[1]);
      break;
    }
    case ExprKind::random:
      r = program_.random(e->body, e->offset, apply(e->index), std::move(args), e->type);
      break;
    case ExprKind::reduced: {
      auto s = slots_.find(e->slot);
      r = s == slots_.end() ? e : program_.reduced(s->second, e->type);
      break;
    }
  }
  done_.emplace(e, r);
  return r;
}

void Rewriter::apply(Store& s) {
  auto b = buffers_.find(s.buffer);
  if (b != buffers_.end()) s.buffer = b->second;
  s.index = apply(s.index);
  for (Indirect& i : s.indirect) {
    i.value = apply(i.value);
    i.size = apply(i.size);
    i.stride = apply(i.stride);
  }
  s.value = apply(s.value);
}

void Rewriter::apply(Nest& n) {
  for (Stage& s : n.stages) {
    for (Reduction& r : s.reductions) r.value = apply(r.value);
    for (Store& st : s.stores) apply(st);
  }
}

std::vector<const Expr*> roots(const Stage& s) {
  std::vector<const Expr*> found;
  for (const Reduction& r : s.reductions) found.push_back(r.value);
  for (const Store& st : s.stores) {
    for (const Indirect& i : st.indirect) found.push_back(i.value);
    found.push_back(st.value);
  }
  return found;
}

std::vector<const Expr*> roots(const Nest& n) {
  std::vector<const Expr*> found;
  for (const Stage& s : n.stages) {
    auto more = roots(s);
    found.insert(found.end(), more.begin(), more.end());
  }
  return found;
}

bool varies(const Expr* root, std::span<const Int> symbols) {
  bool found = false;
  const Expr* one[] = {root};
  for_each_expr(one, [&](const Expr* e) {
    for (Int s : symbols) found = found || depends_on(e->index, s) || depends_on(e->condition, s);
  });
  return found;
}

int phase_of(const Expr* root, const std::unordered_map<int, int>& slot_phases,
             std::unordered_map<const Expr*, int>& memo) {
  auto known = memo.find(root);
  if (known != memo.end()) return known->second;
  const Expr* one[] = {root};
  for_each_expr(one, [&](const Expr* e) {
    if (memo.count(e)) return;
    int phase = e->kind == ExprKind::reduced ? slot_phases.at(e->slot) + 1 : 0;
    for (const Expr* a : e->args) phase = std::max(phase, memo.at(a));
    for (const Indirect& i : e->indirect) phase = std::max(phase, memo.at(i.value));
    memo.emplace(e, phase);
  });
  return memo.at(root);
}

}  // namespace frit::loops
