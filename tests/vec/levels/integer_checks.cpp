// Integer arithmetic at its edges, vector and scalar, against wide arithmetic.
#include "vec/levels/checks.h"
#include "vec/levels/differences.h"

namespace frit::vec_test {
namespace {

using namespace fv;
typedef __int128 i128;

template <class T>
T argument(Bits& bits) {
  u64 b = bits.next();
  switch (b % 8) {
    case 0:
      return (T)lowest<T>();
    case 1:
      return (T)highest<T>();
    case 2:
      return (T)0;
    case 3:
      return (T)-1;
    case 4:
      return (T)((b >> 8) % 10 - 5);
    default:
      return (T)(b >> 8);
  }
}

template <class T>
T quotient(T a, T b) {
  return b == 0 ? (T)0 : (T)((i128)a / (i128)b);
}
template <class T>
T floored(T a, T b) {
  if (b == 0) return 0;
  i128 q = (i128)a / (i128)b, r = (i128)a % (i128)b;
  return (T)(r != 0 && (r < 0) != ((i128)b < 0) ? q - 1 : q);
}
template <class T>
T modulo(T a, T b) {
  if (b == 0) return a;  // a - 0 * b
  i128 r = (i128)a % (i128)b;
  return (T)(r != 0 && (r < 0) != ((i128)b < 0) ? r + b : r);
}
template <class T>
T power(T a, T b) {
  if (b < 0) return a == 1 ? 1 : a == (T)-1 ? (b & 1 ? (T)-1 : (T)1) : 0;
  u64 r = 1, x = (u64)a, n = (u64)b;
  for (; n; n >>= 1, x *= x)
    if (n & 1) r *= x;
  return (T)r;
}
template <class T>
T shifted_left(T a, T b) {
  return b < 0 || (i64)b >= (i64)sizeof(T) * 8 ? (T)0 : (T)((u64)a << b);
}
template <class T>
T shifted_right(T a, T b) {
  bool out = b < 0 || (i64)b >= (i64)sizeof(T) * 8;
  return (T)((i128)a >> (out ? (i64)sizeof(T) * 8 : (i64)b));
}

template <class T, class F, class W>
void compare(Differences& d, const char* name, F f, W want) {
  Bits bits;
  for (int round = 0; round < 500; round++) {
    T a[L], b[L];
    for (int i = 0; i < L; i++) a[i] = argument<T>(bits), b[i] = argument<T>(bits);
    vec<T> v = f(load(a), load(b));
    for (int i = 0; i < L; i++) {
      T w = want(a[i], b[i]), s = f(a[i], b[i]);
      if (v[i] != w) d.note(name, (long)a[i], (long)b[i], (double)v[i], (double)w);
      if (s != w) d.note("scalar", (long)a[i], (long)b[i], (double)s, (double)w);
    }
  }
}
#define COMPARE(name, want) \
  compare<T>(               \
      d, #name, [](auto a, auto b) { return fv::name(a, b); }, [](T a, T b) -> T { return want; })

template <class T>
int arithmetic(char* message) {
  Differences d{message};
  COMPARE(add, (T)((u64)a + (u64)b));
  COMPARE(sub, (T)((u64)a - (u64)b));
  COMPARE(mul, (T)((u64)a * (u64)b));
  COMPARE(div_trunc, quotient(a, b));
  COMPARE(floor_divide, floored(a, b));
  COMPARE(remainder, modulo(a, b));
  COMPARE(fmod, (T)((u64)a - (u64)quotient(a, b) * (u64)b));
  COMPARE(pow, power(a, b));
  COMPARE(bitwise_left_shift, shifted_left(a, b));
  COMPARE(bitwise_right_shift, shifted_right(a, b));
  COMPARE(maximum, a > b ? a : b);
  COMPARE(minimum, a < b ? a : b);
  COMPARE(bitwise_xor, (T)(a ^ b));
  compare<T>(
      d, "abs", [](auto a, auto) { return fv::abs(a); },
      [](T a, T) -> T { return a < 0 ? (T)(0 - (u64)a) : a; });
  compare<T>(
      d, "neg", [](auto a, auto) { return fv::neg(a); },
      [](T a, T) -> T { return (T)(0 - (u64)a); });
  compare<T>(
      d, "sign", [](auto a, auto) { return fv::sign(a); },
      [](T a, T) -> T { return (T)((a > 0) - (a < 0)); });
  compare<T>(
      d, "bitwise_not", [](auto a, auto) { return fv::bitwise_not(a); },
      [](T a, T) -> T { return (T)~a; });
  if (!any_zero((vec<T>)0) || any_zero((vec<T>)1)) d.note("any_zero", 0, 0, 0, 0);
  return d.count;
}

// Truth tables: bools behave as PyTorch's, masks as bools.
int bools(char* message) {
  Differences d{message};
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 2; b++) {
      bool x = a, y = b;
      mask v = (mask)x, w = (mask)y;
      auto same_as = [&](const char* name, mask m, bool scalar, bool want) {
        if (scalar != want || (bool)m[L - 1] != want || all(m) != want)
          d.note(name, a, b, scalar, want);
      };
      same_as("add", add(v, w), add(x, y), x || y);
      same_as("mul", mul(v, w), mul(x, y), x && y);
      same_as("eq", eq(v, w), eq(x, y), x == y);
      same_as("ne", ne(v, w), ne(x, y), x != y);
      same_as("lt", lt(v, w), lt(x, y), x < y);
      same_as("le", le(v, w), le(x, y), x <= y);
      same_as("gt", gt(v, w), gt(x, y), x > y);
      same_as("ge", ge(v, w), ge(x, y), x >= y);
      same_as("maximum", maximum(v, w), maximum(x, y), x || y);
      same_as("minimum", minimum(v, w), minimum(x, y), x && y);
      same_as("logical_xor", logical_xor(v, w), logical_xor(x, y), x != y);
      same_as("logical_not", logical_not(v), logical_not(x), !x);
      same_as("bitwise_not", bitwise_not(v), bitwise_not(x), !x);
      same_as("where", where(v, w, logical_not(w)), where(x, y, !y), x ? y : !y);
    }
  if (count(first_n(5)) != 5 || any(first_n(0)) || !all(first_n(L))) d.note("first_n", 0, 0, 0, 0);
  return d.count;
}

const Check kChecks[] = {{"i8", arithmetic<i8>},   {"i16", arithmetic<i16>},
                         {"i32", arithmetic<i32>}, {"i64", arithmetic<i64>},
                         {"u8", arithmetic<u8>},   {"bool", bools}};

}  // namespace

FRIT_CHECKS(Integer, kChecks);

}  // namespace frit::vec_test
