#include "loader/object_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "base/config.h"
#include "base/error.h"
#include "base/event.h"
#include "loader/sealed.h"

namespace frit::loader {
namespace {

// An entry's time is renewed at most this often, so that hits write nothing as a rule.
constexpr time_t kTouchSeconds = 3600;
// A sweep is due after about this part of the limit has been written, by whichever processes.
constexpr uint64_t kSweepParts = 16;

std::string error_text(int error) { return std::strerror(error); }

// 0 or errno. Renews the time of what it read. Reads no more than `limit`: a longer file is not
// ours.
int read_entry(const fs::path& path, uint64_t limit, std::string& bytes) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return errno;
  struct stat st;
  int error = ::fstat(fd, &st) ? errno : !S_ISREG(st.st_mode) ? EISDIR : 0;
  if (!error && static_cast<uint64_t>(st.st_size) <= limit)
    bytes.resize(static_cast<size_t>(st.st_size));
  size_t have = 0;
  while (!error && have < bytes.size()) {
    ssize_t n = ::read(fd, bytes.data() + have, bytes.size() - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) error = errno;
    if (n <= 0) break;
    have += static_cast<size_t>(n);
  }
  bytes.resize(have);
  if (!error && st.st_mtime + kTouchSeconds < ::time(nullptr)) ::futimens(fd, nullptr);
  ::close(fd);
  return error;
}

// 0 or errno. The temporary name is random, because processes of different containers may share
// both the folder and their process numbers.
int write_entry(const fs::path& path, std::string_view bytes) {
  std::string temporary = path.string() + ".tmpXXXXXX";
  int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) return errno;
  int error = 0;
  while (!error && !bytes.empty()) {
    ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0)
      error = errno;
    else
      bytes.remove_prefix(static_cast<size_t>(n));
  }
  if (::close(fd) && !error) error = errno;
  if (!error && ::rename(temporary.c_str(), path.c_str())) error = errno;
  if (error) ::unlink(temporary.c_str());
  return error;
}

// Expected once in limit / kSweepParts written bytes, over all processes together, with no shared
// count.
bool sweep_is_due(const Hash128& key, uint64_t size, uint64_t limit) {
  auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  uint64_t dice = Hasher().update(key).update(now).update(::getpid()).finish().lo;
  return dice % limit < size * kSweepParts;
}

void report(const char* what, const Hash128& key, const std::string& text, double ms = -1) {
  if (!log_enabled(Channel::cache)) return;
  Event event;
  event.channel = Channel::cache;
  event.name = what;
  event.text = text.empty() ? key.hex() : text + " " + key.hex();
  event.ms = ms;
  emit(event);
}

double now_ms() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

CacheOptions CacheOptions::from_environment() {
  CacheOptions options;
  if (env_flag("FRIT_DISABLE_CACHE")) return options;
  if (auto limit = env_int("FRIT_CACHE_LIMIT_MB")) {
    if (*limit < 0 || *limit > 1 << 30)
      throw UserError(
          ErrorKind::value, "FRIT_CACHE_LIMIT_MB",
          "is " + std::to_string(*limit) + ", expected a number of MiB, 0 for no cache.",
          "unset FRIT_CACHE_LIMIT_MB");
    options.limit_bytes = static_cast<uint64_t>(*limit) << 20;
    if (*limit == 0) return options;
  }
  if (auto folder = env("FRIT_CACHE_DIR")) {
    options.folder = *folder;
  } else {
    options.folder = default_cache_dir();
    if (!options.folder)
      notice_once("object cache",
                  "the object cache is off: neither HOME nor XDG_CACHE_HOME is set. "
                  "Set FRIT_CACHE_DIR to a folder of your own to have one.");
  }
  return options;
}

ObjectCache::ObjectCache(CacheOptions options)
    : options_([&] {
        std::error_code ignored;
        // The working folder may change later.
        if (options.folder) options.folder = fs::absolute(*options.folder, ignored);
        return std::move(options);
      }()) {}

ObjectCache::State ObjectCache::open_folder() {
  if (!options_.folder || options_.limit_bytes == 0) return State::off;
  const fs::path& folder = *options_.folder;
  auto off = [&](const std::string& why, const std::string& hint) {
    notice_once("object cache " + folder.string(), "the object cache is off: " + why + ". " + hint);
    return State::off;
  };
  const std::string elsewhere = "set FRIT_CACHE_DIR to a folder of your own";
  try {
    make_private_dir(folder);
  } catch (const UserError& error) {
    return off(error.message(), "To have one, " + elsewhere + ".");
  }
  auto why = why_not_private(folder);
  struct stat st;
  if (!why && ::stat(folder.c_str(), &st) == 0 && (st.st_mode & 077))
    why = "other users may read it";
  if (why)
    return off("in " + folder.string() + ", " + *why,
               "What it holds is run, so it must be yours alone: chmod 700 " + folder.string() +
                   ", or " + elsewhere + ".");
  if (::access(folder.c_str(), R_OK | X_OK))
    return off("cannot read " + folder.string() + ": " + error_text(errno),
               "To have one, " + elsewhere + ".");
  if (::access(folder.c_str(), W_OK)) {
    notice_once("object cache " + folder.string(),
                "the object cache takes no new entries: cannot write to " + folder.string() + ": " +
                    error_text(errno) + ". To keep what is compiled, " + elsewhere + ".");
    return State::readable;
  }
  return State::writable;
}

ObjectCache::State ObjectCache::state() {
  State s = state_.load(std::memory_order_acquire);
  if (s != State::unopened) return s;
  std::lock_guard lock(mutex_);
  s = state_.load(std::memory_order_relaxed);
  if (s == State::unopened) state_.store(s = open_folder(), std::memory_order_release);
  return s;
}

bool ObjectCache::readable() { return state() >= State::readable; }
bool ObjectCache::writable() { return state() == State::writable; }

void ObjectCache::stop_writing(const std::string& reason) {
  state_.store(State::readable, std::memory_order_release);
  notice_once("object cache " + options_.folder->string(),
              "the object cache takes no new entries: cannot write to " +
                  options_.folder->string() + ": " + reason +
                  ". Free some space or set FRIT_CACHE_DIR to another folder of your own.");
}

fs::path ObjectCache::path_of(const Hash128& key, const char* suffix) const {
  if (!options_.folder) return {};
  std::string hex = key.hex();
  return *options_.folder / hex.substr(0, 2) / (hex + suffix);
}

std::optional<std::string> ObjectCache::read(const Hash128& key, const char* suffix) {
  if (!readable()) return std::nullopt;
  fs::path path = path_of(key, suffix);
  std::string file, why;
  if (read_entry(path, options_.limit_bytes, file)) return std::nullopt;
  auto payload = unseal(key, file, why);
  if (!payload) {
    damaged_++;
    report("damaged", key, "removed " + path.string() + ": " + why + ",");
    ::unlink(path.c_str());
    return std::nullopt;
  }
  file.resize(payload->size());
  return file;
}

bool ObjectCache::write(const Hash128& key, const char* suffix, std::string_view payload) {
  if (!writable()) return false;
  std::string file = seal(key, payload);
  if (file.size() > options_.limit_bytes / 2) return false;  // it would drive out everything else
  fs::path path = path_of(key, suffix);
  int error = write_entry(path, file);
  if (error == ENOENT) {  // the first entry of its folder
    bool there = ::mkdir(path.parent_path().c_str(), 0700) == 0 || errno == EEXIST;
    error = there ? write_entry(path, file) : errno;
  }
  if (error) {
    stop_writing(error_text(error));
    return false;
  }
  stores_++;
  if (sweep_is_due(key, file.size(), options_.limit_bytes)) sweep();
  return true;
}

std::shared_ptr<Library> ObjectCache::already_loaded(const Hash128& key) {
  std::lock_guard lock(mutex_);
  auto it = loaded_.find(key);
  return it == loaded_.end() ? nullptr : it->second.lock();
}

void ObjectCache::remember(const Hash128& key, const std::shared_ptr<Library>& library) {
  std::lock_guard lock(mutex_);
  if (loaded_.size() >= 64 && (loaded_.size() & (loaded_.size() - 1)) == 0)
    std::erase_if(loaded_, [](auto& entry) { return entry.second.expired(); });
  loaded_[key] = library;
}

std::shared_ptr<Library> ObjectCache::load(const Hash128& key, const std::string& name) {
  double start = now_ms();
  if (auto library = already_loaded(key)) {
    hits_++;
    report("hit", key, name + " (loaded already)");
    return library;
  }
  if (auto object = read(key, ".so")) {
    std::string why;
    auto library = Library::try_open(object_path(key), name, why);
    // The entry may have been swept since, or the folder's file system may forbid running what it
    // holds.
    if (!library) library = Library::try_from_memory(*object, name, why);
    if (library) {
      remember(key, library);
      hits_++;
      report("hit", key, name, now_ms() - start);
      return library;
    }
    report("damaged", key, "cannot load " + name + ": " + why + ",");
    ::unlink(object_path(key).c_str());
    damaged_++;
  }
  misses_++;
  report("miss", key, name);
  return nullptr;
}

std::shared_ptr<Library> ObjectCache::store(const Hash128& key, const std::string& name,
                                            std::string_view object, std::string& why) {
  std::shared_ptr<Library> library;
  if (write(key, ".so", object)) library = Library::try_open(object_path(key), name, why);
  if (!library) library = Library::try_from_memory(object, name, why);
  if (library) remember(key, library);
  return library;
}

std::optional<std::string> ObjectCache::get_blob(const Hash128& key) { return read(key, ".blob"); }

void ObjectCache::put_blob(const Hash128& key, std::string_view bytes) {
  write(key, ".blob", bytes);
}

CacheStats ObjectCache::stats() const { return {hits_, misses_, stores_, damaged_, swept_}; }

}  // namespace frit::loader
