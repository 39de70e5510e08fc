// Shape rules: one text for int64 (eager) and Int (trace). A rule reads the arguments' metadata and
// gives each output's dtype, sizes and strides, or raises the user's error.
#pragma once
#include <span>
#include <string>

#include "base/error.h"
#include "core/layout.h"
#include "ops/schema.h"

namespace frit {

struct OpRecord;

template <class I>
struct TensorMeta {
  DType dtype = DType::f32;
  std::span<const I> sizes, strides;
  I offset = I(0);
  bool requires_grad = false;

  int64_t dim() const { return static_cast<int64_t>(sizes.size()); }
  I numel() const { return numel_of<I>(sizes); }
  const I& size(int64_t d) const { return sizes[static_cast<size_t>(d < 0 ? d + dim() : d)]; }
  const I& stride(int64_t d) const { return strides[static_cast<size_t>(d < 0 ? d + dim() : d)]; }
};

template <class I>
struct OutMeta {
  DType dtype = DType::f32;
  DimsOf<I> sizes, strides;
  I offset = I(0);
  int alias_of = -1;  // the argument whose storage this output shares (views); offset is absolute
  // Outputs of one op never share storage with one another unless they alias one argument.
};

// The metadata of a tensor in any form, sizes as Int. Int holds small constants as themselves, so
// int64 sizes are read in place.
TensorMeta<Int> meta(const Ref&);
TensorMeta<int64_t> meta_int64(
    const Ref&);  // a Value's hints are not used: tensors and handles only
// How to read a graph Value; the ir room, which ops cannot see, installs it when it is loaded.
using ValueMetaReader = TensorMeta<Int> (*)(const ir::Value&);
void install_value_meta(ValueMetaReader);

template <class I>
class ShapeCtx {
 public:
  // `called` is the form the user called, which errors name; the record itself where none is given.
  ShapeCtx(const OpRecord& record, std::span<const Arg> args, const OpRecord* called = nullptr)
      : record_(record), args_(args), called_(called ? called : &record) {}

  const OpRecord& record() const { return record_; }
  std::span<const Arg> args() const { return args_; }
  bool has(int i) const { return !args_[i].is_none(); }
  TensorMeta<I> tensor(int i) const;
  SmallVector<TensorMeta<I>, 8> tensors(int i) const;
  I integer(int i) const;
  DimsOf<I> ints(int i) const;
  int64_t constant(int i) const;  // dims, flags: guards if symbolic
  double real(int i) const { return args_[i].to_double(); }
  bool flag(int i) const { return args_[i].to_bool(); }
  Scalar scalar(int i) const { return args_[i].to_scalar(); }
  // Argument by name, -1 where the schema has none: for rules that many ops share.
  int find(std::string_view name) const;
  bool has(std::string_view name) const {
    int i = find(name);
    return i >= 0 && has(i);
  }
  DType dtype_or(int i, DType fallback) const {
    return has(i) ? args_[i].template as<DType>() : fallback;
  }
  std::string_view text(int i) const { return args_[i].template as<Symbol>().str(); }
  int64_t dim(int i, int64_t rank) const;  // argument i wrapped into [0, rank)

  // A size that only the values decide, from 0 to `upper`: a new unbacked symbol of the graph's
  // environment. In eager the kernel makes such outputs, and the int64 rule only checks.
  Int unbacked(std::string_view what, Int upper) const;
  // Whoever builds a graph says where those symbols live.
  void set_env(sym::ShapeEnv* env) { env_ = env; }

  // Adds an output. Contiguous where no strides are given.
  OutMeta<I>& out(DType dtype, std::span<const I> sizes);
  OutMeta<I>& out(DType dtype, std::span<const I> sizes, std::span<const I> strides);
  // A view of tensor argument i.
  OutMeta<I>& view(int i, std::span<const I> sizes, std::span<const I> strides, I offset);

  [[noreturn]] void fail(std::string message, std::string hint = {},
                         ErrorKind kind = ErrorKind::runtime) const;
  std::string_view op() const;
  const OpRecord& called() const { return *called_; }

  SmallVector<OutMeta<I>, 2>& outs() { return outs_; }

 private:
  const OpRecord& record_;
  std::span<const Arg> args_;
  const OpRecord* called_;
  sym::ShapeEnv* env_ = nullptr;
  SmallVector<OutMeta<I>, 2> outs_;
};

extern template class ShapeCtx<int64_t>;
extern template class ShapeCtx<Int>;

}  // namespace frit
