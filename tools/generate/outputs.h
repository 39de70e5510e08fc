// What the tool writes: one function a file or group of files.
#pragma once
#include <map>
#include <string>

namespace frit::generate {

// Path below the project's root, and text.
using Files = std::map<std::string, std::string>;

void write_cpp_api(Files&);  // include/frit/ops/*.h, tensor_methods.inc, src/eager/generated/*.cpp
void write_kernels(Files&);  // src/kernels/cpu/generated/*.inc
void write_docs(Files&);     // docs/ops.md
void write_stubs(Files&);    // python/frit/ops.pyi, _functions.pyi, _tensor_ops.pyi

}  // namespace frit::generate
