#include "ops/caller.h"

#include "ops/generic.h"
#include "ops/record.h"

namespace frit {

RefList Caller::call_with_defaults(const OpRecord& r, ArgList args) {
  const Schema& s = r.schema;
  FRIT_INVARIANT(args.size() <= s.args.size(), r.full_name + " was called with too many arguments");
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i].is_none() && s.args[i].type == ArgType::tensor && !s.args[i].optional)
      throw UserError(ErrorKind::type, s.name,
                      "argument '" + s.args[i].name + "' is an undefined tensor",
                      "give it a tensor");
    args[i] = canonical(s, i, std::move(args[i]));
  }
  for (size_t i = args.size(); i < s.args.size(); ++i) {
    FRIT_INVARIANT(s.args[i].has_default, r.full_name + " was called without " + s.args[i].name);
    args.push_back(s.args[i].default_value);
  }
  return call(r, args);
}

int64_t Caller::item(const Ref&) {
  throw UserError(ErrorKind::runtime, "item", "a tensor's value is read where there are no values",
                  "a number instead of the tensor");
}

Ref Caller::expanded(const Ref& t, std::span<const Int> sizes) {
  return op<"expand">(t, IntList(sizes));
}

Ref sum_to_sizes(Caller& c, const Ref& grad, std::span<const Int> sizes) {
  TensorMeta<Int> g = meta(grad);
  size_t lead = g.sizes.size() - sizes.size();
  IntList dims;
  for (size_t i = 0; i < lead; ++i) dims.push_back(Int(static_cast<int64_t>(i)));
  for (size_t i = 0; i < sizes.size(); ++i)
    if (!known_equal(sizes[i], g.sizes[lead + i]) && ask_or(sizes[i] == Int(1), false) &&
        !ask_or(g.sizes[lead + i] == Int(1), false))
      dims.push_back(Int(static_cast<int64_t>(lead + i)));
  if (dims.empty()) return grad;
  Ref summed = c.op<"sum.dim_IntList">(grad, dims, true);
  // What is left before the argument's own dims are sizes of 1.
  return lead ? c.op<"view">(summed, IntList(sizes)) : summed;
}

Ref VjpCtx::reduce_to(int i, const Ref& grad) const {
  if (!grad.defined()) return grad;
  const TensorMeta<Int>& m = meta(i);
  Ref g = sum_to_sizes(c, grad, m.sizes);
  return cast_to(g, m.dtype);
}

Ref VjpCtx::cast_to(const Ref& t, DType dtype) const {
  if (!t.defined() || frit::meta(t).dtype == dtype) return t;
  return c.op<"_to_copy">(t, dtype);
}

}  // namespace frit
