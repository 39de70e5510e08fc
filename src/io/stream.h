// Files read from any place and written as a whole, for the formats of this room.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"

namespace frit::io {

namespace fs = std::filesystem;

// One format's reading or writing of one file: what its errors begin with and name.
struct Place {
  const char* op;  // "load"
  fs::path path;
  SourceLocation where;
  // "[load] <path>: <what>", with what to do and the caller's place.
  [[noreturn]] void fail(std::string what, std::string hint = {}) const;
};

// A regular file, read from wherever the format says; its size is known before anything is
// allocated.
class Reader {
 public:
  explicit Reader(Place place);
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader();
  uint64_t size() const { return size_; }
  const Place& place() const { return place_; }
  // Exactly these bytes; the caller has checked that the file has them. UserError where reading
  // fails, or where the file has shrunk since.
  void read(uint64_t offset, void* into, size_t bytes) const;
  std::string text(uint64_t offset, size_t bytes) const;

 private:
  Place place_;
  int fd_ = -1;
  uint64_t size_ = 0;
};

// A file that appears under its name, on disk, when commit is called, and never if it is not.
class AtomicWriter {
 public:
  explicit AtomicWriter(Place place);
  AtomicWriter(const AtomicWriter&) = delete;
  AtomicWriter& operator=(const AtomicWriter&) = delete;
  ~AtomicWriter();
  void write(const void* data, size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  void commit();

 private:
  Place place_;
  fs::path temporary_;
  int fd_ = -1;
};

}  // namespace frit::io
