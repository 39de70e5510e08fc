// Clang in memory: C++ text to LLVM IR, and a header to its precompiled form. Reads nothing from
// disk.
#pragma once
#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace frit_cc {

struct Options;
extern const char* const kTriple;

// The header parsed once and written down; what a later parse takes from it costs only what it
// uses. Valid for the same header, options and plugin. False with diagnostics if the header does
// not compile.
bool precompile_header(const Options& options, std::string& precompiled, std::string& diagnostics);

// `file` is the text's name in diagnostics and debug information. Reads options.precompiled in
// place of the header's text where there is one. Null with diagnostics if the text does not
// compile.
std::unique_ptr<llvm::Module> parse_module(const Options& options, const std::string& file,
                                           const std::string& text, llvm::LLVMContext& context,
                                           std::string& diagnostics);

}  // namespace frit_cc
