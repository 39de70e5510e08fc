// Shape rules that follow from an op's kind.
#pragma once
#include "ops/record.h"

namespace frit {

template <class I>
void pointwise_rule(ShapeCtx<I>&);
template <class I>
void reduction_rule(ShapeCtx<I>&);
// Of in-place and out forms, from the functional op's rule.
template <class I>
void inplace_rule(ShapeCtx<I>&);
template <class I>
void out_rule(ShapeCtx<I>&);

// Of an in-place form that runs as its parts: may `result` be stored into the written tensor? The
// user's error where its sizes or its dtype do not allow it.
void check_storable(const OpRecord& inplace, const TensorMeta<Int>& result,
                    const TensorMeta<Int>& written);

// May values of `from` be stored into `to` without losing their category (torch.can_cast)?
bool can_cast(DType from, DType to);
// "Float", PyTorch's name of a dtype in error messages.
std::string_view scalar_type_name(DType);
// "float", "double", "long int": the C++ name PyTorch prints in other messages.
std::string_view torch_name(DType);

}  // namespace frit
