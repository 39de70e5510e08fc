#include "gradcheck.h"

#include <fmt/format.h>

#include <cmath>

#include "core/layout.h"
#include "eager/dispatch.h"

namespace frit::test {
namespace {

// A dense copy that is a leaf.
Tensor fresh(const Tensor& t, bool requires_grad) {
  std::vector<double> v = t.to_vector<double>();
  return tensor_from<double>(v, t.impl()->sizes).requires_grad_(requires_grad);
}

bool checked(const Tensor& t) { return t.defined() && t.dtype() == kFloat64 && t.requires_grad(); }

TensorList copies(const TensorList& inputs) {
  TensorList list;
  for (const Tensor& t : inputs) list.push_back(checked(t) ? fresh(t, true) : t);
  return list;
}

// An output that requires no gradient is said not to depend on the inputs.
bool differentiable(const Tensor& t) { return t.defined() && t.dtype() == kFloat64; }
TensorList differentiable(const TensorList& outs) {
  TensorList list;
  for (const Tensor& t : outs)
    if (differentiable(t)) list.push_back(t);
  return list;
}

double* data(const Tensor& t) { return static_cast<double*>(t.impl()->data()); }

bool close(double a, double b, const GradcheckOptions& o) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) == std::isnan(b);
  return std::abs(a - b) <= o.absolute + o.relative * std::abs(b);
}

}  // namespace

std::string gradcheck(const GradFunction& fn, const TensorList& inputs, GradcheckOptions options) {
  TensorList taped = copies(inputs);
  TensorList outs = differentiable(fn(taped));
  std::vector<bool> among;  // of fn's outputs: the checked ones
  for (const Tensor& t : fn(taped)) among.push_back(differentiable(t));
  if (outs.empty()) return "no output is float64";

  // jacobian[o][i]: by element of output o, then of input i.
  std::vector<std::vector<std::vector<double>>> jacobian(outs.size());
  TensorList wanted;
  for (const Tensor& t : taped)
    if (checked(t)) wanted.push_back(t);
  for (size_t o = 0; o < outs.size(); ++o) {
    int64_t n = outs[o].impl()->numel();
    for (int64_t k = 0; k < n; ++k) {
      std::vector<double> one(static_cast<size_t>(n), 0.0);
      one[static_cast<size_t>(k)] = 1;
      TensorList grads(wanted.size());
      if (outs[o].requires_grad())
        grads = autograd::grad({outs[o]}, wanted, {tensor_from<double>(one, outs[o].impl()->sizes)},
                               /*retain_graph=*/true, false, /*allow_unused=*/true);
      jacobian[o].resize(wanted.size());
      for (size_t i = 0; i < wanted.size(); ++i) {
        std::vector<double>& row = jacobian[o][i];
        if (!grads[i].defined()) {
          row.insert(row.end(), static_cast<size_t>(wanted[i].impl()->numel()), 0.0);
          continue;
        }
        if (!(grads[i].impl()->sizes == wanted[i].impl()->sizes))
          return fmt::format("gradient of input {} has sizes {}, not {}", i,
                             dims_text(grads[i].impl()->sizes), dims_text(wanted[i].impl()->sizes));
        std::vector<double> g = grads[i].to_vector<double>();
        row.insert(row.end(), g.begin(), g.end());
      }
    }
  }

  NoGrad off;
  auto evaluate = [&](const TensorList& at) {
    TensorList all = fn(at), list;
    for (size_t i = 0; i < all.size(); ++i)
      if (among[i]) list.push_back(all[i]);
    return list;
  };
  TensorList moved = copies(inputs);
  size_t w = 0;
  for (Tensor& input : moved) {
    if (!checked(input)) continue;
    int64_t n = input.impl()->numel();
    for (int64_t j = 0; j < n; ++j) {
      double& x = data(input)[j];
      double middle = x;
      x = middle + options.step;
      std::vector<std::vector<double>> highs;
      for (const Tensor& t : evaluate(moved)) highs.push_back(t.to_vector<double>());
      x = middle - options.step;
      // An output may be an input itself: its values are read while they are moved.
      std::vector<std::vector<double>> all_lows;
      for (const Tensor& t : evaluate(moved)) all_lows.push_back(t.to_vector<double>());
      x = middle;
      for (size_t o = 0; o < all_lows.size(); ++o) {
        const std::vector<double>& lows = all_lows[o];
        for (size_t k = 0; k < lows.size(); ++k) {
          double numeric = (highs[o][k] - lows[k]) / (2 * options.step);
          double analytic = jacobian[o][w][k * static_cast<size_t>(n) + static_cast<size_t>(j)];
          if (!close(analytic, numeric, options))
            return fmt::format(
                "d output {}[{}] / d input {}[{}]: {:.8g} by the tape, {:.8g} by differences", o, k,
                w, j, analytic, numeric);
        }
      }
    }
    ++w;
  }
  return "";
}

std::string gradgradcheck(const GradFunction& fn, const TensorList& inputs,
                          GradcheckOptions options) {
  TensorList all = copies(inputs);
  size_t first = all.size();
  uint64_t state = 12345;
  bool any = false;
  for (const Tensor& out : differentiable(fn(all))) {
    if (!out.requires_grad()) continue;
    any = true;
    std::vector<double> v;
    for (int64_t k = 0; k < out.impl()->numel(); ++k) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      v.push_back(0.5 + static_cast<double>(state >> 40) / (1 << 24));
    }
    all.push_back(tensor_from<double>(v, out.impl()->sizes).requires_grad_());
  }
  if (!any) return "no output requires a gradient";
  GradFunction gradient = [&fn, first](const TensorList& given) {
    EnableGrad on;
    TensorList at(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(first));
    TensorList grad_outs(given.begin() + static_cast<std::ptrdiff_t>(first), given.end());
    TensorList outs, wanted;
    for (const Tensor& t : differentiable(fn(at)))
      if (t.requires_grad()) outs.push_back(t);
    for (const Tensor& t : at)
      if (checked(t)) wanted.push_back(t);
    TensorList grads = autograd::grad(outs, wanted, grad_outs, false, /*create_graph=*/true, true);
    TensorList used;
    for (Tensor& g : grads)
      if (g.defined()) used.push_back(std::move(g));
    return used;
  };
  return gradcheck(gradient, all, options);
}

RecordCall as_function(const OpRecord& record, ArgList args) {
  RecordCall call;
  for_each_ref(args, [&](const Ref& r) { call.inputs.push_back(r.tensor()); });
  call.fn = [&record, args](const TensorList& inputs) {
    ArgList now = args;
    size_t next = 0;
    for (Arg& a : now) {
      if (a.is_ref()) {
        a = Arg(inputs[next++]);
      } else if (a.is_ref_list()) {
        std::vector<Ref> list = a.refs();
        for (Ref& r : list)
          if (r.defined()) r = Ref(inputs[next++]);
        a = Arg(std::move(list));
      }
    }
    TensorList outs;
    for (const Ref& r : eager::EagerCaller().call(record, now)) outs.push_back(r.tensor());
    return outs;
  };
  return call;
}

}  // namespace frit::test
