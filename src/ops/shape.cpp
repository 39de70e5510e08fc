#include "ops/shape.h"

#include "ops/record.h"
#include "sym/shape_env.h"

namespace frit {

template <class I>
TensorMeta<I> ShapeCtx<I>::tensor(int i) const {
  const Ref& r = args_[static_cast<size_t>(i)].ref();
  if (!r.defined())
    fail("argument '" + record_.schema.args[static_cast<size_t>(i)].name +
             "' is an undefined tensor",
         "give it a tensor", ErrorKind::type);
  if constexpr (std::is_same_v<I, Int>)
    return meta(r);
  else
    return meta_int64(r);
}

template <class I>
SmallVector<TensorMeta<I>, 8> ShapeCtx<I>::tensors(int i) const {
  SmallVector<TensorMeta<I>, 8> list;
  for (const Ref& r : args_[static_cast<size_t>(i)].refs()) {
    if (!r.defined()) {
      list.emplace_back();
      continue;
    }
    if constexpr (std::is_same_v<I, Int>)
      list.push_back(meta(r));
    else
      list.push_back(meta_int64(r));
  }
  return list;
}

template <class I>
I ShapeCtx<I>::integer(int i) const {
  Int v = args_[static_cast<size_t>(i)].to_int();
  if constexpr (std::is_same_v<I, Int>)
    return v;
  else
    return v.hint();
}

template <class I>
DimsOf<I> ShapeCtx<I>::ints(int i) const {
  IntList l = args_[static_cast<size_t>(i)].to_ints();
  if constexpr (std::is_same_v<I, Int>) {
    return l;
  } else {
    DimsOf<I> r;
    for (Int v : l) r.push_back(v.hint());
    return r;
  }
}

template <class I>
int64_t ShapeCtx<I>::constant(int i) const {
  // The guard is what makes the number part of the entry: comparing with the hint installs it.
  Int v = args_[static_cast<size_t>(i)].to_int();
  if constexpr (std::is_same_v<I, Int>)
    if (v.is_symbolic()) (void)static_cast<bool>(v == Int(v.hint()));
  return v.hint();
}

template <class I>
int64_t ShapeCtx<I>::dim(int i, int64_t rank) const {
  return wrap_dim(constant(i), rank, op());
}

template <class I>
int ShapeCtx<I>::find(std::string_view name) const {
  return record_.schema.find(name);
}

template <class I>
Int ShapeCtx<I>::unbacked(std::string_view what, Int upper) const {
  FRIT_INVARIANT(env_ != nullptr,
                 record_.full_name + " gives sizes that depend on data, outside a graph");
  if (upper.is_constant()) return env_->new_unbacked(std::string(what), {}, 0, upper.constant());
  Int size = env_->new_unbacked(std::string(what), {}, 0);
  env_->assume(size <= upper);
  return size;
}

template <class I>
OutMeta<I>& ShapeCtx<I>::out(DType dtype, std::span<const I> sizes) {
  OutMeta<I>& o = outs_.emplace_back();
  o.dtype = dtype;
  o.sizes = DimsOf<I>(sizes);
  o.strides = contiguous_strides<I>(sizes);
  return o;
}

template <class I>
OutMeta<I>& ShapeCtx<I>::out(DType dtype, std::span<const I> sizes, std::span<const I> strides) {
  OutMeta<I>& o = outs_.emplace_back();
  o.dtype = dtype;
  o.sizes = DimsOf<I>(sizes);
  o.strides = DimsOf<I>(strides);
  return o;
}

template <class I>
OutMeta<I>& ShapeCtx<I>::view(int i, std::span<const I> sizes, std::span<const I> strides,
                              I offset) {
  OutMeta<I>& o = out(tensor(i).dtype, sizes, strides);
  o.offset = offset;
  o.alias_of = i;
  return o;
}

template <class I>
void ShapeCtx<I>::fail(std::string message, std::string hint, ErrorKind kind) const {
  throw UserError(kind, op(), std::move(message), std::move(hint));
}

template <class I>
std::string_view ShapeCtx<I>::op() const {
  return called_->schema.name;
}

template class ShapeCtx<int64_t>;
template class ShapeCtx<Int>;

}  // namespace frit
