// Finding and loading the compiler plugin. Nothing here needs LLVM.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "jit/plugin_abi.h"

namespace frit::jit {

// Identifies the plugin this library was built with: part of every cache key.
const char* plugin_build();

// Where a plugin is looked for, in order: beside the object that holds this function and beside the
// executable, in lib/ below it, and in the lib/ of the two folders above.
std::vector<fs::path> plugin_places();
// One more, after them. Programs that are linked elsewhere say where their build of Frit has it.
void add_plugin_place(fs::path folder);

struct LoadedPlugin {
  const frit_cc_plugin* api = nullptr;  // null: `problem` and `hint` say why
  fs::path path;
  bool missing = false;  // nowhere to be found, as against found and unfit
  std::string problem, hint;
};

// Loads `chosen`, or the first plugin found where the files of plugin_places() belong to root, to
// this user or to whoever owns the library. A loaded plugin stays for the life of the process.
LoadedPlugin load_plugin(const std::optional<fs::path>& chosen);

}  // namespace frit::jit
