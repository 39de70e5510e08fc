// What generated code calls besides the vector header: accesses to a part of a vector, integer
// arithmetic of index expressions, checked indices, and the way into a parallel region.
#include "codegen/cpu/generate.h"
#include "vec/text.h"

namespace frit::codegen::cpu {
namespace {

constexpr const char* kPrelude = R"(
FV_BEGIN
template <class T> constexpr bool slow_parts = FV_LEVEL == 2 && sizeof(T) <= 2;
template <class T> FV vcompute<T> load_part(const T* p, i64 n) {
  if constexpr (slow_parts<T>) return n == L ? load(p) : load_n(p, n);
  else return load_n(p, n);
}
template <class T> FV void store_part(T* p, vcompute<T> v, i64 n) {
  if constexpr (slow_parts<T>) n == L ? store(p, v) : store_n(p, v, n);
  else store_n(p, v, n);
}
template <class V> FV V reversed(V v) {
#if FV_LEVEL == 5
  return __builtin_shufflevector(v, v, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
#else
  return __builtin_shufflevector(v, v, 7, 6, 5, 4, 3, 2, 1, 0);
#endif
}
template <class T> FV vcompute<T> load_reversed(const T* p, i64 n) {
  if (n != L) return load_strided(p, (i64)-1, n);
  vbits<T> b;
  __builtin_memcpy(&b, p - (L - 1), sizeof b);
  return from_bits<T>(reversed(b));
}
template <class A, class B> FV auto floordiv(A a, B b) {
  if constexpr (is_vec<A> || is_vec<B>) {
    vi64 x = (vi64)a, y = (vi64)b;
    y -= (vi64)(y == 0);  // a size of what has no elements
    vi64 q = x / y, r = x - q * y;
    return (vi64)(q + (((r != 0) & ((r < 0) ^ (y < 0))) != 0));
  } else {
    if (b == 0) return (i64)0;
    i64 q = a / b;
    return q - (a % b != 0 && (a < 0) != (b < 0));
  }
}
template <class A, class B> FV auto floormod(A a, B b) { return a - floordiv(a, b) * b; }
template <class A, class B> FV auto smaller(A a, B b) {
  if constexpr (is_vec<A> || is_vec<B>) return min_raw((vi64)a, (vi64)b);
  else return least(a, b);
}
template <class A, class B> FV auto larger(A a, B b) {
  if constexpr (is_vec<A> || is_vec<B>) return max_raw((vi64)a, (vi64)b);
  else return (i64)a > (i64)b ? (i64)a : (i64)b;
}
template <class C> FV mask as_mask(C c) {
  if constexpr (same<C, bool>) return (mask)c;
  else if constexpr (same<C, mask>) return c;
  else return to_mask(c);
}
FV_LAZY_SLOW void report(FritRun* run, i64 check, i64 value) {
  __atomic_store_n(&run->detail[0], value, __ATOMIC_RELAXED);
  __atomic_store_n(&run->detail[1], 1 + check, __ATOMIC_RELAXED);
}
FV_LAZY i64 wrap_index(i64 v, i64 size) { return v < 0 ? v + size : v; }
FV_LAZY vi64 wrap_index(vi64 v, i64 size) { return where(to_mask(v < 0), v + size, v); }
FV_LAZY bool outside(i64 v, i64 size) { return (u64)v >= (u64)size; }
FV_LAZY i64 checked_index(FritRun* run, i64 check, i64 v, i64 wrapped, i64 size) {
  if (!outside(wrapped, size)) return wrapped;
  report(run, check, v);
  return -1;
}
FV_LAZY mask checked_lanes(FritRun* run, i64 check, mask active, vi64 v, vi64 wrapped, i64 size) {
  mask good = to_mask(wrapped >= 0) & to_mask(wrapped < size);
  mask_bits bad = bits_of(active) & ~bits_of(good);
  if (__builtin_expect(bad != 0, 0)) report(run, check, lane(v, __builtin_ctz(bad)));
  return active & good;
}
template <class V, class F> FV V each_lane(vi64 index, F f) {
  if constexpr (is_bool<V>) {
    mask_bits r = 0;
    for (i32 i = 0; i < L; i++) r |= (mask_bits)((mask_bits)f(lane(index, i)) << i);
    return __builtin_bit_cast(mask, r);
  } else {
    elem<V> r[L];
    for (i32 i = 0; i < L; i++) r[i] = f(lane(index, i));
    V v;
    __builtin_memcpy(&v, r, sizeof v);
    return v;
  }
}
template <class T> FV void scatter_add(T* p, vi64 index, vcompute<T> v, mask m) {
  for (u32 b = bits_of(m); b; b &= b - 1) {
    T* q = p + lane(index, __builtin_ctz(b));
    store1(q, add(load1(q), lane(v, __builtin_ctz(b))));
  }
}
template <class Op, class V, class Get> FV auto combine_arg(i64 count, i64 size, Get get) {
  typedef like<i64, V> I;
  Found<V, I> best = {Op::template start<V>(), (I)0};
  for (i64 p = 0; p < count; p++) {
    Found<V, I> f;
    FV_CALL f = get(p);
    auto m = beats<Op>(f.value, best.value);
    best = {where(m, f.value, best.value), where(m, f.index + (I)(p * size), best.index)};
  }
  return best;
}
template <class Body> FV void loop_whole(i64 begin, i64 end, Body body) {
  for (i64 i = begin; i < end; i += L) {
    FV_CALL body(i, (i64)L);
  }
}
template <class Body> FV void loop_masked(i64 begin, i64 end, Body body) {
#if FV_LEVEL == 5
  for (i64 i = begin; i < end; i += L) {
    FV_CALL body(i, least(L, end - i));
  }
#else
  loop(begin, end, body);
#endif
}
template <class Op, class T, class Load> FV T row_whole(i64 n, Load load) {
  typedef vec<T> V;
  V a0 = Op::template start<V>(), a1 = a0, a2 = a0, a3 = a0;
  for (i64 k = 0; k < n; k += L) {
    V v;
    FV_CALL v = load(k, (i64)L);
    V t = Op::join(a0, v);
    a0 = a1;
    a1 = a2;
    a2 = a3;
    a3 = t;
  }
  T x = fold<Op>(Op::join(Op::template start<V>(), Op::join(Op::join(a0, a1), Op::join(a2, a3))));
  return join<Op, T>(start<Op, T>(), join<Op, T>(start<Op, T>(), x));
}
// Rows of 64 lanes: dst[r * 64 + l] = src[l * stride + r].
template <class T> FV_SLOW void stage(const T* src, i64 stride, T* dst, i64 rows, i64 lanes) {
  i64 r = 0;
  for (; r + L <= rows; r += L) {
    i64 l = 0;
    for (; l + L <= lanes; l += L) transpose_tile(src + l * stride + r, stride, dst + r * 64 + l, 64);
    transpose_part(src + l * stride + r, stride, dst + r * 64 + l, 64, lanes - l, L);
  }
  transpose_part(src + r, stride, dst + r * 64, 64, lanes, rows - r);
}
FV void parallel(FritRun* run, i64 n, i64 grain, void (*region)(i64, i64, void*)) {
  if (n > grain) run->api->parallel_for(n, grain, region, run);
  else if (n > 0) region(0, n, run);
}
struct Piece { i64 begin, end; };
FV Piece piece_of(i64 begin, i64 end, i64 start, i64 turns, i64 cost) {
  i64 b = (begin - start + cost - 1) / cost, e = (end - start + cost - 1) / cost;
  if (begin <= start) b = 0;
  return {b, end <= start ? 0 : least(e, turns)};
}
FV_END
using fv::f32; using fv::f64; using fv::i8; using fv::i16; using fv::i32; using fv::i64;
using fv::u8; using fv::u64; using fv::bool_t; using fv::bf16_t; using fv::f16_t;
using fv::vf32; using fv::vf64; using fv::vi8; using fv::vi16; using fv::vi32; using fv::vi64;
using fv::vu8; using fv::mask; using fv::L;
)";

}  // namespace

std::string_view header() {
  static const std::string text = std::string(vec::vec_header_text()) + kPrelude;
  return text;
}

}  // namespace frit::codegen::cpu
