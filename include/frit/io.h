// Tensors in files: checkpoints in the safetensors format, and NumPy's .npy (room io).
//
//   frit::save(net.state_dict(), "net.safetensors");
//   net.load_state_dict(frit::load("net.safetensors"));
//
// Every file is replaced as a whole or not at all. A missing, short, damaged or lying file is a
// UserError that names it and what is wrong; nothing is allocated that the file does not hold.
#pragma once
#include <frit/tensor.h>

#include <filesystem>
#include <map>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

namespace frit {

// Writes named tensors in their order, any layout (views are written as what they show). Metadata
// is text that travels with them. UserError for a name that is given twice, is not UTF-8, or is the
// format's own "__metadata__", and for an undefined tensor.
void save(const std::vector<std::pair<std::string, Tensor>>& tensors,
          const std::filesystem::path& path,
          const std::map<std::string, std::string>& metadata = {},
          std::source_location where = std::source_location::current());

// The tensors of a safetensors file, in the order of its header: contiguous copies.
std::vector<std::pair<std::string, Tensor>> load(
    const std::filesystem::path& path,
    std::source_location where = std::source_location::current());

// The text that travels with them, without reading the tensors.
std::map<std::string, std::string> load_metadata(
    const std::filesystem::path& path,
    std::source_location where = std::source_location::current());

// One array of a .npy file (versions 1 to 3; either byte order). One in Fortran's order comes with
// strides that run the other way, as NumPy gives it.
Tensor load_npy(const std::filesystem::path& path,
                std::source_location where = std::source_location::current());
// NumPy has no bfloat16: such a tensor is a UserError.
void save_npy(const Tensor& tensor, const std::filesystem::path& path,
              std::source_location where = std::source_location::current());

}  // namespace frit
