// Dims, dtypes and output sizes of reductions.
#include <fmt/format.h>

#include "ops/generic.h"
#include "ops/kind_rules.h"

namespace frit {
namespace {

DType dtype_of_ref(const Ref& r) {
  return r.kind() == Ref::Kind::tensor ? r.tensor().impl()->dtype : meta(r).dtype;
}

}  // namespace

SmallVector<int64_t, 5> reduced_dims(const OpRecord& r, std::span<const Arg> args, int64_t rank) {
  SmallVector<int64_t, 5> dims;
  auto all = [&] {
    for (int64_t d = 0; d < rank; ++d) dims.push_back(d);
    return dims;
  };
  if (r.dims_arg == kNoArg) return all();
  const Arg& a = args[static_cast<size_t>(r.dims_arg)];
  if (a.is_none()) return all();
  if (a.is<Int>()) {
    int64_t d = wrap_dim(a.as<Int>().hint(), rank, r.schema.name);
    if (rank > 0) dims.push_back(d);
    return dims;
  }
  const IntList& list = a.as<IntList>();
  if (rank > 64 && !list.empty())
    throw UserError(ErrorKind::runtime, r.schema.name,
                    "only tensors with up to 64 dims are supported", "flatten some of them");
  if (list.empty()) {
    if (r.empty_dims_reduce_nothing) return dims;
    return all();
  }
  SmallVector<bool, 8> seen(static_cast<size_t>(std::max<int64_t>(rank, 1)), false);
  for (Int given : list) {
    int64_t d = wrap_dim(given.hint(), rank, r.schema.name);
    if (std::exchange(seen[static_cast<size_t>(d)], true))
      throw UserError(ErrorKind::runtime, r.schema.name,
                      fmt::format("dim {} appears multiple times in the list of dims", d),
                      "name each dim once; negative ones count from the end");
  }
  for (int64_t d = 0; d < rank; ++d)
    if (seen[static_cast<size_t>(d)]) dims.push_back(d);
  return dims;
}

OpTypes reduction_types(const OpRecord& r, std::span<const Arg> args) {
  DType in = dtype_of_ref(args[0].ref());
  if (r.dtype_arg != kNoArg && !args[static_cast<size_t>(r.dtype_arg)].is_none()) {
    DType t = args[static_cast<size_t>(r.dtype_arg)].as<DType>();
    return {t, t};
  }
  switch (r.promotion) {
    case Promotion::sum_type: {
      DType t = is_floating(in) ? in : DType::i64;
      return {t, t};
    }
    case Promotion::to_float: {
      DType t = is_floating(in) ? in : default_dtype();
      return {t, t};
    }
    case Promotion::comparison:
    case Promotion::to_bool:
      return {in, in == DType::u8 ? DType::u8 : DType::boolean};
    case Promotion::to_index:
      return {in, DType::i64};
    case Promotion::result_type:
    case Promotion::with_integer:
    case Promotion::same_as_self:
      return {in, in};
  }
  return {in, in};
}

template <class I>
void reduction_rule(ShapeCtx<I>& s) {
  const OpRecord& r = s.record();
  if constexpr (std::is_same_v<I, Int>) {
    if (r.check_symbolic) r.check_symbolic(s);
  } else {
    if (r.check) r.check(s);
  }
  TensorMeta<I> self = s.tensor(0);
  auto dims = reduced_dims(r, s.args(), self.dim());
  bool keep = r.keepdim_arg != kNoArg && s.flag(r.keepdim_arg);
  DimsOf<I> sizes;
  size_t next = 0;
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (next < dims.size() && dims[next] == d) {
      ++next;
      if (keep) sizes.push_back(I(1));
    } else {
      sizes.push_back(self.size(d));
    }
  }
  OpTypes types = reduction_types(r, s.args());
  for (const SchemaReturn& result : r.schema.returns)
    s.out(result.name == "indices" ? DType::i64 : types.result, sizes);
}

template void reduction_rule(ShapeCtx<int64_t>&);
template void reduction_rule(ShapeCtx<Int>&);

}  // namespace frit
