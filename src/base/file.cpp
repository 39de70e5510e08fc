#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/config.h"
#include "base/error.h"

namespace frit {
namespace {

[[noreturn]] void fail(std::string_view what, const fs::path& path, std::string_view reason) {
  throw UserError(ErrorKind::runtime, "file",
                  std::string(what) + " " + path.string() + ": " + std::string(reason));
}

std::string reason_of(int error) { return std::strerror(error); }

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  int get() const { return fd_; }
  int close() {
    int result = fd_ < 0 ? 0 : ::close(fd_);
    fd_ = -1;
    return result;
  }

 private:
  int fd_;
};

// 0, or errno.
int read_all(const fs::path& path, std::string& out) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return errno;
  struct stat st;
  if (::fstat(file.get(), &st) != 0) return errno;
  if (S_ISDIR(st.st_mode)) return EISDIR;
  out.resize(static_cast<size_t>(st.st_size));
  size_t have = 0;
  for (;;) {
    if (have == out.size()) out.resize(have + 4096);  // a pipe, or a file that grows
    ssize_t got = ::read(file.get(), out.data() + have, out.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) break;
    have += static_cast<size_t>(got);
  }
  out.resize(have);
  return 0;
}

int write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    bytes.remove_prefix(static_cast<size_t>(put));
  }
  return 0;
}

}  // namespace

std::string read_file(const fs::path& path) {
  std::string out;
  if (int error = read_all(path, out)) fail("cannot read", path, reason_of(error));
  return out;
}

std::optional<std::string> try_read_file(const fs::path& path) {
  std::string out;
  if (read_all(path, out)) return std::nullopt;
  return out;
}

std::optional<std::string> try_write_file_atomic(const fs::path& path, std::string_view bytes,
                                                 bool sync) {
  static std::atomic<unsigned> counter{0};
  fs::path temp = path;
  temp += ".tmp" + std::to_string(::getpid()) + "-" + std::to_string(counter.fetch_add(1));
  int error = 0;
  {
    Descriptor file(::open(temp.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.get() < 0) return reason_of(errno);
    error = write_all(file.get(), bytes);
    if (!error && sync && ::fsync(file.get()) != 0) error = errno;
    if (file.close() != 0 && !error) error = errno;
  }
  if (!error && ::rename(temp.c_str(), path.c_str()) != 0) error = errno;
  if (!error) return std::nullopt;
  ::unlink(temp.c_str());
  return reason_of(error);
}

void write_file_atomic(const fs::path& path, std::string_view bytes, bool sync) {
  if (auto reason = try_write_file_atomic(path, bytes, sync)) fail("cannot write", path, *reason);
}

void make_private_dir(const fs::path& path) {
  if (path.empty() || ::mkdir(path.c_str(), 0700) == 0) return;
  int error = errno;
  if (error == ENOENT && path.has_parent_path() && path.parent_path() != path) {
    make_private_dir(path.parent_path());
    if (::mkdir(path.c_str(), 0700) == 0) return;
    error = errno;
  }
  std::error_code ignored;
  if (error == EEXIST && fs::is_directory(path, ignored)) return;
  fail("cannot make the folder", path, reason_of(error));
}

std::optional<std::string> why_not_private(const fs::path& path) {
  struct stat st;
  if (::stat(path.c_str(), &st) != 0) return reason_of(errno);
  if (!S_ISDIR(st.st_mode)) return "it is not a folder";
  if (st.st_uid != ::geteuid()) return "it belongs to another user";
  if (st.st_mode & (S_IWGRP | S_IWOTH)) return "other users may write to it";
  return std::nullopt;
}

fs::path temp_root() { return env("TMPDIR").value_or("/tmp"); }

std::optional<fs::path> default_cache_dir() {
  if (auto cache = env("XDG_CACHE_HOME")) return fs::path(*cache) / "frit";
  if (auto home = env("HOME")) return fs::path(*home) / ".cache" / "frit";
  return std::nullopt;
}

TempDir::TempDir(std::string_view prefix) {
  std::string pattern = (temp_root() / (std::string(prefix) + "-XXXXXX")).string();
  if (!::mkdtemp(pattern.data())) fail("cannot make a temporary folder", pattern, reason_of(errno));
  path_ = pattern;
}

TempDir::TempDir(TempDir&& o) noexcept : path_(std::move(o.path_)), keep_(o.keep_) {
  o.path_.clear();
}

TempDir& TempDir::operator=(TempDir&& o) noexcept {
  std::swap(path_, o.path_);
  std::swap(keep_, o.keep_);
  return *this;
}

TempDir::~TempDir() {
  std::error_code ignored;
  if (!keep_ && !path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace frit
