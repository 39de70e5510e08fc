// The reductions of vec/reduce.h as loops over memory.
#include "kernels/cpu/level_table.h"
#include "vec/vec.h"

namespace frit::kernels {
#if FRIT_LEVEL == 5
namespace avx512 {
#else
namespace avx2 {
#endif
namespace {

using fv::i64;
using fv::L;

// T in memory, A in the accumulators.
template <class Op, class T, class A>
struct Reduce {
  static constexpr bool counts = fv::same<T, fv::bool_t> && fv::same<A, i64>;
  using V = fv::vec<A>;

  FV V widen(fv::vcompute<T> v) { return fv::cast<A>(v); }
  FV V load(const T* p) { return widen(fv::load(p)); }
  FV V load_n(const T* p, i64 n) { return widen(fv::load_n(p, n)); }
  FV V load_some(const T* p, i64 n) { return n == L ? load(p) : load_n(p, n); }

  static A one_row(const T* p, i64 n) {
    return fv::row<Op, A>(n, [p](i64 k, i64 m) { return load_some(p + k, m); });
  }
  static void rows(const void* in, i64 rows, i64 row_stride, i64 n, void* acc) {
    const T* p = static_cast<const T*>(in);
    A* out = static_cast<A*>(acc);
    for (i64 r = 0; r < rows; ++r) fv::store1(out + r, one_row(p + r * row_stride, n));
  }
  static void row_chunk(const void* in, i64 n, i64 c, void* acc) {
    const T* p = static_cast<const T*>(in);
    fv::store1(static_cast<A*>(acc),
               fv::row_chunk<Op, A>(n, c, [p](i64 k, i64 m) { return load_some(p + k, m); }));
  }
  // Quads of vectors, then vectors, then what is left.
  template <class Each>
  FV void over_width(const void* in, i64 stride, i64 width, void* acc, Each each) {
    using Q = fv::Quad<V>;
    const T* p = static_cast<const T*>(in);
    A* out = static_cast<A*>(acc);
    i64 j = 0;
    for (; j + 4 * L <= width; j += 4 * L) {
      const T* q = p + j;
      Q r;
      FV_CALL r = each(Q{}, [q, stride](i64 k) {
        const T* at = q + k * stride;
        return Q{load(at), load(at + L), load(at + 2 * L), load(at + 3 * L)};
      });
      fv::store(out + j, r.a), fv::store(out + j + L, r.b);
      fv::store(out + j + 2 * L, r.c), fv::store(out + j + 3 * L, r.d);
    }
    for (; j < width; j += L) {
      const T* q = p + j;
      i64 m = fv::least(L, width - j);
      V r;
      FV_CALL r = each(V{}, [q, stride, m](i64 k) { return load_some(q + k * stride, m); });
      fv::store_n(out + j, r, m);
    }
  }
  static void columns(const void* in, i64 n, i64 stride, i64 width, void* acc) {
    over_width(in, stride, width, acc,
               [n](auto s, auto load) { return fv::column<Op, decltype(s)>(n, load); });
  }
  static void column_chunk(const void* in, i64 n, i64 stride, i64 width, i64 c, void* acc) {
    over_width(in, stride, width, acc,
               [n, c](auto s, auto load) { return fv::column_chunk<Op, decltype(s)>(n, c, load); });
  }
  static void combine(const void* parts, i64 count, i64 width, void* acc) {
    const A* p = static_cast<const A*>(parts);
    A* out = static_cast<A*>(acc);
    for (i64 j = 0; j < width; j += L) {
      i64 m = fv::least(L, width - j);
      V r = fv::combine<Op, V>(count, [&](i64 k) { return fv::load_n(p + k * width + j, m); });
      fv::store_n(out + j, r, m);
    }
  }
  static void divide(void* acc, i64 width, i64 n) {
    A* out = static_cast<A*>(acc);
    for (i64 j = 0; j < width; ++j) out[j] = out[j] / (A)n;
  }
};

template <class T, class A, class Op>
constexpr ReduceLoops loops(DType acc) {
  using R = Reduce<Op, T, A>;
  if constexpr (fv::is_float<A>)
    return {acc, R::rows, R::row_chunk, R::columns, R::column_chunk, R::combine, R::divide};
  else
    return {acc, R::rows, R::row_chunk, R::columns, R::column_chunk, R::combine, nullptr};
}

template <class Op, class T>
struct Arg {
  static void rows(const void* in, i64 rows, i64 row_stride, i64 n, void* values, i64* at) {
    for (i64 r = 0; r < rows; ++r) {
      const T* p = static_cast<const T*>(in) + r * row_stride;
      auto f = fv::row_arg<Op, T>(
          n, [p](i64 k, i64 m) { return m == L ? fv::load(p + k) : fv::load_n(p + k, m); });
      static_cast<T*>(values)[r] = f.value;
      at[r] = f.index;
    }
  }
  static void columns(const void* in, i64 n, i64 stride, i64 width, void* values, i64* at) {
    for (i64 j = 0; j < width; j += L) {
      const T* p = static_cast<const T*>(in) + j;
      i64 m = fv::least(L, width - j);
      auto f =
          fv::column_arg<Op, fv::vec<T>>(n, [=](i64 k) { return fv::load_n(p + k * stride, m); });
      fv::store_n(static_cast<T*>(values) + j, f.value, m);
      fv::store_n(at + j, f.index, m);
    }
  }
  static void merge(const void* values, const i64* at, i64 count, void* value, i64* where) {
    const T* v = static_cast<const T*>(values);
    fv::Found<T, i64> best{v[0], at[0]};
    for (i64 k = 1; k < count; ++k) best = fv::better<Op>(best, fv::Found<T, i64>{v[k], at[k]});
    *static_cast<T*>(value) = best.value;
    *where = best.index;
  }
};
template <class Op, class T>
constexpr ArgLoops arg_loops = {Arg<Op, T>::rows, Arg<Op, T>::columns, Arg<Op, T>::merge};

using namespace fv;
constexpr ReduceLoops sum_f32 = loops<f32, f32, Sum>(DType::f32),
                      sum_f64 = loops<f64, f64, Sum>(DType::f64),
                      sum_bf16 = loops<bf16_t, f32, Sum>(DType::f32),
                      sum_f16 = loops<f16_t, f32, Sum>(DType::f32),
                      sum_i64 = loops<i64, i64, Sum>(DType::i64),
                      sum_bool = loops<bool_t, i64, Sum>(DType::i64);
constexpr ReduceLoops prod_f32 = loops<f32, f32, Prod>(DType::f32),
                      prod_f64 = loops<f64, f64, Prod>(DType::f64),
                      prod_i64 = loops<i64, i64, Prod>(DType::i64);
constexpr ReduceLoops max_f32 = loops<f32, f32, Max>(DType::f32),
                      max_f64 = loops<f64, f64, Max>(DType::f64),
                      max_i64 = loops<i64, i64, Max>(DType::i64);
constexpr ReduceLoops min_f32 = loops<f32, f32, Min>(DType::f32),
                      min_f64 = loops<f64, f64, Min>(DType::f64),
                      min_i64 = loops<i64, i64, Min>(DType::i64);

// Any and all over bytes that are 0 or 1 are their maximum and minimum.
constexpr ReduceLoops any_bool = loops<u8, u8, Max>(DType::boolean),
                      all_bool = loops<u8, u8, Min>(DType::boolean);

}  // namespace

// In the order of DType: f32 f64 bf16 f16 i8 i16 i32 i64 u8 boolean.
const ReduceTable kReduceTable = {
    {{&sum_f32, &sum_f64, &sum_bf16, &sum_f16, nullptr, nullptr, nullptr, &sum_i64, nullptr,
      &sum_bool},
     {&prod_f32, &prod_f64, nullptr, nullptr, nullptr, nullptr, nullptr, &prod_i64, nullptr,
      nullptr},
     {&max_f32, &max_f64, nullptr, nullptr, nullptr, nullptr, nullptr, &max_i64, nullptr,
      &any_bool},
     {&min_f32, &min_f64, nullptr, nullptr, nullptr, nullptr, nullptr, &min_i64, nullptr,
      &all_bool},
     {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, &any_bool},
     {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, &all_bool}},
    {&arg_loops<Max, f32>, &arg_loops<Max, f64>, nullptr, nullptr, nullptr, nullptr, nullptr,
     &arg_loops<Max, i64>},
    {&arg_loops<Min, f32>, &arg_loops<Min, f64>, nullptr, nullptr, nullptr, nullptr, nullptr,
     &arg_loops<Min, i64>}};

}  // namespace avx2 or avx512
}  // namespace frit::kernels
