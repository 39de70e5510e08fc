// Reductions: against plain ones in f64, and the same bits whatever way they are cut.
#include "vec/levels/checks.h"
#include "vec/levels/differences.h"

namespace frit::vec_test {
namespace {

using namespace fv;

constexpr i64 kMost = 300000;

template <class T>
const T* numbers() {
  static T x[kMost + 64];
  static bool made = false;
  if (!made) {
    Bits bits;
    for (T& v : x) {
      if constexpr (is_float<T>)
        v = (T)((double)(bits.next() % 2000001) / 1e6 - 0.7);
      else
        v = (T)(bits.next() % 7 - 3);
    }
    made = true;
  }
  return x;
}
template <class T>
auto loader(const T* p) {
  return [p](i64 k, i64 n) { return n == L ? load(p + k) : load_n(p + k, n); };
}

const i64 kSizes[] = {0,    1,    2,     7,     15,    16,    17,    31,     33,
                      63,   64,   65,    100,   127,   128,   1000,  4095,   4096,
                      4097, 8192, 10007, 32767, 32768, 32769, 65536, 100003, 262147};

// The order as reduce.h tells it, in plain scalar code.
template <class Op, class T>
T told(const T* p, i64 n) {
  T high = Op::template start<T>(), low = high;
  for (i64 c = 0, count = 0; c < n; c += 32768) {
    i64 end = c + 32768 < n ? c + 32768 : n;
    T lanes[L];
    for (T& v : lanes) v = Op::template start<T>();
    for (i64 b = c; b < end; b += 4096) {
      i64 e = b + 4096 < end ? b + 4096 : end;
      T a[4][L];
      for (auto& row : a)
        for (T& v : row) v = Op::template start<T>();
      i64 turn = 0;
      for (i64 k = b; k < e; k += L, turn++)
        for (i64 i = 0; i < L; i++) {
          T v = k + i < e ? p[k + i] : Op::template start<T>();
          a[turn % 4][i] = Op::join(a[turn % 4][i], v);
        }
      for (i64 i = 0; i < L; i++) {
        T x = Op::join(a[turn % 4][i], a[(turn + 1) % 4][i]);
        T y = Op::join(a[(turn + 2) % 4][i], a[(turn + 3) % 4][i]);
        lanes[i] = Op::join(lanes[i], Op::join(x, y));
      }
    }
    for (i64 h = L / 2; h; h /= 2)
      for (i64 i = 0; i < h; i++) lanes[i] = Op::join(lanes[i], lanes[i + h]);
    low = Op::join(low, lanes[0]);
    if (++count % 64 == 0) {
      high = Op::join(high, low);
      low = Op::template start<T>();
    }
  }
  return Op::join(high, low);
}

template <class Op, class T>
int rows(char* message) {
  Differences d{message};
  const T* p = numbers<T>();
  for (i64 n : kSizes) {
    T got = row<Op, T>(n, loader(p)), want = told<Op, T>(p, n);
    if (!same_bits(got, want)) d.note("row", n, 0, got, want);
    // chunks in any order, as threads would
    T parts[64];
    for (i64 c = row_chunks(n) - 1; c >= 0; c--) parts[c] = row_chunk<Op, T>(n, c, loader(p));
    T joined = combine<Op, T>(row_chunks(n), [&](i64 c) { return parts[c]; });
    if (!same_bits(joined, want)) d.note("chunks", n, 0, joined, want);
    double sum = 0, size = 0;
    for (i64 i = 0; i < n; i++) sum += (double)p[i], size += __builtin_fabs((double)p[i]);
    if (same<Op, Sum> && __builtin_fabs(got - sum) > size * (sizeof(T) == 4 ? 1e-6 : 1e-14))
      d.note("sum", n, 0, got, sum);
  }
  return d.count;
}

template <class Op, class T>
int columns(char* message) {
  typedef vec<T> V;
  Differences d{message};
  const T* p = numbers<T>();
  constexpr i64 kWidth = 4 * L + 5;
  for (i64 n : {0, 1, 2, 63, 64, 65, 100, 2047, 2048, 2049, 3000}) {
    T* high = new T[kWidth];
    for (i64 j = 0; j < kWidth; j++) {
      // one output at a time, in plain code
      T top = Op::template start<T>(), low = top;
      for (i64 c = 0, count = 0; c < n; c += 2048) {
        T total = Op::template start<T>();
        for (i64 b = c; b < c + 2048 && b < n; b += 64) {
          T a = Op::template start<T>();
          for (i64 k = b; k < b + 64 && k < n; k++) a = Op::join(a, p[k * kWidth + j]);
          total = Op::join(total, a);
        }
        low = Op::join(low, total);
        if (++count % 64 == 0) {
          top = Op::join(top, low);
          low = Op::template start<T>();
        }
      }
      high[j] = Op::join(top, low);
    }
    V one = column<Op, V>(n, [=](i64 k) { return load(p + k * kWidth); });
    auto four = column<Op, Quad<V>>(n, [=](i64 k) {
      const T* r = p + k * kWidth;
      return Quad<V>{load(r), load(r + L), load(r + 2 * L), load(r + 3 * L)};
    });
    V parts[64];
    for (i64 c = column_chunks(n) - 1; c >= 0; c--)
      parts[c] = column_chunk<Op, V>(n, c, [=](i64 k) { return load(p + k * kWidth); });
    V cut = combine<Op, V>(column_chunks(n), [&](i64 c) { return parts[c]; });
    T* scratch = new T[3 * kWidth];
    T swept[kWidth];
    column_sweep<Op, T>(
        n, kWidth, scratch, [=](i64 k, i64 j, i64 m) { return load_n(p + k * kWidth + j, m); },
        [&](i64 j, i64 m, V v) { store_n(swept + j, v, m); });
    for (i64 j = 0; j < kWidth; j++) {
      if (!same_bits(swept[j], high[j])) d.note("sweep", n, j, swept[j], high[j]);
      T scalar = column<Op, T>(n, [=](i64 k) { return p[k * kWidth + j]; });
      if (!same_bits(scalar, high[j])) d.note("scalar column", n, j, scalar, high[j]);
      if (j >= L) continue;
      if (!same_bits((T)one[j], high[j])) d.note("column", n, j, one[j], high[j]);
      if (!same_bits((T)cut[j], high[j])) d.note("column chunks", n, j, cut[j], high[j]);
      if (!same_bits((T)four.a[j], high[j])) d.note("quad", n, j, four.a[j], high[j]);
      if (!same_bits((T)four.d[j], high[j + 3 * L]))
        d.note("quad", n, j, four.d[j], high[j + 3 * L]);
    }
    delete[] scratch;
    delete[] high;
  }
  return d.count;
}

template <class Op, class T>
int args(char* message) {
  Differences d{message};
  static T x[kMost];
  Bits bits;
  for (i64 n : kSizes) {
    if (n == 0) continue;
    for (int kind = 0; kind < 5; kind++) {
      for (i64 i = 0; i < n; i++) x[i] = (T)(bits.next() % 100);
      T edge = Op::template start<T>();
      if (kind == 1)
        for (i64 i = 0; i < n; i++) x[i] = edge;  // nothing beats the start value
      if (kind == 2) x[bits.next() % n] = (T)(same<Op, Max> ? 101 : -1);
      if constexpr (is_float<T>) {
        if (kind == 3) x[bits.next() % n] = x[bits.next() % n] = (T)kNan;
        if (kind == 4) x[bits.next() % n] = -edge;
      }
      i64 want = 0;
      for (i64 i = 1; i < n; i++)
        if (beats<Op>(x[i], x[want])) want = i;
      auto got = row_arg<Op, T>(n, loader(x));
      if (got.index != want) d.note("row_arg", n, kind, got.index, want);
      if (!same_bits(got.value, x[want])) d.note("row_arg value", n, kind, got.value, x[want]);
      auto column = column_arg<Op, vec<T>>(n, [=](i64 k) { return (vec<T>)x[k]; });
      if (column.index[3] != want) d.note("column_arg", n, kind, column.index[3], want);
      auto scalar = column_arg<Op, T>(n, [=](i64 k) { return x[k]; });
      if (scalar.index != want) d.note("scalar column_arg", n, kind, scalar.index, want);
    }
  }
  return d.count;
}

template <class T>
int moments(char* message) {
  Differences d{message};
  const T* p = numbers<T>();
  for (i64 n : kSizes) {
    if (n == 0) continue;
    double sum = 0, square = 0;
    for (i64 i = 0; i < n; i++) sum += (double)p[i];
    for (i64 i = 0; i < n; i++) square += (p[i] - sum / n) * (p[i] - sum / n);
    auto m = row_moments<T>(n, loader(p));
    double tolerance = sizeof(T) == 4 ? 2e-6 : 1e-13;
    if (__builtin_fabs(m.mean - sum / n) > tolerance) d.note("mean", n, 0, m.mean, sum / n);
    if (__builtin_fabs(m.m2 - square) > tolerance * n) d.note("m2", n, 0, m.m2, square);
    auto c = column_moments<vec<T>>(n, [=](i64 k) { return (vec<T>)p[k]; });
    if (__builtin_fabs(c.mean[1] - sum / n) > tolerance)
      d.note("column mean", n, 0, c.mean[1], sum / n);
    if (__builtin_fabs(c.m2[1] - square) > tolerance * n)
      d.note("column m2", n, 0, c.m2[1], square);
  }
  return d.count;
}

int nans(char* message) {
  Differences d{message};
  static f32 x[5000];
  for (i64 at : {0l, 5l, 63l, 64l, 4095l, 4096l, 4999l}) {
    for (f32& v : x) v = 1;
    x[at] = (f32)kNan;
    f32 hi = row<Max, f32>(5000, loader(x)), lo = row<Min, f32>(5000, loader(x));
    if (hi == hi) d.note("max", at, 0, hi, kNan);
    if (lo == lo) d.note("min", at, 0, lo, kNan);
  }
  return d.count;
}

int truths(char* message) {
  Differences d{message};
  static bool_t x[5000];
  for (i64 n : {0, 1, 5, 16, 17, 100, 4097, 5000})
    for (i64 at : {-1l, 0l, n / 2, n - 1}) {
      for (bool_t& v : x) v.byte = 0;
      if (at >= 0 && at < n) x[at].byte = 1;
      bool any = at >= 0 && at < n;
      if (row<Any, bool>(n, loader(x)) != any) d.note("any", n, at, !any, any);
      for (bool_t& v : x) v.byte ^= 1;
      if (row<All, bool>(n, loader(x)) != !any) d.note("all", n, at, any, !any);
      mask column = fv::column<Any, mask>(n, [&](i64 k) { return (mask)(bool)(x[k].byte ^ 1); });
      if ((bool)column[2] != any) d.note("column any", n, at, !any, any);
      bool scratch[3 * (L + 3)], swept[L + 3];
      column_sweep<Any, bool>(
          n, L + 3, scratch, [&](i64 k, i64, i64) { return (mask)(bool)(x[k].byte ^ 1); },
          [&](i64 j, i64 m, mask v) { store_n(swept + j, v, m); });
      if (swept[0] != any || swept[L + 2] != any) d.note("sweep any", n, at, !any, any);
    }
  return d.count;
}

const Check kChecks[] = {{"rows sum f32", rows<Sum, f32>},
                         {"rows sum f64", rows<Sum, f64>},
                         {"rows sum i64", rows<Sum, i64>},
                         {"rows product f64", rows<Prod, f64>},
                         {"rows max f32", rows<Max, f32>},
                         {"rows min f32", rows<Min, f32>},
                         {"rows max i32", rows<Max, i32>},
                         {"columns sum f32", columns<Sum, f32>},
                         {"columns sum f64", columns<Sum, f64>},
                         {"columns sum i64", columns<Sum, i64>},
                         {"columns max f32", columns<Max, f32>},
                         {"argmax f32", args<Max, f32>},
                         {"argmin f32", args<Min, f32>},
                         {"argmax f64", args<Max, f64>},
                         {"argmin i64", args<Min, i64>},
                         {"argmax i32", args<Max, i32>},
                         {"argmax u8", args<Max, u8>},
                         {"moments f32", moments<f32>},
                         {"moments f64", moments<f64>},
                         {"NaNs", nans},
                         {"any and all", truths}};

}  // namespace

FRIT_CHECKS(Reduce, kChecks);

}  // namespace frit::vec_test
