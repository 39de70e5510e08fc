#include "io/stream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

namespace frit::io {

void Place::fail(std::string what, std::string hint) const {
  throw UserError(ErrorKind::runtime, op, path.string() + ": " + std::move(what), std::move(hint),
                  where);
}

Reader::Reader(Place place) : place_(std::move(place)) {
  // A FIFO would wait here for a writer, for ever perhaps; without waiting it is opened and
  // refused.
  fd_ = ::open(place_.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (const int error = errno; fd_ < 0)
    place_.fail(std::string("cannot be read: ") + std::strerror(error),
                error == ENOENT ? "the path of a file that is there" : "a file that you may read");
  struct stat st;
  int error = ::fstat(fd_, &st) != 0 ? errno : 0;
  if (error || !S_ISREG(st.st_mode)) {
    ::close(fd_);
    fd_ = -1;
    place_.fail(error ? std::string("cannot be read: ") + std::strerror(error)
                      : std::string(S_ISDIR(st.st_mode) ? "is a folder" : "is not a regular file"),
                "the path of a file");
  }
  size_ = static_cast<uint64_t>(st.st_size);
}

Reader::~Reader() {
  if (fd_ >= 0) ::close(fd_);
}

void Reader::read(uint64_t offset, void* into, size_t bytes) const {
  auto* to = static_cast<char*>(into);
  while (bytes) {
    ssize_t got =
        ::pread(fd_, to, std::min<size_t>(bytes, size_t(1) << 30), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) place_.fail(std::string("cannot be read: ") + std::strerror(errno));
    if (got == 0) place_.fail("became shorter while it was read");
    to += got, offset += static_cast<uint64_t>(got), bytes -= static_cast<size_t>(got);
  }
}

std::string Reader::text(uint64_t offset, size_t bytes) const {
  std::string s(bytes, '\0');
  read(offset, s.data(), bytes);
  return s;
}

AtomicWriter::AtomicWriter(Place place) : place_(std::move(place)), temporary_(place_.path) {
  static std::atomic<unsigned> counter{0};
  temporary_ += ".tmp" + std::to_string(::getpid()) + "-" + std::to_string(counter.fetch_add(1));
  fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (const int error = errno; fd_ < 0)
    place_.fail(std::string("cannot be written: ") + std::strerror(error),
                error == ENOENT ? "make the folder first" : "a folder that you may write to");
}

AtomicWriter::~AtomicWriter() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicWriter::write(const void* data, size_t bytes) {
  auto* from = static_cast<const char*>(data);
  while (bytes) {
    ssize_t put = ::write(fd_, from, std::min<size_t>(bytes, size_t(1) << 30));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) place_.fail(std::string("cannot be written: ") + std::strerror(errno));
    from += put, bytes -= static_cast<size_t>(put);
  }
}

void AtomicWriter::commit() {
  int error = ::fsync(fd_) != 0 ? errno : 0;
  if (::close(fd_) != 0 && !error) error = errno;
  fd_ = -1;
  if (!error && ::rename(temporary_.c_str(), place_.path.c_str()) != 0) error = errno;
  if (error) place_.fail(std::string("cannot be written: ") + std::strerror(error));
  temporary_.clear();
}

}  // namespace frit::io
