// Matrix products for the tests of the micro-kernels: random operands of any element type and
// strides, and the product by its definition.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "kernels/cpu/micro/gemm.h"

namespace frit::kernels::test {

using i64 = int64_t;

inline double decode(Elem e, const void* p, i64 i) {
  switch (e) {
    case Elem::f32:
      return static_cast<const float*>(p)[i];
    case Elem::f64:
      return static_cast<const double*>(p)[i];
    case Elem::bf16:
      return std::bit_cast<float>(static_cast<uint32_t>(static_cast<const uint16_t*>(p)[i]) << 16);
    case Elem::f16: {
      const uint16_t h = static_cast<const uint16_t*>(p)[i];
      const int exponent = h >> 10 & 31, fraction = h & 1023;
      const double sign = h >> 15 ? -1 : 1;
      if (exponent == 31) return fraction ? NAN : sign * INFINITY;
      return sign *
             (exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24));
    }
    case Elem::i8:
      return static_cast<const int8_t*>(p)[i];
    case Elem::i16:
      return static_cast<const int16_t*>(p)[i];
    case Elem::i32:
      return static_cast<const int32_t*>(p)[i];
    case Elem::i64:
      return static_cast<double>(static_cast<const int64_t*>(p)[i]);
    case Elem::u8:
      return static_cast<const uint8_t*>(p)[i];
  }
  return 0;
}

inline uint16_t bf16_bits(float x) {  // to nearest even
  const uint32_t u = std::bit_cast<uint32_t>(x);
  if (x != x) return static_cast<uint16_t>(u >> 16 | 0x40);
  return static_cast<uint16_t>((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

// A small value with few bits, so that sixteen-bit types hold it exactly.
inline void encode(Elem e, void* p, i64 i, double x) {
  switch (e) {
    case Elem::f32:
      static_cast<float*>(p)[i] = static_cast<float>(x);
      return;
    case Elem::f64:
      static_cast<double*>(p)[i] = x;
      return;
    case Elem::bf16:
      static_cast<uint16_t*>(p)[i] = bf16_bits(static_cast<float>(x));
      return;
    case Elem::f16: {
      _Float16 h = static_cast<_Float16>(static_cast<float>(x));
      std::memcpy(static_cast<uint16_t*>(p) + i, &h, 2);
      return;
    }
    case Elem::i8:
      static_cast<int8_t*>(p)[i] = static_cast<int8_t>(x);
      return;
    case Elem::i16:
      static_cast<int16_t*>(p)[i] = static_cast<int16_t>(x);
      return;
    case Elem::i32:
      static_cast<int32_t*>(p)[i] = static_cast<int32_t>(x);
      return;
    case Elem::i64:
      static_cast<int64_t*>(p)[i] = static_cast<int64_t>(x);
      return;
    case Elem::u8:
      static_cast<uint8_t*>(p)[i] = static_cast<uint8_t>(x);
      return;
  }
}

inline bool is_float(Elem e) { return e <= Elem::f16; }

enum class Order { rows, columns, strided };

// A matrix [batch, rows, cols] in memory of exactly its extent (so that the address sanitizer sees
// a read past it), with the strides of its order.
struct Matrix {
  Elem dtype;
  i64 batch, rows, cols, row_stride, col_stride, batch_stride;
  std::vector<char> bytes;

  Matrix(Elem dtype, i64 batch, i64 rows, i64 cols, Order order, bool shared = false)
      : dtype(dtype), batch(batch), rows(rows), cols(cols) {
    if (order == Order::rows) row_stride = cols, col_stride = 1;
    if (order == Order::columns) row_stride = 1, col_stride = rows;
    if (order == Order::strided) row_stride = 3, col_stride = 3 * rows + 2;
    const bool none = rows == 0 || cols == 0;
    const i64 extent = none ? 0 : (rows - 1) * row_stride + (cols - 1) * col_stride + 1;
    batch_stride = shared ? 0 : extent;
    bytes.resize(extent * (shared ? 1 : batch) * elem_bytes(dtype));
  }
  i64 at(i64 b, i64 r, i64 c) const { return b * batch_stride + r * row_stride + c * col_stride; }
  double get(i64 b, i64 r, i64 c) const { return decode(dtype, bytes.data(), at(b, r, c)); }
  void set(i64 b, i64 r, i64 c, double x) { encode(dtype, bytes.data(), at(b, r, c), x); }
  void fill(std::mt19937& random) {
    // Sixty-fourths up to 2: exact in bfloat16, and products are exact in float.
    std::uniform_int_distribution<int> ints(-128, 127);
    for (i64 i = 0; i < static_cast<i64>(bytes.size()) / elem_bytes(dtype); i++)
      encode(dtype, bytes.data(), i, is_float(dtype) ? ints(random) / 64.0 : ints(random));
  }
  // Of many bits, so that every rounding shows.
  void fill_real(std::mt19937& random) {
    for (i64 i = 0; i < static_cast<i64>(bytes.size()) / elem_bytes(dtype); i++)
      encode(dtype, bytes.data(), i, static_cast<int32_t>(random()) * 0x1p-30);
  }
};

// The definition in gemm.h, element by element: what every kernel must give to the bit.
template <class S>
S defined_element(const Matrix& a, const Matrix& b, i64 batch, i64 m, i64 n) {
  S total = 0;
  for (i64 k0 = 0; k0 < a.cols; k0 += kGemmKBlock) {
    S sum = 0;
    for (i64 k = k0; k < std::min(a.cols, k0 + kGemmKBlock); k++)
      sum = std::fma(static_cast<S>(a.get(batch, m, k)), static_cast<S>(b.get(batch, k, n)), sum);
    total = k0 == 0 ? sum : total + sum;
  }
  return total;
}

struct Problem {
  Matrix a, b, c;
  GemmArgs args;
  Problem(Elem dtype, i64 batch, i64 m, i64 k, i64 n, Order order_a = Order::rows,
          Order order_b = Order::rows, i64 c_extra = 0)
      : a(dtype, batch, m, k, order_a),
        b(dtype, batch, k, n, order_b),
        c(dtype, batch, m, n + c_extra, Order::rows) {
    args.dtype = dtype;
    args.m = m, args.n = n, args.k = k, args.batch = batch;
    point();
  }
  void point() {
    args.a = a.bytes.data(), args.b = b.bytes.data(), args.c = c.bytes.data();
    args.a_row_stride = a.row_stride, args.a_col_stride = a.col_stride;
    args.a_batch_stride = a.batch_stride;
    args.b_row_stride = b.row_stride, args.b_col_stride = b.col_stride;
    args.b_batch_stride = b.batch_stride;
    args.c_row_stride = c.row_stride, args.c_batch_stride = c.batch_stride;
  }
  std::string text() const {
    return std::to_string(args.batch) + "x" + std::to_string(args.m) + "x" +
           std::to_string(args.k) + "x" + std::to_string(args.n) + " dtype " +
           std::to_string(static_cast<int>(args.dtype)) + " a strides " +
           std::to_string(args.a_row_stride) + "," + std::to_string(args.a_col_stride) +
           " b strides " + std::to_string(args.b_row_stride) + "," +
           std::to_string(args.b_col_stride);
  }
};

// The levels this processor can run.
inline std::vector<const GemmTable*> tables() {
  std::vector<const GemmTable*> all;
  for (CpuLevel level : {CpuLevel::avx2, CpuLevel::avx512})
    if (const GemmTable* t = gemm_table(level)) all.push_back(t);
  return all;
}

// "" or what is wrong with p.c: every element to the bit by the definition, and nothing written
// past n.
inline std::string difference(const Problem& p, double untouched) {
  for (i64 b = 0; b < p.args.batch; b++)
    for (i64 m = 0; m < p.args.m; m++)
      for (i64 n = 0; n < p.c.cols; n++) {
        double expected = untouched;
        if (n < p.args.n) {
          if (p.args.dtype == Elem::f64) {
            expected = defined_element<double>(p.a, p.b, b, m, n);
          } else {
            const float x = defined_element<float>(p.a, p.b, b, m, n);
            char rounded[4];
            encode(p.args.dtype, rounded, 0, x);
            expected = decode(p.args.dtype, rounded, 0);
          }
        }
        const double got = p.c.get(b, m, n);
        const bool both_nan = got != got && expected != expected;
        if (got != expected && !both_nan)
          return p.text() + " at " + std::to_string(b) + "," + std::to_string(m) + "," +
                 std::to_string(n) + ": got " + std::to_string(got) + ", expected " +
                 std::to_string(expected);
      }
  return "";
}

}  // namespace frit::kernels::test
