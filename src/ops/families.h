// Every family of ops, one function each; the list in registry.cpp calls them in this order.
#pragma once
#include "ops/record.h"

namespace frit {

void register_arithmetic(Registry&);
void register_unary(Registry&);
void register_activations(Registry&);
void register_comparisons(Registry&);
void register_clamping(Registry&);
void register_selection(Registry&);
void register_integer_ops(Registry&);
void register_reductions(Registry&);
void register_norms(Registry&);
void register_views(Registry&);
void register_view_composites(Registry&);
void register_matmul(Registry&);
void register_index(Registry&);
void register_random(Registry&);
void register_creation(Registry&);
void register_copy(Registry&);
void register_softmax(Registry&);
void register_normalization(Registry&);
void register_losses(Registry&);

}  // namespace frit
