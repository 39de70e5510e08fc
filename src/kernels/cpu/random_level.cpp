// Pieces of random streams (vec/random.h).
#include "kernels/cpu/level_table.h"
#include "vec/vec.h"

namespace frit::kernels {
#if FRIT_LEVEL == 5
namespace avx512 {
#else
namespace avx2 {
#endif
namespace {

using namespace fv;

template <class T, class Make>
FV void fill(i64 first, i64 n, void* out, Make make) {
  T* p = static_cast<T*>(out);
  loop(
      0, n, [&](i64 i) { store(p + i, make(first + i)); },
      [&](i64 i, i64 m) { store_n(p + i, make(first + i), m); });
}

template <class T>
void uniform(uint64_t seed, uint64_t offset, int64_t first, int64_t n, void* out) {
  fill<T>(first, n, out, [=](i64 i) { return random_uniform<vec<T>>(seed, offset, i); });
}
template <class T>
void normal(uint64_t seed, uint64_t offset, int64_t first, int64_t n, void* out) {
  fill<T>(first, n, out, [=](i64 i) { return random_normal<vec<T>>(seed, offset, i); });
}
void bernoulli(uint64_t seed, uint64_t offset, int64_t first, int64_t n, float p, void* out) {
  fill<bool_t>(first, n, out, [=](i64 i) { return random_bernoulli<mask>(seed, offset, i, p); });
}
void below(uint64_t seed, uint64_t offset, int64_t first, int64_t n, uint64_t range, void* out) {
  fill<i64>(first, n, out, [=](i64 i) { return random_below<vi64>(seed, offset, i, range); });
}

}  // namespace

const RandomTable kRandomTable = {uniform<f32>, uniform<f64>, normal<f32>,
                                  normal<f64>,  bernoulli,    below};

}  // namespace avx2 or avx512
}  // namespace frit::kernels
