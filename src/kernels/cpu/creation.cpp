// Tensors made of numbers: full, arange, and random ones.
#include <algorithm>

#include "base/parallel.h"
#include "kernels/cpu/iterate.h"
#include "kernels/cpu/kernels.h"
#include "kernels/cpu/kinds.h"
#include "kernels/cpu/memory.h"

namespace frit::kernels {
namespace {

constexpr int64_t kTile = 1024;

// make(first, n, to) writes elements first to first + n - 1, in row-major order, as `made`; they
// reach `out` converted, whatever its layout. Pieces begin at multiples of kTile.
template <class Make>
void by_tiles(const Tensor& out, DType made, Make make) {
  const TensorImpl& o = *out.impl();
  const int64_t n = o.numel();
  if (n == 0) return;
  if (!is_contiguous(o.sizes, o.strides)) {
    Tensor rows = empty_cpu(o.sizes, o.dtype);
    by_tiles(rows, made, make);
    return copy(out, rows);
  }
  std::byte* to = static_cast<std::byte*>(o.data());
  const int64_t item = size_of(o.dtype);
  const GatherConvert convert = convert_loop(made, o.dtype);
  auto some = [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      const int64_t first = t * kTile, m = std::min(kTile, n - first);
      if (made == o.dtype) {
        make(first, m, static_cast<void*>(to + first * item));
      } else {
        alignas(64) std::byte tile[kTile * 8];
        make(first, m, static_cast<void*>(tile));
        convert(tile, 1, to + first * item, m);
      }
    }
  };
  const int64_t tiles = (n + kTile - 1) / kTile;
  if (n <= kGrain)
    some(0, tiles);
  else
    parallel_for(tiles, 4, some);
}

// start + i * step, in float64, or in int64 for integer types: there the numbers are truncated
// first, as in PyTorch.
void arange(KernelCall& call) {
  const Tensor& out = call.outs[0];
  const DType t = out.impl()->dtype;
  const Scalar start = call.args[0].to_scalar(), step = call.args[2].to_scalar();
  if (!is_floating(t)) {
    const auto a = static_cast<uint64_t>(start.to_int64()),
               s = static_cast<uint64_t>(step.to_int64());
    return by_tiles(out, DType::i64, [a, s](int64_t first, int64_t n, void* to) {
      auto* p = static_cast<uint64_t*>(to);
      for (int64_t i = 0; i < n; ++i) p[i] = a + static_cast<uint64_t>(first + i) * s;
    });
  }
  const double a = start.to_double(), s = step.to_double();
  by_tiles(out, DType::f64, [a, s](int64_t first, int64_t n, void* to) {
    auto* p = static_cast<double*>(to);
    for (int64_t i = 0; i < n; ++i) p[i] = a + static_cast<double>(first + i) * s;
  });
}

const Arg& named(const KernelCall& call, std::string_view name) {
  return call.args[static_cast<size_t>(call.record.functional->schema.find(name))];
}

}  // namespace

void creation(KernelCall& call) {
  const OpRecord& r = *call.record.functional;
  const TensorImpl& out = *call.outs[0].impl();
  if (r.lowering == "arange") return arange(call);
  if (r.body == "empty") return;
  FRIT_INVARIANT(r.body == "full", "no kernel for " + r.full_name);
  const Element e = element_of(named(call, "fill_value").to_scalar(), out.dtype);
  fill_elements(out.sizes, place_of(out), e.bytes);
}

void random(KernelCall& call) {
  const OpRecord& r = *call.record.functional;
  const Tensor& out = call.outs[0];
  const RandomTable& table = *level_table().random;
  const uint64_t seed = call.rng.seed, offset = call.rng.offset;
  const bool wide = out.impl()->dtype == DType::f64;
  if (r.body == "rand" || r.body == "randn") {
    const auto draw = r.body == "rand" ? (wide ? table.uniform_f64 : table.uniform_f32)
                                       : (wide ? table.normal_f64 : table.normal_f32);
    return by_tiles(out, wide ? DType::f64 : DType::f32,
                    [=](int64_t first, int64_t n, void* to) { draw(seed, offset, first, n, to); });
  }
  if (r.body == "bernoulli") {
    const auto p = static_cast<float>(named(call, "p").to_double());
    return by_tiles(out, DType::boolean, [=, &table](int64_t first, int64_t n, void* to) {
      table.bernoulli(seed, offset, first, n, p, to);
    });
  }
  FRIT_INVARIANT(r.body == "randint", "no kernel for the random body " + r.body);
  const int64_t low = named(call, "low").to_int().hint(),
                high = named(call, "high").to_int().hint();
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  by_tiles(out, DType::i64, [=, &table](int64_t first, int64_t n, void* to) {
    table.below(seed, offset, first, n, range, to);
    auto* p = static_cast<uint64_t*>(to);
    for (int64_t i = 0; i < n; ++i) p[i] += static_cast<uint64_t>(low);
  });
}

}  // namespace frit::kernels
