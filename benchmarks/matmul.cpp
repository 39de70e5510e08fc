// Speed of the matrix kernels, without tensors around them: matmul [--json FILE] [--threads N]...
//
// Prints microseconds and GF/s of each shape, on one thread and on all, and with --json FILE writes
// the same figures there. peers/matmul_torch.py times PyTorch on the same shapes.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "kernels/cpu/micro/gemm.h"
#include "processes.h"

namespace {

using namespace frit;
using namespace frit::kernels;
using i64 = int64_t;

// How a matrix lies in memory: its rows adjacent, its columns adjacent, or packed ahead.
enum class Order { rows, columns, packed };

struct Shape {
  const char* group;
  i64 batch, m, k, n;
  Order a, b;
  Elem dtype = Elem::f32;
};

constexpr Order R = Order::rows, C = Order::columns, P = Order::packed;

const Shape kShapes[] = {
    // A layer of the digits program, batch 64: forward with W [out, in], then the gradients.
    {"digits x W1^T", 1, 64, 64, 256, R, C},
    {"digits h W2^T", 1, 64, 256, 64, R, C},
    {"digits h W3^T", 1, 64, 64, 10, R, C},
    {"digits g W1", 1, 64, 256, 64, R, R},
    {"digits g W2", 1, 64, 64, 256, R, R},
    {"digits g^T x", 1, 256, 64, 64, C, R},
    {"digits g^T h", 1, 64, 64, 256, C, R},
    {"digits g3^T h", 1, 10, 64, 64, C, R},
    {"digits g3 W3", 1, 64, 10, 64, R, R},
    {"digits x W1^T packed", 1, 64, 64, 256, R, P},
    {"tiny", 1, 8, 8, 8, R, R},
    {"tiny W^T", 1, 8, 8, 8, R, C},
    {"row W", 1, 1, 384, 384, R, R},
    {"row W^T", 1, 1, 384, 384, R, C},
    {"row packed", 1, 1, 384, 384, R, P},
    {"row W", 1, 1, 768, 3072, R, R},
    {"row W^T", 1, 1, 768, 3072, R, C},
    {"row packed", 1, 1, 768, 3072, R, P},
    {"column", 1, 3072, 768, 1, R, R},
    {"x W", 1, 32, 384, 1536, R, R},
    {"x W^T", 1, 32, 384, 1536, R, C},
    {"x packed", 1, 32, 384, 1536, R, P},
    {"x W", 1, 128, 768, 768, R, R},
    {"x W^T", 1, 128, 768, 768, R, C},
    {"x packed", 1, 128, 768, 768, R, P},
    {"x W", 1, 512, 768, 3072, R, R},
    {"x W^T", 1, 512, 768, 3072, R, C},
    {"x packed", 1, 512, 768, 3072, R, P},
    {"g^T x", 1, 768, 512, 768, C, R},
    {"square", 1, 1024, 1024, 1024, R, R},
    {"square A^T", 1, 1024, 1024, 1024, C, R},
    {"square", 1, 2048, 2048, 2048, R, R},
    {"q k^T", 12, 128, 64, 128, R, C},
    {"p v", 12, 128, 128, 64, R, R},
    {"float64", 1, 512, 512, 512, R, R, Elem::f64},
    {"bfloat16", 1, 128, 768, 768, R, C, Elem::bf16},
    {"bfloat16 row packed", 1, 1, 768, 3072, R, P, Elem::bf16},
    {"float16", 1, 128, 768, 768, R, C, Elem::f16},
};

const char* dtype_name(Elem e) {
  switch (e) {
    case Elem::f32:
      return "float32";
    case Elem::f64:
      return "float64";
    case Elem::bf16:
      return "bfloat16";
    case Elem::f16:
      return "float16";
    case Elem::i8:
      return "int8";
    case Elem::i16:
      return "int16";
    case Elem::i32:
      return "int32";
    case Elem::i64:
      return "int64";
    case Elem::u8:
      return "uint8";
  }
  return "";
}

double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

// Median of the time of one call, over rounds of about half a millisecond each.
template <class F>
double time_of(F&& call) {
  call();
  double start = now();
  call();
  const double once = std::max(now() - start, 1e-8);
  const int calls = std::max(1, static_cast<int>(5e-4 / once));
  const int rounds = once > 5e-3 ? 9 : 31;
  std::vector<double> times;
  for (int r = 0; r < rounds; r++) {
    start = now();
    for (int i = 0; i < calls; i++) call();
    times.push_back((now() - start) / calls);
  }
  std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
  return times[rounds / 2];
}

struct Buffer {
  explicit Buffer(size_t bytes) : data(std::aligned_alloc(64, (bytes + 127) / 64 * 64)) {}
  ~Buffer() { std::free(data); }
  Buffer(const Buffer&) = delete;
  void* data;
};

void fill(void* p, Elem dtype, i64 n) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (i64 i = 0; i < n; i++) {
    const float x = uniform(random);
    if (dtype == Elem::f32) static_cast<float*>(p)[i] = x;
    if (dtype == Elem::f64) static_cast<double*>(p)[i] = x;
    uint32_t bits;
    std::memcpy(&bits, &x, 4);
    if (dtype == Elem::bf16) static_cast<uint16_t*>(p)[i] = static_cast<uint16_t>(bits >> 16);
    if (dtype == Elem::f16) static_cast<uint16_t*>(p)[i] = 0x3800 | (bits >> 20 & 0x83ff);
  }
}

double run(const Shape& s) {
  const i64 size = elem_bytes(s.dtype);
  Buffer a(s.batch * s.m * s.k * size), b(s.batch * s.k * s.n * size),
      c(s.batch * s.m * s.n * size);
  Buffer packed(packed_b_bytes(gemm_table(), s.dtype, s.k, s.n));
  fill(a.data, s.dtype, s.batch * s.m * s.k);
  fill(b.data, s.dtype, s.batch * s.k * s.n);
  GemmArgs g;
  g.dtype = s.dtype;
  g.m = s.m, g.n = s.n, g.k = s.k, g.batch = s.batch;
  g.a = a.data;
  g.a_row_stride = s.a == R ? s.k : 1, g.a_col_stride = s.a == R ? 1 : s.m,
  g.a_batch_stride = s.m * s.k;
  g.b = b.data;
  g.b_row_stride = s.b == C ? 1 : s.n, g.b_col_stride = s.b == C ? s.k : 1,
  g.b_batch_stride = s.k * s.n;
  if (s.b == P) {
    pack_b(gemm_table(), s.dtype, s.k, s.n, b.data, s.n, 1, packed.data);
    g.packed_b = packed.data;
  }
  g.c = c.data;
  g.c_row_stride = s.n, g.c_batch_stride = s.m * s.n;
  return time_of([&] { gemm(g); });
}

int usage() {
  fmt::print(stderr, "usage: matmul [--json FILE] [--threads N]...\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::string json_file;
  std::vector<int> threads;
  for (int i = 1; i < argc; i += 2) {
    const std::string flag = argv[i];
    if (i + 1 == argc) return usage();
    if (flag == "--json")
      json_file = argv[i + 1];
    else if (flag == "--threads")
      threads.push_back(std::max(1, std::atoi(argv[i + 1])));
    else
      return usage();
  }
  if (threads.empty()) {
    threads.push_back(1);
    if (num_threads() > 1) threads.push_back(num_threads());
  }
  bench::Json figures{{"benchmark", "matmul"},
                      {"level", cpu_level_name(cpu_level())},
                      {"cpu", cpu_info().model},
                      {"load_at_start", bench::load_now()},
                      {"machine_scale_ns", support::machine_scale_ns()}};
  bench::print_machine(figures);
  bench::Json rows = bench::Json::array();
  fmt::print("{:22} {:>8} {:>22}", cpu_level_name(cpu_level()), "dtype", "batch x m x k x n");
  for (int t : threads) fmt::print("   {:>2} threads: us   GF/s", t);
  fmt::print("\n");
  for (const Shape& s : kShapes) {
    fmt::print("{:22} {:>8} {:>22}", s.group, dtype_name(s.dtype),
               fmt::format("{}x{}x{}x{}", s.batch, s.m, s.k, s.n));
    for (int t : threads) {
      set_num_threads(t);
      const double seconds = run(s), gflops = 2e-9 * s.batch * s.m * s.k * s.n / seconds;
      fmt::print("   {:14.2f} {:6.1f}", seconds * 1e6, gflops);
      rows.push_back({{"name", s.group},
                      {"dtype", dtype_name(s.dtype)},
                      {"batch", s.batch},
                      {"m", s.m},
                      {"k", s.k},
                      {"n", s.n},
                      {"a", s.a == C ? "columns" : "rows"},
                      {"b", s.b == C   ? "columns"
                            : s.b == P ? "packed"
                                       : "rows"},
                      {"threads", t},
                      {"us", seconds * 1e6},
                      {"gflops", gflops}});
    }
    fmt::print("\n");
    std::fflush(stdout);
  }
  figures["rows"] = std::move(rows);
  bench::write_json(json_file, figures);
}
