#include "bindings/io.h"

#include <frit/autograd.h>
#include <frit/io.h>
#include <frit/ops.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cstring>

#include "bindings/dtype_object.h"
#include "bindings/tensor_object.h"
#include "eager/intercept.h"
#include "eager/values.h"

namespace frit::python {

void bind_io(nb::module_& m) {
  using Named = std::vector<std::pair<std::string, Tensor>>;
  m.def("_save", [](const Named& tensors, const std::filesystem::path& path,
                    const std::map<std::string, std::string>& metadata) {
    save(tensors, path, metadata, std::source_location());
  });
  m.def("_load",
        [](const std::filesystem::path& path) { return load(path, std::source_location()); });
  m.def("load_metadata", [](const std::filesystem::path& path) {
    return load_metadata(path, std::source_location());
  });
  m.def("load_npy",
        [](const std::filesystem::path& path) { return load_npy(path, std::source_location()); });
  // Pickles: the elements in row-major order.
  m.def("_to_bytes", [](const Tensor& t) {
    eager::UnrecordedScope quiet;
    NoGrad no_grad;
    eager::reading_values(t, python_location(), "pickle");
    Tensor dense = t.detach().contiguous();
    int64_t bytes = dense.numel().hint() * size_of(t.dtype());
    return nb::bytes(bytes ? dense.impl()->data() : "", static_cast<size_t>(bytes));
  });
  m.def("_from_bytes", [](nb::bytes raw, nb::object dtype, const std::vector<int64_t>& sizes) {
    std::optional<DType> type = as_dtype(dtype.ptr());
    uint64_t bytes = type ? static_cast<uint64_t>(size_of(*type)) : 0;
    for (int64_t n : sizes)
      if (n < 0 || __builtin_mul_overflow(bytes, static_cast<uint64_t>(n), &bytes)) bytes = ~0ull;
    if (!type || bytes != raw.size())
      throw UserError(ErrorKind::value, "pickle", "the pickled bytes do not fit the sizes");
    Tensor t = empty_cpu(sizes, *type);
    if (bytes) std::memcpy(t.impl()->data(), raw.data(), bytes);
    return t;
  });
  m.def("save_npy", [](const Tensor& t, const std::filesystem::path& path) {
    save_npy(t, path, std::source_location());
  });
}

}  // namespace frit::python
