// Kernels of composites that models run at every step. They compute what the decompositions in
// src/ops/nn say, to the bit.
#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "kernels/cpu/install.h"
#include "kernels/cpu/iterate.h"
#include "kernels/cpu/kernels.h"
#include "kernels/cpu/kinds.h"
#include "kernels/cpu/memory.h"
#include "kernels/cpu/reduction.h"

namespace frit::kernels {
namespace {

const RowLoops& row_loops(DType t) { return *level_table().row_loops[static_cast<int>(t)]; }

// each(first row, rows, first element), on several threads where it is worth it.
template <class F>
void over_rows(int64_t rows, int64_t n, F each) {
  const int64_t grain = std::max<int64_t>(1, kGrain / 4 / std::max<int64_t>(1, n));
  if (rows <= grain)
    each(int64_t{0}, rows);
  else
    parallel_for(rows, grain, [&](int64_t begin, int64_t end) { each(begin, end - begin); });
}

std::byte* at(const Tensor& t, int64_t element) {
  return static_cast<std::byte*>(t.impl()->data()) + element * size_of(t.impl()->dtype);
}

Tensor apply(const char* body, std::initializer_list<const Tensor*> operands,
             std::span<const Scalar> scalars, const Tensor& like) {
  const TensorImpl& l = *like.impl();
  Tensor out = empty_cpu(l.sizes, l.dtype);
  SmallVector<const TensorImpl*, 3> impls;
  for (const Tensor* t : operands) impls.push_back(t->impl());
  const PointwiseBody* b =
      find_pointwise(body, static_cast<int>(operands.size()), static_cast<int>(scalars.size()));
  FRIT_INVARIANT(b, std::string("no body ") + body);
  run_pointwise(*b, l.dtype, std::span(impls.data(), impls.size()), scalars, *out.impl(), body);
  return out;
}
const Scalar kOne(1);
Tensor minus(const Tensor& a, const Tensor& b) {
  return apply("sub", {&a, &b}, std::span(&kOne, 1), a);
}

Tensor reduced(ReduceOp op, const Tensor& x, int64_t d) {
  Dims sizes = x.impl()->sizes;
  sizes[static_cast<size_t>(d)] = 1;
  Tensor out = empty_cpu(sizes, x.impl()->dtype);
  reduce(op, x, std::span(&d, 1), x.impl()->dtype, false, out);
  return out;
}

// Nothing but sizes of 1 after dim d.
bool is_last(const TensorImpl& x, int64_t d) {
  for (auto i = static_cast<size_t>(d) + 1; i < x.sizes.size(); ++i)
    if (x.sizes[i] != 1) return false;
  return true;
}

void softmax(KernelCall& call, bool log) {
  const Tensor &given = tensor_arg(call, 0), &out = call.outs[0];
  const TensorImpl& x = *given.impl();
  if (x.numel() == 0) return;
  const int64_t d = wrap_dim(call.args[1].to_int().hint(), x.dim(), "softmax");
  const int64_t n = x.dim() ? x.sizes[static_cast<size_t>(d)] : 1;
  if (x.dim() == 0 || is_last(x, d)) {
    Tensor rows = packed(given);
    const RowLoops& loops = row_loops(x.dtype);
    return over_rows(x.numel() / n, n, [&](int64_t first, int64_t count) {
      loops.softmax(at(rows, first * n), at(out, first * n), count, n, log);
    });
  }
  Tensor wide = packed(given, compute_type(x.dtype));
  Tensor away = minus(wide, reduced(ReduceOp::max, wide, d));
  Tensor e = apply("exp", {&away}, {}, away), sum = reduced(ReduceOp::sum, e, d);
  if (!log) return copy(out, apply("div", {&e, &sum}, {}, e));
  copy(out, minus(away, apply("log", {&sum}, {}, sum)));
}

void softmax_backward(KernelCall& call, bool log) {
  const Tensor &g = tensor_arg(call, 0), &y = tensor_arg(call, 1), &out = call.outs[0];
  const TensorImpl& x = *y.impl();
  if (x.numel() == 0) return;
  const DType t = out.impl()->dtype, compute = compute_type(t);
  const int64_t d = wrap_dim(call.args[2].to_int().hint(), x.dim(), "softmax_backward");
  const int64_t n = x.dim() ? x.sizes[static_cast<size_t>(d)] : 1;
  if ((x.dim() == 0 || is_last(x, d)) && g.impl()->dtype == t && x.dtype == t) {
    Tensor gs = packed(g), ys = packed(y);
    const RowLoops& loops = row_loops(t);
    return over_rows(x.numel() / n, n, [&](int64_t first, int64_t count) {
      loops.softmax_backward(at(gs, first * n), at(ys, first * n), at(out, first * n), count, n,
                             log);
    });
  }
  Tensor gw = packed(g, compute), yw = packed(y, compute);
  auto times = [](const Tensor& a, const Tensor& b) { return apply("mul", {&a, &b}, {}, a); };
  auto sum = [&](const Tensor& a) { return a.impl()->dim() ? reduced(ReduceOp::sum, a, d) : a; };
  if (log) return copy(out, minus(gw, times(apply("exp", {&yw}, {}, yw), sum(gw))));
  copy(out, times(minus(gw, sum(times(gw, yw))), yw));
}

// --- layer normalization ---

struct Normalized {
  int64_t rows = 1, n = 1;
  Normalized(const TensorImpl& x, const Arg& shape) {
    const size_t lead = x.sizes.size() - shape.to_ints().size();
    for (size_t d = 0; d < x.sizes.size(); ++d) (d < lead ? rows : n) *= x.sizes[d];
  }
};

Tensor parameter(const Arg& a, DType compute) {
  return a.is_none() ? Tensor() : packed(a.ref().tensor(), compute);
}
const void* data_of(const Tensor& t) { return t.defined() ? t.impl()->data() : nullptr; }

void layer_norm(KernelCall& call) {
  Tensor x = packed(tensor_arg(call, 0));
  const Normalized size(*x.impl(), call.args[1]);
  const DType compute = compute_type(x.impl()->dtype);
  const Tensor weight = parameter(call.args[2], compute), bias = parameter(call.args[3], compute);
  const double eps = call.args[4].to_double();
  Tensor stats[2];
  for (size_t i = 0; i < 2; ++i)
    stats[i] = call.outs[i + 1].impl()->dtype == compute
                   ? call.outs[i + 1]
                   : empty_cpu(call.outs[i + 1].impl()->sizes, compute);
  const RowLoops& loops = row_loops(x.impl()->dtype);
  over_rows(size.rows, size.n, [&](int64_t first, int64_t count) {
    loops.layer_norm(at(x, first * size.n), data_of(weight), data_of(bias), eps,
                     at(call.outs[0], first * size.n), at(stats[0], first), at(stats[1], first),
                     count, size.n);
  });
  for (size_t i = 0; i < 2; ++i)
    if (!stats[i].is_same(call.outs[i + 1])) copy(call.outs[i + 1], stats[i]);
}

// [rows, n] summed over rows into a tensor of n elements.
void sum_rows(const Tensor& matrix, const Normalized& size, DType compute, const Tensor& out) {
  const Tensor view =
      alias_view(matrix, Dims{size.rows, size.n}, Dims{size.n, 1}, matrix.impl()->offset);
  const Tensor flat = alias_view(out, Dims{size.n}, Dims{1}, out.impl()->offset);
  const int64_t first = 0;
  reduce(ReduceOp::sum, view, std::span(&first, 1), compute, false, flat);
}

void layer_norm_backward(KernelCall& call) {
  const Tensor x = packed(tensor_arg(call, 1));
  const DType t = x.impl()->dtype, compute = compute_type(t);
  const Tensor g = packed(tensor_arg(call, 0), t);
  const Normalized size(*x.impl(), call.args[2]);
  const Tensor mean = packed(tensor_arg(call, 3), compute),
               rstd = packed(tensor_arg(call, 4), compute);
  const Tensor weight = parameter(call.args[5], compute);
  const IntList mask = call.args[7].to_ints();
  const RowLoops& loops = row_loops(t);
  if (mask[0].hint())
    over_rows(size.rows, size.n, [&](int64_t first, int64_t count) {
      loops.layer_norm_backward(at(g, first * size.n), at(x, first * size.n), at(mean, first),
                                at(rstd, first), data_of(weight), at(call.outs[0], first * size.n),
                                count, size.n);
    });
  if (mask[1].hint()) {
    const Tensor product = empty_cpu(Dims{size.rows, size.n}, compute);
    over_rows(size.rows, size.n, [&](int64_t first, int64_t count) {
      loops.gradient_times_hat(at(g, first * size.n), at(x, first * size.n), at(mean, first),
                               at(rstd, first), at(product, first * size.n), count, size.n);
    });
    sum_rows(product, size, compute, call.outs[1]);
  }
  if (mask[2].hint()) sum_rows(g, size, compute, call.outs[2]);
}

// --- negative log likelihood ---

struct Samples {
  int64_t n, classes, ignore;
  Tensor target;  // int64, contiguous
  Tensor weight;  // in the compute type, or undefined
  const int64_t* classes_of;

  Samples(const TensorImpl& x, const Tensor& t, const Arg& w, int64_t ignore_index, DType compute)
      : n(x.dim() == 2 ? x.sizes[0] : 1),
        classes(x.sizes.back()),
        ignore(ignore_index),
        target(packed(t, DType::i64)),
        weight(parameter(w, compute)),
        classes_of(static_cast<const int64_t*>(target.impl()->data())) {
    for (int64_t i = 0; i < n; ++i)
      if (classes_of[i] != ignore && (classes_of[i] < 0 || classes_of[i] >= classes))
        throw UserError(ErrorKind::index, "nll_loss",
                        "Target " + std::to_string(classes_of[i]) + " is out of bounds.",
                        "classes from 0 to " + std::to_string(classes - 1) + ", or ignore_index");
  }
};

constexpr int64_t kNone = 0, kMean = 1;  // at::Reduction

template <class A>
void nll_forward(KernelCall& call, DType compute) {
  const Tensor& x = tensor_arg(call, 0);
  const TensorImpl& xi = *x.impl();
  const int64_t how = call.args[3].to_int().hint();
  const Samples s(xi, tensor_arg(call, 1), call.args[2], call.args[4].to_int().hint(), compute);
  const bool single = xi.dim() == 1;
  // The log-probabilities of the targets, converted.
  Tensor loss = empty_cpu(Dims{s.n}, compute), each = empty_cpu(Dims{s.n}, compute);
  A *l = static_cast<A*>(loss.impl()->data()), *e = static_cast<A*>(each.impl()->data());
  const A* w = static_cast<const A*>(data_of(s.weight));
  const auto widen = convert_loop(xi.dtype, compute);
  const std::byte* from = static_cast<const std::byte*>(xi.data());
  const int64_t row = single ? 0 : xi.strides[0], column = xi.strides.back(),
                item = size_of(xi.dtype);
  for (int64_t i = 0; i < s.n; ++i) {
    const int64_t c = s.classes_of[i];
    l[i] = e[i] = 0;
    if (c == s.ignore) continue;
    A picked;
    if (xi.dtype == compute)
      picked = *reinterpret_cast<const A*>(from + (i * row + c * column) * item);
    else
      widen(from + (i * row + c * column) * item, 1, &picked, 1);
    l[i] = w ? -(picked * w[c]) : -picked;
    e[i] = w ? w[c] : A(1);
  }
  if (how == kNone && !single) {
    copy(call.outs[0], loss);
    const Element zero = element_of(Scalar(0), xi.dtype);
    return fill_elements({}, place_of(*call.outs[1].impl()), zero.bytes);
  }
  A sum, total;
  const ReduceLoops& loops = *reduce_loops(ReduceOp::sum, compute);
  auto add = [&](const Tensor& t, A* to) {
    const int64_t first = 0;
    Tensor out = empty_cpu({}, compute);
    reduce(ReduceOp::sum, t, std::span(&first, 1), compute, false, out);
    *to = *static_cast<const A*>(out.impl()->data());
  };
  if (s.n <= kReduceRowChunk)
    loops.rows(l, 1, 0, s.n, &sum), loops.rows(e, 1, 0, s.n, &total);
  else
    add(loss, &sum), add(each, &total);
  if (how == kMean) sum = sum / total;
  const auto narrow = convert_loop(compute, xi.dtype);
  narrow(&sum, 1, call.outs[0].impl()->data(), 1);
  narrow(&total, 1, call.outs[1].impl()->data(), 1);
}

template <class A>
void nll_backward(KernelCall& call, DType compute) {
  const TensorImpl& x = impl_arg(call, 1);
  const int64_t how = call.args[4].to_int().hint();
  const Samples s(x, tensor_arg(call, 2), call.args[3], call.args[5].to_int().hint(), compute);
  const bool single = x.dim() == 1, one = how != kNone || single;
  const Tensor g = packed(tensor_arg(call, 0), compute);
  const A* grads = static_cast<const A*>(g.impl()->data());
  A whole = one ? grads[0] : A(0);
  if (how == kMean) {
    const Tensor total = packed(tensor_arg(call, 6), compute);
    whole = whole / *static_cast<const A*>(total.impl()->data());
  }
  const A* w = static_cast<const A*>(data_of(s.weight));
  const TensorImpl& out = *call.outs[0].impl();
  const auto narrow = convert_loop(compute, out.dtype);
  const int64_t item = size_of(out.dtype);
  std::byte* to = static_cast<std::byte*>(out.data());
  over_rows(s.n, s.classes, [&](int64_t first, int64_t count) {
    std::memset(to + first * s.classes * item, 0, static_cast<size_t>(count * s.classes * item));
    for (int64_t i = first; i < first + count; ++i) {
      const int64_t c = s.classes_of[i];
      if (c == s.ignore) continue;
      const A gi = one ? whole : grads[i];
      const A v = w ? -(gi * w[c]) : -gi;
      narrow(&v, 1, to + (i * s.classes + c) * item, 1);
    }
  });
}

}  // namespace

void install_nn(Registry& r) {
  r.set_kernel("_softmax", [](KernelCall& c) { softmax(c, false); });
  r.set_kernel("_log_softmax", [](KernelCall& c) { softmax(c, true); });
  r.set_kernel("_softmax_backward_data", [](KernelCall& c) { softmax_backward(c, false); });
  r.set_kernel("_log_softmax_backward_data", [](KernelCall& c) { softmax_backward(c, true); });
  r.set_kernel("native_layer_norm", layer_norm);
  r.set_kernel("native_layer_norm_backward", layer_norm_backward);
  r.set_kernel("nll_loss_forward", [](KernelCall& c) {
    DType t = compute_type(impl_arg(c, 0).dtype);
    t == DType::f64 ? nll_forward<double>(c, t) : nll_forward<float>(c, t);
  });
  r.set_kernel("nll_loss_backward", [](KernelCall& c) {
    DType t = compute_type(impl_arg(c, 1).dtype);
    t == DType::f64 ? nll_backward<double>(c, t) : nll_backward<float>(c, t);
  });
}

}  // namespace frit::kernels
