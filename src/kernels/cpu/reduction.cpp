#include "kernels/cpu/reduction.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/parallel.h"
#include "core/layout.h"
#include "kernels/cpu/iterate.h"
#include "kernels/cpu/kernels.h"
#include "kernels/cpu/kinds.h"
#include "kernels/cpu/memory.h"

namespace frit::kernels {
namespace {

// Scratch that is on the stack where it is small.
class Scratch {
 public:
  explicit Scratch(int64_t bytes) {
    if (bytes > static_cast<int64_t>(sizeof inline_))
      heap_ = empty_cpu(std::array{bytes}, DType::u8);
  }
  std::byte* data() {
    return heap_.defined() ? static_cast<std::byte*>(heap_.impl()->data()) : inline_;
  }

 private:
  Tensor heap_;
  alignas(64) std::byte inline_[1024];
};

struct Group {
  int64_t size, stride;
  bool reduced;
};
using Groups = SmallVector<Group, 6>;

// The dimensions of self in groups; nullopt where one of them is no straight line in memory, or the
// lanes are not adjacent.
std::optional<Groups> groups_of(const TensorImpl& t, std::span<const int64_t> dims) {
  Groups groups;
  size_t next = 0;
  for (size_t d = 0; d < t.sizes.size(); ++d) {
    bool reduced = next < dims.size() && dims[next] == static_cast<int64_t>(d);
    next += reduced;
    if (t.sizes[d] == 1) continue;
    if (!groups.empty() && groups.back().reduced == reduced) {
      Group& g = groups.back();
      if (g.stride != t.strides[d] * t.sizes[d]) return std::nullopt;
      g.size *= t.sizes[d];
      g.stride = t.strides[d];
    } else {
      groups.push_back({t.sizes[d], t.strides[d], reduced});
    }
  }
  if (!groups.empty() && groups.back().stride != 1) return std::nullopt;
  return groups;
}

// How the groups are walked: a kernel for rows or columns at every turn of `kept`, joined over
// `outer`.
struct Plan {
  Groups kept, outer;
  Group lanes{1, 1, false};  // columns only
  Group inner{1, 1, true};   // what the kernel reduces
  bool column = false;
  int64_t kept_size = 1, outer_size = 1;
};

Plan plan_of(const Groups& groups) {
  Plan p;
  int inner = -1, lanes = -1;
  const int last = static_cast<int>(groups.size()) - 1;
  for (int i = last; i >= 0 && inner < 0; --i)
    if (groups[static_cast<size_t>(i)].reduced) inner = i;
  if (inner >= 0 && inner != last) lanes = last, p.column = true;
  if (inner < 0 && last >= 0) lanes = last, p.column = true;  // nothing is reduced: columns of one
  for (int i = 0; i <= last; ++i) {
    const Group& g = groups[static_cast<size_t>(i)];
    if (i == inner)
      p.inner = g;
    else if (i == lanes)
      p.lanes = g;
    else if (g.reduced)
      p.outer.push_back(g), p.outer_size *= g.size;
    else
      p.kept.push_back(g), p.kept_size *= g.size;
  }
  return p;
}

int64_t offset_at(const Groups& groups, int64_t index) {
  int64_t offset = 0;
  for (size_t i = groups.size(); i-- > 0;) {
    offset += index % groups[i].size * groups[i].stride;
    index /= groups[i].size;
  }
  return offset;
}

// One output row: `width` results (1 for rows) from the elements at `in`, joined over the outer
// groups, with the inner one cut into chunks that threads share where `chunked`.
void reduce_one(const ReduceLoops& loops, const Plan& p, const std::byte* in, int64_t item,
                int64_t width, bool chunked, std::byte* acc) {
  const int64_t acc_item = size_of(loops.acc);
  auto inner = [&](const std::byte* at, std::byte* to) {
    if (p.column)
      loops.columns(at, p.inner.size, p.inner.stride, width, to);
    else
      loops.rows(at, 1, 0, p.inner.size, to);
  };
  auto inner_chunks = [&](const std::byte* at, std::byte* to) {
    const int64_t chunk = p.column ? kReduceColumnChunk : kReduceRowChunk;
    const int64_t count = (p.inner.size + chunk - 1) / chunk;
    if (count <= 1) return inner(at, to);
    Scratch parts(count * width * acc_item);
    std::byte* out = parts.data();
    parallel_for(count, 1, [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        std::byte* part = out + c * width * acc_item;
        if (p.column)
          loops.column_chunk(at, p.inner.size, p.inner.stride, width, c, part);
        else
          loops.row_chunk(at, p.inner.size, c, part);
      }
    });
    loops.combine(out, count, width, to);
  };
  if (p.outer.empty()) return chunked ? inner_chunks(in, acc) : inner(in, acc);
  Scratch parts(p.outer_size * width * acc_item);
  std::byte* out = parts.data();
  auto some = [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o)
      inner(in + offset_at(p.outer, o) * item, out + o * width * acc_item);
  };
  if (chunked)
    parallel_for(p.outer_size, 1, some);
  else
    some(0, p.outer_size);
  loops.combine(out, p.outer_size, width, acc);
}

constexpr int64_t kLaneBlock = 256;  // columns that one turn computes

void run_plan(const ReduceLoops& loops, const Plan& p, const TensorImpl& self, int64_t total,
              std::byte* acc) {
  const int64_t item = size_of(self.dtype), acc_item = size_of(loops.acc);
  const std::byte* in = static_cast<const std::byte*>(self.data());
  const int64_t width = p.lanes.size;
  const bool small = total <= kGrain || num_threads() == 1;
  if (!p.column && p.outer.empty() && p.kept.size() <= 1 && (small || p.kept_size > 1)) {
    const int64_t stride = p.kept.empty() ? 0 : p.kept[0].stride;
    auto some = [&](int64_t begin, int64_t end) {
      loops.rows(in + begin * stride * item, end - begin, stride, p.inner.size,
                 acc + begin * acc_item);
    };
    const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(1, p.inner.size));
    if (small)
      some(0, p.kept_size);
    else if (p.kept_size >= 2 * num_threads() || p.inner.size <= kReduceRowChunk)
      parallel_for(p.kept_size, grain, some);
    else
      for (int64_t k = 0; k < p.kept_size; ++k)
        reduce_one(loops, p, in + k * stride * item, item, 1, true, acc + k * acc_item);
    return;
  }
  const int64_t blocks = (width + kLaneBlock - 1) / kLaneBlock, units = p.kept_size * blocks;
  auto unit = [&](int64_t u, bool chunked) {
    const int64_t k = u / blocks, j = u % blocks * kLaneBlock;
    const int64_t m = std::min(kLaneBlock, width - j);
    reduce_one(loops, p, in + (offset_at(p.kept, k) + j) * item, item, m, chunked,
               acc + (k * width + j) * acc_item);
  };
  if (small || units < 2 * num_threads()) {
    for (int64_t u = 0; u < units; ++u) unit(u, !small);
    return;
  }
  const int64_t work = std::max<int64_t>(1, total / units);
  parallel_for(units, std::max<int64_t>(1, kGrain / work), [&](int64_t begin, int64_t end) {
    for (int64_t u = begin; u < end; ++u) unit(u, false);
  });
}

// The type in which op has loops over elements that are computed in `compute`; elements of self are
// read as they are where that says the same.
DType loop_type(ReduceOp op, DType self, DType compute) {
  switch (op) {
    case ReduceOp::any:
    case ReduceOp::all:
      return DType::boolean;
    case ReduceOp::sum:
      if (is_floating(compute))
        return self == compute || (is_reduced_float(self) && compute == DType::f32) ? self
                                                                                    : compute;
      return is_bool(self) ? DType::boolean : DType::i64;
    case ReduceOp::prod:
      return is_floating(compute) ? compute : DType::i64;
    case ReduceOp::max:
    case ReduceOp::min:
      if (is_floating(compute)) return compute;
      return is_bool(compute) ? DType::boolean : DType::i64;
  }
  return compute;
}

Tensor converted(const Tensor& t, DType dtype) {
  return t.impl()->dtype == dtype ? t : packed(t, dtype);
}

void store(const std::byte* acc, DType acc_type, const Tensor& out) {
  const TensorImpl& o = *out.impl();
  const int64_t n = o.numel();
  convert_loop(acc_type, o.dtype)(acc, 1, o.data(), n);
}

constexpr int64_t kLastOfTwo[] = {1};

}  // namespace

void reduce(ReduceOp op, const Tensor& self, std::span<const int64_t> dims, DType compute,
            bool divide, const Tensor& out) {
  const TensorImpl& o = *out.impl();
  const int64_t results = o.numel();
  if (results == 0) return;
  int64_t count = 1;
  for (int64_t d : dims) count *= self.impl()->sizes[static_cast<size_t>(d)];
  // Truth values and integers are made of the elements, not of their sum or product.
  const bool cut = is_bool(compute) || (is_floating(self.dtype()) && !is_floating(compute));
  const Tensor given = cut ? converted(self, compute) : self;
  Tensor x = converted(given, loop_type(op, given.impl()->dtype, compute));
  auto groups = groups_of(*x.impl(), dims);
  if (!groups) {
    // Of no elements: `results` rows of none.
    x = count == 0 ? empty_cpu(std::array<int64_t, 2>{results, 0}, x.impl()->dtype) : packed(x);
    groups = groups_of(*x.impl(), count == 0 ? std::span<const int64_t>(kLastOfTwo) : dims);
  }
  const ReduceLoops* loops = reduce_loops(op, x.impl()->dtype);
  FRIT_INVARIANT(loops && groups, "a reduction has no loops");
  if (count == 0 && op == ReduceOp::all) {  // its loops, a minimum of bytes, would begin with 255
    Tensor truth = empty_cpu(o.sizes, DType::boolean);
    std::memset(truth.impl()->data(), 1, static_cast<size_t>(results));
    return store(static_cast<const std::byte*>(truth.impl()->data()), DType::boolean, out);
  }
  const Plan plan = plan_of(*groups);
  if (loops->acc == o.dtype) {
    std::byte* acc = static_cast<std::byte*>(o.data());
    run_plan(*loops, plan, *x.impl(), count * results, acc);
    if (divide) loops->divide(acc, results, count);
    return;
  }
  Scratch acc(results * size_of(loops->acc));
  run_plan(*loops, plan, *x.impl(), count * results, acc.data());
  if (divide) loops->divide(acc.data(), results, count);
  store(acc.data(), loops->acc, out);
}

void reduce_arg(bool largest, const Tensor& self, std::span<const int64_t> dims,
                const Tensor* values, const Tensor& indices) {
  const TensorImpl& at = *indices.impl();
  const int64_t results = at.numel();
  if (results == 0) return;
  DType compute = compute_type(self.impl()->dtype);
  Tensor x = converted(self, is_floating(compute) ? compute : DType::i64);
  auto groups = groups_of(*x.impl(), dims);
  if (!groups) {
    x = packed(x);
    groups = groups_of(*x.impl(), dims);
  }
  const ReduceTable& table = *level_table().reduce;
  DType t = x.impl()->dtype;
  const ArgLoops* loops = (largest ? table.arg_max : table.arg_min)[static_cast<int>(t)];
  const Plan p = plan_of(*groups);
  FRIT_INVARIANT(loops && p.outer.empty(), "where the extremes are, over scattered dimensions");
  const int64_t item = size_of(t);
  Scratch found(results * item);
  std::byte* best = found.data();
  int64_t* where = static_cast<int64_t*>(at.data());
  const std::byte* in = static_cast<const std::byte*>(x.impl()->data());
  if (p.column) {
    const int64_t width = p.lanes.size, blocks = (width + kLaneBlock - 1) / kLaneBlock;
    parallel_for(p.kept_size * blocks,
                 std::max<int64_t>(1, kGrain / (p.inner.size * kLaneBlock + 1)),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t u = begin; u < end; ++u) {
                     const int64_t k = u / blocks, j = u % blocks * kLaneBlock;
                     loops->columns(in + (offset_at(p.kept, k) + j) * item, p.inner.size,
                                    p.inner.stride, std::min(kLaneBlock, width - j),
                                    best + (k * width + j) * item, where + k * width + j);
                   }
                 });
  } else if (p.kept_size == 1 && p.inner.size > kGrain) {
    const int64_t n = p.inner.size, pieces = (n + kReduceRowChunk - 1) / kReduceRowChunk;
    Scratch piece_values(pieces * item), piece_at(pieces * 8);
    int64_t* starts = reinterpret_cast<int64_t*>(piece_at.data());
    std::byte* piece = piece_values.data();
    parallel_for(pieces, 1, [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        const int64_t first = c * kReduceRowChunk;
        loops->rows(in + first * item, 1, 0, std::min(kReduceRowChunk, n - first), piece + c * item,
                    starts + c);
        starts[c] += first;
      }
    });
    loops->merge(piece, starts, pieces, best, where);
  } else {
    parallel_for(p.kept_size, std::max<int64_t>(1, kGrain / (p.inner.size + 1)),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t k = begin; k < end; ++k)
                     loops->rows(in + offset_at(p.kept, k) * item, 1, 0, p.inner.size,
                                 best + k * item, where + k);
                 });
  }
  if (values) store(best, t, *values);
}

void reduction(KernelCall& call) {
  const OpRecord& r = *call.record.functional;
  auto args = call.args.subspan(0, r.schema.args.size());
  const Tensor& self = tensor_arg(call, 0);
  const auto dims = reduced_dims(r, args, self.impl()->dim());
  const DType compute = compute_type(reduction_types(r, args).compute);
  const std::string& body = r.body;
  const Tensor& out = call.outs[0];
  auto run = [&](ReduceOp op, bool divide = false) {
    reduce(op, self, dims, compute, divide, out);
  };
  if (body == "sum") return run(ReduceOp::sum);
  if (body == "mean") return run(ReduceOp::sum, true);
  if (body == "prod") return run(ReduceOp::prod);
  if (body == "amax") return run(ReduceOp::max);
  if (body == "amin") return run(ReduceOp::min);
  if (body == "any") return run(ReduceOp::any);
  if (body == "all") return run(ReduceOp::all);
  if (body == "argmax" || body == "argmin")
    return reduce_arg(body == "argmax", self, dims, nullptr, out);
  if (body == "max_with_index" || body == "min_with_index")
    return reduce_arg(body == "max_with_index", self, dims, &call.outs[0], call.outs[1]);
  if (body == "count_nonzero")
    return reduce(ReduceOp::sum, converted(self, DType::boolean), dims, DType::i64, false, out);
  throw InternalError("no kernel for the reduction " + body);
}

}  // namespace frit::kernels
