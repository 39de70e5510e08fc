// The files of the family, and what they share.
#pragma once
#include <fmt/format.h>

#include "ops/copy/memory_format.h"
#include "ops/generic.h"
#include "ops/kind_rules.h"
#include "ops/vjp_helpers.h"

namespace frit {

void register_gathers(Registry&);
void register_scatters(Registry&);
void register_advanced_indexing(Registry&);
void register_embedding(Registry&);
void register_masks(Registry&);
void register_ordering(Registry&);

namespace index {

inline bool is_index(DType t) { return t == DType::i64 || t == DType::i32; }

// A tensor of no dimensions counts as one of one dimension of size 1.
template <class I>
int64_t rank_of(const TensorMeta<I>& t) {
  return t.dim() ? t.dim() : 1;
}
template <class I>
I size_at(const TensorMeta<I>& t, int64_t d) {
  return t.dim() ? t.size(d) : I(1);
}

template <class I>
bool same_sizes(std::span<const I> a, std::span<const I> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!sizes_agree(a[i], b[i])) return false;
  return true;
}

template <class I>
bool is_empty(const TensorMeta<I>& t) {
  return ask_or(size_eq(t.numel(), I(0)), false);
}

[[noreturn]] inline void fail(std::string_view op, std::string message, std::string hint,
                              ErrorKind kind = ErrorKind::runtime) {
  throw UserError(kind, op, std::move(message), std::move(hint));
}

inline Ref zeros(const VjpCtx& v, std::span<const Int> sizes, DType t) {
  return v.op<"full">(IntList(sizes), Scalar(0), t);
}

}  // namespace index
}  // namespace frit
