#include "adapters/torch/openmp.h"

#include <dlfcn.h>
#include <link.h>

#include <cstring>
#include <string>

namespace frit::torch {
namespace {

// What GCC's OpenMP runtime and LLVM's both have.
void (*g_parallel)(void (*work)(void*), void* ctx, unsigned threads, unsigned flags) = nullptr;
int (*g_most_threads)() = nullptr;

// The library that torch's kernels are in, as the process has loaded it: the runtime is one of
// those it needs, and may be there under a name of torch's own.
void* kernels_library() {
  std::string path;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* found) {
        const char* name = std::strrchr(info->dlpi_name, '/');
        if (!name || std::strcmp(name, "/libtorch_cpu.so") != 0) return 0;
        *static_cast<std::string*>(found) = info->dlpi_name;
        return 1;
      },
      &path);
  return path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOLOAD | RTLD_LAZY);
}

bool load() {
  void* library = kernels_library();
  if (!library) return false;
  g_parallel = reinterpret_cast<decltype(g_parallel)>(dlsym(library, "GOMP_parallel"));
  g_most_threads =
      reinterpret_cast<decltype(g_most_threads)>(dlsym(library, "omp_get_max_threads"));
  return g_parallel && g_most_threads;  // never unloaded: neither is torch
}

}  // namespace

const Team* openmp_team() {
  static const Team team{[] { return g_most_threads(); },
                         [](int threads, void (*work)(void*), void* ctx) {
                           g_parallel(work, ctx, static_cast<unsigned>(threads), 0);
                         }};
  static const bool loaded = load();
  return loaded ? &team : nullptr;
}

}  // namespace frit::torch
