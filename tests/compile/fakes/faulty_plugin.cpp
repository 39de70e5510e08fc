// The real compiler plugin with a fault in every text: FRIT_TEST_FAULT is what its test hooks take
// (crash, hang), "diagnostics" for a text that is no C++, or "junk" for an object that is none.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "jit/plugin_abi.h"

namespace {

const frit_cc_plugin* real() {
  static const frit_cc_plugin* plugin = [] {
    void* handle = dlopen(FRIT_REAL_PLUGIN, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    auto entry =
        handle ? reinterpret_cast<frit_cc_entry_fn>(dlsym(handle, FRIT_CC_ENTRY)) : nullptr;
    return entry ? entry() : nullptr;
  }();
  return plugin;
}

int32_t compile(const frit_cc_request* request, frit_cc_result* result) {
  const char* given = std::getenv("FRIT_TEST_FAULT");
  const std::string fault = given ? given : "";
  frit_cc_request changed = *request;
  std::vector<std::string> texts;
  std::vector<frit_cc_text> modules;
  for (size_t i = 0; i < request->module_count; ++i) {
    const frit_cc_text& m = request->modules[i];
    texts.push_back(std::string(m.data, m.size) + (fault == "diagnostics" ? "\nno C++ at all\n"
                                                   : fault == "junk"
                                                       ? "\n"
                                                       : "\n#pragma frit_test " + fault + "\n"));
  }
  for (size_t i = 0; i < request->module_count; ++i)
    modules.push_back({texts[i].data(), texts[i].size(), request->modules[i].name});
  changed.modules = modules.data();
  changed.flags |= FRIT_CC_TEST_HOOKS;
  int32_t status = real()->compile(&changed, result);
  if (fault == "junk" && result->object) std::memset(result->object, 'x', result->object_size);
  return status;
}

void release(frit_cc_result* result) { real()->release(result); }

}  // namespace

extern "C" const frit_cc_plugin* frit_cc_entry() {
  static frit_cc_plugin plugin;
  if (!real()) return nullptr;
  plugin = *real();
  plugin.compile = compile;
  plugin.release = release;
  return &plugin;
}
