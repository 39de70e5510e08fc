#include "compile/artifacts.h"

#include <unistd.h>

#include <atomic>

#include "base/config.h"
#include "base/error.h"
#include "base/file.h"

namespace frit::compiler {
namespace {

std::string file_name(const std::string& name) {
  std::string out;
  for (char c : name) out += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return out.empty() ? "callable" : out;
}

}  // namespace

Artifacts::Artifacts(const std::string& name, std::string existing) : folder_(std::move(existing)) {
  if (!folder_.empty() || !env_flag("FRIT_COMPILE_DEBUG")) return;
  static std::atomic<int> next{0};
  fs::path root = env("FRIT_DEBUG_DIR").value_or("frit_debug");
  fs::path folder = root / ("run_" + std::to_string(::getpid())) /
                    (std::to_string(next.fetch_add(1)) + "_" + file_name(name));
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    notice_once("compile_debug", "FRIT_COMPILE_DEBUG: no folder " + folder.string() + ": " +
                                     error.message() +
                                     "; set FRIT_DEBUG_DIR to one that can be written");
    return;
  }
  folder_ = folder.string();
}

void Artifacts::write(std::string_view file, std::string_view text) const {
  if (folder_.empty()) return;
  try {
    write_file_atomic(fs::path(folder_) / file, text);
  } catch (const UserError& e) {
    notice_once("compile_debug_write", e.what());
  }
}

}  // namespace frit::compiler
