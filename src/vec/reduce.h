// Reductions. The order in which elements are combined is a function of their number alone: not of
// the threads, of what is fused into the loads, or of who calls (an eager kernel or generated
// code). These are the only reductions there are; what follows is the definition of their bits.
//
// row: the elements of one output lie one after another along the lanes.
//   A chunk is 32,768 elements, a block 4,096. Within a block vector number v (elements v L on) is
//   joined to accumulator v mod 4; a last vector of fewer than L elements is filled with the start
//   value. The four are joined as (a0, a1), (a2, a3), beginning with the one whose turn is next,
//   and blocks in order. A chunk's vector is folded in halves: lanes i and i + L/2, then i + L/4,
//   ... Chunks are joined in order in two levels (Levels): by 64, then those.
// column: the lanes are L outputs, and the elements of an output come one after another in time.
//   A block is 64 elements, joined one by one; a chunk is 32 blocks, joined one by one; chunks are
//   joined as those of a row.
// several dimensions that do not collapse into one: the inner by row or column, the results of that
//   over the outer index in order by Levels.
//
// A chunk can be computed by any thread: row(n) is the Levels of row_chunk(p) for p <
// row_chunks(n), and column(n) that of column_chunk(p).
//
// Elements come from a functor that the caller gives: for a row load(k, n), the vector of elements
// k to k + n - 1, where n is L but at the end (lanes beyond n are ignored); for a column load(k),
// element k of each lane's output. It returns the type to accumulate in: f32 for the half types,
// i64 for sums and products of integers and bools, the type itself otherwise; mask for any and all.
// Whatever is fused into the reduction is computed there.
#pragma once

#include "vec/basic.h"
#include "vec/memory.h"

FV_BEGIN

// What is joined. start is neutral; join(start, x) is x (for sums, 0 in place of -0).
struct Sum {
  template <class V>
  FV V start() {
    return (V)0;
  }
  template <class V>
  FV V join(V a, V b) {
    return add(a, b);
  }
};
struct Prod {
  template <class V>
  FV V start() {
    return (V)1;
  }
  template <class V>
  FV V join(V a, V b) {
    return mul(a, b);
  }
};
// The least value of a type: -infinity for floats.
template <class T>
FV constexpr T lowest() {
  if constexpr (is_float<T>)
    return (T)-__builtin_inf();
  else if constexpr (is_bool<T> || is_unsigned<T>)
    return (T)0;
  else
    return (T)(1ul << (sizeof(T) * 8 - 1));
}
template <class T>
FV constexpr T highest() {
  if constexpr (is_float<T>)
    return (T)__builtin_inf();
  else if constexpr (is_bool<T>)
    return true;
  else if constexpr (is_unsigned<T>)
    return (T)-1;
  else
    return (T) ~(1ul << (sizeof(T) * 8 - 1));
}
// A NaN anywhere gives NaN.
struct Max {
  template <class V>
  FV V start() {
    return (V)lowest<elem<V>>();
  }
  template <class V>
  FV V join(V a, V b) {
    return maximum(a, b);
  }
};
struct Min {
  template <class V>
  FV V start() {
    return (V)highest<elem<V>>();
  }
  template <class V>
  FV V join(V a, V b) {
    return minimum(a, b);
  }
};
struct Any {
  template <class V>
  FV V start() {
    return (V) false;
  }
  template <class V>
  FV V join(V a, V b) {
    return a | b;
  }
};
struct All {
  template <class V>
  FV V start() {
    return (V) true;
  }
  template <class V>
  FV V join(V a, V b) {
    return a & b;
  }
};

// Four vectors reduced side by side, for columns: one alone waits for its own sums.
template <class V>
struct Quad {
  V a, b, c, d;
};
template <class S>
struct StateOf {
  template <class Op>
  FV S start() {
    return Op::template start<S>();
  }
  template <class Op>
  FV S join(S x, S y) {
    return Op::join(x, y);
  }
};
template <class V>
struct StateOf<Quad<V>> {
  template <class Op>
  FV Quad<V> start() {
    V s = Op::template start<V>();
    return {s, s, s, s};
  }
  template <class Op>
  FV Quad<V> join(Quad<V> x, Quad<V> y) {
    return {Op::join(x.a, y.a), Op::join(x.b, y.b), Op::join(x.c, y.c), Op::join(x.d, y.d)};
  }
};
template <class Op, class S>
FV S start() {
  return StateOf<S>::template start<Op>();
}
template <class Op, class S>
FV S join(S x, S y) {
  return StateOf<S>::template join<Op>(x, y);
}

// Joins what it is given in order, by 64 and then those.
template <class Op, class S>
struct Levels {
  S low, high;
  i64 count;
  __attribute__((always_inline)) void add(S x) {
    low = fv::join<Op, S>(low, x);
    if ((++count & 63) == 0) {
      high = fv::join<Op, S>(high, low);
      low = start<Op, S>();
    }
  }
  __attribute__((always_inline)) S result() const { return fv::join<Op, S>(high, low); }
};
template <class Op, class S>
FV Levels<Op, S> levels() {
  return {start<Op, S>(), start<Op, S>(), 0};
}
// The same over results that are kept somewhere: get(p) for p < count.
template <class Op, class S, class Get>
FV S combine(i64 count, Get get) {
  Levels<Op, S> all = levels<Op, S>();
  for (i64 p = 0; p < count; p++) {
    S x;
    FV_CALL x = get(p);
    all.add(x);
  }
  return all.result();
}

// Lanes i + H in the place of lanes i.
template <i32 H, class V>
FV V shift_down(V v) {
#if FV_LEVEL == 5
  return __builtin_shufflevector(v, v, H % 16, (1 + H) % 16, (2 + H) % 16, (3 + H) % 16,
                                 (4 + H) % 16, (5 + H) % 16, (6 + H) % 16, (7 + H) % 16,
                                 (8 + H) % 16, (9 + H) % 16, (10 + H) % 16, (11 + H) % 16,
                                 (12 + H) % 16, (13 + H) % 16, (14 + H) % 16, (15 + H) % 16);
#else
  return __builtin_shufflevector(v, v, H % 8, (1 + H) % 8, (2 + H) % 8, (3 + H) % 8, (4 + H) % 8,
                                 (5 + H) % 8, (6 + H) % 8, (7 + H) % 8);
#endif
}
// The lanes of a vector joined into one, in halves.
template <class Op, class V>
FV elem<V> fold(V v) {
  if constexpr (!is_vec<V>)
    return v;
  else if constexpr (same<Op, Any>)
    return any(v);
  else if constexpr (same<Op, All>)
    return all(v);
  else {
#if FV_LEVEL == 5
    v = Op::join(v, shift_down<8>(v));
#endif
    v = Op::join(v, shift_down<4>(v));
    v = Op::join(v, shift_down<2>(v));
    return Op::join(v, shift_down<1>(v))[0];
  }
}

inline constexpr i64 kRowBlock = 4096, kRowChunk = 32768, kColumnBlock = 64, kColumnChunk = 2048;

FV i64 row_chunks(i64 n) { return (n + kRowChunk - 1) / kRowChunk; }
FV i64 column_chunks(i64 n) { return (n + kColumnChunk - 1) / kColumnChunk; }
FV i64 least(i64 a, i64 b) { return a < b ? a : b; }

// Chunk p of the row reduction of n elements of type T.
template <class Op, class T, class Load>
FV T row_chunk(i64 n, i64 p, Load load) {
  typedef vec<T> V;
  V total = Op::template start<V>();
  i64 end = least(n, (p + 1) * kRowChunk);
  for (i64 b = p * kRowChunk; b < end; b += kRowBlock) {
    i64 k = b, e = least(end, b + kRowBlock);
    V a0 = Op::template start<V>(), a1 = a0, a2 = a0, a3 = a0;
    // The accumulators take turns by moving up: one copy of the body, four chains of sums.
    for (; k + L <= e; k += L) {
      V v;
      FV_CALL v = load(k, (i64)L);
      V t = Op::join(a0, v);
      a0 = a1;
      a1 = a2;
      a2 = a3;
      a3 = t;
    }
    if (k < e) {
      V v;
      FV_CALL v = load(k, e - k);
      V t = Op::join(a0, where(first_n(e - k), v, Op::template start<V>()));
      a0 = a1;
      a1 = a2;
      a2 = a3;
      a3 = t;
    }
    total = Op::join(total, Op::join(Op::join(a0, a1), Op::join(a2, a3)));
  }
  return fold<Op>(total);
}
template <class Op, class T, class Load>
FV T row(i64 n, Load load) {
  Levels<Op, T> all = levels<Op, T>();
  for (i64 p = 0; p < row_chunks(n); p++) all.add(row_chunk<Op, T>(n, p, load));
  return all.result();
}

// S is a vector of outputs or a Quad of them (or a scalar: one output).
template <class Op, class S, class Load>
FV S column_block(i64 begin, i64 end, Load load) {
  S a = start<Op, S>();
  for (i64 k = begin; k < end; k++) {
    S x;
    FV_CALL x = load(k);
    a = join<Op, S>(a, x);
  }
  return a;
}
template <class Op, class S, class Load>
FV S column_chunk(i64 n, i64 p, Load load) {
  S total = start<Op, S>();
  i64 end = least(n, (p + 1) * kColumnChunk);
  for (i64 k = p * kColumnChunk; k < end; k += kColumnBlock)
    total = join<Op, S>(total, column_block<Op, S>(k, least(end, k + kColumnBlock), load));
  return total;
}
template <class Op, class S, class Load>
FV S column(i64 n, Load load) {
  Levels<Op, S> all = levels<Op, S>();
  for (i64 p = 0; p < column_chunks(n); p++) all.add(column_chunk<Op, S>(n, p, load));
  return all.result();
}
// Columns `from` to `to` - 1, four vectors side by side, which uses each row's lines whole, then
// one at a time. load(k, j, m) gives element k of columns j to j + m - 1 (m is L but at the end);
// store(j, m, v) takes their results.
template <class Op, class V, class Load, class Store>
FV void columns(i64 n, i64 from, i64 to, Load load, Store store) {
  i64 j = from;
  for (; j + 4 * L <= to; j += 4 * L) {
    Quad<V> r = column<Op, Quad<V>>(n, [&](i64 k) {
      Quad<V> q;
      FV_CALL q.a = load(k, j, (i64)L);
      FV_CALL q.b = load(k, j + L, (i64)L);
      FV_CALL q.c = load(k, j + 2 * L, (i64)L);
      FV_CALL q.d = load(k, j + 3 * L, (i64)L);
      return q;
    });
    FV_CALL store(j, (i64)L, r.a);
    FV_CALL store(j + L, (i64)L, r.b);
    FV_CALL store(j + 2 * L, (i64)L, r.c);
    FV_CALL store(j + 3 * L, (i64)L, r.d);
  }
  for (; j < to; j += L) {
    i64 m = least(L, to - j);
    V r = column<Op, V>(n, [&](i64 k) { FV_CALL return load(k, j, m); });
    FV_CALL store(j, m, r);
  }
}
// Columns 0 to outputs - 1 with the loops exchanged: 64 elements of every output, then the next 64,
// so that memory is read along its rows. The same bits as column. load and store as for columns;
// `scratch` holds 3 * outputs elements of T.
template <class Op, class T, class Load, class Store>
FV void column_sweep(i64 n, i64 outputs, T* scratch, Load load, Store store) {
  typedef vec<T> V;
  T *total = scratch, *low = scratch + outputs, *high = low + outputs;
  V zero = Op::template start<V>();
  for (i64 j = 0; j < 3 * outputs; j += L) store_n(scratch + j, zero, least(L, 3 * outputs - j));
  for (i64 k = 0; k < n; k += kColumnBlock) {
    i64 e = least(n, k + kColumnBlock);
    bool chunk = e % kColumnChunk == 0 || e == n;
    bool level = chunk && (e + kColumnChunk - 1) / kColumnChunk % 64 == 0;
    for (i64 j = 0; j < outputs; j += L) {
      i64 m = least(L, outputs - j);
      V a = column_block<Op, V>(k, e, [&](i64 i) { FV_CALL return load(i, j, m); });
      V t = Op::join(load_n(total + j, m), a);
      if (chunk) {
        V l = Op::join(load_n(low + j, m), t);
        if (level) {
          store_n(high + j, Op::join(load_n(high + j, m), l), m);
          l = zero;
        }
        store_n(low + j, l, m);
        t = zero;
      }
      store_n(total + j, t, m);
    }
  }
  for (i64 j = 0; j < outputs; j += L) {
    i64 m = least(L, outputs - j);
    FV_CALL store(j, m, Op::join(load_n(high + j, m), load_n(low + j, m)));
  }
}

// The mean and the sum of squared distances from it, by two passes over the elements (load is
// called twice for each): var is m2 / (n - correction).
template <class T>
struct Moments {
  T mean, m2;
};
template <class T, class Load>
FV Moments<T> row_moments(i64 n, Load load) {
  T mean = row<Sum, T>(n, load) / (T)n;
  vec<T> center = (vec<T>)mean;
  T m2 = row<Sum, T>(n, [&](i64 k, i64 m) {
    vec<T> d;
    FV_CALL d = load(k, m) - center;
    return d * d;
  });
  return {mean, m2};
}
template <class V, class Load>
FV Moments<V> column_moments(i64 n, Load load) {
  V mean = column<Sum, V>(n, load) / (V)n;
  V m2 = column<Sum, V>(n, [&](i64 k) {
    V d;
    FV_CALL d = load(k) - mean;
    return d * d;
  });
  return {mean, m2};
}

// argmax (Max) and argmin (Min): the value and the first index that has it; a NaN is beyond all,
// and the first one is taken. The result does not depend on the order.
template <class V, class I>
struct Found {
  V value;
  I index;
};
template <class Op, class V>
FV mask_of<V> beats(V x, V best) {
  mask_of<V> m = same<Op, Max> ? gt(x, best) : lt(x, best);
  if constexpr (is_float<V>)
    return m | (isnan(x) & logical_not(isnan(best)));
  else
    return m;
}
template <class V>
FV mask_of<V> ties(V x, V y) {
  return eq(x, y) | (isnan(x) & isnan(y));
}
template <class Op, class F>
FV F better(F x, F y) {
  auto take = beats<Op>(y.value, x.value) | (ties(x.value, y.value) & lt(y.index, x.index));
  return {where(take, y.value, x.value), where(take, y.index, x.index)};
}
// n >= 1; load as for row.
template <class Op, class T, class Load>
FV Found<T, i64> row_arg(i64 n, Load load) {
  // LLVM 19 never ends with this loop over masks; numbers order as they do.
  if constexpr (__is_same(T, bool)) {
    Found<i32, i64> found = row_arg<Op, i32>(n, [&](i64 k, i64 m) {
      mask v;
      FV_CALL v = load(k, m);
      return where(v, (vi32)1, (vi32)0);
    });
    return {found.value != 0, found.index};
  } else {
    typedef vec<T> V;
    typedef Found<V, vi32> F;
    constexpr i32 none = 0x7fffffff;
    Found<T, i64> best = {Op::template start<T>(), 0};
    for (i64 p = 0; p < n; p += kRowChunk) {
      i64 end = least(n, p + kRowChunk), k = p;
      F a = {Op::template start<V>(), (vi32)none}, b = a;
      vi32 at = iota<vi32>();
      for (; k + L <= end; k += L) {
        V v;
        FV_CALL v = load(k, (i64)L);
        mask m = beats<Op>(v, a.value);
        F t = {where(m, v, a.value), where(m, at, a.index)};
        a = b;
        b = t;
        at = at + (i32)L;
      }
      if (k < end) {
        V v;
        FV_CALL v = load(k, end - k);
        mask m = beats<Op>(v, a.value) & first_n(end - k);
        a = {where(m, v, a.value), where(m, at, a.index)};
      }
      a = better<Op>(a, b);
#if FV_LEVEL == 5
      a = better<Op>(a, F{shift_down<8>(a.value), shift_down<8>(a.index)});
#endif
      a = better<Op>(a, F{shift_down<4>(a.value), shift_down<4>(a.index)});
      a = better<Op>(a, F{shift_down<2>(a.value), shift_down<2>(a.index)});
      a = better<Op>(a, F{shift_down<1>(a.value), shift_down<1>(a.index)});
      T v = a.value[0];
      // no element beat the start value: all equal it
      if (beats<Op>(v, best.value)) best = {v, p + a.index[0]};
    }
    return best;
  }
}
template <class Op, class V, class Load>
FV Found<V, like<i64, V>> column_arg(i64 n, Load load) {
  typedef like<i64, V> I;
  Found<V, I> best = {Op::template start<V>(), (I)0};
  for (i64 k = 0; k < n; k++) {
    V v;
    FV_CALL v = load(k);
    mask_of<V> m = beats<Op>(v, best.value);
    best = {where(m, v, best.value), where(m, (I)k, best.index)};
  }
  return best;
}

FV_END
