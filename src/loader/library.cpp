#include "loader/library.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "loader/sealed.h"

namespace frit::loader {
namespace {

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U  // kernels from 6.3 on may refuse to map a memory file without it
#endif

void* open_object(const std::string& path, std::string& why) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* reason = dlerror();
    why = reason ? reason : "dlopen failed without a reason";
  }
  return handle;
}

int make_memory_file(const std::string& name) {
  int fd = memfd_create(name.c_str(), MFD_CLOEXEC | MFD_EXEC);
  if (fd < 0 && errno == EINVAL) fd = memfd_create(name.c_str(), MFD_CLOEXEC);
  return fd;
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

}  // namespace

std::shared_ptr<Library> Library::try_open(const fs::path& path, std::string name,
                                           std::string& why) {
  std::error_code error;
  fs::path whole = fs::absolute(path, error);  // without a slash dlopen would search elsewhere
  if (error) {
    why = error.message();
    return nullptr;
  }
  void* handle = open_object(whole.string(), why);
  if (!handle) return nullptr;
  return std::shared_ptr<Library>(new Library(handle, std::move(name), std::move(whole), -1));
}

std::shared_ptr<Library> Library::try_from_memory(std::string_view object, std::string name,
                                                  std::string& why) {
  int fd = make_memory_file("frit_" + name.substr(0, 200));
  if (fd < 0 || !write_all(fd, object)) {
    why = std::string("no memory file: ") + std::strerror(errno);
    if (fd >= 0) close(fd);
    return nullptr;
  }
  // The descriptor stays open as long as the library: dlopen takes two objects of one path for the
  // same, and a number that is in use is not given out again.
  void* handle = open_object("/proc/self/fd/" + std::to_string(fd), why);
  if (!handle) {
    close(fd);
    return nullptr;
  }
  return std::shared_ptr<Library>(new Library(handle, std::move(name), {}, fd));
}

std::shared_ptr<Library> Library::open_sealed(const fs::path& path, const Hash128& key,
                                              std::string name) {
  auto fail = [&](const std::string& why, const char* hint) {
    throw UserError(ErrorKind::runtime, "load", path.string() + " cannot be loaded: " + why + ".",
                    hint);
  };
  std::string why;
  auto file = try_read_file(path);
  if (!file) fail("it is missing or cannot be read", "");
  if (!unseal(key, *file, why)) fail(why, "make the package again, or copy it again");
  auto library = try_open(path, std::move(name), why);
  if (!library) fail(why, "");
  return library;
}

Library::~Library() {
  dlclose(handle_);
  if (fd_ >= 0) close(fd_);
}

void* Library::find(const char* symbol) const { return dlsym(handle_, symbol); }

}  // namespace frit::loader
