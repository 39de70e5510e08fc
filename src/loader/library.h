// A compiled shared object in this process. Unloaded when the last owner lets go: whoever holds a
// pointer into it holds the Library too.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"

namespace frit::loader {

class Library {
 public:
  // Loads with RTLD_NOW | RTLD_LOCAL. `name` is for messages. Null with the loader's reason on
  // failure.
  static std::shared_ptr<Library> try_open(const fs::path& path, std::string name,
                                           std::string& why);
  // The same from bytes, which the process keeps in a memory file; nothing is written to disk.
  static std::shared_ptr<Library> try_from_memory(std::string_view object, std::string name,
                                                  std::string& why);
  // A file that seal() made for this key, as a package holds it: its bytes are checked before the
  // system's loader sees them. UserError "[load] ..." where it is missing, damaged or not loadable.
  static std::shared_ptr<Library> open_sealed(const fs::path& path, const Hash128& key,
                                              std::string name);
  ~Library();
  Library(const Library&) = delete;

  // Null where the object has no such symbol.
  void* find(const char* symbol) const;
  // InternalError where the object has no such symbol. F is a function type:
  // function<void(long)>("f").
  template <class F>
  F* function(const char* symbol) const {
    void* address = find(symbol);
    if (!address) throw InternalError("compiled object " + name_ + " has no symbol " + symbol);
    return reinterpret_cast<F*>(address);
  }

  const std::string& name() const { return name_; }
  // Where it was loaded from; empty for one in memory.
  const fs::path& path() const { return path_; }

 private:
  Library(void* handle, std::string name, fs::path path, int fd)
      : handle_(handle), name_(std::move(name)), path_(std::move(path)), fd_(fd) {}
  void* handle_;
  std::string name_;
  fs::path path_;
  int fd_;  // of the memory file, or -1
};

}  // namespace frit::loader
