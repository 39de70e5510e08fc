// The driver: cuts a product into tasks of one panel of columns and a range of rows, and walks each
// in blocks that fit the caches. Which element goes to which task changes nothing in its value
// (gemm.h).
#include "kernels/cpu/micro/gemm.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"
#include "kernels/cpu/micro/gemm_scratch.h"
#include "kernels/cpu/micro/gemm_table.h"
#include "kernels/cpu/micro/row_product.h"

namespace frit::kernels {

namespace {

using i64 = int64_t;

i64 ceil_div(i64 a, i64 b) { return (a + b - 1) / b; }
// `to` is a power of two, as vectors and lines are; divisions are much of what a small product
// costs.
i64 round_up(i64 a, i64 to) { return (a + to - 1) & -to; }

constexpr i64 kLine = 64;  // bytes
// Rows of B packed in one go.
constexpr i64 kChunk = 16 * kGemmKBlock;
// Up to so many rows of A, reading a row-major B where it lies beats copying it.
constexpr i64 kFewRows = 192;
// A panel of B up to this size stays in the second-level cache.
constexpr i64 kPanelBytes = i64{256} << 10;
// Elements of A that the rows of a task may hold, converted or as they are, so that a cache has
// them for every panel.
constexpr i64 kPackedRows = i64{512} << 10, kPlainRows = i64{2} << 20;
// Below this a second thread costs more than it brings; a task of a parallel product takes this
// long at least. In nanoseconds, by a rough model of the kernels.
constexpr i64 kParallelFrom = 7000, kTaskTime = 3000;

struct Product {
  GemmArgs g;
  const GemmKernels& kn;
  i64 elem, acc;  // bytes
  bool same;      // element and accumulator are one type
  bool direct;    // the kernels write C themselves
  bool pack_a, pack_b;
  i64 k_chunk;
  i64 group;  // rows that go through a block of K before the next
  i64 panels, parts, part_rows, tasks;
  i64 together = 1;                              // tasks that one thread should do
  i64 a_bytes = 0, b_bytes = 0, tile_bytes = 0;  // scratch

  Product(const GemmTable& table, const GemmArgs& args);
  void cut(i64 threads);
  i64 nanoseconds() const;
  void run(i64 begin, i64 end) const;

 private:
  struct State;
  void run_task(State& s, i64 batch, i64 part, i64 panel) const;
  // Rows of a tile begin at a line and hold whole vectors, which may be two lines of doubles.
  i64 tile_step() const { return std::max<i64>(kLine / acc, kn.lanes); }
  void finish(const void* tile, i64 ld, i64 m0, i64 mb, i64 n0, i64 nb, i64 batch) const;
};

// What a thread keeps from task to task.
struct Product::State {
  char *a = nullptr, *b = nullptr, *tile = nullptr;
  i64 a_batch = -1, a_part = -1, a_row_stride = 0, a_col_stride = 0;
  i64 b_batch = -1, b_panel = -1;
};

Product::Product(const GemmTable& table, const GemmArgs& args)
    : g(args), kn(*gemm_kernels(table, args.dtype)) {
  elem = elem_bytes(g.dtype);
  same = accumulator_of(g.dtype) == g.dtype;
  acc = same ? elem : 4;
  // The stride of an index that takes one value is of no meaning; choose what is cheapest.
  if (g.n == 1) g.b_col_stride = 1;
  if (g.k == 1) g.a_col_stride = 1;
  if (g.m == 1) g.a_row_stride = g.k;
  if (g.k == 1 && g.b_col_stride != 1) g.b_row_stride = 1;
  pack_a = !same;
  pack_b = !g.packed_b && (g.b_col_stride != 1 || g.m > kFewRows);
  direct = same && !g.epilogue;
  k_chunk = pack_b ? std::min(g.k, kChunk) : g.k;
  panels = g.n <= kn.panel ? 1 : ceil_div(g.n, kn.panel);
  // A panel that stays in the second-level cache is read for each tile of C, which then is finished
  // in the first; of a longer one each block of K is used for many tiles.
  group = g.k * std::min(kn.panel, g.n) * elem <= kPanelBytes ? kGemmTileRows : 10 * kGemmTileRows;
  cut(1);
}

void Product::cut(i64 threads) {
  part_rows = pack_a ? kGemmTileRows : 10 * kGemmTileRows;
  parts = 1;
  if (g.m > kGemmTileRows) {
    const i64 limit = (pack_a ? kPackedRows : kPlainRows) / std::max<i64>(g.k, 1);
    part_rows = std::max(limit / kGemmTileRows * kGemmTileRows, part_rows);
    // Rows that wait for the next chunk of K wait in scratch.
    if (!direct && k_chunk < g.k) part_rows = std::min(part_rows, group);
    parts = ceil_div(g.m, part_rows);
  }
  if (threads > 1) {
    // Whole panels to each thread where that comes out even; otherwise rows are cut too.
    const i64 all = g.batch * parts * panels;
    const bool even = all % threads == 0 && (all / threads > 4 || g.n % kn.panel == 0);
    if (!even && all < 8 * threads) {
      const i64 wanted = all % threads == 0 ? threads : threads / std::gcd(all, threads);
      parts = std::min(parts * wanted, ceil_div(g.m, 4));
      together = panels;  // two threads in the same rows would share lines of C
    }
  }
  part_rows = parts == 1 ? g.m : ceil_div(g.m, parts);
  parts = parts == 1 ? 1 : ceil_div(g.m, part_rows);
  tasks = g.batch * parts * panels;

  const i64 width = std::min(kn.panel, round_up(g.n, kn.lanes));
  const i64 tile_width = std::min(kn.panel, round_up(g.n, tile_step()));
  a_bytes = pack_a ? ceil_div(part_rows, kGemmTileRows) * kGemmTileRows * g.k * acc : 0;
  b_bytes = pack_b ? k_chunk * width * elem : 0;
  tile_bytes =
      direct ? 0 : std::min(part_rows, k_chunk < g.k ? part_rows : group) * tile_width * acc;
}

i64 Product::nanoseconds() const {
  const i64 fma = kn.lanes * 4 / acc * 3;  // a nanosecond
  const i64 rows = std::max<i64>(g.m, 2);  // of one, reading B is what takes time
  return g.batch * (g.n * g.k / fma + 1) * rows;
}

void Product::run(i64 begin, i64 end) const {
  State s;
  const i64 bytes = round_up(a_bytes, 64) + round_up(b_bytes, 64) + round_up(tile_bytes, 64);
  const bool batch_inside = g.batch > 1 && g.b_batch_stride == 0 && !pack_a;
  auto tasks_with = [&] {
    for (i64 t = begin; t < end; t++) {
      if (batch_inside)
        run_task(s, t % g.batch, t / g.batch % parts, t / g.batch / parts);
      else
        run_task(s, t / panels / parts, t / panels % parts, t % panels);
    }
  };
  if (bytes == 0) return tasks == 1 ? run_task(s, 0, 0, 0) : tasks_with();
  GemmScratch scratch(bytes);
  if (a_bytes) s.a = static_cast<char*>(scratch.take(a_bytes));
  if (b_bytes) s.b = static_cast<char*>(scratch.take(b_bytes));
  if (tile_bytes) s.tile = static_cast<char*>(scratch.take(tile_bytes));
  tasks_with();
}

void Product::run_task(State& s, i64 batch, i64 part, i64 panel) const {
  const i64 m0 = part * part_rows, m1 = std::min(g.m, m0 + part_rows);
  const i64 n0 = panel * kn.panel, nb = std::min(kn.panel, g.n - n0);
  const i64 width = round_up(nb, kn.lanes);  // of a packed row of B
  const i64 tile_ld = round_up(nb, tile_step());

  const char* a =
      static_cast<const char*>(g.a) + (batch * g.a_batch_stride + m0 * g.a_row_stride) * elem;
  i64 a_rs = g.a_row_stride, a_cs = g.a_col_stride;
  if (pack_a) {
    if (s.a_batch != batch || s.a_part != part) {
      for (i64 m = m0; m < m1; m += kGemmTileRows)
        kn.pack_a(a + (m - m0) * a_rs * elem, a_rs, a_cs, std::min(kGemmTileRows, m1 - m), g.k,
                  s.a + (m - m0) * g.k * acc, &s.a_row_stride, &s.a_col_stride);
      s.a_batch = batch;
      s.a_part = part;
    }
    a = s.a;
    a_rs = s.a_row_stride;
    a_cs = s.a_col_stride;
  }
  // Packed rows lie in slabs of kGemmTileRows, each of its own.
  auto rows_of_a = [&](i64 m) { return a + (m - m0) * (pack_a ? g.k : a_rs) * acc; };

  const char* b = g.packed_b ? static_cast<const char*>(g.packed_b) + n0 * g.k * elem
                             : static_cast<const char*>(g.b) +
                                   (batch * g.b_batch_stride + n0 * g.b_col_stride) * elem;
  GemmBlock block;
  block.a_row_stride = a_rs;
  block.a_col_stride = a_cs;
  block.b_row_stride = g.b_row_stride;
  block.c_row_stride = direct ? g.c_row_stride : tile_ld;
  block.n = nb;
  const bool b_padded = g.packed_b || pack_b;
  block.padded = width == nb || (b_padded && !direct);
  if (b_padded) block.b_row_stride = width;

  const bool whole = k_chunk >= g.k;
  for (i64 k0 = 0; k0 == 0 || k0 < g.k; k0 += k_chunk) {
    const i64 kc = std::min(k_chunk, g.k - k0);
    const char* b_chunk = b + k0 * (g.packed_b ? width : g.b_row_stride) * elem;
    if (pack_b) {
      const i64 b_batch = g.b_batch_stride == 0 ? 0 : batch;
      if (!whole || s.b_batch != b_batch || s.b_panel != panel) {
        kn.pack_b(b + k0 * g.b_row_stride * elem, g.b_row_stride, g.b_col_stride, kc, nb, s.b);
        s.b_batch = b_batch;
        s.b_panel = panel;
      }
      b_chunk = s.b;
    }
    for (i64 first = m0; first < m1; first += group) {
      const i64 last = std::min(first + group, m1);
      for (i64 k = 0; k == 0 || k < kc; k += kGemmKBlock) {
        block.b = b_chunk + k * block.b_row_stride * elem;
        block.k = std::min(kGemmKBlock, kc - k);
        block.add = k0 + k > 0;
        for (i64 m = first; m < last; m += kGemmTileRows) {
          block.m = std::min(kGemmTileRows, last - m);
          block.a = rows_of_a(m) + (k0 + k) * a_cs * acc;
          block.c = direct ? static_cast<char*>(g.c) +
                                 (batch * g.c_batch_stride + m * g.c_row_stride + n0) * elem
                           : s.tile + (m - (whole ? first : m0)) * tile_ld * acc;
          kn.block(block);
          if (!direct && k0 + k + block.k == g.k)
            finish(block.c, tile_ld, m, block.m, n0, nb, batch);
        }
      }
    }
    if (kc == 0) break;
  }
}

void Product::finish(const void* tile, i64 ld, i64 m0, i64 mb, i64 n0, i64 nb, i64 batch) const {
  if (g.epilogue) return g.epilogue(tile, ld, m0, mb, n0, nb, batch, g.epilogue_ctx);
  char* c = static_cast<char*>(g.c) + (batch * g.c_batch_stride + m0 * g.c_row_stride + n0) * elem;
  kn.store(tile, ld, mb, nb, c, g.c_row_stride);
}

void run_integers(const GemmTable& table, const GemmArgs& g, bool threads) {
  auto rows = [&](i64 begin, i64 end) {
    while (begin < end) {
      const i64 batch = begin / g.m, m = begin % g.m, count = std::min(end - begin, g.m - m);
      table.integer_rows(g, batch, m, m + count);
      begin += count;
    }
  };
  const i64 row_time = g.n * g.k / 2 + 1;
  if (threads)
    parallel_for(g.batch * g.m, std::max<i64>(1, 10000 / row_time), rows);
  else
    rows(0, g.batch * g.m);
}

// A product of one tile, of which the driver would be the greater part.
constexpr i64 kTinyTile = 16 << 10;  // multiplications
bool is_tiny(const GemmKernels& kn, const GemmArgs& g) {
  return g.batch == 1 && g.m > 1 && g.n > 1 && g.m <= kGemmTileRows && g.n <= kn.panel &&
         g.k <= kGemmKBlock && g.m * g.n * g.k <= kTinyTile && !g.packed_b;
}

// As Product would do it, with elements that are accumulators.
void run_tiny(const GemmKernels& kn, const GemmArgs& g, i64 elem) {
  const bool pack = g.b_col_stride != 1;
  // Whole lines, and whole vectors, which may be two lines of doubles.
  const i64 step = std::max(kLine / elem, kn.lanes);
  const i64 tile_ld = round_up(g.n, step), width = round_up(g.n, kn.lanes);
  const i64 b_bytes = pack ? round_up(g.k * width * elem, kLine) : 0;
  const i64 tile_bytes = g.epilogue ? g.m * tile_ld * elem : 0;
  auto with = [&](char* packed, void* tile) {
    GemmBlock block;
    block.a = g.a;
    block.a_row_stride = g.a_row_stride;
    block.a_col_stride = g.a_col_stride;
    block.b = g.b;
    block.b_row_stride = g.b_row_stride;
    if (pack) {
      kn.pack_b(g.b, g.b_row_stride, g.b_col_stride, g.k, g.n, packed);
      block.b = packed;
      block.b_row_stride = width;
    }
    block.c = tile ? tile : g.c;
    block.c_row_stride = tile ? tile_ld : g.c_row_stride;
    block.m = g.m;
    block.n = g.n;
    block.k = g.k;
    block.add = false;
    block.padded = width == g.n || (pack && tile);
    kn.block(block);
    if (tile) g.epilogue(tile, tile_ld, 0, g.m, 0, g.n, 0, g.epilogue_ctx);
  };
  if (b_bytes + tile_bytes == 0) return with(nullptr, nullptr);
  GemmScratch scratch(static_cast<size_t>(b_bytes + tile_bytes));
  char* packed = b_bytes ? static_cast<char*>(scratch.take(static_cast<size_t>(b_bytes))) : nullptr;
  with(packed, tile_bytes ? scratch.take(static_cast<size_t>(tile_bytes)) : nullptr);
}

void run_any(const GemmTable& table, GemmArgs g, bool threads);

void run(const GemmTable& table, const GemmArgs& g, bool threads) {
  FRIT_INVARIANT(g.m >= 0 && g.n >= 0 && g.k >= 0 && g.batch >= 0, "negative sizes");
  if (g.m == 0 || g.n == 0 || g.batch == 0) return;
  FRIT_INVARIANT(g.c || g.epilogue, "a matrix product goes nowhere");
  if (g.k > 0 && (g.dtype == Elem::f32 || g.dtype == Elem::f64)) {
    const GemmKernels& kn = *gemm_kernels(table, g.dtype);
    if (is_tiny(kn, g)) return run_tiny(kn, g, g.dtype == Elem::f32 ? 4 : 8);
  }
  run_any(table, g, threads);
}

void run_any(const GemmTable& table, GemmArgs g, bool threads) {
  if (g.k == 0) {  // operands without elements may be null: go nowhere from there
    g.a_row_stride = g.a_col_stride = g.a_batch_stride = 0;
    g.b_row_stride = g.b_col_stride = g.b_batch_stride = 0;
  }
  if (!gemm_kernels(table, g.dtype)) return run_integers(table, g, threads);
  if ((g.m == 1 || g.n == 1) && row_product(*gemm_kernels(table, g.dtype), g, threads)) return;
  Product p(table, g);
  const i64 time = threads ? p.nanoseconds() : 0;
  const i64 workers = time < kParallelFrom ? 1 : num_threads();
  if (workers == 1) return p.run(0, p.tasks);
  p.cut(workers);
  const i64 grain = std::max(p.together, kTaskTime * p.tasks / time);
  parallel_for(p.tasks, grain, [&](i64 begin, i64 end) { p.run(begin, end); });
}

}  // namespace

const GemmKernels* gemm_kernels(const GemmTable& table, Elem dtype) {
  switch (dtype) {
    case Elem::f32:
      return table.f32;
    case Elem::f64:
      return table.f64;
    case Elem::bf16:
      return table.bf16;
    case Elem::f16:
      return table.f16;
    case Elem::i8:
    case Elem::i16:
    case Elem::i32:
    case Elem::i64:
    case Elem::u8:
      return nullptr;
  }
  return nullptr;
}

int64_t elem_bytes(Elem elem) {
  switch (elem) {
    case Elem::f64:
    case Elem::i64:
      return 8;
    case Elem::f32:
    case Elem::i32:
      return 4;
    case Elem::bf16:
    case Elem::f16:
    case Elem::i16:
      return 2;
    case Elem::i8:
    case Elem::u8:
      return 1;
  }
  return 0;
}

Elem accumulator_of(Elem elem) {
  return elem == Elem::bf16 || elem == Elem::f16 ? Elem::f32 : elem;
}

const GemmTable* gemm_table(CpuLevel level) {
  if (!cpu_info().level || level > *cpu_info().level) return nullptr;
  return level == CpuLevel::avx512 ? &avx512::kGemmTable : &avx2::kGemmTable;
}

const GemmTable& gemm_table() {
  static const GemmTable& table = *gemm_table(cpu_level());
  return table;
}

void gemm(const GemmTable& table, const GemmArgs& args) { run(table, args, true); }
void gemm(const GemmArgs& args) { run(gemm_table(), args, true); }
void gemm_serial(const GemmTable& table, const GemmArgs& args) { run(table, args, false); }

int64_t packed_b_bytes(const GemmTable& table, Elem dtype, int64_t k, int64_t n) {
  const GemmKernels* kn = gemm_kernels(table, dtype);
  return kn ? k * round_up(n, kn->lanes) * elem_bytes(dtype) : 0;
}

void pack_b(const GemmTable& table, Elem dtype, int64_t k, int64_t n, const void* b,
            int64_t row_stride, int64_t col_stride, void* packed) {
  const GemmKernels* kn = gemm_kernels(table, dtype);
  FRIT_INVARIANT(kn, "packing integers");
  if (n == 1) col_stride = 1;
  const i64 elem = elem_bytes(dtype);
  for (i64 n0 = 0; n0 < n; n0 += kn->panel)
    kn->pack_b(static_cast<const char*>(b) + n0 * col_stride * elem, row_stride, col_stride, k,
               std::min(kn->panel, n - n0), static_cast<char*>(packed) + n0 * k * elem);
}

}  // namespace frit::kernels
