// One op is one record. Everything the system knows of an op is here or follows from its kind.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/generator.h"
#include "ops/caller.h"
#include "ops/schema.h"
#include "ops/shape.h"

namespace frit {

enum class Kind : uint8_t {
  pointwise,  // out[i] = body(in0[i], in1[i], ..., scalars): broadcasting, promotion by `promotion`
  reduction,  // body combines over the dims argument
  view,       // output aliases argument 0; `index_map` says which element
  matmul,     // a library micro-kernel with an epilogue
  index,      // gathers and scatters
  random,     // Philox words
  creation,   // no tensor data read: full, arange, empty
  copy,       // clone, contiguous, to, copy: same values in another layout or dtype
  composite,  // written in other ops (decomp)
  library,    // an eager kernel that is not lowered: called as a step of its own
  host,       // calls back into the user's program
};

// Which dtype a pointwise body computes in and gives, from its operands.
enum class Promotion : uint8_t {
  result_type,   // torch.result_type of the operands; output the same
  with_integer,  // result_type of the operands and an integer: bools give int64 (square)
  sum_type,      // integers and bools become int64; a dtype argument decides alone (sum, prod)
  to_float,      // integers and bools compute in the default float type
  comparison,    // computes in result_type, gives bool
  to_bool,       // computes in the operand's own type, gives bool (isnan, logical_not)
  to_index,      // computes in the operand's own type, gives int64 (argmax, count_nonzero)
  same_as_self,  // the first tensor's dtype
};

// How a reduction finds the dims it runs over where none are given.
inline constexpr int kNoArg = -1;

// The variant of an op that the user calls; functional is what graphs hold.
enum class Form : uint8_t { functional, inplace, out };

template <class I>
using ShapeRule = std::function<void(ShapeCtx<I>&)>;

// Written once against a Caller.
using Decomposition = std::function<RefList(Caller&, std::span<const Arg>)>;
using Vjp = std::function<GradList(VjpCtx&)>;

// For a view: the index into argument 0 of the element that output index `out` shows. Index
// arithmetic is Int arithmetic (loop variables are symbols).
using IndexMap = std::function<IntList(ShapeCtx<Int>&, std::span<const Int> out)>;
// For a view: the base with the viewed elements replaced by `updated`.
using ViewInverse =
    std::function<Ref(Caller&, const Ref& base, const Ref& updated, std::span<const Arg>)>;
// For a random op: how many 32-bit words a call uses; bodies take word i (or 2i, 2i+1) for element
// i.
using Words = std::function<Int(ShapeCtx<Int>&)>;

struct KernelCall {
  const OpRecord& record;
  std::span<const Arg> args;  // tensors are Tensors with data
  std::span<Tensor> outs;     // allocated by the shape rule; empty slots if data_dependent
  PhiloxState rng;            // for random ops
};
using Kernel = void (*)(KernelCall&);

struct OpRecord {
  Schema schema;
  std::string full_name;  // "add.Tensor"
  uint32_t id = 0;        // dense index in the registry
  Kind kind = Kind::composite;
  Form form = Form::functional;
  const OpRecord* functional = nullptr;  // of an in-place or out form; itself for a functional one
  const OpRecord* inplace = nullptr;     // forms of a functional op, where it has them
  const OpRecord* out = nullptr;

  ShapeRule<int64_t> shape;       // eager
  ShapeRule<Int> shape_symbolic;  // trace: same text

  std::string body;  // pointwise, reduction, random: a function of the vec header, called with
                     // tensor operands, then Scalars, in schema order, in the compute type
  Promotion promotion = Promotion::result_type;
  // Masks over arguments by their place in the schema.
  uint32_t uncast_args = 0;  // pointwise: a tensor that keeps its own dtype (where's condition)
  uint32_t promoting_args =
      0;  // pointwise: a Scalar that counts in type promotion, as a number does
  // Of them, those that PyTorch makes an operand without dimensions of, which layout depends on.
  uint32_t operand_args = 0;
  // Pointwise: a string argument whose text, after '_', ends the body's name (gelu's approximate),
  // and the texts it may have.
  int variant_arg = kNoArg;
  std::vector<std::string> variants;
  ShapeRule<int64_t> check;  // pointwise and reduction: runs before the kind's rule
  ShapeRule<Int> check_symbolic;
  bool empty_dims_reduce_nothing =
      false;                        // any, all with dim=[]; other reductions take all dims then
  int storage_offset_arg = kNoArg;  // counts from where argument 0's storage begins; in graphs,
                                    // whose values have no storage, from where argument 0 does
  int dims_arg = kNoArg, keepdim_arg = kNoArg,
      dtype_arg = kNoArg;  // reduction: by name dim, keepdim, dtype
  Decomposition decomp;
  Vjp vjp;
  bool differentiable = true;  // false: outputs never require gradients (comparisons, argmax)
  // Not differentiable, but its in-place form, whose result takes self's dtype, has this vjp.
  bool flat_in_place = false;
  uint32_t not_differentiable_args = 0;  // an error where one requires a gradient
  uint32_t saves_args = 0,
           saves_outs = 0;  // which tensors the vjp reads; others it sees by size only
  // E.g. an index out of range: must not come after a store to an input.
  bool raises_on_data = false;
  bool raises_on_integers = false;  // raises_on_data, but never where it computes in a float type
  bool data_dependent = false;      // output sizes depend on values (nonzero)
  bool has_effect = false;          // host: not pure
  bool of_graphs = false;           // a recording makes calls of it, a program cannot
  IndexMap index_map;               // view
  ViewInverse view_inverse;         // view
  Words words;                      // random
  Kernel kernel = nullptr;  // set by the kernels room at start; pointwise and reduction need none
  std::string
      lowering;     // only where the kind does not say how to lower: a named lowering of `loops`
  std::string doc;  // one or two sentences for the documentation page

  // A composite that runs as its parts everywhere: it is never a node.
  bool is_implicit() const { return kind == Kind::composite && !kernel && !vjp; }
  bool writes() const { return form != Form::functional || has_effect; }
};

// Describes a record where it is registered:
//   r.op("relu(Tensor self) -> Tensor").pointwise("relu").inplace().vjp(...)
class OpBuilder {
 public:
  explicit OpBuilder(OpRecord& r) : r_(r) {}

  // F is a generic captureless lambda [](auto& s): built for int64_t and for Int.
  template <class F>
  OpBuilder& shape(F) {
    r_.shape = [](ShapeCtx<int64_t>& s) { F{}(s); };
    r_.shape_symbolic = [](ShapeCtx<Int>& s) { F{}(s); };
    return *this;
  }
  OpBuilder& kind(Kind k) {
    r_.kind = k;
    return *this;
  }
  // Broadcasting shape rule, promotion, lowering: all from the kind.
  OpBuilder& pointwise(std::string_view body, Promotion p = Promotion::result_type);
  OpBuilder& uncast(std::initializer_list<std::string_view> args);
  // Scalars that count in promotion: as operands like a tensor, or as parameters (a bound, a
  // power).
  OpBuilder& promoting(std::initializer_list<std::string_view> operands,
                       std::initializer_list<std::string_view> parameters = {});
  OpBuilder& variants(std::string_view arg, std::initializer_list<std::string_view> texts);
  // Like shape(): raises what the kind's rule would not.
  template <class F>
  OpBuilder& check(F) {
    r_.check = [](ShapeCtx<int64_t>& s) { F{}(s); };
    r_.check_symbolic = [](ShapeCtx<Int>& s) { F{}(s); };
    return *this;
  }
  // Shape rule from the dims and keepdim arguments (found by the names dim and keepdim).
  OpBuilder& reduction(std::string_view body, Promotion p = Promotion::result_type);
  OpBuilder& empty_dims_reduce_nothing() {
    r_.empty_dims_reduce_nothing = true;
    return *this;
  }
  OpBuilder& view(IndexMap, ViewInverse);
  OpBuilder& random(std::string_view body, Words);
  OpBuilder& composite(Decomposition d) {
    r_.kind = Kind::composite;
    r_.decomp = std::move(d);
    return *this;
  }
  OpBuilder& decomp(Decomposition d) {
    r_.decomp = std::move(d);
    return *this;
  }  // keeps the kind
  OpBuilder& vjp(Vjp v) {
    r_.vjp = std::move(v);
    return *this;
  }
  // Arguments by name, outputs as a mask.
  OpBuilder& saves(std::initializer_list<std::string_view> args, uint32_t outs = 0);
  OpBuilder& not_differentiable_in(std::initializer_list<std::string_view> args);
  OpBuilder& not_differentiable() {
    r_.differentiable = false;
    return *this;
  }
  // Results of its own are bools. In place on floats: of no slope.
  OpBuilder& flat_in_place();
  OpBuilder& raises_on_data() {
    r_.raises_on_data = true;
    return *this;
  }
  // Division of integers, by 0: UserError "ZeroDivisionError".
  OpBuilder& raises_on_integers() {
    r_.raises_on_data = r_.raises_on_integers = true;
    return *this;
  }
  OpBuilder& data_dependent() {
    r_.data_dependent = true;
    r_.raises_on_data = true;
    return *this;
  }
  OpBuilder& effect() {
    r_.has_effect = true;
    return *this;
  }
  OpBuilder& of_graphs() {
    r_.of_graphs = true;
    return *this;
  }
  OpBuilder& counts_from_storage(std::string_view arg) {
    r_.storage_offset_arg = r_.schema.find(arg);
    return *this;
  }
  OpBuilder& lowering(std::string_view l) {
    r_.lowering = l;
    return *this;
  }
  // Adds name_(Tensor(a!) self, ...). The overload is the functional one's unless aten differs.
  OpBuilder& inplace(std::optional<std::string_view> overload = {});
  // Adds name.out(..., *, Tensor(a!) out): overload "out", or "<overload>_out", unless aten
  // differs.
  OpBuilder& out(std::optional<std::string_view> overload = {},
                 std::initializer_list<std::string_view> names = {});
  OpBuilder& doc(std::string_view d) {
    r_.doc = d;
    return *this;
  }

  bool wants_inplace = false, wants_out = false;
  std::optional<std::string> inplace_overload, out_overload;
  std::vector<std::string> out_names;
  OpRecord& record() { return r_; }

 private:
  OpRecord& r_;
};

// The dtypes a pointwise call or a reduction computes in (before compute_type) and gives.
struct OpTypes {
  DType compute = DType::f32, result = DType::f32;
};
OpTypes pointwise_types(const OpRecord&, std::span<const Arg> args);
OpTypes reduction_types(const OpRecord&, std::span<const Arg> args);
// Can this call raise for the values it is given?
bool may_raise(const OpRecord&, std::span<const Arg> args);
// The body's name for these arguments: record.body, with its variant's ending.
std::string body_of(const OpRecord&, std::span<const Arg> args);
// A reduction's dims for a tensor of that rank, rising: all of them where none are given.
SmallVector<int64_t, 5> reduced_dims(const OpRecord&, std::span<const Arg> args, int64_t rank);

class Registry {
 public:
  // The record's schema text; UserError if an op of that full name exists.
  Registry();
  ~Registry();
  OpBuilder& op(std::string_view schema);
  // Makes the asked-for in-place and out forms, fills shape rules from kinds, checks every record
  // (InternalError names the op and what is missing). Called after each batch of op() calls.
  void finish();
  const OpRecord* find(std::string_view full_name) const;  // nullptr if there is none
  // Overloads of a name in registration order: what a call by name chooses among.
  std::vector<const OpRecord*> overloads(std::string_view name) const;
  std::vector<const OpRecord*> all() const;
  void set_kernel(std::string_view full_name, Kernel);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// All ops, registered at first use (ops/registry.cpp holds the straight list of families).
Registry& registry();

}  // namespace frit
