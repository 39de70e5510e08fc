// Variance, norms, log-sum-exp.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "ops/families.h"
#include "ops/generic.h"
#include "ops/kind_rules.h"
#include "ops/reductions/dims.h"

namespace frit {
namespace {

// t / max(count - correction, 0), where count may be symbolic.
Term over_freedom(const Term& t, Int count, Scalar correction) {
  if (!correction.is_real()) return t / Scalar(max(count - correction.as_int(), Int(0)));
  double c = correction.to_double();
  if (!count.is_symbolic())
    return t / Scalar(std::max(static_cast<double>(count.constant()) - c, 0.0));
  Term n(t.caller(), t.caller().op<"scalar_tensor">(Scalar(count), t.dtype()));
  return t / (n - Scalar(c)).op<"clamp_min">(Scalar(0));
}

Scalar correction_of(std::span<const Arg> args, size_t at) {
  return args[at].is_none() ? Scalar(1) : args[at].to_scalar();
}

Term mean_over(const Term& x, const IntList& dims, bool keep) {
  return dims.empty() && x.meta().dim() == 0 ? x : x.op<"mean.dim">(dims, keep);
}

// The first element along every reduced dim: what distances are measured from before the mean is
// known, so that equal elements have a variance of exactly 0.
Term first_along(Term x, const IntList& dims) {
  for (Int d : dims) {
    const Int n = x.meta().size(d.hint());
    // Whether there is a first one is for data to say: as many of it as there are elements.
    if (n.is_symbolic() && !ask_or(n >= Int(1), false))
      x = x.op<"index_select">(d, x.caller().op<"full">(IntList{n}, Scalar(0), DType::i64));
    else
      x = x.op<"slice.Tensor">(d, Int(0), Int(1));
  }
  return x;
}

RefList variance(Caller& c, const OpRecord& r, std::span<const Arg> a, bool with_mean) {
  Term given(c, a[0].ref());
  Term x = given.to(compute_type(given.dtype()));  // half types are rounded once, at the end
  int64_t rank = x.meta().dim();
  IntList dims = dims_list(r, a, rank);
  bool keep = a[3].to_bool();
  Term near = x - first_along(x, dims);
  Term away = near - mean_over(near, dims, true);
  Term squares = away * away;
  Term sum = rank == 0 ? squares : squares.op<"sum.dim_IntList">(dims, keep);
  Term var = over_freedom(sum, reduced_count(r, a, x.meta()), correction_of(a, 2));
  RefList results{var.to(given.dtype())};
  if (with_mean)
    results.push_back(rank == 0 ? c.op<"clone">(given.ref()) : mean_over(given, dims, keep).ref());
  return results;
}

// 2 (x - mean) / freedom, times the gradient of the variance.
Term variance_gradient(const VjpCtx& v, const Term& g) {
  Term x = arg(v, 0);
  Term away = x - mean_over(x, dims_list(v), true);
  return over_freedom(restore_dims(v, g) * Scalar(2.0) * away, reduced_count(v),
                      correction_of(v.args, 2));
}

template <class S>
void floats(S& s) {
  DType t = s.tensor(0).dtype;
  if (!is_floating(t))
    s.fail(fmt::format("{} only support floating point and complex dtypes",
                       s.op() == "var" || s.op() == "std" ? "std and var" : s.op()),
           fmt::format("self is {}: convert it first", name(t)));
}

// The overloads that say unbiased instead of a correction.
template <OpName general>
void by_unbiased(Registry& r, std::string name, std::string returns) {
  r.op(name + "(Tensor self, bool unbiased=True) -> " + returns)
      .composite([](Caller& c, auto a) -> RefList {
        return c.ops<general>(a[0], Arg(), Scalar(a[1].to_bool() ? 1 : 0), false);
      });
  r.op(name + ".dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> " +
       returns)
      .composite([](Caller& c, auto a) -> RefList {
        return c.ops<general>(a[0], a[1], Scalar(a[2].to_bool() ? 1 : 0), a[3]);
      });
}

void variances(Registry& r) {
  const std::string args =
      "(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> ";
  r.op("var.correction" + args + "Tensor")
      .reduction("var")
      .check([](auto& s) { floats(s); })
      .out()
      .saves({"self"})
      .decomp([](Caller& c, auto a) { return variance(c, find_op("var.correction"), a, false); })
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] { return variance_gradient(v, grad(v)); });
      })
      .doc("The variance: squared distances from the mean, summed, over count - correction.");
  r.op("std.correction" + args + "Tensor")
      .reduction("std")
      .check([](auto& s) { floats(s); })
      .out()
      .saves({"self"}, 1)
      .decomp([](Caller& c, auto a) -> RefList {
        // The root before half types are rounded.
        DType t = meta(a[0].ref()).dtype;
        ArgList wide(a.begin(), a.end());
        if (is_reduced_float(t)) wide[0] = Arg(Term(c, a[0].ref()).to(compute_type(t)).ref());
        Term var(c, variance(c, find_op("std.correction"), wide, false)[0]);
        return {var.op<"sqrt">().to(t)};
      })
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] {
          Term y = out(v);
          return variance_gradient(v, (grad(v) / (y * Scalar(2))).zero_where(y == Scalar(0)));
        });
      })
      .doc("The square root of the variance.");
  r.op("var_mean.correction" + args + "(Tensor, Tensor)")
      .reduction("var_mean")
      .check([](auto& s) { floats(s); })
      .out()
      .saves({"self"})
      .decomp(
          [](Caller& c, auto a) { return variance(c, find_op("var_mean.correction"), a, true); })
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] {
          if (!v.grad(1).defined()) return variance_gradient(v, grad(v, 0));
          Term of_mean = expand_to_input(v, grad(v, 1)) / Scalar(reduced_count(v));
          return v.grad(0).defined() ? variance_gradient(v, grad(v, 0)) + of_mean : of_mean;
        });
      })
      .doc("The variance and the mean.");
  by_unbiased<"var.correction">(r, "var", "Tensor");
  by_unbiased<"std.correction">(r, "std", "Tensor");
  by_unbiased<"var_mean.correction">(r, "var_mean", "(Tensor, Tensor)");
  r.op("std_mean.correction" + args + "(Tensor, Tensor)")
      .composite([](Caller& c, auto a) -> RefList {
        return {c.op<"std.correction">(a[0], a[1], a[2], a[3]), c.op<"mean.dim">(a[0], a[1], a[3])};
      })
      .doc("The standard deviation and the mean.");
  by_unbiased<"std_mean.correction">(r, "std_mean", "(Tensor, Tensor)");
}

void log_sum_exp(Registry& r) {
  r.op("logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor")
      .reduction("logsumexp", Promotion::to_float)
      .out()
      .saves({"self"}, 1)
      .decomp([](Caller& c, auto a) -> RefList {
        const OpRecord& r = find_op("logsumexp");
        Term x(c, a[0].ref());
        if (!is_floating(x.dtype())) x = x.to(default_dtype());
        IntList dims = dims_list(r, a, x.meta().dim());
        bool keep = a[2].to_bool();
        if (dims.empty()) return {x.op<"clone">()};
        Int count = reduced_count(r, a, x.meta());
        if (known_zero(count))
          return {x.op<"exp">().template op<"sum.dim_IntList">(dims, keep).template op<"log">()};
        Term high = x.op<"amax">(dims, true);
        high = high.zero_where(high.op<"isinf">());  // inf - inf would be NaN
        Term sum = (x - high)
                       .template op<"exp">()
                       .template op<"sum.dim_IntList">(dims, keep)
                       .template op<"log">();
        return {sum + (keep ? high : high.op<"squeeze.dims">(dims))};
      })
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] {
          return restore_dims(v, grad(v)) * (arg(v, 0) - restore_dims(v, out(v))).op<"exp">();
        });
      })
      .doc("log(sum(exp(self))) over dim, without overflow.");
}

RefList vector_norm(Caller& c, std::span<const Arg> a) {
  const OpRecord& r = find_op("linalg_vector_norm");
  Term x(c, a[0].ref());
  DType result = a[4].is_none() ? x.dtype() : a[4].as<DType>();
  x = x.to(compute_type(result));  // half types are rounded once, at the end
  double ord = a[1].to_double();
  IntList dims = dims_list(r, a, x.meta().dim());
  bool keep = a[3].to_bool();
  auto sum = [&](Term t) { return x.meta().dim() == 0 ? t : t.op<"sum.dim_IntList">(dims, keep); };
  if (ord == 0) return {sum((x.op<"ne.Scalar">(Scalar(0))).to(x.dtype())).to(result)};
  if (ord == 2) return {sum(x * x).op<"sqrt">().to(result)};
  Term size = x.op<"abs">();
  if (ord == 1) return {sum(size).to(result)};
  if (ord == std::numeric_limits<double>::infinity())
    return {size.op<"amax">(dims, keep).to(result)};
  if (ord == -std::numeric_limits<double>::infinity())
    return {size.op<"amin">(dims, keep).to(result)};
  return {sum(size.pow(Scalar(ord))).pow(Scalar(1 / ord)).to(result)};
}

Term norm_gradient(const VjpCtx& v) {
  Term x = arg(v, 0), g = restore_dims(v, grad(v)), y = restore_dims(v, out(v));
  double p = number(v, 1).to_double();
  Term none = y == Scalar(0);
  if (p == 0) return x.zeros_like();
  if (p == 1) return x.op<"sgn">() * g;
  if (p == 2) return g * (x / y).zero_where(none);
  Term size = x.op<"abs">();
  if (std::isinf(p)) {
    Term mask = size == y || size.op<"isnan">();
    IntList dims = dims_list(v);
    Term count = dims.empty() ? mask.to(DType::i64) : mask.op<"sum.dim_IntList">(dims, true);
    return x.op<"sgn">() * ((g / count) * mask);
  }
  if (p < 1)
    return (x.op<"sgn">() * size.pow(Scalar(p - 1))).zero_where(x == Scalar(0)) * g *
           y.pow(Scalar(1 - p));
  Term scale = (g / y.pow(Scalar(p - 1))).zero_where(none);
  if (p < 2) return x.op<"sgn">() * size.pow(Scalar(p - 1)) * scale;
  return x * size.pow(Scalar(p - 2)) * scale;
}

void vector_norms(Registry& r) {
  r.op("linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, "
       "ScalarType? dtype=None) "
       "-> Tensor")
      .reduction("linalg_vector_norm")
      .out()
      .saves({"self"}, 1)
      .check([](auto& s) {
        DType t = s.dtype_or(4, s.tensor(0).dtype);
        if (!is_floating(t))
          s.fail(fmt::format("linalg.vector_norm: Expected a floating point or complex tensor as "
                             "input. Got {}",
                             scalar_type_name(t)),
                 "convert to a float type first");
      })
      .decomp([](Caller& c, auto a) { return vector_norm(c, a); })
      .vjp([](VjpCtx& v) -> GradList { return Grads(v)(0, [&] { return norm_gradient(v); }); })
      .doc("The ord-norm over dim, or over everything.");
  auto p_or_2 = [](const Arg& p) { return p.is_none() ? Scalar(2) : p.to_scalar(); };
  r.op("norm.Scalar(Tensor self, Scalar p=2) -> Tensor")
      .composite(
          [](Caller& c, auto a) -> RefList { return {c.op<"linalg_vector_norm">(a[0], a[1])}; })
      .doc("linalg_vector_norm under its older name.");
  r.op("norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor")
      .composite([p_or_2](Caller& c, auto a) -> RefList {
        return {c.op<"linalg_vector_norm">(a[0], p_or_2(a[1]), a[2], a[3])};
      });
  r.op("norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, ScalarType "
       "dtype) -> Tensor")
      .composite([p_or_2](Caller& c, auto a) -> RefList {
        return {c.op<"linalg_vector_norm">(a[0], p_or_2(a[1]), a[2], a[3], a[4])};
      });
  r.op("norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype) -> Tensor")
      .composite([p_or_2](Caller& c, auto a) -> RefList {
        return {c.op<"linalg_vector_norm">(a[0], p_or_2(a[1]), Arg(), false, a[2])};
      });
}

}  // namespace

void register_norms(Registry& r) {
  variances(r);
  log_sum_exp(r);
  vector_norms(r);
}

}  // namespace frit
