// One text to one relocatable object, inside the plugin.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace frit_cc {

// Where names that are not paths live in Clang's file system.
inline const std::string kFolder = "/frit/";

struct Options {
  std::string cpu, features;
  std::string header, header_name;
  std::string precompiled;  // the header's precompiled form; empty: parse its text
  uint32_t vector_width = 0;
  uint32_t optimize = 0;  // frit_cc_optimize
  bool debug_info = false;
  bool test_hooks = false;
  uint32_t sanitizer = 0;  // the one of frit_cc_flags, or 0
};

struct ModuleResult {
  bool ok = false;
  std::string object;                               // ELF relocatable
  std::string diagnostics;                          // set when not ok
  double front_end = 0, optimize = 0, codegen = 0;  // milliseconds
};

// `phase` is set to static text as the work goes on, for the report of a crash or a hang.
void compile_module(const Options& options, const std::string& name, const std::string& text,
                    std::atomic<const char*>& phase, ModuleResult& result);

// Objects to one shared object. Takes turns: lld keeps its state in globals.
bool link_objects(const std::vector<std::string>& objects, std::string& shared_object,
                  std::string& diagnostics);

double now_ms();

}  // namespace frit_cc
