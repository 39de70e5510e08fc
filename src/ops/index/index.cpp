// Indexing: what is read or written is decided by tensors of indices.
//
// The primitives and their lowerings: index_select, gather, scatter (src or value), scatter_add,
// scatter_reduce, index_add, index_copy, index (_index) and index_put (_index_put). Index tensors
// are int64 or int32. Where several indices name one element, later ones win in row-major order of
// the index, or their values are combined in that order. An index out of range raises when the
// values are read, before anything is written.
#include "ops/families.h"
#include "ops/index/parts.h"

namespace frit {

void register_index(Registry& r) {
  register_gathers(r);
  register_scatters(r);
  register_advanced_indexing(r);
  register_embedding(r);
  register_masks(r);
  register_ordering(r);
}

}  // namespace frit
