// Layer normalization.
//
// Written so that a kernel can give the same bits: rows of n elements (the normalized dimensions as
// one), in float32 for the half types, each operation rounded, the reductions those of sum over a
// contiguous row, or over the first dimension of a contiguous matrix:
//   mean = sum(x) / n; away = x - mean; var = sum(away * away) / n; rstd = rsqrt(var + eps)
//   y = (away * rstd) * weight + bias
// and of the gradient g:
//   hat = (x - mean) * rstd; h = g * weight
//   input   ((h - sum(h) / n) - hat * (sum(h * hat) / n)) * rstd
//   weight  the sum over rows of g * hat
//   bias    the sum over rows of g
#include <fmt/format.h>

#include "ops/families.h"
#include "ops/generic.h"
#include "ops/kind_rules.h"
#include "ops/vjp_helpers.h"

namespace frit {
namespace {

template <class I>
bool same_sizes(std::span<const I> a, std::span<const I> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!sizes_agree(a[i], b[i])) return false;
  return true;
}

template <class S>
void inputs_fit(S& s, int input, int shape_at, int weight, int bias) {
  auto x = s.tensor(input);
  auto shape = s.ints(shape_at);
  using I = std::remove_cvref_t<decltype(shape[0])>;
  std::span<const I> wanted(shape);
  if (shape.empty())
    s.fail(
        "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
        "element, but got normalized_shape = []",
        "the sizes of the last dimensions");
  for (auto [at, name] : {std::pair(weight, "weight"), std::pair(bias, "bias")})
    if (s.has(at) && !same_sizes<I>(s.tensor(at).sizes, wanted))
      s.fail(fmt::format("Expected {} to be of same shape as normalized_shape, but got {} of shape "
                         "{} and normalized_shape = {}",
                         name, name, dims_text(s.tensor(at).sizes), dims_text(wanted)),
             fmt::format("a {} of {}", name, dims_text(wanted)));
  bool fits = x.sizes.size() >= shape.size() &&
              same_sizes<I>(x.sizes.subspan(x.sizes.size() - shape.size()), wanted);
  if (!fits) {
    std::string list = dims_text(wanted);
    s.fail(fmt::format("Given normalized_shape={}, expected input with shape [*, {}, but got input "
                       "of size{}",
                       list, list.substr(1), dims_text(x.sizes)),
           "normalized_shape must be the input's last sizes");
  }
}

// The dtype of mean and rstd: float32 for a half input with float32 parameters. The parameters have
// either the input's dtype or, all of them, that one.
DType statistics_dtype(DType input, std::optional<DType> weight, std::optional<DType> bias) {
  if (!is_reduced_float(input)) return input;
  for (auto p : {weight, bias})
    if (p && *p == DType::f32) return DType::f32;
  return input;
}

template <class S>
std::optional<DType> dtype_at(S& s, int i) {
  return s.has(i) ? std::optional(s.tensor(i).dtype) : std::nullopt;
}

template <class S>
void layer_norm_rule(S& s) {
  inputs_fit(s, 0, 1, 2, 3);
  auto x = s.tensor(0);
  auto shape = s.ints(1);
  using I = std::remove_cvref_t<decltype(shape[0])>;
  if (!is_floating(x.dtype))
    s.fail(
        fmt::format("\"LayerNormKernelImpl\" not implemented for '{}'", scalar_type_name(x.dtype)),
        "convert to a float type first", ErrorKind::not_implemented);
  auto weight = dtype_at(s, 2), bias = dtype_at(s, 3);
  DType stats = statistics_dtype(x.dtype, weight, bias);
  for (auto p : {weight, bias})
    if (p && *p != stats)
      s.fail("mixed dtype (CPU): expect parameter to have scalar type of Float",
             fmt::format("parameters of {}", name(stats)));
  s.out(x.dtype, x.sizes);
  DimsOf<I> rows(x.sizes);
  for (size_t i = x.sizes.size() - shape.size(); i < rows.size(); ++i) rows[i] = I(1);
  s.out(stats, rows);
  s.out(stats, rows);
}

template <class S>
void backward_rule(S& s) {
  inputs_fit(s, 1, 2, 5, 6);
  auto g = s.tensor(0), x = s.tensor(1);
  auto shape = s.ints(2), mask = s.ints(7);
  using I = std::remove_cvref_t<decltype(shape[0])>;
  if (!is_floating(x.dtype))
    s.fail(fmt::format("\"LayerNormBackwardKernelImpl\" not implemented for '{}'",
                       scalar_type_name(x.dtype)),
           "convert to a float type first", ErrorKind::not_implemented);
  if (mask.size() != 3)
    s.fail(fmt::format("output_mask has {} elements, expected 3", mask.size()),
           "one for each of the gradients of input, weight and bias");
  if (!same_sizes<I>(g.sizes, x.sizes))
    s.fail(fmt::format("the gradient is {}, the input {}", dims_text(g.sizes), dims_text(x.sizes)),
           "the gradient of the output, which has the input's sizes");
  DimsOf<I> rows(x.sizes);
  for (size_t i = x.sizes.size() - shape.size(); i < rows.size(); ++i) rows[i] = I(1);
  for (auto [at, name] : {std::pair(3, "mean"), std::pair(4, "rstd")})
    if (!same_sizes<I>(s.tensor(at).sizes, std::span<const I>(rows)))
      s.fail(fmt::format("{} is {}, expected {}", name, dims_text(s.tensor(at).sizes),
                         dims_text(std::span<const I>(rows))),
             "what native_layer_norm gave");
  auto asked = [&](size_t i) { return as_int64_or_hint(mask[i]) != 0; };
  // What is not asked for is an empty tensor.
  const DimsOf<I> none{I(0)};
  s.out(x.dtype, asked(0) ? DimsOf<I>(x.sizes) : none);
  s.out(dtype_at(s, 5).value_or(x.dtype), asked(1) ? shape : none);
  s.out(dtype_at(s, 6).value_or(dtype_at(s, 5).value_or(x.dtype)), asked(2) ? shape : none);
}

// How an input divides into rows.
struct Rows {
  IntList lead;    // the dimensions before the normalized ones
  Int count = 1;   // of rows
  Int length = 1;  // of a row
  size_t normalized = 0;

  Rows(const TensorMeta<Int>& x, const IntList& shape) : normalized(shape.size()) {
    lead = IntList(x.sizes.subspan(0, x.sizes.size() - shape.size()));
    for (Int n : lead) count = count * n;
    for (Int n : shape) length = length * n;
  }
  Term shaped(const Term& t, Int last) const {
    if (normalized == 1) return t;
    IntList sizes(lead);
    sizes.push_back(last);
    return t.op<"reshape">(sizes);
  }
  Term of(const Term& t) const { return shaped(t, length); }
  Term statistics(const Term& t) const { return shaped(t, Int(1)); }
  Term parameter(const Term& t) const {
    return normalized == 1 ? t : t.op<"reshape">(IntList{length});
  }
  Term sum(const Term& t) const { return t.op<"sum.dim_IntList">(IntList{Int(-1)}, true); }
  Term mean(const Term& t) const { return sum(t) / Scalar(length); }
  // Over the rows, for a parameter.
  Term over_rows(const Term& t, const IntList& shape) const {
    Term matrix = lead.size() == 1 ? t : t.op<"reshape">(IntList{count, length});
    Term sums = matrix.op<"sum.dim_IntList">(IntList{Int(0)}, false);
    return normalized == 1 ? sums : sums.op<"reshape">(shape);
  }
};

RefList layer_norm_parts(Caller& c, std::span<const Arg> a) {
  Term input(c, a[0].ref());
  auto m = input.meta();
  Rows rows(m, a[1].to_ints());
  DType t = m.dtype, compute = compute_type(t);
  Term x = rows.of(input).to(compute);
  Term mean = rows.mean(x);
  Term away = x - mean;
  Term rstd = (rows.mean(away * away) + Scalar(a[4].to_double())).op<"rsqrt">();
  Term y = away * rstd;
  std::optional<DType> dtypes[2];
  for (size_t i : {2, 3}) {
    if (a[i].is_none()) continue;
    Term p(c, a[i].ref());
    dtypes[i - 2] = p.dtype();
    p = rows.parameter(p).to(compute);
    y = i == 2 ? y * p : y + p;
  }
  y = y.to(t).op<"contiguous">();
  DType stats = statistics_dtype(t, dtypes[0], dtypes[1]);
  mean = mean.to(stats), rstd = rstd.to(stats);
  if (rows.normalized == 1) return {y.ref(), mean.ref(), rstd.ref()};
  IntList sizes(rows.lead);
  sizes.resize(m.sizes.size(), Int(1));
  return {y.op<"reshape">(IntList(m.sizes)).ref(), mean.op<"reshape">(sizes).ref(),
          rstd.op<"reshape">(sizes).ref()};
}

RefList backward_parts(Caller& c, std::span<const Arg> a) {
  Term grad_out(c, a[0].ref()), input(c, a[1].ref());
  auto m = input.meta();
  IntList shape = a[2].to_ints(), mask = a[7].to_ints();
  Rows rows(m, shape);
  DType t = m.dtype, compute = compute_type(t);
  Term g = rows.of(grad_out).to(compute), x = rows.of(input).to(compute);
  Term mean = rows.statistics(Term(c, a[3].ref())).to(compute);
  Term rstd = rows.statistics(Term(c, a[4].ref())).to(compute);
  Term hat = (x - mean) * rstd;
  auto dtype_of = [&](size_t i, DType otherwise) {
    return a[i].is_none() ? otherwise : meta(a[i].ref()).dtype;
  };
  DType weight_type = dtype_of(5, t), bias_type = dtype_of(6, weight_type);
  RefList out;
  if (mask[0].constant()) {
    Term h = a[5].is_none() ? g : g * rows.parameter(Term(c, a[5].ref())).to(compute);
    Term dx = ((h - rows.mean(h)) - hat * rows.mean(h * hat)) * rstd;
    dx = dx.to(t).op<"contiguous">();
    out.push_back(rows.normalized == 1 ? dx.ref() : dx.op<"reshape">(IntList(m.sizes)).ref());
  } else {
    out.push_back(c.op<"full">(IntList{Int(0)}, Scalar(0), t));
  }
  for (size_t i : {1, 2}) {
    DType type = i == 1 ? weight_type : bias_type;
    if (mask[i].constant())
      out.push_back(rows.over_rows(i == 1 ? g * hat : g, shape).to(type).ref());
    else
      out.push_back(c.op<"full">(IntList{Int(0)}, Scalar(0), type));
  }
  return out;
}

GradList layer_norm_vjp(VjpCtx& v) {
  GradList g(5);
  Arg weight = v.args[2].is_none() ? Arg() : Arg(v.arg(2));
  if (v.grad(0).defined()) {
    IntList mask;
    for (int i : {0, 2, 3}) mask.push_back(v.needs(i) ? 1 : 0);
    RefList parts = v.c.ops<"native_layer_norm_backward">(v.grad(0), v.arg(0), v.args[1], v.out(1),
                                                          v.out(2), weight, Arg(), mask);
    if (v.needs(0)) g[0] = Arg(parts[0]);
    if (v.needs(2)) g[2] = Arg(parts[1]);
    if (v.needs(3)) g[3] = Arg(v.cast_to(parts[2], v.meta(3).dtype));
  }
  if (!v.needs(0) || (!v.grad(1).defined() && !v.grad(2).defined())) return g;
  // What reaches the input through mean and rstd.
  const auto& m = v.meta(0);
  DType compute = compute_type(m.dtype);
  Rows rows(m, v.args[1].to_ints());
  Term x = arg(v, 0).to(compute);
  std::optional<Term> total;
  auto add = [&](Term t) { total = total ? *total + t : t; };
  if (v.grad(1).defined())
    add((grad(v, 1).to(compute) / Scalar(rows.length)).op<"expand">(IntList(m.sizes)));
  if (v.grad(2).defined()) {
    Term rstd = out(v, 2).to(compute);
    Term away = x - out(v, 1).to(compute);
    add(-(grad(v, 2).to(compute) * (rstd * rstd * rstd)) * away / Scalar(rows.length));
  }
  if (!g[0].is_none()) add(Term(v.c, g[0].ref()).to(compute));
  g[0] = Arg(total->to(m.dtype).ref());
  return g;
}

}  // namespace

void register_normalization(Registry& r) {
  r.op("native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, "
       "float eps) -> (Tensor, Tensor, Tensor)")
      .shape([](auto& s) { layer_norm_rule(s); })
      .composite(layer_norm_parts)
      .out()
      .saves({"input", "weight"}, 0b110)
      .vjp(layer_norm_vjp)
      .doc("layer_norm, and the mean and the inverse deviation of each row.");
  // Its own gradients are those of its parts.
  r.op("native_layer_norm_backward(Tensor grad_out, Tensor input, SymInt[] normalized_shape, "
       "Tensor "
       "mean, Tensor rstd, Tensor? weight, Tensor? bias, bool[3] output_mask) -> (Tensor, Tensor, "
       "Tensor)")
      .shape([](auto& s) { backward_rule(s); })
      .composite(backward_parts);
  r.op("layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? "
       "bias=None, "
       "float eps=1e-05, bool cudnn_enable=True) -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        return {c.op<"native_layer_norm">(a[0], a[1], a[2], a[3], a[4])};
      })
      .doc(
          "Each row, of the last dimensions, with its mean taken away and divided by its "
          "deviation, "
          "then times weight plus bias.");
}

}  // namespace frit
