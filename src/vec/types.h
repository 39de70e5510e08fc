// The types of the vector header: scalars, vectors of L lanes, masks, storage types.
//
// The header is freestanding: it includes nothing, and uses only clang's vector extensions and
// builtins, because generated code includes it and is compiled in milliseconds. Eager kernels
// include the same text, so that both compute the same bits.
//
// L lanes is the same for every element type, so that an expression of mixed types needs no
// bookkeeping; the compiler splits what is wider than a register.
//
// Every function is a template over a type V that is either a plain scalar (f32, f64, i64, ...,
// bool) or the vector of L of them (vf32, ..., mask). The scalar form gives the bits that the lane
// of the vector form gives (the sign and payload of a NaN apart), so tails and 0-d tensors may be
// computed by it. Constants in templates are written (V)0.5 or (V)1, which serves both.
#pragma once

#pragma clang diagnostic ignored "-Wpsabi"
#pragma clang diagnostic ignored "-Wbitwise-instead-of-logical"

// FV_LEVEL: 2 is AVX2 + FMA + F16C (8 lanes), 5 is AVX-512 F/DQ/BW/VL (16 lanes).
#ifndef FV_LEVEL
#if defined(__AVX512F__)
#define FV_LEVEL 5
#elif defined(__AVX2__)
#define FV_LEVEL 2
#else
#error "the vector header needs AVX2 (with FMA and F16C) or AVX-512 (F, DQ, BW, VL)"
#endif
#endif

#define FV static inline __attribute__((always_inline))
#define FV_SLOW static inline __attribute__((noinline))
// Before a statement that calls a functor of the caller's: it is inlined, however it was declared.
#define FV_CALL [[clang::always_inline]]
// What is no template is made one, because clang can put off parsing the bodies of templates until
// they are used (-fdelayed-template-parsing): half the cost of this header to generated code.
#define FV_LAZY      \
  template <int = 0> \
  FV
#define FV_LAZY_SLOW \
  template <int = 0> \
  FV_SLOW

// Everything is in fv, within one inline namespace a level: objects of both may be linked into one
// program, and a type of one must not pass for a type of the other.
#if FV_LEVEL == 5
#define FV_L 16
#define FV_BEGIN \
  namespace fv { \
  inline namespace l5 {
#else
#define FV_L 8
#define FV_BEGIN \
  namespace fv { \
  inline namespace l2 {
#endif
#define FV_END \
  }            \
  }

FV_BEGIN

typedef float f32;
typedef double f64;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;

enum { L = FV_L };

template <class T>
using vec = T __attribute__((ext_vector_type(FV_L)));
typedef vec<f32> vf32;
typedef vec<f64> vf64;
typedef vec<i8> vi8;
typedef vec<i16> vi16;
typedef vec<i32> vi32;
typedef vec<i64> vi64;
typedef vec<u8> vu8;
typedef vec<u16> vu16;
typedef vec<u32> vu32;
typedef vec<u64> vu64;
typedef vec<bool> mask;

// Storage types whose compute type differs: a bool is one byte, 0 or 1, computed as bool or mask;
// the half types are computed as f32 and rounded where they are stored.
struct bool_t {
  u8 byte;
};
struct bf16_t {
  u16 bits;
};
struct f16_t {
  u16 bits;
};

// Element of a vector; a scalar is its own element.
template <class V>
struct elem_of {
  typedef V type;
  static constexpr bool vector = false;
};
template <class T>
struct elem_of<T __attribute__((ext_vector_type(FV_L)))> {
  typedef T type;
  static constexpr bool vector = true;
};
template <class V>
using elem = typename elem_of<V>::type;
template <class V>
constexpr bool is_vec = elem_of<V>::vector;

// like<T, V>: T if V is a scalar, the vector of T if V is a vector.
template <class T, bool Vector>
struct like_of {
  typedef T type;
};
template <class T>
struct like_of<T, true> {
  typedef vec<T> type;
};
template <class T, class V>
using like = typename like_of<T, is_vec<V>>::type;
template <class V>
using mask_of = like<bool, V>;

template <class A, class B>
constexpr bool same = __is_same(A, B);
template <class V>
constexpr bool is_f32 = __is_same(elem<V>, f32);
template <class V>
constexpr bool is_f64 = __is_same(elem<V>, f64);
template <class V>
constexpr bool is_bool = __is_same(elem<V>, bool);
template <class V>
constexpr bool is_float = is_f32<V> || is_f64<V>;
template <class V>
constexpr bool is_int = !is_float<V> && !is_bool<V>;
template <class V>
constexpr bool is_unsigned = elem<V>(-1) > elem<V>(0);

// Integers as wide as an element: what its bits are seen as.
template <int Bytes>
struct int_of;
template <>
struct int_of<1> {
  typedef i8 s;
  typedef u8 u;
};
template <>
struct int_of<2> {
  typedef i16 s;
  typedef u16 u;
};
template <>
struct int_of<4> {
  typedef i32 s;
  typedef u32 u;
};
template <>
struct int_of<8> {
  typedef i64 s;
  typedef u64 u;
};
template <class V>
using sint = like<typename int_of<sizeof(elem<V>)>::s, V>;
template <class V>
using uint = like<typename int_of<sizeof(elem<V>)>::u, V>;

// compute<T>: the scalar that storage type T is computed as; vcompute<T>: the vector of it.
template <class T>
struct compute_of {
  typedef T type;
};
template <>
struct compute_of<bool_t> {
  typedef bool type;
};
template <>
struct compute_of<bf16_t> {
  typedef f32 type;
};
template <>
struct compute_of<f16_t> {
  typedef f32 type;
};
template <class T>
using compute = typename compute_of<T>::type;
template <class T>
using vcompute = vec<compute<T>>;

// The bits of a value as the integer of its width, and back.
template <class V>
FV sint<V> as_int(V v) {
  return __builtin_bit_cast(sint<V>, v);
}
template <class V>
FV uint<V> as_uint(V v) {
  return __builtin_bit_cast(uint<V>, v);
}
template <class T, class V>
FV like<T, V> as_float(V v) {
  return __builtin_bit_cast(like<T, V>, v);
}

// cast<T>(v): the plain value conversion, lane by lane, for conversions that are always defined
// (integer to float, between floats, between integers by wrapping, mask to 0 or 1). From float to
// integer use convert (convert.h), which is defined for every input.
template <class T, class V>
FV like<T, V> cast(V v) {
  if constexpr (__is_same(T, elem<V>))
    return v;
  else if constexpr (is_vec<V>)
    return __builtin_convertvector(v, vec<T>);
  else
    return (T)v;
}

// splat<V>(x): x in every lane of V (x itself if V is a scalar); iota<V>(): 0, 1, 2, ...
template <class V>
FV V splat(elem<V> x) {
  return (V)x;
}
template <class V>
FV V iota() {
  if constexpr (!is_vec<V>) return (V)0;
#if FV_LEVEL == 5
  else
    return V{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#else
  else
    return V{0, 1, 2, 3, 4, 5, 6, 7};
#endif
}

// The vector, as one that the compiler knows nothing of.
template <class V>
FV V opaque(V v) {
#if FV_LEVEL == 5
#define FV_OPAQUE(x) __asm__("" : "+v"(x))
  constexpr int registers = (int)sizeof(V) / 64;
#else
#define FV_OPAQUE(x) __asm__("" : "+x"(x))
  constexpr int registers = (int)sizeof(V) / 32;
#endif
  if constexpr (registers > 1) {
    auto low = v.lo, high = v.hi;
    FV_OPAQUE(low);
    FV_OPAQUE(high);
    v.lo = low, v.hi = high;
  } else {
    FV_OPAQUE(v);
  }
#undef FV_OPAQUE
  return v;
}

// Masks. where(m, a, b) is a in the lanes where m holds, b elsewhere.
template <class V>
FV V where_as_is(mask_of<V> m, V a, V b) {
  if constexpr (!is_vec<V>)
    return m ? a : b;
  else if constexpr (is_bool<V>)
    return (m & a) | (~m & b);
  else
    return (__builtin_convertvector(m, sint<V>) != 0) ? a : b;
}
// Written around two faults of LLVM 19. A choice of floats by a comparison of what is chosen is
// taken for a minimum or maximum, and dropped where it follows another, though only one of them
// keeps a NaN. A choice of integers with AVX-512 becomes one with bit operations that chose b's
// bits, and their order goes wrong where one of them comes from memory.
template <class V>
FV V where(mask_of<V> m, V a, V b) {
  if constexpr (is_float<V> && !is_vec<V>)
    return as_float<elem<V>>(where_as_is(m, as_int(a), as_int(b)));
  else if constexpr (is_vec<V> &&
                     (is_float<V> || (FV_LEVEL == 5 && !is_bool<V> && sizeof(V) >= 64)))
    return where_as_is(m, opaque(a), b);
  else
    return where_as_is(m, a, b);
}
// A comparison of V (lanes of all ones or zeros, or a bool) as a mask.
template <class C>
FV mask_of<C> to_mask(C c) {
  if constexpr (is_vec<C>)
    return __builtin_convertvector(c, mask);
  else
    return c;
}
typedef int_of<FV_L / 8>::u mask_bits;
FV mask_bits bits_of(mask m) { return __builtin_bit_cast(mask_bits, m); }
FV bool any(mask m) { return bits_of(m) != 0; }
FV bool all(mask m) { return bits_of(m) == (mask_bits)-1; }
FV bool any(bool m) { return m; }
FV bool all(bool m) { return m; }
FV i32 count(mask m) { return __builtin_popcount(bits_of(m)); }
// The first n lanes (0 <= n <= L).
#if FV_LEVEL == 5
FV mask first_n(i64 n) { return __builtin_bit_cast(mask, (mask_bits)((1u << n) - 1u)); }
#else
FV mask first_n(i64 n) { return to_mask(iota<vi32>() < (vi32)(i32)n); }
#endif

// Lane i, by a number known at run time (through memory: not for hot loops).
template <class V>
FV elem<V> lane(V v, i64 i) {
  if constexpr (is_vec<V>)
    return v[i];
  else
    return v;
}

FV_END
