#include "jit/reproducer.h"

#include <sys/stat.h>

#include <cstdlib>

#include "jit/plugin_abi.h"
#include "jit/target.h"

namespace frit::jit {
namespace {

// Only what every file system and shell takes as it is.
std::string plain_name(const std::string& name) {
  std::string plain;
  for (char c : name.substr(0, 80)) {
    bool keep =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    plain += keep ? c : '_';
  }
  return plain.empty() ? "graph" : plain;
}

}  // namespace

std::string module_file(const CompileRequest& request, size_t i) {
  return plain_name(request.name) + "_" + std::to_string(i) + ".cpp";
}

std::string reproducer_command(const CompileRequest& request) {
  Target target = target_of(request.level);
  int level = request.optimize == Optimize::slim ? 1 : static_cast<int>(request.optimize);
  std::string command = "clang++-19 -std=c++20 -O" + std::to_string(level) +
                        (request.debug ? " -g" : "") + " -march=" + target.cpu +
                        " -mprefer-vector-width=" + std::to_string(target.vector_width) +
                        " -ffp-contract=off -fwrapv -fno-strict-aliasing -fno-math-errno"
                        " -fno-trapping-math -fno-exceptions -fno-rtti -fno-threadsafe-statics"
                        " -nostdinc -w -fPIC -shared -include " FRIT_CC_HEADER_NAME;
  for (size_t i = 0; i < request.modules.size(); ++i) command += " " + module_file(request, i);
  return command + " -o " + plain_name(request.name) + ".so";
}

fs::path write_reproducer(const fs::path& root, const CompileRequest& request,
                          const std::string& message) {
  try {
    make_private_dir(root);
    std::string pattern =
        (root / ("frit_reproducer_" + plain_name(request.name) + "_XXXXXX")).string();
    if (!::mkdtemp(pattern.data())) return {};
    fs::path folder = pattern;
    for (size_t i = 0; i < request.modules.size(); ++i)
      write_file_atomic(folder / module_file(request, i), request.modules[i]);
    write_file_atomic(folder / FRIT_CC_HEADER_NAME, request.header);
    write_file_atomic(folder / "message.txt", message + "\n");
    write_file_atomic(folder / "run.sh", "#!/bin/sh\n# Plugin " + std::string(plugin_build()) +
                                             ".\ncd \"$(dirname \"$0\")\" || exit 1\n" +
                                             reproducer_command(request) + "\n");
    ::chmod((folder / "run.sh").c_str(), 0700);
    return folder;
  } catch (const UserError&) {
    return {};  // a full disk must not hide the error this was about
  }
}

}  // namespace frit::jit
