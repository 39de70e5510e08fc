// Small file helpers. Unless said otherwise they raise a UserError "[file] <what> <path>:
// <reason>".
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace frit {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path);
// nullopt where the file is missing or cannot be read; raises nothing.
std::optional<std::string> try_read_file(const fs::path& path);

// Writes to a fresh file in the same folder and renames it, so that readers see the old or the new
// text and never a part. With sync it is on disk before the rename.
void write_file_atomic(const fs::path& path, std::string_view bytes, bool sync = false);
// The reason it failed, or nullopt; raises nothing and leaves no partial file.
std::optional<std::string> try_write_file_atomic(const fs::path& path, std::string_view bytes,
                                                 bool sync = false);

// Makes the folder and its missing parents, each 0700.
void make_private_dir(const fs::path& path);
// Why files in this folder cannot be trusted: it is not a folder, another user owns it, or others
// may write to it. nullopt where it is ours alone.
std::optional<std::string> why_not_private(const fs::path& path);

// $TMPDIR or /tmp.
fs::path temp_root();
// $XDG_CACHE_HOME/frit, else $HOME/.cache/frit, else nullopt. Not made.
std::optional<fs::path> default_cache_dir();

// A folder of its own (0700), removed with all it holds unless kept.
class TempDir {
 public:
  explicit TempDir(std::string_view prefix = "frit");
  TempDir(TempDir&& o) noexcept;
  TempDir& operator=(TempDir&& o) noexcept;
  ~TempDir();
  const fs::path& path() const { return path_; }
  fs::path operator/(std::string_view name) const { return path_ / name; }
  void keep() { keep_ = true; }

 private:
  fs::path path_;
  bool keep_ = false;
};

}  // namespace frit
