// What passes share.
#pragma once
#include "ir/graph.h"

namespace frit::passes {

// The provenance of a node made from `n` by a pass: the same places, module and stage.
inline ir::Provenance derived(const ir::Node& n, const char* pass) {
  ir::Provenance p = n.provenance();
  p.pass = pass;
  p.from = n.id();
  return p;
}

// Same sizes and strides, structurally.
inline bool same_layout(const ir::Value& a, const ir::Value& b) {
  if (a.dtype() != b.dtype() || a.sizes().size() != b.sizes().size()) return false;
  for (size_t i = 0; i < a.sizes().size(); ++i)
    if (!a.sizes()[i].same_as(b.sizes()[i]) || !a.strides()[i].same_as(b.strides()[i]))
      return false;
  return true;
}

}  // namespace frit::passes
