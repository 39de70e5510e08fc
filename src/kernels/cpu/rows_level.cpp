// Softmax and layer normalization over contiguous rows: what the decompositions in src/ops/nn say,
// operation for operation, in one visit of each row.
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

template <class T>
struct Rows {
  using A = fv::compute<T>;
  using V = fv::vec<A>;

  template <class U>
  FV V load(const U* p, i64 m) {
    return m == L ? fv::load(p) : fv::load_n(p, m);
  }
  template <class U>
  FV void store(U* p, V v, i64 m) {
    v = fv::convert<U>(v);
    if (m == L)
      fv::store(p, v);
    else
      fv::store_n(p, v, m);
  }
  template <class F>
  FV A sum(i64 n, F f) {
    return fv::row<fv::Sum, A>(n, f);
  }

  static void softmax(const void* from, void* to, i64 rows, i64 n, bool log) {
    for (i64 r = 0; r < rows; ++r) {
      const T* x = static_cast<const T*>(from) + r * n;
      T* y = static_cast<T*>(to) + r * n;
      V high = (V)fv::row<fv::Max, A>(n, [&](i64 k, i64 m) { return load(x + k, m); });
      if (log) {
        A s = sum(n, [&](i64 k, i64 m) { return fv::exp(load(x + k, m) - high); });
        V shift = (V)fv::log(s);
        fv::loop(0, n, [&](i64 k, i64 m) { store(y + k, (load(x + k, m) - high) - shift, m); });
      } else if constexpr (fv::same<T, A>) {
        A s = sum(n, [&](i64 k, i64 m) {
          V e = fv::exp(load(x + k, m) - high);
          store(y + k, e, m);
          return e;
        });
        fv::loop(0, n, [&](i64 k, i64 m) { store(y + k, load(y + k, m) / (V)s, m); });
      } else {
        A s = sum(n, [&](i64 k, i64 m) { return fv::exp(load(x + k, m) - high); });
        fv::loop(0, n,
                 [&](i64 k, i64 m) { store(y + k, fv::exp(load(x + k, m) - high) / (V)s, m); });
      }
    }
  }

  static void softmax_backward(const void* grad, const void* out, void* to, i64 rows, i64 n,
                               bool log) {
    for (i64 r = 0; r < rows; ++r) {
      const T *g = static_cast<const T*>(grad) + r * n, *y = static_cast<const T*>(out) + r * n;
      T* x = static_cast<T*>(to) + r * n;
      if (log) {
        V s = (V)sum(n, [&](i64 k, i64 m) { return load(g + k, m); });
        fv::loop(0, n, [&](i64 k, i64 m) {
          store(x + k, load(g + k, m) - fv::exp(load(y + k, m)) * s, m);
        });
      } else {
        V s = (V)sum(n, [&](i64 k, i64 m) { return load(g + k, m) * load(y + k, m); });
        fv::loop(0, n,
                 [&](i64 k, i64 m) { store(x + k, (load(g + k, m) - s) * load(y + k, m), m); });
      }
    }
  }

  static void layer_norm(const void* from, const void* weight, const void* bias, double eps,
                         void* to, void* means, void* rstds, i64 rows, i64 n) {
    const A *w = static_cast<const A*>(weight), *b = static_cast<const A*>(bias);
    for (i64 r = 0; r < rows; ++r) {
      const T* x = static_cast<const T*>(from) + r * n;
      T* y = static_cast<T*>(to) + r * n;
      A mean = sum(n, [&](i64 k, i64 m) { return load(x + k, m); }) / (A)n;
      A var = sum(n,
                  [&](i64 k, i64 m) {
                    V away = load(x + k, m) - (V)mean;
                    return away * away;
                  }) /
              (A)n;
      A rstd = fv::rsqrt(var + (A)eps);
      fv::loop(0, n, [&](i64 k, i64 m) {
        V v = (load(x + k, m) - (V)mean) * (V)rstd;
        if (w) v = v * load(w + k, m);
        if (b) v = v + load(b + k, m);
        store(y + k, v, m);
      });
      static_cast<A*>(means)[r] = mean;
      static_cast<A*>(rstds)[r] = rstd;
    }
  }

  static void layer_norm_backward(const void* grad, const void* from, const void* means,
                                  const void* rstds, const void* weight, void* to, i64 rows,
                                  i64 n) {
    const A* w = static_cast<const A*>(weight);
    for (i64 r = 0; r < rows; ++r) {
      const T *g = static_cast<const T*>(grad) + r * n, *x = static_cast<const T*>(from) + r * n;
      T* gx = static_cast<T*>(to) + r * n;
      V mean = (V) static_cast<const A*>(means)[r], rstd = (V) static_cast<const A*>(rstds)[r];
      auto hat = [&](i64 k, i64 m) { return (load(x + k, m) - mean) * rstd; };
      auto h = [&](i64 k, i64 m) {
        V v = load(g + k, m);
        return w ? v * load(w + k, m) : v;
      };
      V mean_h = (V)(sum(n, h) / (A)n);
      V mean_hat = (V)(sum(n, [&](i64 k, i64 m) { return h(k, m) * hat(k, m); }) / (A)n);
      fv::loop(0, n, [&](i64 k, i64 m) {
        store(gx + k, ((h(k, m) - mean_h) - hat(k, m) * mean_hat) * rstd, m);
      });
    }
  }

  static void gradient_times_hat(const void* grad, const void* from, const void* means,
                                 const void* rstds, void* to, i64 rows, i64 n) {
    for (i64 r = 0; r < rows; ++r) {
      const T *g = static_cast<const T*>(grad) + r * n, *x = static_cast<const T*>(from) + r * n;
      A* out = static_cast<A*>(to) + r * n;
      V mean = (V) static_cast<const A*>(means)[r], rstd = (V) static_cast<const A*>(rstds)[r];
      fv::loop(0, n, [&](i64 k, i64 m) {
        store(out + k, load(g + k, m) * ((load(x + k, m) - mean) * rstd), m);
      });
    }
  }

  static constexpr RowLoops loops = {softmax, softmax_backward, layer_norm, layer_norm_backward,
                                     gradient_times_hat};
};

}  // namespace

const RowLoops* const kRowLoops[kNumDTypes] = {&Rows<fv::f32>::loops, &Rows<fv::f64>::loops,
                                               &Rows<fv::bf16_t>::loops, &Rows<fv::f16_t>::loops};

}  // namespace avx2 or avx512
}  // namespace frit::kernels
