// C++ text to a loaded library: from this process, from the cache, or by the compiler plugin, which
// is loaded only when both have not got it.
#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cpu.h"
#include "base/hash.h"
#include "jit/plugin.h"
#include "loader/object_cache.h"

namespace frit::jit {

enum class Optimize : uint8_t { slim, o1, o2, o3 };  // slim: the passes generated code needs

struct CompileRequest {
  std::string name = "graph";        // for messages, file names and debug information
  std::vector<std::string> modules;  // C++ texts; compiled separately, linked into one object
  std::string_view header;           // stands before the first line of each module
  CpuLevel level = CpuLevel::avx2;
  Optimize optimize = Optimize::slim;
  bool debug = false;  // debug information
  fs::path sources;    // with debug: a folder for the texts, where debuggers find them
  int threads = 1;     // modules compiled at the same time
  std::function<bool()> interrupted;  // asked by the calling thread while it waits; true gives up
  bool test_hooks = false;            // obey "#pragma frit_test" in the texts
};

enum class CompileStatus : uint8_t {
  ok,
  plugin_missing,  // no plugin: the program runs eagerly
  plugin_unfit,    // a plugin that cannot be loaded, or of another build, or that hung before
  diagnostics,     // the text does not compile, link or load: a fault of the code generator
  crash,           // the compiler crashed
  hang,            // the time limit passed
  interrupted,
  system,  // no thread, no memory
};
const char* compile_status_name(CompileStatus status);

struct CompileTimes {  // milliseconds; the compiler's phases are sums over modules
  double lookup = 0, load_plugin = 0, precompile = 0, front_end = 0, optimize = 0, codegen = 0,
         link = 0, load = 0, total = 0;
};

struct CompileResult {
  CompileStatus status = CompileStatus::system;
  std::shared_ptr<loader::Library> library;  // set if and only if ok
  Hash128 key;
  bool hit = false;  // found in this process or in the cache
  CompileTimes times;
  std::string message;  // what went wrong, in one or more lines
  std::string hint;     // what to do; may be empty
  fs::path reproducer;  // folder with the texts and a command, after diagnostics, crash or hang
  explicit operator bool() const { return status == CompileStatus::ok; }
};

// Raises what a failed result means: UserError for a missing or unfit plugin and for an
// interruption, InternalError naming the reproducer for the rest.
void raise_if_failed(const CompileResult& result);

struct CompilerOptions {
  loader::CacheOptions cache;
  std::optional<fs::path> plugin;               // nullopt: look around
  std::chrono::milliseconds time_limit{60000};  // of one compile; 0: none
  std::optional<fs::path> reproducers;          // nullopt: the folder for temporary files

  // FRIT_PLUGIN, FRIT_COMPILE_TIMEOUT, FRIT_DEBUG_DIR and the cache's variables.
  static CompilerOptions from_environment();
};

// Any number of threads may compile at once.
class Compiler {
 public:
  explicit Compiler(CompilerOptions options = CompilerOptions::from_environment());

  // Never raises for what the compiler or the system does wrong: the status says it.
  CompileResult compile(const CompileRequest& request);

  loader::ObjectCache& cache() { return cache_; }
  static Hash128 key_of(const CompileRequest& request);

 private:
  using Precompiled = std::shared_ptr<const std::string>;
  void run_plugin(const CompileRequest& request, CompileResult& result);
  // False where it is not known yet; true with null where this header cannot be precompiled.
  bool find_precompiled(const Hash128& key, Precompiled& bytes);
  void keep_precompiled(const Hash128& key, Precompiled bytes);

  const CompilerOptions options_;
  loader::ObjectCache cache_;
  std::mutex mutex_;  // guards the two below
  LoadedPlugin plugin_;
  std::map<Hash128, Precompiled> precompiled_;  // null: it cannot be precompiled
};

}  // namespace frit::jit
