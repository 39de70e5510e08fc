// Reductions by their bodies: what is joined, and what becomes of the result.
#include <array>

#include "base/fault.h"
#include "loops/lowering.h"

namespace frit::loops {
namespace {

using Op = Reduction::Op;

struct ReductionBody {
  std::string_view body;
  Op op;
  bool truth = false;       // elements count as true or false
  bool divided = false;     // by the number of elements
  bool with_index = false;  // a second reduction says where
};

constexpr std::array kBodies = {
    ReductionBody{"sum", Op::sum},
    ReductionBody{"mean", Op::sum, false, true},
    ReductionBody{"prod", Op::prod},
    ReductionBody{"amax", Op::max},
    ReductionBody{"amin", Op::min},
    ReductionBody{"max_with_index", Op::first_max, false, false, true},
    ReductionBody{"min_with_index", Op::first_min, false, false, true},
    ReductionBody{"argmax", Op::arg_max},
    ReductionBody{"argmin", Op::arg_min},
    ReductionBody{"any", Op::any, true},
    ReductionBody{"all", Op::all, true},
    ReductionBody{"count_nonzero", Op::sum, true},
};

const ReductionBody* find_body(std::string_view name) {
  for (const ReductionBody& b : kBodies)
    if (b.body == name) return &b;
  return nullptr;
}

bool is_arg(Op op) { return op == Op::arg_max || op == Op::arg_min; }

// One element reduced alone: joined to the start value, which turns -0 into 0 in sums.
const Expr* joined_alone(Program& p, Op op, const Expr* x) {
  if (op == Op::sum && is_floating(x->type))
    return p.call(intern("add"), {p.constant(Scalar(0), x->type), x}, x->type);
  return is_arg(op) ? p.index(0) : x;
}

}  // namespace

bool is_reduction(const ir::Node& n) {
  return n.record().kind == Kind::reduction && find_body(n.record().body) != nullptr;
}

ReductionParts reduction_parts(Program& p, const ir::Node& n, const Expr* operand, Int count,
                               bool reduces) {
  const ReductionBody& body = *find_body(n.record().body);
  OpTypes types = reduction_types(n.record(), n.args());
  DType compute = compute_type(types.compute);
  const Expr* x = operand;
  if (body.truth) {
    x = p.convert(x, DType::boolean);
    if (body.op == Op::sum) x = p.convert(x, DType::i64);
  } else {
    x = p.convert(x, compute);
  }
  ReductionParts parts;
  auto add = [&](Op op) { parts.reductions.push_back({op, x, is_arg(op) ? DType::i64 : x->type}); };
  Op where = body.op == Op::first_max ? Op::arg_max : Op::arg_min;
  if (reduces) {
    add(body.op);
    if (body.with_index) add(where);
  }
  std::vector<DType> results;
  for (ir::Value* v : n.outputs()) results.push_back(v->dtype());
  parts.finish = [body, x, where, count, reduces, results](Program& p, int output,
                                                           std::span<const Expr* const> reduced) {
    const Expr* r;
    if (reduces)
      r = reduced[static_cast<size_t>(output)];
    else
      r = joined_alone(p, output == 0 ? body.op : where, x);
    if (fault(Fault::reduction_identity) && body.op == Op::max)
      r = p.call(intern("maximum"), {r, p.constant(Scalar(0), r->type)}, r->type);
    if (body.divided) r = p.call(intern("div"), {r, p.constant(Scalar(count), r->type)}, r->type);
    return p.convert(r, results[static_cast<size_t>(output)]);
  };
  return parts;
}

constexpr int kPolynomial = 8;

int cost_of_body(std::string_view body) {
  // What is not one or two instructions counts as a polynomial of some degree.
  static constexpr std::array<std::string_view, 40> kCheap = {
      "add",         "sub",         "mul",         "div",
      "neg",         "abs",         "square",      "eq",
      "ne",          "lt",          "le",          "gt",
      "ge",          "where",       "rwhere",      "maximum",
      "minimum",     "fmax",        "fmin",        "clamp",
      "clamp_min",   "clamp_max",   "relu",        "threshold_backward",
      "logical_not", "logical_and", "logical_or",  "logical_xor",
      "bitwise_and", "bitwise_or",  "bitwise_xor", "bitwise_not",
      "isnan",       "sqrt",        "rsqrt",       "reciprocal",
      "fill",        "rsub",        "masked_fill", "sgn"};
  for (std::string_view c : kCheap)
    if (c == body) return 1;
  return kPolynomial;
}

bool is_costly(const Expr& e) {
  return e.kind == ExprKind::random ||
         (e.kind == ExprKind::call && cost_of_body(e.body.str()) >= kPolynomial);
}

int cost_of_node(const ir::Node& n) {
  switch (n.record().kind) {
    case Kind::pointwise:
      return cost_of_body(n.record().body);
    case Kind::random:
      return 16;
    case Kind::index:
      return 2;
    case Kind::creation:
    case Kind::view:
      return 0;
    case Kind::copy:
      return 1;
    case Kind::reduction:
      return 4;
    case Kind::matmul:
    case Kind::composite:
    case Kind::library:
    case Kind::host:
      return 64;
  }
  return 64;
}

}  // namespace frit::loops
