#include <lld/Common/CommonLinkerContext.h>
#include <lld/Common/Driver.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/FileOutputBuffer.h>
#include <llvm/Support/raw_ostream.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>

#include "module_compiler.h"

LLD_HAS_DRIVER(elf)

namespace frit_cc {
namespace {

// Where lld's output goes on this thread.
thread_local std::string* link_output = nullptr;

class OutputInMemory : public llvm::FileOutputBuffer {
 public:
  OutputInMemory(llvm::StringRef path, size_t size) : FileOutputBuffer(path), bytes_(size, '\0') {}
  uint8_t* getBufferStart() const override { return reinterpret_cast<uint8_t*>(bytes_.data()); }
  uint8_t* getBufferEnd() const override { return getBufferStart() + bytes_.size(); }
  size_t getBufferSize() const override { return bytes_.size(); }
  llvm::Error commit() override {
    if (link_output) *link_output = std::move(bytes_);
    return llvm::Error::success();
  }

 private:
  mutable std::string bytes_;
};

// lld opens its inputs by path.
class InputFile {
 public:
  explicit InputFile(const std::string& bytes) : fd_(memfd_create("frit.o", MFD_CLOEXEC)) {
    for (size_t done = 0; fd_ >= 0 && done < bytes.size();) {
      ssize_t n = write(fd_, bytes.data() + done, bytes.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return;
      done += n;
    }
    ok_ = fd_ >= 0;
  }
  InputFile(InputFile&& other) noexcept : fd_(other.fd_), ok_(other.ok_) { other.fd_ = -1; }
  ~InputFile() {
    if (fd_ >= 0) close(fd_);
  }
  bool ok() const { return ok_; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
  bool ok_ = false;
};

}  // namespace

bool link_objects(const std::vector<std::string>& objects, std::string& shared_object,
                  std::string& diagnostics) {
  std::vector<InputFile> inputs;
  std::vector<std::string> args = {
      "ld.lld",          "-shared",    "--hash-style=gnu", "-z",          "now", "-z",
      "noseparate-code", "-Bsymbolic", "--build-id=none",  "--threads=1", "-o",  "/frit/out.so"};
  for (auto& object : objects) {
    auto& file = inputs.emplace_back(object);
    if (!file.ok()) {
      diagnostics +=
          std::string("error: no memory file for the linker: ") + std::strerror(errno) + "\n";
      return false;
    }
    args.push_back(file.path());
  }
  std::vector<const char*> pointers;
  for (auto& a : args) pointers.push_back(a.c_str());
  std::string out, errors;
  llvm::raw_string_ostream out_stream(out), error_stream(errors);

  static std::mutex turns;  // lld keeps its state in globals
  std::lock_guard lock(turns);
  link_output = &shared_object;
  bool ok = lld::elf::link(pointers, out_stream, error_stream, false, false);
  lld::CommonLinkerContext::destroy();
  link_output = nullptr;
  if (ok && !shared_object.empty()) return true;
  diagnostics += errors.empty() ? "error: the linker wrote nothing\n" : errors;
  return false;
}

}  // namespace frit_cc

// The link of the plugin sends every call of FileOutputBuffer::create here (--wrap): nothing is
// written to disk, and no temporary file is left for LLVM's signal handlers to remove.
llvm::Expected<std::unique_ptr<llvm::FileOutputBuffer>> create_in_memory(
    llvm::StringRef path, size_t size,
    unsigned flags) __asm__("__wrap__ZN4llvm16FileOutputBuffer6createENS_9StringRefEmj");
llvm::Expected<std::unique_ptr<llvm::FileOutputBuffer>> create_in_memory(llvm::StringRef path,
                                                                         size_t size, unsigned) {
  return std::unique_ptr<llvm::FileOutputBuffer>(
      std::make_unique<frit_cc::OutputInMemory>(path, size));
}
