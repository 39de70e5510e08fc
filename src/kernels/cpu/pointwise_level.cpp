// Every pointwise body of the op records as a loop over contiguous runs, one a compute type.
#include <type_traits>

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

template <int...>
struct Indices {};
template <int N, int... I>
struct MakeIndices : MakeIndices<N - 1, N - 1, I...> {};
template <int... I>
struct MakeIndices<0, I...> {
  using type = Indices<I...>;
};

// Operand k as its storage type: uncast ones are bools.
template <class T, unsigned uncast, int k>
using OperandType = std::conditional_t<((uncast >> k) & 1) != 0, fv::bool_t, T>;

template <class T, class Body, unsigned uncast, int... I, int... J>
void run(const void* const* in, const void* scalars, void* out, i64 n, Indices<I...>,
         Indices<J...>) {
  const T* s = static_cast<const T*>(scalars);
  using V = fv::vcompute<T>;
  auto at = [&](auto load) {
    return Body{}(load(static_cast<const OperandType<T, uncast, I>*>(in[I]))...,
                  V(fv::load1(s + J))...);
  };
  auto first = at([](const auto* p) { return decltype(fv::load(p)){}; });
  using Result = std::conditional_t<fv::is_bool<decltype(first)>, fv::bool_t, T>;
  Result* o = static_cast<Result*>(out);
  fv::loop(
      0, n, [&](i64 i) { fv::store(o + i, at([i](const auto* p) { return fv::load(p + i); })); },
      [&](i64 i, i64 m) {
        fv::store_n(o + i, at([i, m](const auto* p) { return fv::load_n(p + i, m); }), m);
      });
}

template <class T, class Body, int N, int S, unsigned uncast>
void loop(const void* const* in, const void* scalars, void* out, i64 n) {
  run<T, Body, uncast>(in, scalars, out, n, typename MakeIndices<N>::type{},
                       typename MakeIndices<S>::type{});
}

// `types` has a bit for each compute type the op's shape rule lets through.
template <class T, DType t, class Body, int N, int S, unsigned uncast, unsigned types>
constexpr PointwiseLoop loop_for() {
  if constexpr ((types >> static_cast<int>(t)) & 1)
    return loop<T, Body, N, S, uncast>;
  else
    return nullptr;
}

template <class Body, int N, int S, unsigned uncast, unsigned types>
constexpr PointwiseBody body(const char* name, bool gives_bool) {
  PointwiseBody b{name, N, S, uncast, gives_bool, {}};
#define FRIT_LOOP(T, t) \
  b.loops[static_cast<int>(DType::t)] = loop_for<T, DType::t, Body, N, S, uncast, types>();
  FRIT_LOOP(fv::f32, f32)
  FRIT_LOOP(fv::f64, f64)
  FRIT_LOOP(fv::i8, i8)
  FRIT_LOOP(fv::i16, i16)
  FRIT_LOOP(fv::i32, i32)
  FRIT_LOOP(fv::i64, i64)
  FRIT_LOOP(fv::u8, u8)
  FRIT_LOOP(fv::bool_t, boolean)
#undef FRIT_LOOP
  return b;
}

}  // namespace

// FRIT_POINTWISE(body, operands, scalars, uncast mask over operands, gives bool, mask of compute
// types)
#define FRIT_POINTWISE(name, operands, scalars, uncast, gives_bool, types)                    \
  body<decltype([](auto... a) { return fv::name(a...); }), operands, scalars, uncast, types>( \
      #name, gives_bool),
const PointwiseBody kPointwiseBodies[] = {
#include "kernels/cpu/generated/pointwise.inc"
};
const int64_t kPointwiseBodyCount = sizeof(kPointwiseBodies) / sizeof(kPointwiseBodies[0]);

}  // namespace avx2 or avx512
}  // namespace frit::kernels
