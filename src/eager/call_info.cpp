#include "eager/call_info.h"

#include "eager/intercept.h"

namespace frit::eager {
namespace {

bool symbolic_arg(const Arg& a) {
  if (a.is<Int>()) return a.as<Int>().is_symbolic();
  if (a.is<Scalar>()) return a.as<Scalar>().is_symbolic();
  if (a.is<IntList>()) {
    for (Int i : a.as<IntList>())
      if (i.is_symbolic()) return true;
  }
  return false;
}

Arg concrete_arg(const Arg& a) {
  if (!symbolic_arg(a)) return a;
  if (a.is<Int>()) return Arg(Int(a.as<Int>().hint()));
  if (a.is<Scalar>()) return Arg(Scalar(a.as<Scalar>().as_int().hint()));
  IntList list;
  for (Int i : a.as<IntList>()) list.push_back(Int(i.hint()));
  return Arg(std::move(list));
}

// Tensors out, everything else as it is.
Arg without_tensors(const Arg& a) {
  if (a.is_ref()) return Arg();
  if (a.is_ref_list()) return Arg(std::vector<Ref>(a.refs().size()));
  return a;
}

bool symbolic_tensor(const Ref& r) { return r.tensor().defined() && r.tensor().impl()->symbolic; }

std::span<const Int> as_ints(const Dims& d) {
  return {reinterpret_cast<const Int*>(d.data()), d.size()};  // see ops/meta.cpp
}

SymbolicMeta symbolic_meta(const Tensor& t) {
  TensorMeta<Int> m = meta(Ref(t));
  return {IntList(m.sizes), IntList(m.strides), m.offset};
}

TensorMeta<Int> with_symbols(const TensorInfo& info, const SymbolicMeta* s) {
  TensorMeta<Int> m = info.meta();
  if (s) {
    m.sizes = s->sizes;
    m.strides = s->strides;
    m.offset = s->offset;
  }
  return m;
}

}  // namespace

struct CallInfo::Symbolic {
  uint64_t serial;
  ArgList args;
  std::vector<SymbolicMeta> metas, outs;         // by argument; by output
  std::vector<std::vector<SymbolicMeta>> lists;  // by argument
};

void CallInfo::SymbolicDelete::operator()(Symbolic* s) const { delete s; }

TensorInfo::TensorInfo(const Tensor& t) : defined(t.defined()) {
  if (!defined) return;
  const TensorImpl& i = *t.impl();
  requires_grad = i.requires_grad();
  dtype = i.dtype;
  sizes = i.sizes;
  strides = i.strides;
  offset = i.offset;
}

TensorMeta<Int> TensorInfo::meta() const {
  return {dtype, as_ints(sizes), as_ints(strides), Int(offset), requires_grad};
}

CallInfo::CallInfo(const OpRecord& record, std::span<const Arg> args, SourceLocation where)
    : record(record), where(where) {
  for (size_t i = 0; i < args.size(); ++i) {
    const Arg& a = args[i];
    args_.push_back(concrete_arg(without_tensors(a)));
    if (a.is_ref())
      infos_.emplace_back(a.ref().tensor());
    else
      infos_.emplace_back();
    if (a.is_ref_list()) {
      lists_.resize(args.size());
      for (const Ref& r : a.refs()) lists_[i].emplace_back(r.tensor());
    }
  }
}

void CallInfo::set_outs(std::span<const Tensor> results) {
  outs.clear();
  for (const Tensor& t : results) outs.emplace_back(t);
}

void CallInfo::keep_symbolic(std::span<const Arg> args, std::span<const Tensor> results) {
  bool any = has_symbolic(args);
  for_each_ref(args, [&](const Ref& r) { any = any || symbolic_tensor(r); });
  for (const Tensor& t : results) any = any || (t.defined() && t.impl()->symbolic);
  if (!any) return;
  std::unique_ptr<Symbolic, SymbolicDelete> s(new Symbolic{capture_serial(), {}, {}, {}, {}});
  s->lists.resize(args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    const Arg& a = args[i];
    s->args.push_back(without_tensors(a));
    s->metas.push_back(a.is_ref() ? symbolic_meta(a.ref().tensor()) : SymbolicMeta());
    if (a.is_ref_list())
      for (const Ref& r : a.refs())
        s->lists[i].push_back(r.defined() ? symbolic_meta(r.tensor()) : SymbolicMeta());
  }
  for (const Tensor& t : results)
    s->outs.push_back(t.defined() ? symbolic_meta(t) : SymbolicMeta());
  symbolic_ = std::move(s);
}

const CallInfo::Symbolic* CallInfo::symbolic() const {
  return symbolic_ && recording() && symbolic_->serial == capture_serial() ? symbolic_.get()
                                                                           : nullptr;
}

const ArgList& CallInfo::numbers() const {
  const Symbolic* s = symbolic();
  return s ? s->args : args_;
}

SmallVector<TensorMeta<Int>, 6> CallInfo::arg_metas() const {
  const Symbolic* s = symbolic();
  SmallVector<TensorMeta<Int>, 6> metas;
  for (size_t i = 0; i < infos_.size(); ++i)
    metas.push_back(with_symbols(infos_[i], s && infos_[i].defined ? &s->metas[i] : nullptr));
  return metas;
}

SmallVector<TensorMeta<Int>, 2> CallInfo::out_metas() const {
  const Symbolic* s = symbolic();
  SmallVector<TensorMeta<Int>, 2> metas;
  for (size_t i = 0; i < outs.size(); ++i)
    metas.push_back(with_symbols(outs[i], s && i < s->outs.size() ? &s->outs[i] : nullptr));
  return metas;
}

std::vector<std::vector<TensorMeta<Int>>> CallInfo::list_metas() const {
  std::vector<std::vector<TensorMeta<Int>>> metas(lists_.size());
  const Symbolic* s = symbolic();
  for (size_t i = 0; i < lists_.size(); ++i)
    for (size_t j = 0; j < lists_[i].size(); ++j)
      metas[i].push_back(with_symbols(lists_[i][j], s ? &s->lists[i][j] : nullptr));
  return metas;
}

bool has_symbolic(std::span<const Arg> args) {
  for (const Arg& a : args)
    if (symbolic_arg(a)) return true;
  return false;
}

ArgList concrete(std::span<const Arg> args) {
  ArgList list;
  for (const Arg& a : args) list.push_back(concrete_arg(a));
  return list;
}

}  // namespace frit::eager
