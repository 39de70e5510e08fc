// Pointwise ops: one loop a body and compute type, fed with contiguous runs. What is strided or of
// another dtype passes through tiles in L1.
#include <algorithm>
#include <cstring>
#include <string>

#include "base/cpu.h"
#include "core/layout.h"
#include "kernels/cpu/iterate.h"
#include "kernels/cpu/kernels.h"
#include "kernels/cpu/kinds.h"
#include "kernels/cpu/level_table.h"

namespace frit::kernels {
namespace {

constexpr int64_t kTile = 512;  // elements; a few tiles of 8 bytes each stay in L1

struct ScalarBuffer {
  alignas(8) std::byte bytes[kMaxOperands * 8];
};

// Scalars as an array of the compute type's storage.
void store_scalar(ScalarBuffer& b, int i, DType t, const Scalar& s) {
  auto put = [&](auto v) { std::memcpy(b.bytes + static_cast<size_t>(i) * sizeof v, &v, sizeof v); };
  switch (t) {
    case DType::f32: return put(static_cast<float>(s.to_double()));
    case DType::f64: return put(s.to_double());
    case DType::i8: return put(static_cast<int8_t>(s.to_int64()));
    case DType::i16: return put(static_cast<int16_t>(s.to_int64()));
    case DType::i32: return put(static_cast<int32_t>(s.to_int64()));
    case DType::i64: return put(s.to_int64());
    case DType::u8: return put(static_cast<uint8_t>(s.to_int64()));
    case DType::boolean: return put(static_cast<uint8_t>(s.to_bool()));
    case DType::bf16:
    case DType::f16: break;
  }
  throw InternalError("a scalar in a half type");
}

struct Operand {
  const std::byte* data;
  DType dtype;   // as stored
  DType wanted;  // as the loop reads it
};

const char* element_name(DType t) { return name(t).data(); }

}  // namespace

const LevelTable& level_table() {
  static const LevelTable& table =
      cpu_level() == CpuLevel::avx512 ? avx512::kLevelTable : avx2::kLevelTable;
  return table;
}

const PointwiseBody* find_pointwise(std::string_view body, int operands, int scalars) {
  const LevelTable& t = level_table();
  for (int64_t i = 0; i < *t.body_count; ++i) {
    const PointwiseBody& b = t.bodies[i];
    if (b.operands == operands && b.scalars == scalars && b.name == body) return &b;
  }
  return nullptr;
}

void run_pointwise(const PointwiseBody& body, DType compute, std::span<const Tensor> operands,
                   std::span<const Scalar> scalars, const Tensor& out, std::string_view op) {
  PointwiseLoop loop = body.loops[static_cast<int>(compute)];
  if (!loop)
    throw UserError(ErrorKind::not_implemented, op,
                    "\"" + std::string(op) + "\" not implemented for '" + std::string(element_name(compute)) + "'",
                    "to(float32) first");
  ScalarBuffer scalar_buffer;
  for (size_t i = 0; i < scalars.size(); ++i) store_scalar(scalar_buffer, static_cast<int>(i), compute, scalars[i]);
  const TensorImpl& o = *out.impl();
  const int count = static_cast<int>(operands.size());
  Operand ops[kMaxOperands];
  bool direct = true;  // every operand is read and the output written in place
  for (int k = 0; k < count; ++k) {
    const TensorImpl& t = *operands[static_cast<size_t>(k)].impl();
    ops[k] = {static_cast<const std::byte*>(t.data()), t.dtype,
              (body.uncast >> k) & 1 ? DType::boolean : compute};
    direct = direct && t.dtype == ops[k].wanted && t.sizes == o.sizes && t.strides == o.strides;
  }
  const DType result = body.gives_bool ? DType::boolean : compute;
  std::byte* out_data = static_cast<std::byte*>(o.data());
  const int64_t out_size = size_of(o.dtype);
  direct = direct && o.dtype == result && is_dense_non_overlapping(o.sizes, o.strides);
  if (direct) {
    auto run = [&](int64_t begin, int64_t end) {
      const void* in[kMaxOperands];
      for (int k = 0; k < count; ++k) in[k] = ops[k].data + begin * size_of(ops[k].dtype);
      loop(in, scalar_buffer.bytes, out_data + begin * out_size, end - begin);
    };
    int64_t n = o.numel();
    n <= kGrain ? (n ? run(0, n) : void()) : parallel_for(n, kGrain, run);
    return;
  }
  SmallVector<Dims, 4> strides;
  strides.push_back(o.strides);
  for (const Tensor& t : operands) strides.push_back(broadcast_strides(*t.impl(), o.sizes));
  LoopNest nest = make_nest(o.sizes, std::span<const Dims>(strides.data(), strides.size()));
  const LevelTable& table = level_table();
  const LoopDim& inner = nest.dims.back();
  for_each_run(nest, count + 1, [&](const int64_t* offsets, int64_t n) {
    alignas(64) std::byte tiles[kMaxOperands + 1][kTile * 8];
    for (int64_t at = 0; at < n; at += kTile) {
      int64_t m = std::min(kTile, n - at);
      const void* in[kMaxOperands];
      for (int k = 0; k < count; ++k) {
        int64_t stride = inner.strides[k + 1];
        const std::byte* from = ops[k].data + (offsets[k + 1] + at * stride) * size_of(ops[k].dtype);
        if (stride == 1 && ops[k].dtype == ops[k].wanted) {
          in[k] = from;
        } else {
          table.gather[static_cast<int>(ops[k].dtype)][static_cast<int>(ops[k].wanted)](from, stride, tiles[k], m);
          in[k] = tiles[k];
        }
      }
      int64_t stride = inner.strides[0];
      std::byte* to = out_data + (offsets[0] + at * stride) * out_size;
      if (stride == 1 && o.dtype == result) {
        loop(in, scalar_buffer.bytes, to, m);
      } else {
        loop(in, scalar_buffer.bytes, tiles[kMaxOperands], m);
        table.scatter[static_cast<int>(result)][static_cast<int>(o.dtype)](tiles[kMaxOperands], to, stride, m);
      }
    }
  });
}

void pointwise(KernelCall& call) {
  const OpRecord& r = *call.record.functional;
  size_t argc = r.schema.args.size();
  Tensor operands[kMaxOperands];
  Scalar scalars[kMaxOperands];
  size_t n = 0, s = 0;
  for (size_t i = 0; i < argc; ++i) {
    const Arg& a = call.args[i];
    switch (r.schema.args[i].type) {
      case ArgType::tensor:
        if (!a.is_none()) operands[n++] = a.ref().tensor();
        break;
      case ArgType::scalar:
      case ArgType::real:
      case ArgType::integer:
      case ArgType::boolean:
        if (!a.is_none()) scalars[s++] = a.to_scalar();
        break;
      default: break;
    }
  }
  std::string name = body_of(r, call.args.subspan(0, argc));
  const PointwiseBody* body = find_pointwise(name, static_cast<int>(n), static_cast<int>(s));
  FRIT_INVARIANT(body, "no kernel for the body " + name + " of " + r.full_name);
  DType compute = compute_type(pointwise_types(r, call.args.subspan(0, argc)).compute);
  run_pointwise(*body, compute, std::span<const Tensor>(operands, n), std::span<const Scalar>(scalars, s), call.outs[0],
                r.schema.name);
}

void copy(const Tensor& dst, const Tensor& src) {
  const TensorImpl &d = *dst.impl(), &s = *src.impl();
  SmallVector<Dims, 4> strides{d.strides, broadcast_strides(s, d.sizes)};
  LoopNest nest = make_nest(d.sizes, std::span<const Dims>(strides.data(), strides.size()));
  const LevelTable& table = level_table();
  const LoopDim& inner = nest.dims.back();
  auto gather = table.gather[static_cast<int>(s.dtype)][static_cast<int>(d.dtype)];
  auto scatter = table.scatter[static_cast<int>(s.dtype)][static_cast<int>(d.dtype)];
  std::byte* to = static_cast<std::byte*>(d.data());
  const std::byte* from = static_cast<const std::byte*>(s.data());
  for_each_run(nest, 2, [&](const int64_t* offsets, int64_t n) {
    std::byte* out = to + offsets[0] * size_of(d.dtype);
    const std::byte* in = from + offsets[1] * size_of(s.dtype);
    if (inner.strides[0] == 1 && inner.strides[1] == 1 && s.dtype == d.dtype) {
      std::memcpy(out, in, static_cast<size_t>(n * size_of(d.dtype)));
    } else if (inner.strides[0] == 1) {
      gather(in, inner.strides[1], out, n);
    } else if (inner.strides[1] == 1) {
      scatter(in, out, inner.strides[0], n);
    } else {
      alignas(64) std::byte tile[kTile * 8];
      auto same = table.gather[static_cast<int>(s.dtype)][static_cast<int>(s.dtype)];
      for (int64_t at = 0; at < n; at += kTile) {
        int64_t m = std::min(kTile, n - at);
        same(in + at * inner.strides[1] * size_of(s.dtype), inner.strides[1], tile, m);
        scatter(tile, out + at * inner.strides[0] * size_of(d.dtype), inner.strides[0], m);
      }
    }
  });
}

}  // namespace frit::kernels
