#include "base/config.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>

#include "base/error.h"
#include "base/fork.h"

namespace frit {
namespace {

constexpr EnvVariable kVariables[] = {
    {"FRIT_CACHE_DIR",
     "folder of the object cache; the default is frit/ in the user's cache folder"},
    {"FRIT_CACHE_LIMIT_MB", "size the object cache is kept under, in MiB; the default is 1024"},
    {"FRIT_CHECK",
     "extra checks, separated by commas: replay runs eager beside every compiled call, "
     "verify checks each graph after every pass"},
    {"FRIT_COMPILE_DEBUG",
     "1 writes a folder for each compile: graphs, loops and the generated code"},
    {"FRIT_COMPILE_TIMEOUT", "seconds the compiler plugin may take for one compile"},
    {"FRIT_CPU_LEVEL", "avx2 or avx512: use the code of this processor level instead of the best"},
    {"FRIT_DEBUG_DIR",
     "where FRIT_COMPILE_DEBUG puts its folders; the default is frit_debug/ here"},
    {"FRIT_DISABLE_CACHE", "1 neither reads nor writes the object cache"},
    {"FRIT_DISABLE_COMPILE", "1 makes frit::compile return calls that simply run the callable"},
    {"FRIT_LOGS", "log channels to print to stderr, separated by commas; all prints every one"},
    {"FRIT_NUM_THREADS", "threads of the pool; comes before OMP_NUM_THREADS"},
    {"FRIT_OPS_PER_GRAPH",
     "CompileOptions::ops_per_graph where it is not set: a graph ends after so many ops"},
    {"FRIT_PLUGIN", "path of the compiler plugin, instead of the one beside the library"},
    {"FRIT_TRACE",
     "folder for trace-<process>.json, a line for every event, in Chrome's trace-event format"},
    {"FRIT_UPDATE_GOLDEN", "1 makes the tests rewrite their golden texts"},
    {"HOME", "the user's home, for the default cache folder"},
    {"OMP_NUM_THREADS", "threads of the pool where FRIT_NUM_THREADS is not set"},
    {"TMPDIR", "folder for temporary files; the default is /tmp"},
    {"XDG_CACHE_HOME", "the user's cache folder, where frit/ is made"},
};

struct Notices {
  ForkMutex mutex;
  std::map<std::string, int, std::less<>> seen;
};

Notices& notices() {
  static Notices* n = new Notices;
  return *n;
}

}  // namespace

std::span<const EnvVariable> env_variables() { return kVariables; }

std::optional<std::string> env(std::string_view name) {
  for (const EnvVariable& v : kVariables)
    if (name == v.name) {
      const char* value = std::getenv(v.name);
      if (!value || !*value) return std::nullopt;
      return value;
    }
  throw InternalError("environment variable " + std::string(name) +
                      " is not in the table of config.cpp");
}

std::optional<long> env_int(std::string_view name) {
  auto text = env(name);
  if (!text) return std::nullopt;
  char* end = nullptr;
  errno = 0;
  long value = std::strtol(text->c_str(), &end, 10);
  if (errno || *end)
    throw UserError(ErrorKind::value, name, "is \"" + *text + "\", expected a whole number.",
                    "unset " + std::string(name));
  return value;
}

bool env_flag(std::string_view name, bool otherwise) {
  auto text = env(name);
  if (!text) return otherwise;
  for (const char* on : {"1", "true", "on", "yes"})
    if (*text == on) return true;
  for (const char* off : {"0", "false", "off", "no"})
    if (*text == off) return false;
  throw UserError(ErrorKind::value, name, "is \"" + *text + "\", expected 1 or 0.",
                  std::string(name) + "=1");
}

bool notice_once(std::string_view key, std::string_view text) {
  Notices& n = notices();
  {
    std::lock_guard lock(n.mutex);
    auto it = n.seen.try_emplace(std::string(key), 0).first;
    if (it->second++) return false;
  }
  std::string line = "frit: " + std::string(text) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
  return true;
}

int notice_count(std::string_view key) {
  Notices& n = notices();
  std::lock_guard lock(n.mutex);
  auto it = n.seen.find(key);
  return it == n.seen.end() ? 0 : it->second;
}

}  // namespace frit
