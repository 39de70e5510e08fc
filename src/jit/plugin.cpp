#include "jit/plugin.h"

#include <dlfcn.h>
#include <plugin_build.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace frit::jit {
namespace {

constexpr const char* kFile = "libfrit_cc.so";

std::vector<fs::path>& added_places() {
  static auto* places = new std::vector<fs::path>;
  return *places;
}

fs::path own_object() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void*>(&own_object), &info) || !info.dli_fname) return {};
  std::error_code error;
  fs::path path = fs::canonical(info.dli_fname, error);
  return error ? fs::path() : path;
}

fs::path executable() {
  std::error_code error;
  fs::path path = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path() : path;
}

// A file found by looking around is run only if nobody else could have put it there.
bool trusted(const struct stat& file) {
  if (file.st_mode & S_IWOTH) return false;
  if (file.st_uid == 0 || file.st_uid == geteuid()) return true;
  struct stat mine;
  return stat(own_object().c_str(), &mine) == 0 && mine.st_uid == file.st_uid;
}

LoadedPlugin open_plugin(const fs::path& path) {
  LoadedPlugin plugin;
  plugin.path = path;
  plugin.hint = "install Frit again, so that the library and its plugin are of one build";
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle) {
    const char* reason = dlerror();
    plugin.problem =
        "cannot load the compiler plugin: " + std::string(reason ? reason : path.c_str());
    return plugin;
  }
  auto entry = reinterpret_cast<frit_cc_entry_fn>(dlsym(handle, FRIT_CC_ENTRY));
  if (!entry) {
    plugin.problem = path.string() + " is not a compiler plugin: it has no " FRIT_CC_ENTRY;
    return plugin;
  }
  const frit_cc_plugin* api = entry();
  if (!api || api->abi != FRIT_CC_ABI || std::strcmp(api->build, FRIT_CC_BUILD) != 0) {
    plugin.problem = "the compiler plugin " + path.string() + " is of another build: it is " +
                     (api ? api->build : "unknown") + ", this library needs " FRIT_CC_BUILD;
    return plugin;
  }
  plugin.api = api;
  return plugin;
}

}  // namespace

const char* plugin_build() { return FRIT_CC_BUILD; }

void add_plugin_place(fs::path folder) { added_places().push_back(std::move(folder)); }

std::vector<fs::path> plugin_places() {
  std::vector<fs::path> places;
  for (const fs::path& object : {own_object(), executable()}) {
    if (object.empty()) continue;
    fs::path folder = object.parent_path();
    for (fs::path place : {folder, folder / "lib", folder.parent_path() / "lib",
                           folder.parent_path().parent_path() / "lib"})
      if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
  }
  for (const fs::path& place : added_places()) places.push_back(place);
  return places;
}

LoadedPlugin load_plugin(const std::optional<fs::path>& chosen) {
  if (chosen) {
    std::error_code error;
    fs::path path = fs::absolute(*chosen, error);
    if (fs::exists(path, error)) return open_plugin(path);
    LoadedPlugin none;
    none.missing = true;
    none.problem = "the compiler plugin that FRIT_PLUGIN names does not exist: " + path.string();
    none.hint = "unset FRIT_PLUGIN, or set it to the path of " + std::string(kFile);
    return none;
  }
  std::string looked;
  for (const fs::path& place : plugin_places()) {
    fs::path path = place / kFile;
    struct stat st;
    bool there = stat(path.c_str(), &st) == 0 && S_ISREG(st.st_mode);
    if (there && trusted(st)) return open_plugin(path);
    looked += (looked.empty() ? "" : ", ") + place.string();
    if (there) looked += " (that one belongs to another user or may be written by anyone)";
  }
  LoadedPlugin none;
  none.missing = true;
  none.problem =
      "the compiler plugin " + std::string(kFile) + " was not found; looked in " + looked;
  none.hint = "put it beside the library, or set FRIT_PLUGIN to its path";
  return none;
}

}  // namespace frit::jit
