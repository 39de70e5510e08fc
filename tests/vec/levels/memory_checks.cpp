// Loads, stores, conversions, rounding to half types, transposition.
#include "vec/levels/checks.h"
#include "vec/levels/differences.h"

namespace frit::vec_test {
namespace {

using namespace fv;

// A value of the storage type with these bits, valid for it.
template <class T>
T element(u64 bits) {
  T x;
  __builtin_memcpy(&x, &bits, sizeof x);
  if constexpr (same<T, bool_t>) x.byte &= 1;
  return x;
}
// As a double, for messages.
template <class T>
double number(T x) {
  return (double)load1(&x);
}

template <class T>
struct Arrays {
  static constexpr int kSize = 400;
  T in[kSize], out[kSize];
  explicit Arrays(u64 seed) {
    Bits bits;
    bits.state += seed;
    for (int i = 0; i < kSize; i++) {
      in[i] = element<T>(bits.next());
      out[i] = element<T>(0x55);
    }
  }
};

template <class T>
bool equal(const T& a, const T& b) {
  if (same_bits(load1(&a), load1(&b)) && load1(&a) != load1(&a)) return true;
  return __builtin_memcmp(&a, &b, sizeof a) == 0;
}

template <class T>
int moves(char* message) {
  Differences d{message};
  for (int n = 0; n <= L; n++) {
    Arrays<T> a(n);
    store_n(a.out + 3, load_n(a.in + 5, n), n);
    for (int i = 0; i < a.kSize; i++) {
      T want = i >= 3 && i < 3 + n ? a.in[i + 2] : element<T>(0x55);
      if (!equal(a.out[i], want)) d.note("store_n", n, i, number(a.out[i]), number(want));
    }
    vcompute<T> filled = load_n(a.in + 1, n, (compute<T>)1);
    for (int i = 0; i < L; i++) {
      compute<T> want = i < n ? load1(a.in + 1 + i) : (compute<T>)1;
      if (!same_bits((compute<T>)filled[i], want)) d.note("load_n", n, i, filled[i], want);
    }
    vcompute<T> strided = load_strided(a.in + 200, -7, n);
    for (int i = 0; i < L; i++) {
      compute<T> want = i < n ? load1(a.in + 200 - 7 * i) : (compute<T>)0;
      if (!same_bits((compute<T>)strided[i], want)) d.note("load_strided", n, i, strided[i], want);
    }
    store_strided(a.out + 100, 5, load(a.in), n);
    for (int i = 0; i < L * 5; i++) {
      T want = i % 5 == 0 && i / 5 < n ? a.in[i / 5] : element<T>(0x55);
      if (!equal(a.out[100 + i], want))
        d.note("store_strided", n, i, number(a.out[100 + i]), number(want));
    }
  }
  Arrays<T> a(99);
  store(a.out + 1, load(a.in + 2));
  for (int i = 0; i < L; i++)
    if (!equal(a.out[1 + i], a.in[2 + i]))
      d.note("store", 0, i, number(a.out[1 + i]), number(a.in[2 + i]));
  alignas(128) T aligned[L];
  store_nt(aligned, load(a.in));
  store_nt_fence();
  for (int i = 0; i < L; i++)
    if (!equal(aligned[i], a.in[i])) d.note("store_nt", 0, i, number(aligned[i]), number(a.in[i]));
  vi64 index = (iota<vi64>() * 37 + 11) % 400;
  vcompute<T> g = gather(a.in, index);
  for (int i = 0; i < L; i++) {
    compute<T> want = load1(a.in + index[i]);
    if (!same_bits((compute<T>)g[i], want)) d.note("gather", 0, i, g[i], want);
  }
  scatter(a.out, index, g);
  for (int i = 0; i < L; i++)
    if (!equal(a.out[index[i]], a.in[index[i]]))
      d.note("scatter", 0, i, number(a.out[index[i]]), 0);
  // transposition
  T tile[L * 20], turned[L * 20];
  for (int i = 0; i < L * 20; i++) tile[i] = a.in[i];
  transpose_tile(tile, 18, turned, 17);
  for (int i = 0; i < L; i++)
    for (int j = 0; j < L; j++)
      if (!equal(turned[j * 17 + i], tile[i * 18 + j]))
        d.note("transpose_tile", i, j, number(turned[j * 17 + i]), number(tile[i * 18 + j]));
  transpose_part(tile, 18, turned, 17, 3, 5);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 5; j++)
      if (!equal(turned[j * 17 + i], tile[i * 18 + j])) d.note("transpose_part", i, j, 0, 0);
  return d.count;
}

// What convert<To> must give, in plain scalar code; x86's answers for what does not fit.
template <class To, class From>
compute<To> converted(From x) {
  if constexpr (same<To, bool_t>)
    return x != (From)0;
  else if constexpr (same<To, bf16_t> || same<To, f16_t>) {
    f32 f = (f32)x;
    if (f != f || f - f != 0) return f;
    // to nearest even: through the exact neighbours
    int drop = same<To, bf16_t> ? 16 : 13;
    u32 u = __builtin_bit_cast(u32, f), low = u & ((1u << drop) - 1), down = u - low;
    if (same<To, f16_t>) {
      f32 a = f < 0 ? -f : f;
      if (a < 0x1p-14f) {  // denormal: multiples of 2^-24
        f32 scaled = a * 0x1p24f, whole = (f32)(i32)scaled, rest = scaled - whole;
        if (rest > 0.5f || (rest == 0.5f && ((i32)whole & 1))) whole += 1;
        f32 r = whole * 0x1p-24f;
        return __builtin_copysignf(r, f);
      }
    }
    u32 half = 1u << (drop - 1);
    if (low > half || (low == half && (down >> drop & 1))) down += 1u << drop;
    f32 r = __builtin_bit_cast(f32, down);
    if (same<To, f16_t> && __builtin_fabsf(r) > 65504.f)
      return __builtin_copysignf(__builtin_inff(), f);
    return r;
  } else if constexpr (is_float<From> && is_int<To>) {
    constexpr double limit = same<To, i64> ? 0x1p63 : 0x1p31;
    if (!(x >= -limit && x < limit)) return same<To, i64> ? (To)(1ul << 63) : (To)(i32)(1u << 31);
    return (To)(i64)x;
  } else
    return (To)x;
}

template <class To, class From>
void convert_pair(Differences& d, const char* name) {
  Bits bits;
  for (int round = 0; round < 400; round++) {
    From in[L];
    compute<From> value[L];
    for (int i = 0; i < L; i++) {
      u64 b = bits.next();
      in[i] = element<From>(b);
      // half of them numbers of moderate size
      if constexpr (is_float<compute<From>>)
        if (b >> 63) store1(in + i, (compute<From>)((double)(i64)(b % 200001) / 64 - 1500));
      value[i] = load1(in + i);
    }
    auto v = convert<To>(load(in));
    for (int i = 0; i < L; i++) {
      compute<To> want = converted<To>(value[i]), got = v[i], scalar = convert<To>(value[i]);
      if (!same_bits(got, want)) d.note(name, sizeof(From), i, got, want);
      if (!same_bits(scalar, want)) d.note("scalar convert", sizeof(To), i, scalar, want);
    }
  }
}
template <class From>
int conversions(char* message) {
  Differences d{message};
  convert_pair<f32, From>(d, "to f32");
  convert_pair<f64, From>(d, "to f64");
  convert_pair<i64, From>(d, "to i64");
  convert_pair<i32, From>(d, "to i32");
  convert_pair<i16, From>(d, "to i16");
  convert_pair<i8, From>(d, "to i8");
  convert_pair<u8, From>(d, "to u8");
  convert_pair<bool_t, From>(d, "to bool");
  convert_pair<bf16_t, From>(d, "to bf16");
  convert_pair<f16_t, From>(d, "to f16");
  return d.count;
}

// Every 16-bit pattern goes through f32 and back unchanged; rounding an f32 is storing and loading
// it.
template <class T>
int halves(char* message) {
  Differences d{message};
  for (u32 u = 0; u < 65536; u += L) {
    T in[L], out[L];
    for (u32 i = 0; i < L; i++) in[i].bits = (u16)(u + i);
    store(out, load(in));
    for (u32 i = 0; i < L; i++)
      if (!equal(in[i], out[i])) d.note("round trip", u, i, out[i].bits, in[i].bits);
  }
  Bits bits;
  for (int round = 0; round < 20000; round++) {
    f32 x[L];
    for (int i = 0; i < L; i++) x[i] = __builtin_bit_cast(f32, (u32)bits.next());
    T out[L];
    store(out, load(x));
    vf32 back = load(out), rounded = same<T, bf16_t> ? round_bf16(load(x)) : round_f16(load(x));
    for (int i = 0; i < L; i++) {
      f32 scalar = same<T, bf16_t> ? round_bf16(x[i]) : round_f16(x[i]);
      if (!same_bits((f32)back[i], (f32)rounded[i]))
        d.note("rounded", round, i, rounded[i], back[i]);
      if (!same_bits(scalar, (f32)rounded[i])) d.note("scalar", round, i, scalar, rounded[i]);
    }
  }
  return d.count;
}

#define EACH(X) X(f32) X(f64) X(i64) X(i32) X(i16) X(i8) X(u8) X(bool_t) X(bf16_t) X(f16_t)
#define MOVES(T) {"moves " #T, moves<T>},
#define CONVERSIONS(T) {"conversions from " #T, conversions<T>},
const Check kChecks[] = {EACH(MOVES) EACH(CONVERSIONS){"bf16", halves<bf16_t>},
                         {"f16", halves<f16_t>}};

}  // namespace

FRIT_CHECKS(Memory, kChecks);

}  // namespace frit::vec_test
