#include "jit/compiler.h"

#include <cstring>

#include "base/config.h"
#include "base/error.h"
#include "base/event.h"
#include "jit/reproducer.h"
#include "jit/target.h"

namespace frit::jit {
namespace {

// Raised when what a key covers, or the layout of what is stored, changes.
constexpr int kFormat = 1;
// Below this a header is parsed faster than its precompiled form is read.
constexpr size_t kPrecompileBytes = 6000;
constexpr size_t kPrecompiledKept = 4;

// Generated code is watched by the sanitizer that this library is built with.
#if __has_feature(address_sanitizer)
constexpr uint32_t kSanitizer = FRIT_CC_ADDRESS_SANITIZER;
#elif __has_feature(thread_sanitizer)
constexpr uint32_t kSanitizer = FRIT_CC_THREAD_SANITIZER;
#else
constexpr uint32_t kSanitizer = 0;
#endif

double now_ms() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void add_settings(Hasher& hasher, const CompileRequest& request) {
  Target target = target_of(request.level);
  hasher.update(kFormat).update(plugin_build()).update(target.cpu).update(target.vector_width);
  hasher.update(request.optimize).update(request.debug).update(request.header);
  hasher.update(kSanitizer);
}

Hash128 precompiled_key(const CompileRequest& request) {
  Hasher hasher;
  hasher.update("precompiled header");
  add_settings(hasher, request);
  return hasher.finish();
}

CompileStatus status_of(int32_t status) {
  switch (status) {
    case FRIT_CC_OK:
      return CompileStatus::ok;
    case FRIT_CC_DIAGNOSTICS:
      return CompileStatus::diagnostics;
    case FRIT_CC_CRASH:
      return CompileStatus::crash;
    case FRIT_CC_HANG:
      return CompileStatus::hang;
    case FRIT_CC_UNUSABLE:
      return CompileStatus::plugin_unfit;
    case FRIT_CC_INTERRUPTED:
      return CompileStatus::interrupted;
  }
  return CompileStatus::system;
}

int ask_interrupted(void* request) {
  try {
    return static_cast<const CompileRequest*>(request)->interrupted();
  } catch (...) {
    return 1;  // nothing may be thrown through the plugin
  }
}

// What diagnostics and debug information call module i: a path where the text is on disk.
std::string source_name(const CompileRequest& request, size_t i) {
  std::string file = module_file(request, i);
  if (!request.debug || request.sources.empty()) return file;
  return (fs::absolute(request.sources) / file).string();
}

void write_sources(const CompileRequest& request) {
  try {
    make_private_dir(request.sources);
    for (size_t i = 0; i < request.modules.size(); ++i)
      if (fs::path path = source_name(request, i); try_read_file(path) != request.modules[i])
        write_file_atomic(path, request.modules[i]);
  } catch (const UserError& error) {
    notice_once("debug sources", "a debugger will not find the generated code: " + error.message());
  }
}

// One call of the plugin; releases what it hands out.
class Call {
 public:
  Call(const frit_cc_plugin& plugin, const CompileRequest& request, std::chrono::milliseconds limit)
      : plugin_(plugin), names_(request.modules.size()), texts_(request.modules.size()) {
    for (size_t i = 0; i < texts_.size(); ++i) {
      names_[i] = source_name(request, i);
      texts_[i] = {request.modules[i].data(), request.modules[i].size(), names_[i].c_str()};
    }
    Target target = target_of(request.level);
    arguments_.abi = FRIT_CC_ABI;
    arguments_.flags = (request.debug ? FRIT_CC_DEBUG_INFO : 0) |
                       (request.test_hooks ? FRIT_CC_TEST_HOOKS : 0) | kSanitizer;
    arguments_.optimize = static_cast<uint32_t>(request.optimize);
    arguments_.threads = static_cast<uint32_t>(std::max(1, request.threads));
    arguments_.time_limit_ms = static_cast<uint32_t>(limit.count());
    arguments_.vector_width = static_cast<uint32_t>(target.vector_width);
    arguments_.cpu = target.cpu;
    arguments_.modules = texts_.data();
    arguments_.module_count = texts_.size();
    arguments_.header = {request.header.data(), request.header.size(), FRIT_CC_HEADER_NAME};
    if (request.interrupted) {
      arguments_.interrupted = ask_interrupted;
      arguments_.interrupted_context = const_cast<CompileRequest*>(&request);
    }
  }
  Call(const Call&) = delete;
  ~Call() { plugin_.release(&result); }

  void run(const std::string* precompiled, bool precompile) {
    plugin_.release(&result);
    arguments_.precompiled = precompiled ? precompiled->data() : nullptr;
    arguments_.precompiled_size = precompiled ? precompiled->size() : 0;
    arguments_.flags =
        (arguments_.flags & ~FRIT_CC_PRECOMPILE) | (precompile ? FRIT_CC_PRECOMPILE : 0);
    plugin_.compile(&arguments_, &result);
  }

  frit_cc_result result = {};

 private:
  const frit_cc_plugin& plugin_;
  std::vector<std::string> names_;
  std::vector<frit_cc_text> texts_;
  frit_cc_request arguments_ = {};
};

void note_times(const frit_cc_times& from, CompileTimes& to) {
  to.precompile += from.precompile;
  to.front_end += from.front_end;
  to.optimize += from.optimize;
  to.codegen += from.codegen;
  to.link += from.link;
}

void explain(CompileResult& result, const std::string& text, std::chrono::milliseconds limit) {
  switch (result.status) {
    case CompileStatus::diagnostics:
      result.message = "generated code does not compile:\n" + text;
      break;
    case CompileStatus::crash:
      result.message = "the compiler crashed: " + text;
      break;
    case CompileStatus::hang:
      result.message = "the compiler did not finish: " + text;
      result.hint = "FRIT_COMPILE_TIMEOUT=" + std::to_string(limit.count() / 1000 * 4);
      break;
    case CompileStatus::plugin_unfit:
      result.message = "the compiler plugin takes no more work: " + text;
      break;
    case CompileStatus::interrupted:
      result.message = "the compile was " + text;
      break;
    default:
      result.message = "the compiler could not run: " + text;
  }
  while (!result.message.empty() && result.message.back() == '\n') result.message.pop_back();
}

}  // namespace

const char* compile_status_name(CompileStatus status) {
  switch (status) {
    case CompileStatus::ok:
      return "ok";
    case CompileStatus::plugin_missing:
      return "plugin_missing";
    case CompileStatus::plugin_unfit:
      return "plugin_unfit";
    case CompileStatus::diagnostics:
      return "diagnostics";
    case CompileStatus::crash:
      return "crash";
    case CompileStatus::hang:
      return "hang";
    case CompileStatus::interrupted:
      return "interrupted";
    case CompileStatus::system:
      return "system";
  }
  return "?";
}

void raise_if_failed(const CompileResult& result) {
  switch (result.status) {
    case CompileStatus::ok:
      return;
    case CompileStatus::plugin_missing:
    case CompileStatus::plugin_unfit:
    case CompileStatus::interrupted:
    case CompileStatus::system:
      throw UserError(ErrorKind::runtime, "compile", result.message + ".", result.hint);
    case CompileStatus::diagnostics:
    case CompileStatus::crash:
    case CompileStatus::hang:
      break;
  }
  std::string text = result.message;
  if (!result.reproducer.empty())
    text += "\nto reproduce: " + (result.reproducer / "run.sh").string();
  if (!result.hint.empty()) text += "\ntry: " + result.hint;
  throw InternalError(text);
}

CompilerOptions CompilerOptions::from_environment() {
  CompilerOptions options;
  options.cache = loader::CacheOptions::from_environment();
  if (auto path = env("FRIT_PLUGIN")) options.plugin = *path;
  if (auto folder = env("FRIT_DEBUG_DIR")) options.reproducers = *folder;
  if (auto seconds = env_int("FRIT_COMPILE_TIMEOUT")) {
    if (*seconds < 0 || *seconds > 1'000'000)
      throw UserError(ErrorKind::value, "FRIT_COMPILE_TIMEOUT",
                      "is " + std::to_string(*seconds) + ", expected seconds, or 0 for no limit.",
                      "unset FRIT_COMPILE_TIMEOUT");
    options.time_limit = std::chrono::seconds(*seconds);
  }
  return options;
}

Compiler::Compiler(CompilerOptions options)
    : options_(std::move(options)), cache_(options_.cache) {}

Hash128 Compiler::key_of(const CompileRequest& request) {
  Hasher hasher;
  hasher.update("object");
  add_settings(hasher, request);
  if (request.debug) hasher.update(source_name(request, 0));  // in the line tables
  hasher.update(request.modules.size());
  for (auto& text : request.modules) hasher.update(text);
  return hasher.finish();
}

bool Compiler::find_precompiled(const Hash128& key, Precompiled& bytes) {
  {
    std::lock_guard lock(mutex_);
    if (auto it = precompiled_.find(key); it != precompiled_.end()) {
      bytes = it->second;
      return true;
    }
  }
  auto blob = cache_.get_blob(key);
  if (!blob) return false;
  bytes = std::make_shared<const std::string>(std::move(*blob));
  keep_precompiled(key, bytes);
  return true;
}

void Compiler::keep_precompiled(const Hash128& key, Precompiled bytes) {
  std::lock_guard lock(mutex_);
  if (precompiled_.size() >= kPrecompiledKept) precompiled_.clear();
  precompiled_[key] = std::move(bytes);
}

void Compiler::run_plugin(const CompileRequest& request, CompileResult& result) {
  double start = now_ms();
  LoadedPlugin plugin;
  {
    std::lock_guard lock(mutex_);
    if (!plugin_.api) plugin_ = load_plugin(options_.plugin);
    plugin = plugin_;
  }
  result.times.load_plugin = now_ms() - start;
  if (!plugin.api) {
    result.status = plugin.missing ? CompileStatus::plugin_missing : CompileStatus::plugin_unfit;
    result.message = plugin.problem;
    result.hint = plugin.hint;
    return;
  }
  Call call(*plugin.api, request, options_.time_limit);
  Precompiled precompiled;
  bool precompile = false;
  Hash128 header_key;
  if (request.header.size() >= kPrecompileBytes) {
    header_key = precompiled_key(request);
    precompile = !find_precompiled(header_key, precompiled);
  }
  call.run(precompiled.get(), precompile);
  note_times(call.result.times, result.times);
  result.status = status_of(call.result.status);
  bool text_to_blame =
      result.status == CompileStatus::diagnostics || result.status == CompileStatus::crash;
  if (text_to_blame && (precompiled || call.result.precompiled)) {
    // Whether the text is at fault or the precompiled header, only a compile without it can tell.
    call.run(nullptr, false);
    note_times(call.result.times, result.times);
    result.status = status_of(call.result.status);
    if (result.status == CompileStatus::ok) keep_precompiled(header_key, nullptr);
  } else if (call.result.precompiled) {
    auto bytes = std::make_shared<const std::string>(
        reinterpret_cast<const char*>(call.result.precompiled), call.result.precompiled_size);
    keep_precompiled(header_key, bytes);
    cache_.put_blob(header_key, *bytes);
  } else if (precompile && result.status == CompileStatus::ok) {
    keep_precompiled(header_key, nullptr);
  }
  std::string text = call.result.text ? call.result.text : "";
  if (result.status == CompileStatus::ok) {
    double loading = now_ms();
    std::string_view object(reinterpret_cast<const char*>(call.result.object),
                            call.result.object_size);
    result.library = cache_.store(result.key, request.name, object, text);
    result.times.load = now_ms() - loading;
    if (result.library) return;
    result.status = CompileStatus::diagnostics;
  }
  explain(result, text, options_.time_limit);
  if (result.status == CompileStatus::diagnostics || result.status == CompileStatus::crash ||
      result.status == CompileStatus::hang)
    result.reproducer =
        write_reproducer(options_.reproducers.value_or(temp_root()), request, result.message);
}

CompileResult Compiler::compile(const CompileRequest& request) {
  FRIT_INVARIANT(!request.modules.empty(), "a compile needs a text");
  CompileResult result;
  double start = now_ms();
  if (request.debug && !request.sources.empty()) write_sources(request);
  result.key = key_of(request);
  result.library = cache_.load(result.key, request.name);
  result.times.lookup = now_ms() - start;
  if (result.library) {
    result.status = CompileStatus::ok;
    result.hit = true;
  } else {
    run_plugin(request, result);
  }
  result.times.total = now_ms() - start;
  if (!result.hit && log_enabled(Channel::cache)) {
    Event event;
    event.channel = Channel::cache;
    event.name = result ? "compile" : compile_status_name(result.status);
    event.text = result ? request.name + " " + result.key.hex() : result.message;
    event.ms = result.times.total;
    emit(event);
  }
  return result;
}

}  // namespace frit::jit
