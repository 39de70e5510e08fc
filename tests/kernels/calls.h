// Calling kernels without eager: shape rule, outputs, kernel; or, with `parts`, decomposition.
#pragma once
#include <frit/tensor.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <random>

#include "base/parallel.h"
#include "core/layout.h"
#include "kernels/cpu/kernels.h"
#include "kernels/cpu/memory.h"
#include "ops/record.h"

namespace frit::kernels::test {

inline constexpr DType kTypes[] = {DType::f32, DType::f64, DType::bf16, DType::f16, DType::i8,
                                   DType::i16, DType::i32, DType::i64,  DType::u8,  DType::boolean};
inline constexpr DType kFloats[] = {DType::f32, DType::f64, DType::bf16, DType::f16};

class KernelCaller final : public Caller {
 public:
  // A composite of that name runs as its parts, kernel or not.
  explicit KernelCaller(std::string_view parts = {}) : parts_(parts) { install(); }

  RefList call(const OpRecord& r, std::span<const Arg> args) override {
    const bool has_parts = r.kind == Kind::composite || (r.kind == Kind::reduction && r.decomp);
    if (has_parts && (!r.kernel || r.full_name == parts_)) return r.decomp(*this, args);
    ShapeCtx<int64_t> shape(r, args);
    r.shape(shape);
    SmallVector<Tensor, 2> outs;
    for (const auto& m : shape.outs())
      outs.push_back(m.alias_of < 0
                         ? empty_strided_cpu(m.sizes, m.strides, m.dtype)
                         : alias_view(args[static_cast<size_t>(m.alias_of)].ref().tensor(), m.sizes,
                                      m.strides, m.offset));
    if (r.kind != Kind::view) {
      if (outs.empty()) outs.resize(r.schema.returns.size());
      KernelCall c{r, args, {outs.data(), outs.size()}, rng};
      run(c);
    }
    RefList refs;
    for (Tensor& t : outs) refs.emplace_back(std::move(t));
    return refs;
  }
  PhiloxState rng{7, 3};

 private:
  std::string_view parts_;
};

template <OpName name, class... A>
Tensor op(A&&... args) {
  return KernelCaller().op<name>(std::forward<A>(args)...).tensor();
}

// Row-major values as float64 (exact for every dtype but large int64), and back.
inline std::vector<double> values(const Tensor& t) {
  Tensor wide = packed(t, DType::f64);
  const auto* p = static_cast<const double*>(wide.impl()->data());
  return {p, p + wide.impl()->numel()};
}
inline std::vector<std::byte> bits(const Tensor& t) {
  Tensor rows = packed(t);
  const auto* p = static_cast<const std::byte*>(rows.impl()->data());
  return {p, p + rows.impl()->numel() * size_of(rows.impl()->dtype)};
}
inline Tensor from_values(const std::vector<double>& v, std::span<const int64_t> sizes, DType t) {
  Tensor wide = empty_cpu(sizes, DType::f64);
  if (!v.empty()) std::memcpy(wide.impl()->data(), v.data(), v.size() * sizeof(double));
  return packed(wide, t);
}

// Numbers of a few bits, so that sums of them are exact in any order; in the half types too.
inline Tensor small_numbers(std::span<const int64_t> sizes, DType t, uint32_t seed = 1,
                            int range = 8) {
  std::mt19937 random(seed);
  std::vector<double> v(static_cast<size_t>(numel_of<int64_t>(sizes)));
  const bool negative = t != DType::u8 && t != DType::boolean;
  for (double& x : v) {
    x = static_cast<double>(random() % static_cast<unsigned>(range)) - (negative ? range / 2 : 0);
    if (is_bool(t)) x = random() % 3 == 0;
  }
  return from_values(v, sizes, t);
}
// Any floats.
inline Tensor real_numbers(std::span<const int64_t> sizes, DType t, uint32_t seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> v(static_cast<size_t>(numel_of<int64_t>(sizes)));
  for (double& x : v) x = normal(random);
  return from_values(v, sizes, t);
}

// The same values in another layout: 0 row-major, 1 the reverse order of dimensions, 2 with gaps.
inline Tensor laid_out(const Tensor& t, int how) {
  const TensorImpl& i = *t.impl();
  if (how == 0) return packed(t);
  Dims strides(i.sizes.size());
  int64_t step = how == 2 ? 2 : 1;
  if (how == 1)
    for (size_t d = 0; d < strides.size(); ++d)
      strides[d] = step, step *= std::max<int64_t>(1, i.sizes[d]);
  else
    for (size_t d = strides.size(); d-- > 0;)
      strides[d] = step, step = step * std::max<int64_t>(1, i.sizes[d]) + 3;
  Tensor out = empty_strided_cpu(i.sizes, strides, i.dtype);
  copy(out, t);
  return out;
}

// Calls fn with 1 thread and with 2, and puts the number back.
template <class F>
void with_threads(F fn) {
  const int before = num_threads();
  for (int n : {1, 2}) {
    set_num_threads(n);
    fn(n);
  }
  set_num_threads(before);
}

inline Dims contiguous(std::span<const int64_t> sizes) {
  return contiguous_strides<int64_t>(sizes);
}
inline int64_t flat_index(std::span<const int64_t> index, std::span<const int64_t> strides) {
  int64_t at = 0;
  for (size_t d = 0; d < index.size(); ++d) at += index[d] * strides[d];
  return at;
}
// Calls fn(index) for every index, in row-major order.
template <class F>
void each_index(std::span<const int64_t> sizes, F fn) {
  if (numel_of<int64_t>(sizes) == 0) return;
  Dims index(sizes.size(), 0);
  for (;;) {
    fn(index);
    size_t d = sizes.size();
    while (d-- > 0) {
      if (++index[d] < sizes[d]) break;
      index[d] = 0;
    }
    if (d == static_cast<size_t>(-1)) return;
  }
}

}  // namespace frit::kernels::test
