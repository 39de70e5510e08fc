// The one way decompositions and vjps run ops: call(record, args). Eager, the tape, the recorder
// and the graph builder are Callers.
#pragma once
#include <algorithm>
#include <span>

#include "ops/arg.h"
#include "ops/shape.h"

namespace frit {

struct OpRecord;
const OpRecord& find_op(std::string_view full_name);  // InternalError if there is none

template <size_t N>
struct OpName {
  char text[N];
  constexpr OpName(const char (&s)[N]) { std::copy_n(s, N, text); }
};

class Caller {
 public:
  virtual ~Caller() = default;
  // args are complete (defaults filled). Outputs in order.
  virtual RefList call(const OpRecord&, std::span<const Arg> args) = 0;
  // The value of an integer tensor of one element, where there are values: else a UserError.
  virtual int64_t item(const Ref&);
  // Are the calls differentiated in turn? Then a vjp's gradient must have the right derivative,
  // too.
  virtual bool on_tape() const { return false; }

  // expand, of which derivative rules use much.
  virtual Ref expanded(const Ref&, std::span<const Int> sizes);

  // c.op<"mul.Tensor">(x, y): trailing defaults are filled; the record is looked up once.
  template <OpName name, class... A>
  Ref op(A&&... args) {
    return ops<name>(std::forward<A>(args)...)[0];
  }
  template <OpName name, class... A>
  RefList ops(A&&... args) {
    static const OpRecord& record = find_op(name.text);
    ArgList list;
    (list.emplace_back(std::forward<A>(args)), ...);
    return call_with_defaults(record, std::move(list));
  }
  RefList call_with_defaults(const OpRecord&, ArgList args);
};

// A tensor summed down to sizes it was broadcast from.
Ref sum_to_sizes(Caller&, const Ref&, std::span<const Int> sizes);

// What a vjp sees: gradients of the outputs, what was saved, and sizes of everything.
class VjpCtx {
 public:
  Caller& c;
  const OpRecord& record;
  std::span<const Ref> grads;  // one an output; undefined where no gradient reached it
  std::span<const Arg> args;   // numbers as given; a tensor only if record.saves says so
  std::span<const Ref> outs;   // defined only if record.saves says so
  std::span<const TensorMeta<Int>> arg_metas;  // by argument; tensors only (lists: see list_metas)
  std::span<const TensorMeta<Int>> out_metas;
  std::span<const std::vector<TensorMeta<Int>>>
      list_metas;                // by argument; empty without tensor lists
  std::span<const bool> wanted;  // by argument: does anyone want its gradient

  const Ref& grad(int i = 0) const { return grads[i]; }
  const Ref& arg(int i) const { return args[i].ref(); }
  const Ref& out(int i = 0) const { return outs[i]; }
  bool needs(int i) const { return wanted[i]; }
  const TensorMeta<Int>& meta(int i) const { return arg_metas[i]; }
  // The gradient summed down to the sizes of argument i (undoes broadcasting) and cast to its
  // dtype.
  Ref reduce_to(int i, const Ref& grad) const;
  Ref cast_to(const Ref&, DType) const;
  template <OpName name, class... A>
  Ref op(A&&... a) const {
    return c.op<name>(std::forward<A>(a)...);
  }
};

// One entry an argument: a Ref, a list of Refs for Tensor[], or None. A list that ends early means
// None for the rest.
using GradList = ArgList;

}  // namespace frit
