#include "fuzzer/sums.h"

#include <frit/autograd.h>
#include <frit/ops.h>

#include <cmath>

#include "eager/dispatch.h"
#include "eager/intercept.h"
#include "ops/caller.h"

namespace frit::fuzz {
namespace {

std::vector<double> values(const Tensor& t) {
  return t.detach().to(DType::f64).to_vector<double>();
}

// From one number to the next, relative.
double step(DType t) {
  switch (t) {
    case DType::f64:
      return 0x1p-52;
    case DType::f16:
      return 0x1p-10;
    case DType::bf16:
      return 0x1p-7;
    default:
      return 0x1p-23;
  }
}

}  // namespace

GradientSums::Sum GradientSums::of(const Tensor& t) const {
  if (auto known = sums_.find(t.impl()->id()); known != sums_.end()) return known->second;
  Sum s{1, values(t)};
  for (double& v : s.magnitudes) v = std::abs(v);
  return s;
}

void GradientSums::note(const OpRecord& record, std::span<const Arg> args,
                        std::span<const Tensor> results, PhiloxState, SourceLocation) {
  static const OpRecord &add = find_op("add.Tensor"), &add_in_place = find_op("add_.Tensor"),
                        &clone = find_op("clone"), &contiguous = find_op("contiguous"),
                        &copy_in_place = find_op("copy_"), &as_strided = find_op("as_strided"),
                        &times = find_op("mul.Scalar");
  if (eager::current_stage() != eager::Stage::backward || results.size() != 1) return;
  eager::UnrecordedScope quiet;
  NoGrad no_grad;
  const Tensor& result = results[0];
  // Computed inputs are a leaf times 1, and so are the leaf's gradients.
  bool same = &record == &clone || &record == &contiguous ||
              (&record == &times && args[1].to_scalar().to_double() == 1.0);
  if (same) {
    Sum s = of(args[0].ref().tensor());
    sums_[result.impl()->id()] = std::move(s);
  } else if (&record == &copy_in_place) {
    const Tensor& from = args[1].ref().tensor();
    if (!(from.impl()->sizes == result.impl()->sizes) || from.dtype() != result.dtype()) return;
    Sum s = of(from);
    sums_[result.impl()->id()] = std::move(s);
  } else if (record.kind == Kind::view && &record != &as_strided) {
    const Tensor& x = args[0].ref().tensor();
    auto known = sums_.find(x.impl()->id());
    if (known == sums_.end()) return;
    ArgList shown(args);
    std::vector<double>& magnitudes = known->second.magnitudes;
    shown[0] = Arg(from_blob(magnitudes.data(), x.impl()->sizes, DType::f64));
    const Tensor view = eager::EagerCaller().call(record, shown)[0].tensor();
    sums_[result.impl()->id()] = {known->second.terms, values(view)};
  } else if (&record == &add || &record == &add_in_place) {
    const Tensor &x = args[0].ref().tensor(), &y = args[1].ref().tensor();
    if (!(y.impl()->sizes == result.impl()->sizes)) return;
    Sum s = of(x), other = of(y);
    if (s.magnitudes.size() != other.magnitudes.size()) return;
    // What was written holds the sum already: before, it was that less the other.
    if (x.is_same(result) && !sums_.count(x.impl()->id()))
      for (size_t i = 0; i < s.magnitudes.size(); ++i) s.magnitudes[i] += other.magnitudes[i];
    s.terms += other.terms;
    for (size_t i = 0; i < s.magnitudes.size(); ++i) s.magnitudes[i] += other.magnitudes[i];
    sums_[result.impl()->id()] = std::move(s);
  }
}

bool GradientSums::explains(const Tensor& noted, const Tensor& a, const Tensor& b) const {
  if (!noted.defined() || noted.dtype() != a.dtype() || a.dtype() != b.dtype()) return false;
  Sum s = of(noted);
  std::vector<double> u = values(a), v = values(b);
  if (s.terms < 3 || u.size() != v.size() || u.size() != s.magnitudes.size()) return false;
  for (size_t i = 0; i < u.size(); ++i)
    if (!(std::isnan(u[i]) && std::isnan(v[i])) && u[i] != v[i] &&
        !(std::abs(u[i] - v[i]) <= (s.terms - 1) * step(a.dtype()) * s.magnitudes[i]))
      return false;
  return true;
}

}  // namespace frit::fuzz
