// Random numbers: Random123's known answers, vector and scalar alike, any start, moments.
#include "vec/levels/checks.h"
#include "vec/levels/differences.h"

namespace frit::vec_test {
namespace {

using namespace fv;

// Philox 4x32-10 in its published form, with all four words of the counter.
void philox(const u32 counter[4], const u32 key[2], u32 out[4]) {
  u32 c[4] = {counter[0], counter[1], counter[2], counter[3]}, k[2] = {key[0], key[1]};
  for (int r = 0; r < 10; r++) {
    u64 p0 = (u64)0xD2511F53u * c[0], p1 = (u64)0xCD9E8D57u * c[2];
    u32 n[4] = {(u32)(p1 >> 32) ^ c[1] ^ k[0], (u32)p1, (u32)(p0 >> 32) ^ c[3] ^ k[1], (u32)p0};
    for (int i = 0; i < 4; i++) c[i] = n[i];
    k[0] += 0x9E3779B9u;
    k[1] += 0xBB67AE85u;
  }
  for (int i = 0; i < 4; i++) out[i] = c[i];
}

int known_answers(char* message) {
  Differences d{message};
  // kat_vectors of Random123: philox4x32, 10 rounds; counter, key, result
  const u32 kat[3][10] = {
      {0, 0, 0, 0, 0, 0, 0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u},
      {~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu},
      {0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u, 0xa4093822u, 0x299f31d0u, 0xd16cfe09u,
       0x94fdcceBu, 0x5001e420u, 0x24126ea1u}};
  for (int t = 0; t < 3; t++) {
    u32 out[4];
    philox(kat[t], kat[t] + 4, out);
    for (int i = 0; i < 4; i++)
      if (out[i] != kat[t][6 + i]) d.note("published form", t, i, out[i], kat[t][6 + i]);
  }
  // and the header's, whose counters are (offset, 0, 0), against the published form
  Bits bits;
  for (int t = 0; t < 500; t++) {
    u64 seed = bits.next(), offset = t == 0 ? 0xfffffffeul : bits.next();
    if (t == 1) seed = offset = 0;
    vu32 v = random_bits<vu32>(seed, offset, 0);
    for (i64 i = 0; i < L; i++) {
      u64 b = offset + (u64)(i / 4);
      u32 counter[4] = {(u32)b, (u32)(b >> 32), 0, 0}, key[2] = {(u32)seed, (u32)(seed >> 32)},
          out[4];
      philox(counter, key, out);
      if (v[i] != out[i % 4]) d.note("vector", t, i, v[i], out[i % 4]);
      u32 scalar = random_bits<u32>(seed, offset, i);
      if (scalar != out[i % 4]) d.note("scalar", t, i, scalar, out[i % 4]);
    }
  }
  return d.count;
}

// The vector at any start is the scalars.
template <class V, class F>
void starts(Differences& d, const char* name, F f) {
  for (i64 i = 0; i < 37; i++) {
    V v = f((V*)nullptr, i);
    for (i64 k = 0; k < L; k++) {
      elem<V> want = f((elem<V>*)nullptr, i + k);
      if (!same_bits((elem<V>)v[k], want)) d.note(name, i, k, (double)v[k], (double)want);
    }
  }
}
#define STARTS(V, call)                              \
  starts<V>(d, #V " " #call, [](auto* type, i64 i) { \
    typedef __remove_pointer(decltype(type)) R;      \
    return call;                                     \
  })
int vectors_and_scalars(char* message) {
  Differences d{message};
  STARTS(vu32, (random_bits<R>(7, 9, i)));
  STARTS(vu64, (random_bits<R>(7, 9, i)));
  STARTS(vf32, (random_uniform<R>(0x123456789abcul, 5, i)));
  STARTS(vf64, (random_uniform<R>(0x123456789abcul, 5, i)));
  STARTS(vf32, (random_normal<R>(1, 3, i)));
  STARTS(vf64, (random_normal<R>(1, 3, i)));
  STARTS(mask, (random_bernoulli<R>(1, 3, i, 0.3f)));
  STARTS(vi64, (random_below<R>(1, 3, i, 10)));
  STARTS(vi64, (random_below<R>(1, 3, i, 0x100000000ul)));
  STARTS(vi64, (random_below<R>(1, 3, i, 0x123456789abcdeful)));
  STARTS(vi64, (random_below<R>(1, 3, i, 0)));
  return d.count;
}

int distributions(char* message) {
  Differences d{message};
  constexpr i64 n = 1 << 18;
  double u = 0, uu = 0, z = 0, zz = 0, z4 = 0, b = 0, zd = 0, zzd = 0;
  i64 counts[10] = {};
  for (i64 i = 0; i < n; i += L) {
    vf32 x = random_uniform<vf32>(42, 0, i), y = random_normal<vf32>(43, 0, i);
    vf64 yd = random_normal<vf64>(43, 0, i);
    mask m = random_bernoulli<mask>(44, 0, i, 0.25f);
    vi64 r = random_below<vi64>(45, 0, i, 10);
    for (i64 k = 0; k < L; k++) {
      if (!(x[k] >= 0 && x[k] < 1)) d.note("uniform range", i, k, x[k], 0);
      u += x[k], uu += x[k] * x[k], z += y[k], zz += y[k] * y[k], z4 += y[k] * y[k] * y[k] * y[k];
      zd += yd[k], zzd += yd[k] * yd[k], b += m[k];
      if (r[k] < 0 || r[k] > 9)
        d.note("below", i, k, r[k], 0);
      else
        counts[r[k]]++;
    }
  }
  auto near = [&](const char* what, double got, double want, double within) {
    if (!(__builtin_fabs(got - want) <= within)) d.note(what, 0, 0, got, want);
  };
  near("uniform mean", u / n, 0.5, 3e-3);
  near("uniform square", uu / n, 1. / 3, 3e-3);
  near("normal mean", z / n, 0, 8e-3);
  near("normal variance", zz / n, 1, 1.2e-2);
  near("normal fourth", z4 / n, 3, 1.2e-1);
  near("f64 normal mean", zd / n, 0, 8e-3);
  near("f64 normal variance", zzd / n, 1, 1.2e-2);
  near("bernoulli", b / n, 0.25, 4e-3);
  for (i64 c : counts) near("below count", (double)c / n, 0.1, 3e-3);
  return d.count;
}

const Check kChecks[] = {{"known answers", known_answers},
                         {"vectors and scalars", vectors_and_scalars},
                         {"distributions", distributions}};

}  // namespace

FRIT_CHECKS(Random, kChecks);

}  // namespace frit::vec_test
