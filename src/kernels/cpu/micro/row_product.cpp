#include "kernels/cpu/micro/row_product.h"

#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "kernels/cpu/micro/gemm_scratch.h"

namespace frit::kernels {

namespace {

using i64 = int64_t;

i64 ceil_div(i64 a, i64 b) { return (a + b - 1) / b; }
i64 round_up(i64 a, i64 b) { return ceil_div(a, b) * b; }

constexpr i64 kLine = 64;
// Bytes a nanosecond, and what is worth a second thread.
constexpr i64 kSpeed = 90, kParallelFrom = 6000, kTaskTime = 3000;

// y[j] = sum over k of x[k] * matrix[k, j], j < length.
struct RowProduct {
  const GemmKernels& kn;
  const GemmArgs& g;
  i64 elem = 0, acc = 0;  // bytes
  const char *x = nullptr, *matrix = nullptr;
  i64 x_stride = 1, x_batch_stride = 0;
  i64 k_stride = 1, j_stride = 1, matrix_batch_stride = 0;
  i64 length = 0;
  bool column = false;   // y is a column of C
  bool by_rows = false;  // matrix[k, :] is contiguous, else matrix[:, j]
  i64 width = 0, pieces = 0;

  bool plan();
  void cut(i64 threads);
  void run(i64 begin, i64 end) const;
  // y[j0, j0 + count), padded to whole vectors, goes to C or to the epilogue; `spread` is for a
  // column that goes to one.
  void finish(i64 batch, i64 j0, i64 count, char* y, char* spread) const;

 private:
  void piece(i64 batch, i64 j0, const char* row, char* y, char* spread) const;
};

bool RowProduct::plan() {
  elem = elem_bytes(g.dtype);
  acc = elem_bytes(accumulator_of(g.dtype));
  column = g.n == 1;
  if (g.m == 1 && !g.packed_b) {
    column = false;
    x = static_cast<const char*>(g.a);
    x_stride = g.a_col_stride, x_batch_stride = g.a_batch_stride;
    matrix = static_cast<const char*>(g.b);
    k_stride = g.b_row_stride, j_stride = g.b_col_stride, matrix_batch_stride = g.b_batch_stride;
    length = g.n;
  } else if (column) {
    x = static_cast<const char*>(g.packed_b ? g.packed_b : g.b);
    x_stride = g.packed_b ? kn.lanes : g.b_row_stride,
    x_batch_stride = g.packed_b ? 0 : g.b_batch_stride;
    matrix = static_cast<const char*>(g.a);
    k_stride = g.a_col_stride, j_stride = g.a_row_stride, matrix_batch_stride = g.a_batch_stride;
    length = g.m;
  } else {
    return false;
  }
  if (length == 1 && k_stride != 1) j_stride = 1;
  if (g.k <= 1 && j_stride != 1) k_stride = 1;
  by_rows = j_stride == 1;
  return by_rows || k_stride == 1;
}

void RowProduct::cut(i64 threads) {
  // Multiples of the registers the kernels take at a time.
  width = std::clamp<i64>(round_up(ceil_div(length, 2 * threads), 64), 128, 1024);
  pieces = ceil_div(length, width);
}

void RowProduct::run(i64 begin, i64 end) const {
  const bool same = acc == elem, copy = !same || x_stride != 1;
  const i64 row_bytes = copy ? round_up(g.k * acc, kLine) : 0;
  const i64 y_bytes = round_up(std::min(width, length) * acc, kLine) + kLine;
  const i64 spread_bytes = column && g.epilogue ? kGemmTileRows * kLine : 0;
  GemmScratch scratch(row_bytes + y_bytes + spread_bytes);
  char* row = copy ? static_cast<char*>(scratch.take(row_bytes)) : nullptr;
  char* y = static_cast<char*>(scratch.take(y_bytes));
  char* spread = spread_bytes ? static_cast<char*>(scratch.take(spread_bytes)) : nullptr;
  std::fill(spread, spread + spread_bytes, 0);
  for (i64 t = begin, copied = -1; t < end; t++) {
    const i64 batch = t / pieces;
    const char* from = x + batch * x_batch_stride * elem;
    if (copy && copied != batch) {
      i64 ignored_rows, ignored_columns;
      kn.pack_a(from, 0, x_stride, 1, g.k, row, &ignored_rows, &ignored_columns);
      copied = batch;
    }
    piece(batch, t % pieces * width, copy ? row : from, y, spread);
  }
}

void RowProduct::piece(i64 batch, i64 j0, const char* row, char* y, char* spread) const {
  const i64 count = std::min(width, length - j0);
  const char* from = matrix + (batch * matrix_batch_stride + j0 * j_stride) * elem;
  const auto kernel = by_rows ? kn.row_times_rows : kn.row_times_columns;
  for (i64 k = 0; k == 0 || k < g.k; k += kGemmKBlock)
    kernel(row + k * acc, from + k * k_stride * elem, by_rows ? k_stride : j_stride,
           std::min(kGemmKBlock, g.k - k), count, y, k > 0);
  finish(batch, j0, count, y, spread);
}

void RowProduct::finish(i64 batch, i64 j0, i64 count, char* y, char* spread) const {
  if (!g.epilogue) {
    const i64 stride = column ? g.c_row_stride : 1;
    char* c = static_cast<char*>(g.c) + (batch * g.c_batch_stride + j0 * stride) * elem;
    return stride == 1 ? kn.store(y, count, 1, count, c, count)
                       : kn.store(y, 1, count, 1, c, stride);
  }
  const i64 line = kLine / acc;
  if (!column) {
    for (i64 j = 0; j < count; j += kn.panel) {
      const i64 nb = std::min(kn.panel, count - j);
      g.epilogue(y + j * acc, round_up(nb, line), 0, 1, j0 + j, nb, batch, g.epilogue_ctx);
    }
    return;
  }
  for (i64 j = 0; j < count; j += kGemmTileRows) {
    const i64 mb = std::min(kGemmTileRows, count - j);
    for (i64 m = 0; m < mb; m++) std::copy_n(y + (j + m) * acc, acc, spread + m * kLine);
    g.epilogue(spread, line, j0 + j, mb, 0, 1, batch, g.epilogue_ctx);
  }
}

// A single element for each of the batch; never a column, see plan(). Its one chain of a block
// leaves the processor idle, so many blocks are computed side by side, and then added in order.
template <class S>
void dot(const RowProduct& p, bool threads) {
  const i64 batch = p.g.batch, blocks = p.g.k / kGemmKBlock, rest = p.g.k % kGemmKBlock;
  constexpr i64 kTogether = 64;  // blocks of a task
  const i64 tasks = ceil_div(blocks, kTogether);
  GemmScratch scratch(round_up(batch * blocks * p.acc, kLine) + kGemmKBlock * p.acc + 2 * kLine);
  S* sums = static_cast<S*>(scratch.take(batch * blocks * p.acc));
  char* row = static_cast<char*>(scratch.take(kGemmKBlock * p.acc));
  char* y = static_cast<char*>(scratch.take(2 * kLine));
  auto x_of = [&](i64 b) { return p.x + b * p.x_batch_stride * p.elem; };
  auto matrix_of = [&](i64 b) { return p.matrix + b * p.matrix_batch_stride * p.elem; };
  auto work = [&](i64 begin, i64 end) {
    for (i64 t = begin; t < end; t++) {
      const i64 b = t / tasks, first = t % tasks * kTogether, at = first * kGemmKBlock * p.elem;
      p.kn.dot_blocks(x_of(b) + at, matrix_of(b) + at, std::min(kTogether, blocks - first),
                      sums + b * blocks + first);
    }
  };
  const i64 task_time = kTogether * kGemmKBlock * 2 * p.elem / kSpeed + 1;
  if (threads)
    parallel_for(batch * tasks, ceil_div(kParallelFrom, task_time), work);
  else
    work(0, batch * tasks);
  for (i64 b = 0; b < batch; b++) {
    S total = sums[b * blocks];
    for (i64 i = 1; i < blocks; i++) total += sums[b * blocks + i];
    std::memcpy(y, &total, sizeof total);
    if (rest) {
      const i64 at = blocks * kGemmKBlock * p.elem;
      i64 ignored_rows, ignored_columns;
      p.kn.pack_a(x_of(b) + at, 0, 1, 1, rest, row, &ignored_rows, &ignored_columns);
      p.kn.row_times_columns(row, matrix_of(b) + at, rest, rest, 1, y, true);
    }
    p.finish(b, 0, 1, y, nullptr);
  }
}

}  // namespace

bool row_product(const GemmKernels& kernels, const GemmArgs& args, bool threads) {
  RowProduct p{kernels, args};
  if (!p.plan()) return false;
  if (p.length == 1 && args.k >= 2 * kGemmKBlock && p.x_stride == 1 && p.k_stride == 1) {
    if (p.acc == 4)
      dot<float>(p, threads);
    else
      dot<double>(p, threads);
    return true;
  }
  const i64 time = args.batch * (p.length * args.k * p.elem / kSpeed + 20);
  const i64 workers = threads && time >= kParallelFrom ? num_threads() : 1;
  p.cut(workers);
  const i64 tasks = args.batch * p.pieces;
  if (workers == 1) {
    p.run(0, tasks);
  } else {
    const i64 grain = std::max<i64>(1, kTaskTime * tasks / time);
    parallel_for(tasks, grain, [&](i64 begin, i64 end) { p.run(begin, end); });
  }
  return true;
}

}  // namespace frit::kernels
