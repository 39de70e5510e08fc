// Where the files of an example lie, wherever it is started from.
#pragma once
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace support {

namespace fs = std::filesystem;

inline fs::path own_executable() { return fs::read_symlink("/proc/self/exe"); }

// A file of the project: looked for in the folders above the executable, then where it was built
// from.
inline fs::path project_file(const fs::path& name) {
  for (fs::path folder = own_executable().parent_path(); folder.has_relative_path();
       folder = folder.parent_path())
    if (fs::exists(folder / name)) return folder / name;
  if (fs::exists(fs::path(FRIT_SOURCE_DIR) / name)) return fs::path(FRIT_SOURCE_DIR) / name;
  throw std::runtime_error("there is no " + name.string() + " above " +
                           own_executable().parent_path().string());
}

// A folder of its own below the folder for temporary files, removed at the end unless kept.
class ScratchFolder {
 public:
  ScratchFolder() {
    const char* root = std::getenv("TMPDIR");
    std::string name = (fs::path(root && *root ? root : "/tmp") / "frit-XXXXXX").string();
    if (!mkdtemp(name.data()))
      throw std::runtime_error("no folder can be made in " + fs::path(name).parent_path().string());
    path_ = name;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    if (!keep_) fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }
  void keep() { keep_ = true; }

 private:
  fs::path path_;
  bool keep_ = false;
};

}  // namespace support
