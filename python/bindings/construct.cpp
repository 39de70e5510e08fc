#include "bindings/construct.h"

#include <frit/autograd.h>
#include <frit/ops.h>
#include <nanobind/stl/optional.h>

#include "bindings/arguments.h"
#include "bindings/dtype_object.h"
#include "bindings/tensor_object.h"
#include "core/dlpack.h"
#include "eager/intercept.h"
#include "eager/values.h"

namespace frit::python {
namespace {

bool is_nested(PyObject* o) {
  return PySequence_Check(o) && !PyUnicode_Check(o) && !PyBytes_Check(o) && !is_tensor(o);
}

// The numbers of nested sequences, in order.
class Reader {
 public:
  explicit Reader(std::optional<DType> dtype) : dtype_(dtype) {}

  Tensor read(PyObject* data) {
    visit(data, 0);
    DType t = dtype_ ? *dtype_ : is_real_ ? default_dtype() : is_int_ ? DType::i64 : found_;
    if (count_ == 0 && !dtype_) t = default_dtype();
    if (!is_floating(t))
      for (const Scalar& s : values_) check_range(s, t);
    Tensor made;
    if (is_real_ || is_floating(t)) {
      std::vector<double> numbers;
      for (const Scalar& s : values_) numbers.push_back(s.to_double());
      made = tensor_from<double>(numbers, sizes_);
    } else {
      std::vector<int64_t> numbers;
      for (const Scalar& s : values_) numbers.push_back(s.to_int64());
      made = tensor_from<int64_t>(numbers, sizes_);
    }
    NoGrad no_grad;
    eager::UnrecordedScope quiet;
    return made.dtype() == t ? made : made.to(t);
  }

 private:
  void visit(PyObject* o, size_t depth) {
    if (!is_nested(o)) return leaf(o, depth);
    nb::object list = nb::steal(checked(PySequence_Fast(o, "a sequence")));
    Py_ssize_t n = PySequence_Fast_GET_SIZE(list.ptr());
    if (leaf_depth_ && depth >= *leaf_depth_) fail_depth(o);
    if (depth == sizes_.size()) {
      sizes_.push_back(n);
      if (sizes_.size() > 64)
        throw UserError(ErrorKind::value, "tensor", "the data is nested too deeply, or in itself");
    } else if (sizes_[depth] != n) {
      throw UserError(ErrorKind::value, "tensor",
                      "expected sequence of length " + std::to_string(sizes_[depth]) + " at dim " +
                          std::to_string(depth) + " (got " + std::to_string(n) + ")");
    }
    for (Py_ssize_t i = 0; i < n; ++i) visit(PySequence_Fast_GET_ITEM(list.ptr(), i), depth + 1);
  }
  void leaf(PyObject* o, size_t depth) {
    if (leaf_depth_ && *leaf_depth_ != depth) fail_depth(o);
    if (!leaf_depth_ && depth < sizes_.size()) fail_depth(o);
    leaf_depth_ = depth;
    Scalar s;
    if (is_tensor(o) && tensor_of(o).impl()->numel() == 1) {
      s = number_in(tensor_of(o));
    } else if (is_tensor(o)) {
      throw UserError(ErrorKind::value, "tensor",
                      "only one element tensors can be converted to Python scalars",
                      "frit.stack(list)");
    } else if (!to_scalar(o, Match::strict, s)) {
      if (depth == 0 || !PyUnicode_Check(o))
        throw UserError(ErrorKind::runtime, "tensor",
                        std::string("Could not infer dtype of ") + Py_TYPE(o)->tp_name,
                        "numbers, bools, and lists of them");
      throw UserError(ErrorKind::value, "tensor",
                      std::string("too many dimensions '") + Py_TYPE(o)->tp_name + "'");
    }
    is_real_ = is_real_ || s.is_real();
    is_int_ = is_int_ || s.is_integer();
    found_ = DType::boolean;
    ++count_;
    values_.push_back(s);
  }
  static Scalar number_in(const Tensor& t) {
    eager::reading_values(t, {}, "tensor");
    return eager::read_element(t.impl()->data(), t.dtype());
  }
  [[noreturn]] void fail_depth(PyObject* o) {
    if (is_nested(o))
      throw UserError(ErrorKind::type, "tensor",
                      std::string("must be real number, not ") + Py_TYPE(o)->tp_name);
    throw UserError(ErrorKind::type, "tensor", "not a sequence");
  }
  static void check_range(const Scalar& s, DType t) {
    if (is_bool(t)) return;
    auto fits = [&]<class T>(T) { return s.fits<T>(); };
    bool ok = t == DType::i8    ? fits(int8_t())
              : t == DType::i16 ? fits(int16_t())
              : t == DType::i32 ? fits(int32_t())
              : t == DType::u8
                  ? fits(uint8_t()) || (s.is_integer() && s.to_int64() >= -255 && s.to_int64() < 0)
                  : fits(int64_t());
    if (!ok)
      throw UserError(
          ErrorKind::runtime, "tensor",
          "value cannot be converted to type " + std::string(name(t)) + " without overflow",
          "a wider dtype");
  }

  std::optional<DType> dtype_;
  std::vector<int64_t> sizes_;
  std::optional<size_t> leaf_depth_;
  std::vector<Scalar> values_;
  DType found_ = DType::f32;
  bool is_real_ = false, is_int_ = false;
  size_t count_ = 0;
};

std::optional<DType> dtype_of_format(const char* f, Py_ssize_t bytes) {
  if (!f) return DType::u8;
  if (*f == '@' || *f == '=' || *f == '<') ++f;
  if (f[0] == 0 || f[1] != 0) return std::nullopt;
  switch (*f) {
    case 'f':
      return DType::f32;
    case 'd':
      return DType::f64;
    case 'e':
      return DType::f16;
    case '?':
      return DType::boolean;
    case 'B':
      return DType::u8;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
      return bytes == 1   ? DType::i8
             : bytes == 2 ? DType::i16
             : bytes == 4 ? DType::i32
                          : DType::i64;
    default:
      return std::nullopt;
  }
}

// A tensor over an object's buffer, which stays exported while a tensor uses it.
Tensor over_buffer(PyObject* o) {
  struct Buffer {
    Py_buffer view{};
    ~Buffer() {
      if (!view.obj || !interpreter_runs()) return;
      WithGil gil;
      PyBuffer_Release(&view);
    }
  };
  auto b = std::make_shared<Buffer>();
  if (PyObject_GetBuffer(o, &b->view, PyBUF_RECORDS_RO) < 0) throw_python();
  const Py_buffer& v = b->view;
  std::optional<DType> t = dtype_of_format(v.format, v.itemsize);
  if (!t)
    throw UserError(ErrorKind::type, "from_numpy",
                    "can't convert an array of type '" + std::string(v.format) +
                        "': the only supported types are float64, float32, float16, int64, int32, "
                        "int16, int8, uint8 and bool",
                    "array.astype(...), in this machine's byte order");
  std::vector<int64_t> sizes(v.shape, v.shape + v.ndim), strides;
  int64_t extent = 1;
  bool empty = false;
  for (int d = 0; d < v.ndim; ++d) {
    if (v.strides[d] < 0)
      throw UserError(ErrorKind::value, "from_numpy",
                      "at least one stride in the given numpy array is negative, and tensors with "
                      "negative strides are not supported",
                      "array.copy()");
    if (v.strides[d] % v.itemsize)
      throw UserError(ErrorKind::value, "from_numpy",
                      "given numpy array strides not a multiple of the element byte size",
                      "array.copy()");
    strides.push_back(v.strides[d] / v.itemsize);
    extent += (sizes[static_cast<size_t>(d)] - 1) * strides.back();
    empty = empty || sizes[static_cast<size_t>(d)] == 0;
  }
  Tensor flat = from_blob(v.buf, {empty ? 0 : extent}, *t, [b] {});
  return alias_view(flat, sizes, strides, 0);
}

template <class M>
void delete_capsule(PyObject* capsule, const char* unused) {
  if (!PyCapsule_IsValid(capsule, unused)) return;  // someone took it over
  auto* m = static_cast<M*>(PyCapsule_GetPointer(capsule, unused));
  if (m->deleter) m->deleter(m);
}
void delete_plain(PyObject* c) { delete_capsule<dlpack::Managed>(c, "dltensor"); }
void delete_versioned(PyObject* c) {
  delete_capsule<dlpack::ManagedVersioned>(c, "dltensor_versioned");
}

}  // namespace

bool is_numpy_array(PyObject* o) {
  return std::string_view(Py_TYPE(o)->tp_name) == "numpy.ndarray" ||
         std::string_view(Py_TYPE(o)->tp_name) == "numpy.memmap";
}

Tensor tensor_from_data(PyObject* data, std::optional<DType> dtype) {
  eager::UnrecordedScope quiet;
  NoGrad no_grad;
  if (is_tensor(data)) {
    Tensor t = tensor_of(data).detach().clone();
    return dtype ? t.to(*dtype) : t;
  }
  if (is_numpy_array(data)) {
    Tensor t = over_buffer(data).clone();
    return dtype ? t.to(*dtype) : t;
  }
  return Reader(dtype).read(data);
}

Tensor index_tensor(PyObject* data) {
  if (is_numpy_array(data)) return tensor_from_data(data, {});
  bool empty = PySequence_Size(data) == 0;
  return tensor_from_data(data, empty ? std::optional(DType::i64) : std::nullopt);
}

Tensor from_numpy(PyObject* array) {
  if (!is_numpy_array(array))
    throw UserError(ErrorKind::type, "from_numpy",
                    std::string("expected np.ndarray (got ") + Py_TYPE(array)->tp_name + ")");
  return over_buffer(array);
}

Tensor from_dlpack(PyObject* o) {
  nb::object capsule = nb::borrow(o);
  if (!PyCapsule_CheckExact(o)) {
    nb::handle h(o);
    if (!nb::hasattr(h, "__dlpack__"))
      throw UserError(ErrorKind::type, "from_dlpack",
                      std::string(Py_TYPE(o)->tp_name) + " has no __dlpack__");
    nb::object device = h.attr("__dlpack_device__")();
    int kind = nb::cast<int>(nb::int_(nb::object(device[0])));
    if (kind != dlpack::kCpu && kind != dlpack::kCudaHost)
      throw UserError(
          ErrorKind::value, "from_dlpack",
          "the data is on another device (DLPack's number " + std::to_string(kind) + ")",
          "move it to the processor first");
    try {
      capsule = h.attr("__dlpack__")(nb::arg("max_version") = nb::make_tuple(1, 1));
    } catch (nb::python_error& e) {
      if (!e.matches(PyExc_TypeError)) throw;
      capsule = h.attr("__dlpack__")();
    }
  }
  PyObject* c = capsule.ptr();
  if (PyCapsule_IsValid(c, "dltensor_versioned")) {
    auto* m = static_cast<dlpack::ManagedVersioned*>(PyCapsule_GetPointer(c, "dltensor_versioned"));
    checked(PyCapsule_SetName(c, "used_dltensor_versioned"));
    return dlpack::import_versioned(m);
  }
  if (PyCapsule_IsValid(c, "dltensor")) {
    auto* m = static_cast<dlpack::Managed*>(PyCapsule_GetPointer(c, "dltensor"));
    checked(PyCapsule_SetName(c, "used_dltensor"));
    return dlpack::import_tensor(m);
  }
  throw UserError(ErrorKind::runtime, "from_dlpack",
                  "the capsule was consumed before, or is not of DLPack",
                  "a capsule can be used once");
}

PyObject* to_dlpack(const Tensor& t, bool versioned) {
  if (versioned)
    return PyCapsule_New(dlpack::export_versioned(t), "dltensor_versioned", delete_versioned);
  return PyCapsule_New(dlpack::export_tensor(t), "dltensor", delete_plain);
}

void bind_construct(nb::module_& m) {
  m.def(
      "_tensor",
      [](nb::object data, nb::object dtype, bool requires_grad) {
        std::optional<DType> t;
        if (!dtype.is_none() && !(t = as_dtype(dtype.ptr())))
          throw UserError(
              ErrorKind::type, "tensor",
              "tensor(): argument 'dtype' must be frit.dtype, not " + given_text(dtype.ptr()));
        Tensor made = tensor_from_data(data.ptr(), t);
        if (requires_grad) made.requires_grad_(true, {});
        return made;
      },
      nb::arg("data"), nb::kw_only(), nb::arg("dtype").none() = nb::none(),
      nb::arg("requires_grad") = false);
  m.def("from_numpy", [](nb::object array) { return from_numpy(array.ptr()); });
  m.def("_from_dlpack", [](nb::object o) { return from_dlpack(o.ptr()); });
  m.def("_to_dlpack", [](const Tensor& t, bool versioned) {
    return nb::steal(checked(to_dlpack(t, versioned)));
  });
}

}  // namespace frit::python
