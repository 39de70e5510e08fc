// Pointwise ops: one loop a body and compute type, fed with contiguous runs. What is strided or of
// another dtype passes through tiles in L1.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>

#include "base/cpu.h"
#include "core/layout.h"
#include "kernels/cpu/iterate.h"
#include "kernels/cpu/kernels.h"
#include "kernels/cpu/kinds.h"
#include "kernels/cpu/level_table.h"
#include "kernels/cpu/reduction.h"
#include "ops/kind_rules.h"

namespace frit::kernels {
namespace {

constexpr int64_t kTile = 512;  // elements; a few tiles of 8 bytes each stay in L1

struct ScalarBuffer {
  alignas(8) std::byte bytes[kMaxOperands * 8];
};

// Scalars as an array of the compute type's storage.
void store_scalar(ScalarBuffer& b, int i, DType t, const Scalar& s) {
  auto put = [&](auto v) {
    std::memcpy(b.bytes + static_cast<size_t>(i) * sizeof v, &v, sizeof v);
  };
  switch (t) {
    case DType::f32:
      return put(static_cast<float>(s.to_double()));
    case DType::f64:
      return put(s.to_double());
    case DType::i8:
      return put(static_cast<int8_t>(s.to_int64()));
    case DType::i16:
      return put(static_cast<int16_t>(s.to_int64()));
    case DType::i32:
      return put(static_cast<int32_t>(s.to_int64()));
    case DType::i64:
      return put(s.to_int64());
    case DType::u8:
      return put(static_cast<uint8_t>(s.to_int64()));
    case DType::boolean:
      return put(static_cast<uint8_t>(s.to_bool()));
    case DType::bf16:
    case DType::f16:
      break;
  }
  throw InternalError("a scalar in a half type");
}

struct Operand {
  const std::byte* data;
  DType dtype;   // as stored
  DType wanted;  // as the loop reads it
};

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

void run_pointwise(const PointwiseBody& body, DType compute,
                   std::span<const TensorImpl* const> operands, std::span<const Scalar> scalars,
                   const TensorImpl& o, std::string_view op) {
  PointwiseLoop loop = body.loops[static_cast<int>(compute)];
  if (!loop)
    throw UserError(ErrorKind::not_implemented, op,
                    "\"" + std::string(op) + "\" not implemented for '" +
                        std::string(scalar_type_name(compute)) + "'",
                    "to(float32) first");
  ScalarBuffer scalar_buffer;
  for (size_t i = 0; i < scalars.size(); ++i)
    store_scalar(scalar_buffer, static_cast<int>(i), compute, scalars[i]);
  const int count = static_cast<int>(operands.size());
  Operand ops[kMaxOperands];
  bool direct = true;  // every operand is read and the output written in place
  for (int k = 0; k < count; ++k) {
    const TensorImpl& t = *operands[static_cast<size_t>(k)];
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
  for (const TensorImpl* t : operands) strides.push_back(broadcast_strides(*t, o.sizes));
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
        const std::byte* from =
            ops[k].data + (offsets[k + 1] + at * stride) * size_of(ops[k].dtype);
        if (stride == 1 && ops[k].dtype == ops[k].wanted) {
          in[k] = from;
        } else {
          table.gather[static_cast<int>(ops[k].dtype)][static_cast<int>(ops[k].wanted)](
              from, stride, tiles[k], m);
          in[k] = tiles[k];
        }
      }
      int64_t stride = inner.strides[0];
      std::byte* to = out_data + (offsets[0] + at * stride) * out_size;
      if (stride == 1 && o.dtype == result) {
        loop(in, scalar_buffer.bytes, to, m);
      } else {
        loop(in, scalar_buffer.bytes, tiles[kMaxOperands], m);
        table.scatter[static_cast<int>(result)][static_cast<int>(o.dtype)](tiles[kMaxOperands], to,
                                                                           stride, m);
      }
    }
  });
}

namespace {

// Which body serves a record, by how many operands it is given and the variant. Entries are made at
// a record's first calls and live as long as the process.
struct KnownBody {
  size_t operands, scalars;
  const void* variant;
  const PointwiseBody* body;
  KnownBody* next;
};
constexpr size_t kMaxRecords = 8192;
std::atomic<KnownBody*> g_known[kMaxRecords];

const PointwiseBody& body_for(const OpRecord& r, std::span<const Arg> args, size_t operands,
                              size_t scalars) {
  const void* variant = r.variant_arg == kNoArg
                            ? nullptr
                            : args[static_cast<size_t>(r.variant_arg)].as<Symbol>().str().data();
  FRIT_INVARIANT(r.id < kMaxRecords, "more records than there is room for");
  std::atomic<KnownBody*>& head = g_known[r.id];
  KnownBody* known = head.load(std::memory_order_acquire);
  for (KnownBody* k = known; k; k = k->next)
    if (k->operands == operands && k->scalars == scalars && k->variant == variant) return *k->body;
  const std::string name = body_of(r, args);
  const PointwiseBody* body =
      find_pointwise(name, static_cast<int>(operands), static_cast<int>(scalars));
  FRIT_INVARIANT(body, "no kernel for the body " + name + " of " + r.full_name);
  auto* entry = new KnownBody{operands, scalars, variant, body, known};
  while (!head.compare_exchange_weak(entry->next, entry, std::memory_order_acq_rel)) {
  }
  return *body;
}

// The divisors of whole numbers, which must not be 0: the second argument.
void check_divisors(const OpRecord& r, std::span<const Arg> args) {
  bool zero;
  if (args[1].is_ref()) {
    const Tensor& t = args[1].ref().tensor();
    Tensor all = empty_cpu({}, DType::boolean);
    Dims dims;
    for (int64_t d = 0; d < t.impl()->dim(); ++d) dims.push_back(d);
    reduce(ReduceOp::all, t, dims, DType::boolean, false, all);
    zero = !*static_cast<const bool*>(all.impl()->data());
    if (args[0].is_ref() && args[0].ref().tensor().impl()->numel() == 0) zero = false;
  } else {
    zero = args[1].to_scalar().to_int64() == 0 &&
           !(args[0].is_ref() && args[0].ref().tensor().impl()->numel() == 0);
  }
  if (zero)
    throw UserError(ErrorKind::runtime, r.schema.name, "ZeroDivisionError",
                    "a divisor that is not 0, or floats");
}

}  // namespace

void pointwise(KernelCall& call) {
  const OpRecord& r = *call.record.functional;
  const size_t argc = r.schema.args.size();
  const auto args = call.args.subspan(0, argc);
  const TensorImpl* operands[kMaxOperands];
  Scalar scalars[kMaxOperands];
  size_t n = 0, s = 0;
  for (size_t i = 0; i < argc; ++i) {
    const Arg& a = args[i];
    switch (r.schema.args[i].type) {
      case ArgType::tensor:
        if (!a.is_none()) operands[n++] = a.ref().tensor().impl();
        break;
      case ArgType::scalar:
      case ArgType::real:
      case ArgType::integer:
      case ArgType::boolean:
        if (!a.is_none()) scalars[s++] = a.to_scalar();
        break;
      default:
        break;
    }
  }
  const PointwiseBody& body = body_for(r, args, n, s);
  const DType compute = compute_type(pointwise_types(r, args).compute);
  if (r.raises_on_data && may_raise(r, args)) check_divisors(r, args);
  run_pointwise(body, compute, std::span(operands, n), std::span<const Scalar>(scalars, s),
                *call.outs[0].impl(), r.schema.name);
}

}  // namespace frit::kernels
