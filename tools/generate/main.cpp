// frit-generate [--check] ROOT: writes the files that follow from the op records, or checks them.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "outputs.h"

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Files left over from an earlier run, in the folders that hold nothing else.
std::vector<std::string> leftovers(const fs::path& root, const frit::generate::Files& files) {
  std::vector<std::string> found;
  for (const char* folder :
       {"include/frit/ops", "src/eager/generated", "src/kernels/cpu/generated"})
    if (fs::is_directory(root / folder))
      for (const auto& entry : fs::directory_iterator(root / folder)) {
        std::string name = std::string(folder) + "/" + entry.path().filename().string();
        // .clang-format is written by hand there: generated text stays as it is.
        if (!files.contains(name) && !entry.path().filename().string().starts_with("."))
          found.push_back(name);
      }
  return found;
}

int run(const fs::path& root, bool check) {
  frit::generate::Files files;
  frit::generate::write_cpp_api(files);
  frit::generate::write_kernels(files);
  frit::generate::write_docs(files);
  frit::generate::write_stubs(files);
  int stale = 0;
  for (const auto& [name, text] : files) {
    if (read(root / name) == text) continue;
    ++stale;
    if (check) {
      fmt::print("{} is not what the op records give\n", name);
      continue;
    }
    fs::create_directories((root / name).parent_path());
    std::ofstream(root / name, std::ios::binary) << text;
    fmt::print("wrote {}\n", name);
  }
  for (const std::string& name : leftovers(root, files)) {
    ++stale;
    fmt::print("{} {}\n", check ? "follows from no op record:" : "removed", name);
    if (!check) fs::remove(root / name);
  }
  if (check && stale) fmt::print("renew them: ninja -C <build folder> generate\n");
  return check && stale ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  bool check = argc == 3 && std::string_view(argv[1]) == "--check";
  const char* root = argv[argc - 1];
  if ((argc != 2 && !check) || *root == '-') {
    fmt::print(stderr, "usage: frit-generate [--check] ROOT\n");
    return 2;
  }
  if (!fs::is_directory(fs::path(root) / "src/ops")) {
    fmt::print(stderr, "frit-generate: {} has no src/ops: it is not the root of Frit's sources\n",
               root);
    return 2;
  }
  try {
    return run(root, check);
  } catch (const std::exception& e) {
    fmt::print(stderr, "frit-generate: {}\n", e.what());
    return 1;
  }
}
