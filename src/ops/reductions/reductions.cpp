// Sums, products, means, extremes, and where they are.
#include <fmt/format.h>

#include "ops/families.h"
#include "ops/generic.h"
#include "ops/kind_rules.h"
#include "ops/reductions/dims.h"

namespace frit {
namespace {

void sums(Registry& r) {
  Vjp sum_vjp = [](VjpCtx& v) -> GradList {
    return Grads(v)(0, [&] { return expand_to_input(v, grad(v)); });
  };
  r.op("sum(Tensor self, *, ScalarType? dtype=None) -> Tensor")
      .reduction("sum", Promotion::sum_type)
      .out("out")
      .vjp(sum_vjp)
      .doc("The sum over dim, or over everything. Integers and bools are summed as int64.");
  r.op("sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) "
       "-> Tensor")
      .reduction("sum", Promotion::sum_type)
      .out("IntList_out")
      .vjp(sum_vjp);
  r.op("sum_to_size(Tensor self, SymInt[] size) -> Tensor")
      .composite([](Caller& c, auto a) -> RefList {
        IntList size = a[1].to_ints();
        TensorMeta<Int> m = meta(a[0].ref());
        bool fits = size.size() <= m.sizes.size();
        for (size_t i = 0; fits && i < size.size(); ++i) {
          Int have = m.sizes[m.sizes.size() - size.size() + i];
          fits = known_one(size[i]) || sizes_agree(size[i], have);
        }
        if (!fits)
          throw UserError(ErrorKind::runtime, "sum_to_size",
                          fmt::format("size {{{}}} is not expandable to size {{{}}}.",
                                      dims_text(std::span<const Int>(size)), dims_text(m.sizes)),
                          "sizes must be equal or 1, compared from the last one back");
        if (size.empty()) return {c.op<"sum">(a[0])};
        return {sum_to_sizes(c, a[0].ref(), size)};
      })
      .doc("self summed down to sizes that broadcast to its own.");

  Vjp mean_vjp = [](VjpCtx& v) -> GradList {
    return Grads(v)(0, [&] { return expand_to_input(v, grad(v)) / Scalar(reduced_count(v)); });
  };
  auto mean_check = [](auto& s) {
    int at = s.find("dtype");
    DType t = s.dtype_or(at, s.tensor(0).dtype);
    if (!is_floating(t))
      s.fail(
          fmt::format(
              "mean(): could not infer output dtype. {} dtype must be either a floating point or "
              "complex dtype. Got: {}",
              s.has(at) ? "Optional" : "Input", scalar_type_name(t)),
          "mean(dtype=float32), or convert first");
  };
  r.op("mean(Tensor self, *, ScalarType? dtype=None) -> Tensor")
      .reduction("mean")
      .check(mean_check)
      .out("dtype_out")
      .vjp(mean_vjp)
      .doc("The mean over dim, or over everything; of float types.");
  r.op("mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> "
       "Tensor")
      .reduction("mean")
      .check(mean_check)
      .out("out")
      .vjp(mean_vjp);
}

// The gradient of a product over dimension `dim` of n elements, `g` that of the product: halves are
// multiplied until one element is left, and the gradient comes down the same way. Products and sums
// alone, so that all its derivatives are right where elements are 0.
Term prod_gradient_by_halves(const Term& x, const Term& g, int64_t dim, int64_t n) {
  if (n == 1) return g;
  auto part = [&](const Term& t, int64_t from, int64_t to) {
    return t.op<"slice.Tensor">(dim, from, to);
  };
  auto join = [&](std::vector<Ref> parts) {
    return Term(x.caller(), x.caller().op<"cat">(Arg(std::move(parts)), dim));
  };
  const int64_t half = n / 2, rest = n % 2;
  Term a = part(x, 0, half), b = part(x, half, 2 * half), pairs = a * b;
  if (rest) pairs = join({pairs.ref(), part(x, 2 * half, n).ref()});
  Term down = prod_gradient_by_halves(pairs, g, dim, half + rest);
  Term of_pairs = part(down, 0, half);
  std::vector<Ref> parts{(of_pairs * b).ref(), (of_pairs * a).ref()};
  if (rest) parts.push_back(part(down, half, half + 1).ref());
  return join(std::move(parts));
}

// The product of the others, for each element, without dividing by 0: where one element is 0 the
// others' product is its gradient, where two are 0 all gradients are 0.
Term prod_gradient(const VjpCtx& v) {
  Term x = arg(v, 0).to(v.out_metas[0].dtype), g = restore_dims(v, grad(v)),
       y = restore_dims(v, out(v));
  IntList dims = dims_list(v);
  // Of one element there are no others.
  if (x.meta().dim() == 0 || (dims.size() == 1 && known_one(x.meta().size(dims[0].hint()))))
    return g.op<"reshape">(IntList(x.meta().sizes));
  if (v.c.on_tape() && !dims.empty()) {
    const bool one = dims.size() == 1;  // else all of them
    IntList kept(x.meta().sizes);
    for (Int d : dims) kept[static_cast<size_t>(d.hint())] = Int(1);
    g = g.op<"reshape">(kept);
    const int64_t dim = one ? dims[0].hint() : 0;
    const int64_t n = (one ? x.meta().size(dim) : x.meta().numel()).hint();
    if (n == 0) return g.op<"expand">(IntList(x.meta().sizes));
    if (one) return prod_gradient_by_halves(x, g, dim, n);
    Term flat = prod_gradient_by_halves(x.op<"reshape">(IntList{Int(-1)}),
                                        g.op<"reshape">(IntList{Int(-1)}), 0, n);
    return flat.op<"reshape">(IntList(x.meta().sizes));
  }
  auto prod_over = [&](Term t) {
    // From the last dim on, so that the places of the others stay.
    for (size_t i = dims.size(); i-- > 0;) t = t.op<"prod.dim_int">(dims[i], true);
    return t;
  };
  Term zero = x == Scalar(0);
  Term zeros =
      dims.empty() ? zero.op<"_to_copy">(DType::i64) : zero.op<"sum.dim_IntList">(dims, true);
  Term others = prod_over(Term(v.c, v.op<"where.ScalarSelf">(zero.ref(), Scalar(1), x.ref())));
  Term at_zero = (g * others).where(zero && zeros == Scalar(1));
  return Term(v.c,
              v.op<"where.self">((zeros == Scalar(0)).ref(), (g * y / x).ref(), at_zero.ref()));
}

void products(Registry& r) {
  Vjp prod_vjp = [](VjpCtx& v) -> GradList {
    return Grads(v)(0, [&] { return prod_gradient(v); });
  };
  r.op("prod(Tensor self, *, ScalarType? dtype=None) -> Tensor")
      .reduction("prod", Promotion::sum_type)
      .out("out")
      .saves({"self"}, 1)
      .vjp(prod_vjp)
      .doc("The product over dim, or over everything. Integers and bools are multiplied as int64.");
  r.op("prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> "
       "Tensor")
      .reduction("prod", Promotion::sum_type)
      .out("int_out")
      .saves({"self"}, 1)
      .vjp(prod_vjp);
}

// Nothing to choose an extreme of.
template <class S>
void not_empty(S& s) {
  auto self = s.tensor(0);
  const OpRecord& r = s.record();
  bool given = r.dims_arg != kNoArg && s.has(r.dims_arg) &&
               !(s.args()[static_cast<size_t>(r.dims_arg)].template is<IntList>() &&
                 s.ints(r.dims_arg).empty());
  if (!given) {
    for (auto& size : self.sizes)
      if (known_zero(size))
        s.fail(
            fmt::format(
                "{}(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
                "reduction dim with the 'dim' argument.",
                s.op()),
            "a dim of size above 0",
            s.op().starts_with("arg") ? ErrorKind::index : ErrorKind::runtime);
    return;
  }
  for (int64_t d : reduced_dims(r, s.args(), self.dim()))
    if (known_zero(self.size(d)))
      s.fail(fmt::format("{}(): Expected reduction dim {} to have non-zero size.", s.op(), d),
             "another dim", ErrorKind::index);
}

// Equal extremes share the gradient evenly.
Term shared_gradient(const VjpCtx& v, const Term& g, const Term& y, bool nan_counts) {
  Term x = arg(v, 0);
  Term mask = x == restore_dims(v, y);
  if (nan_counts) mask = mask || (x.op<"isnan">() && restore_dims(v, y).op<"isnan">());
  IntList dims = dims_list(v);
  Term count =
      dims.empty() ? mask.op<"_to_copy">(DType::i64) : mask.op<"sum.dim_IntList">(dims, true);
  return (restore_dims(v, g) / count) * mask;
}

void extremes(Registry& r) {
  for (bool high : {true, false}) {
    std::string name = high ? "amax" : "amin", plain = high ? "max" : "min";
    std::string what = high ? "greatest" : "least";
    r.op(name + "(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor")
        .reduction(name)
        .check([](auto& s) { not_empty(s); })
        .out()
        .saves({"self"}, 1)
        .vjp([](VjpCtx& v) -> GradList {
          return Grads(v)(0, [&] { return shared_gradient(v, grad(v), out(v), false); });
        })
        .doc("The " + what + " element over dim; equal ones share the gradient. NaN wins.");
    r.op(plain + "(Tensor self) -> Tensor")
        .reduction(name)
        .check([](auto& s) { not_empty(s); })
        .out("unary_out")
        .saves({"self"}, 1)
        .vjp([](VjpCtx& v) -> GradList {
          return Grads(v)(0, [&] { return shared_gradient(v, grad(v), out(v), true); });
        })
        .doc("The " + what +
             " element; with dim, also where it is; with a tensor, element by element.");
    r.op(plain +
         ".dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)")
        .reduction(plain + "_with_index")
        .check([](auto& s) { not_empty(s); })
        .out(plain == "max" ? "dim_max" : "dim_min",
             {plain, plain == "max" ? "max_values" : "min_indices"})
        .saves({}, 2)
        .vjp([](VjpCtx& v) -> GradList {
          return Grads(v)(0, [&] {
            return grad(v).op<"value_selecting_reduction_backward">(
                v.args[1], v.out(1), IntList(v.meta(0).sizes), v.args[2]);
          });
        });
    r.op("arg" + plain + "(Tensor self, int? dim=None, bool keepdim=False) -> Tensor")
        .reduction("arg" + plain, Promotion::to_index)
        .check([](auto& s) {
          if (is_bool(s.tensor(0).dtype))
            s.fail(fmt::format("{}(): does not support bool input", s.op()),
                   "convert to a number type");
          not_empty(s);
        })
        .out()
        .not_differentiable()
        .doc("Where the " + what + " element is: the first, in row-major order where dim is None.");
  }
  r.op("aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)")
      .composite([](Caller& c, auto a) -> RefList {
        TensorMeta<Int> m = meta(a[0].ref());
        bool empty = false;
        for (const Int& size : m.sizes) empty |= a[1].is_none() && known_zero(size);
        if (!a[1].is_none() && m.dim() > 0) {
          int64_t dim = wrap_dim(a[1].to_int().hint(), m.dim(), "aminmax");
          if (known_zero(m.size(dim)))
            throw UserError(
                ErrorKind::index, "aminmax",
                fmt::format("aminmax: Expected reduction dim {} to have non-zero size.", dim),
                "another dim");
        }
        if (empty)
          throw UserError(
              ErrorKind::runtime, "aminmax",
              "aminmax(): cannot compute aminmax over an empty dimension as the operation "
              "has no identity.",
              "a dim of size above 0");
        IntList dims;
        if (!a[1].is_none()) dims.push_back(a[1].to_int());
        return {c.op<"amin">(a[0], dims, a[2]), c.op<"amax">(a[0], dims, a[2])};
      })
      .doc("amin and amax.");
  r.op("value_selecting_reduction_backward(Tensor grad, int dim, Tensor indices, SymInt[] sizes, "
       "bool keepdim) -> Tensor")
      .composite([](Caller& c, auto a) -> RefList {
        Ref g = a[0].ref(), at = a[2].ref();
        IntList sizes = a[3].to_ints();
        Int dim = a[1].to_int();
        if (!a[4].to_bool() && !sizes.empty()) {
          g = c.op<"unsqueeze">(g, dim);
          at = c.op<"unsqueeze">(at, dim);
        }
        return {c.op<"scatter.src">(c.op<"new_zeros">(g, sizes), dim, at, g)};
      })
      .doc("The gradient put where indices say, 0 elsewhere.");
}

void truths(Registry& r) {
  for (std::string name : {"any", "all"}) {
    std::string doc = name == "any" ? "Is any element not 0?" : "Is no element 0?";
    r.op(name + "(Tensor self) -> Tensor")
        .reduction(name, Promotion::to_bool)
        .out("all_out")
        .not_differentiable()
        .doc(doc);
    r.op(name + ".dim(Tensor self, int dim, bool keepdim=False) -> Tensor")
        .reduction(name, Promotion::to_bool)
        .out("out")
        .not_differentiable();
    r.op(name + ".dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor")
        .reduction(name, Promotion::to_bool)
        .empty_dims_reduce_nothing()
        .out()
        .not_differentiable();
  }
  r.op("count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor")
      .reduction("count_nonzero", Promotion::to_index)
      .out()
      .not_differentiable()
      .doc("How many elements are not 0.");
  r.op("count_nonzero(Tensor self, int? dim=None) -> Tensor")
      .reduction("count_nonzero", Promotion::to_index)
      .out()
      .not_differentiable();
}

Term cumsum_gradient(const VjpCtx& v) {
  Term g = grad(v);
  if (v.meta(0).dim() == 0) return g;
  IntList dim{v.args[1].to_int()};
  return g.op<"flip">(dim).op<"cumsum">(dim[0]).op<"flip">(dim);
}

// The sums of what follows divided by the element; at a line's first two zeros the products as they
// would be without it. Those are 0 from the next zero on, and at the second zero altogether, but
// their own gradients are not.
Term cumprod_gradient(const VjpCtx& v) {
  Term g = grad(v), y = out(v), x = arg(v, 0).to(g.dtype());
  if (v.meta(0).dim() == 0) return g;
  const Int dim = v.args[1].to_int();
  auto rest = [&](const Term& t) {
    const IntList d{dim};
    return t.op<"flip">(d).op<"cumsum">(dim).op<"flip">(d);
  };
  Term zero = x == Scalar(0), zeros = zero.op<"cumsum">(dim);
  Term safe(v.c, v.op<"where.ScalarSelf">(zero.ref(), Scalar(1), x.ref()));
  Term gradient = (rest(g * y) / safe).where(x.op<"ne.Scalar">(Scalar(0)));
  for (int nth : {1, 2}) {
    Term here = zero && zeros == Scalar(nth);
    Term without(v.c, v.op<"where.ScalarSelf">(here.ref(), Scalar(1), x.ref()));
    gradient = gradient + rest(g * without.op<"cumprod">(dim)).where(here);
  }
  return gradient;
}

template <class S>
void scan_rule(S& s) {
  auto self = s.tensor(0);
  s.dim(1, self.dim());
  DType t = s.dtype_or(2, is_floating(self.dtype) ? self.dtype : DType::i64);
  s.out(t, self.sizes);
}

void scans(Registry& r) {
  r.op("cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor")
      .kind(Kind::library)
      .inplace()
      .out()
      .shape([](auto& s) { scan_rule(s); })
      .vjp([](VjpCtx& v) -> GradList { return Grads(v)(0, [&] { return cumsum_gradient(v); }); })
      .doc("Running sums along dim.");
  r.op("cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor")
      .kind(Kind::library)
      .inplace()
      .out()
      .shape([](auto& s) { scan_rule(s); })
      .saves({"self"}, 1)
      .vjp([](VjpCtx& v) -> GradList { return Grads(v)(0, [&] { return cumprod_gradient(v); }); })
      .doc("Running products along dim.");
}

}  // namespace

void register_reductions(Registry& r) {
  sums(r);
  products(r);
  extremes(r);
  truths(r);
  scans(r);
}

}  // namespace frit
