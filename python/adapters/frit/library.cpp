#include "adapters/frit/library.h"

#include "adapters/frit/recording.h"
#include "adapters/graph_entry.h"
#include "adapters/marks.h"
#include "adapters/walked_location.h"
#include "bindings/dtype_object.h"
#include "bindings/op_object.h"
#include "bindings/size_object.h"
#include "bindings/symbolic_int.h"
#include "bindings/tensor_object.h"
#include "frame/walk/made_once.h"
#include "frame/walk/walker.h"

namespace frit::python {
namespace {

using walk::Ref;
using walk::TensorCall;

thread_local std::unique_ptr<Recording> t_recording;  // of this thread's walk

class FritLibrary final : public walk::TensorLibrary {
 public:
  FritLibrary() {
    walk::g_size_types.push_back(size_type());
    const std::pair<const char*, TensorCall> methods[] = {
        {"size", TensorCall::sizes},
        {"stride", TensorCall::sizes},
        {"numel", TensorCall::sizes},
        {"nelement", TensorCall::sizes},
        {"dim", TensorCall::metadata},
        {"ndimension", TensorCall::metadata},
        {"element_size", TensorCall::metadata},
        {"is_floating_point", TensorCall::metadata},
        {"is_complex", TensorCall::metadata},
        {"is_signed", TensorCall::metadata},
        {"is_contiguous", TensorCall::metadata},
        {"item", TensorCall::data},
        {"tolist", TensorCall::data},
        {"data_ptr", TensorCall::data},
        {"storage_offset", TensorCall::data},
        {"_shares_storage_with", TensorCall::data},
        {"retain_grad", TensorCall::data},
        {"requires_grad_", TensorCall::data},
        {"__len__", TensorCall::sizes},
    };
    PyObject* dict = tensor_type()->tp_dict;
    for (auto [name, kind] : methods)
      if (PyObject* d = PyDict_GetItemString(dict, name)) {
        by_key_[key_of(d)] = kind;
        names_[d] = PyUnicode_InternFromString(name);
      }
    const std::pair<const char*, TensorCall> properties[] = {
        {"shape", TensorCall::sizes},
        {"dtype", TensorCall::metadata},
        {"ndim", TensorCall::metadata},
        {"requires_grad", TensorCall::metadata},
        {"grad", TensorCall::grad},
        {"data", TensorCall::op},
        {"T", TensorCall::op},
        {"mT", TensorCall::op},
        {"itemsize", TensorCall::metadata},
        {"is_cpu", TensorCall::metadata},
        {"is_cuda", TensorCall::metadata},
        {"is_sparse", TensorCall::metadata},
        {"is_quantized", TensorCall::metadata},
        {"is_meta", TensorCall::metadata},
        {"is_leaf", TensorCall::data},
        {"grad_fn", TensorCall::data},
        {"retains_grad", TensorCall::data},
        {"nbytes", TensorCall::data},
        {"_version", TensorCall::data},
    };
    for (auto [name, kind] : properties) properties_[PyUnicode_InternFromString(name)] = kind;
    nb::module_ m = nb::module_::import_("frit._C");
    const std::pair<const char*, TensorCall> functions[] = {
        {"_backward", TensorCall::op},
        {"_grad", TensorCall::op},
        {"is_grad_enabled", TensorCall::state},
        {"is_inference_mode_enabled", TensorCall::state},
        {"get_default_dtype", TensorCall::state},
        {"_set_grad_enabled", TensorCall::set_state},
        {"_set_modes", TensorCall::set_state},
        {"promote_types", TensorCall::metadata},
        {"_tensor", TensorCall::literal},
    };
    for (auto [name, kind] : functions)
      if (PyObject* f = PyObject_GetAttrString(m.ptr(), name))
        by_key_[key_of(f)] = kind;
      else
        PyErr_Clear();
  }

  bool is_tensor(PyObject* o) const override { return python::is_tensor(o); }

  TensorCall call_kind(PyObject* callable) const override {
    if (is_op(callable)) return TensorCall::op;
    auto it = by_key_.find(key_of(callable));
    return it == by_key_.end() ? TensorCall::none : it->second;
  }

  TensorCall attribute_kind(PyObject* tensor, PyObject* name) const override {
    auto it = properties_.find(name);
    if (it == properties_.end()) return TensorCall::none;
    // A subclass may have its own.
    if (Py_TYPE(tensor) != tensor_type() &&
        _PyType_Lookup(Py_TYPE(tensor), name) != _PyType_Lookup(tensor_type(), name))
      return TensorCall::none;
    return it->second;
  }

  bool ints(PyObject* tensor, PyObject* what, PyObject* result, std::vector<Int>& found) override {
    const Tensor& t = tensor_of(tensor);
    std::string name;
    if (PyUnicode_Check(what))
      name = walk::text_of(what);
    else if (auto it = names_.find(what); it != names_.end())
      name = walk::text_of(it->second);
    IntList list;
    if (name == "shape" || name == "size") {
      list = t.sizes();
    } else if (name == "stride") {
      list = t.strides();
    } else if (name == "numel" || name == "nelement") {
      list = {t.numel()};
    } else if (name == "__len__") {
      list = {t.size(0)};
    } else {
      return false;
    }
    if (PyTuple_Check(result) && PyTuple_GET_SIZE(result) != static_cast<Py_ssize_t>(list.size()))
      return false;
    found.assign(list.begin(), list.end());
    return true;
  }

  PyObject* module() const override {
    return walk::made_once([] { return Ref::take(PyImport_ImportModule("frit")); }).get();
  }

  PyObject* symbolic_int(Int value, PyObject* hint) override {
    return make_symbolic_int(value, hint);
  }

  bool is_plain(PyObject* o) const override {
    if (as_dtype(o)) return true;
    const std::string_view type = Py_TYPE(o)->tp_name;
    return type == "device" || type == "layout" || type == "memory_format" ||
           type.starts_with("frit.device");
  }

  void record(bool dynamic, const std::function<void(walk::TensorResults&)>& body) override {
    t_walked_location = walked_location;
    t_recording = std::make_unique<Recording>(dynamic);
    t_recording->run(body);
  }
  std::unique_ptr<walk::TensorEntry> compile(const CompileOptions& options, const std::string& name,
                                             walk::RecordingStop& stop) override {
    return t_recording->compile(options, name, stop);
  }
  int use_external(PyObject* tensor, const std::string& name, bool dynamic) override {
    const Tensor& t = tensor_of(tensor);
    return t_recording->use_external(t, name, dynamic, marks_of(tensor, t.dim()));
  }
  PyObject* use_float(PyObject* number, PyObject* beside, PyObject* stand_in,
                      const std::string& name, int& index) override {
    // Beside others a number takes part in the choice of the result's dtype otherwise.
    auto takes_part = [](const Tensor& t) {
      return t.dim() == 0 || (t.dtype() != DType::f32 && t.dtype() != DType::f64);
    };
    if (beside && takes_part(tensor_of(beside))) return nullptr;
    if (stand_in) return Py_NewRef(stand_in);
    Tensor made = scalar_of(number);
    index = t_recording->use_external(made, name, false);
    if (index < 0) return nullptr;
    t_recording->is_float(index);
    return wrap(std::move(made));
  }
  Int use_number(int64_t value, const std::string& name) override {
    return t_recording->use_number(value, name);
  }
  void forget() override { t_recording.reset(); }
  void abandon(const std::string& why) override { t_recording->abandon(why); }
  std::string stopped() const override { return t_recording ? t_recording->stopped() : ""; }

 private:
  std::unordered_map<const void*, TensorCall> by_key_;
  std::unordered_map<PyObject*, TensorCall> properties_;  // by interned name
  std::unordered_map<PyObject*, PyObject*> names_;        // of methods
};

}  // namespace

walk::TensorLibrary& frit_library() {
  return *walk::made_once([] { return std::make_unique<FritLibrary>(); });
}

}  // namespace frit::python
