#include "bindings/op_object.h"

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "bindings/signature.h"
#include "bindings/tensor_object.h"
#include "eager/dispatch.h"
#include "frit/autograd.h"

namespace frit::python {
namespace {

// Of a name: what calls choose among.
struct OpInfo {
  std::string name;
  std::vector<Signature> signatures;
  std::vector<const OpRecord*> records;
  std::string doc;
};

struct OpObject {
  PyObject_HEAD vectorcallfunc call;
  const OpInfo* info;
};

PyTypeObject g_op_type = {PyVarObject_HEAD_INIT(nullptr, 0)};
PyTypeObject g_method_type = {PyVarObject_HEAD_INIT(nullptr, 0)};
std::map<std::string, PyObject*, std::less<>> g_ops;

const OpInfo& info_of(PyObject* op) { return *reinterpret_cast<OpObject*>(op)->info; }

// The out form's arguments: the functional ones, then what is written.
void take_out(Call& call, PyObject* out, const OpInfo& info) {
  const OpRecord& r = *call.record->out;
  size_t own = call.record->schema.args.size(), wanted = r.schema.args.size() - own;
  auto fail = [&] {
    throw UserError(ErrorKind::type, info.name,
                    wanted == 1
                        ? info.name + "(): argument 'out' must be Tensor, not " + given_text(out)
                        : info.name + "(): argument 'out' must be tuple of " +
                              std::to_string(wanted) + " Tensors, not " + given_text(out));
  };
  if (wanted == 1) {
    if (PyTuple_Check(out) && PyTuple_GET_SIZE(out) == 1) out = PyTuple_GET_ITEM(out, 0);
    if (!is_tensor(out)) fail();
    call.args.push_back(Arg(tensor_of(out)));
  } else {
    if (!(PyTuple_Check(out) || PyList_Check(out)) ||
        PySequence_Fast_GET_SIZE(out) != static_cast<Py_ssize_t>(wanted))
      fail();
    for (size_t i = 0; i < wanted; ++i) {
      PyObject* one = PySequence_Fast_GET_ITEM(out, static_cast<Py_ssize_t>(i));
      if (!is_tensor(one)) fail();
      call.args.push_back(Arg(tensor_of(one)));
    }
  }
  call.record = &r;
}

void parse(const OpInfo& info, const GivenCall& given, Call& call) {
  for (Match how : {Match::strict, Match::loose})
    for (const Signature& s : info.signatures) {
      Extras extras;
      if (!match(s, given, how, call.args, extras)) continue;
      call.record = s.record;
      call.requires_grad = extras.requires_grad;
      if (extras.out) take_out(call, extras.out, info);
      return;
    }
  fail_match(info.name, info.signatures, given);
}

// About how many elements a call works on; small ones keep the GIL.
constexpr int64_t kManyElements = 1 << 15;
int64_t work_of(const Call& call) {
  int64_t elements = 0;
  for (const Arg& a : call.args) {
    if (a.is_ref()) {
      const TensorImpl& t = *a.ref().tensor().impl();
      int64_t n = t.numel();
      if (call.record->kind == Kind::matmul && t.dim()) n *= t.sizes[t.sizes.size() - 1] / 8 + 1;
      elements += n;
    } else if (a.is_ref_list()) {
      for (const Ref& r : a.refs())
        if (r.defined()) elements += r.tensor().impl()->numel();
    } else if (a.is<IntList>()) {
      int64_t n = 1;
      for (Int i : a.as<IntList>()) n = i.hint() > 0 && n < kManyElements ? n * i.hint() : n;
      elements += n;
    }
  }
  return elements;
}

// Names of results are looked up by record; the out and in-place forms have the functional one's.
PyTypeObject* result_type(const OpRecord& r) {
  auto found = g_ops.find(r.functional->schema.name);
  if (found == g_ops.end()) return nullptr;
  for (const Signature& s : info_of(found->second).signatures)
    if (s.record == r.functional) return s.result;
  return nullptr;
}

PyObject* vectorcall(PyObject* self, PyObject* const* args, size_t flags, PyObject* keywords) {
  return guarded([&] {
    Call call;
    parse(info_of(self), {args, static_cast<size_t>(PyVectorcall_NARGS(flags)), keywords}, call);
    return run_call(call);
  });
}

PyObject* bind(PyObject* self, PyObject* object, PyObject*) {
  if (!object || object == Py_None) return Py_NewRef(self);
  return PyMethod_New(self, object);
}

PyObject* repr(PyObject* self) {
  return PyUnicode_FromFormat(
      Py_TYPE(self) == &g_op_type ? "<op %s of frit>" : "<method %s of frit.Tensor>",
      info_of(self).name.c_str());
}
PyObject* get_name(PyObject* self, void*) {
  return PyUnicode_FromString(info_of(self).name.c_str());
}
PyObject* get_doc(PyObject* self, void*) { return PyUnicode_FromString(info_of(self).doc.c_str()); }
PyObject* get_module(PyObject*, void*) { return PyUnicode_FromString("frit"); }
PyObject* get_qualname(PyObject* self, void*) {
  return PyUnicode_FromFormat(Py_TYPE(self) == &g_op_type ? "%s" : "Tensor.%s",
                              info_of(self).name.c_str());
}
// The schemas that a call chooses among.
PyObject* get_schemas(PyObject* self, void*) {
  return guarded([&] {
    nb::list l;
    for (const OpRecord* r : info_of(self).records) l.append(r->schema.str());
    return nb::tuple(l).release().ptr();
  });
}
PyObject* reduce(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    nb::object find = nb::module_::import_("frit._construct").attr("find_op");
    bool method = Py_TYPE(self) == &g_method_type;
    return nb::make_tuple(find, nb::make_tuple(info_of(self).name.c_str(), method)).release().ptr();
  });
}

PyGetSetDef getters[] = {{"__name__", get_name, nullptr, nullptr, nullptr},
                         {"__qualname__", get_qualname, nullptr, nullptr, nullptr},
                         {"__module__", get_module, nullptr, nullptr, nullptr},
                         {"__doc__", get_doc, nullptr, nullptr, nullptr},
                         {"schemas", get_schemas, nullptr, "the overloads' schemas", nullptr},
                         {}};
PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr}, {}};

void ready(PyTypeObject& t, const char* name) {
  t.tp_name = name;
  t.tp_basicsize = sizeof(OpObject);
  t.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL;
  t.tp_vectorcall_offset = offsetof(OpObject, call);
  t.tp_call = PyVectorcall_Call;
  t.tp_repr = repr;
  t.tp_getset = getters;
  t.tp_methods = methods;
  if (&t == &g_method_type) {
    t.tp_flags |= Py_TPFLAGS_METHOD_DESCRIPTOR;
    t.tp_descr_get = bind;
  }
  checked(PyType_Ready(&t));
}

PyObject* make(PyTypeObject& type, const OpInfo& info) {
  auto* o = PyObject_New(OpObject, &type);
  checked(reinterpret_cast<PyObject*>(o));
  o->call = vectorcall;
  o->info = &info;
  return reinterpret_cast<PyObject*>(o);
}

// What takes a tensor named self first is a method, too.
bool is_method(const OpInfo& info) {
  for (const OpRecord* r : info.records)
    if (!r->schema.args.empty() && r->schema.args[0].type == ArgType::tensor &&
        r->schema.args[0].name == "self")
      return true;
  return false;
}

// One for each name that programs can call, in the order of registration.
const std::deque<OpInfo>& infos() {
  static const std::deque<OpInfo> all = [] {
    std::deque<OpInfo> list;
    std::map<std::string, OpInfo*> by_name;
    for (const OpRecord* r : registry().all()) {
      if (r->of_graphs || r->form == Form::out) continue;
      OpInfo*& info = by_name[r->schema.name];
      if (!info) {
        list.emplace_back();
        info = &list.back();
        info->name = r->schema.name;
      }
      info->signatures.emplace_back(*r);
      info->records.push_back(r);
      const OpRecord& documented = r->doc.empty() ? *r->functional : *r;
      if (info->doc.empty() && !documented.doc.empty()) info->doc = documented.doc;
    }
    for (OpInfo& info : list) {
      std::string signatures;
      for (const Signature& s : info.signatures) signatures += info.name + s.text() + "\n";
      info.doc = signatures + "\n" + info.doc;
    }
    return list;
  }();
  return all;
}

}  // namespace

bool is_op(PyObject* o) { return Py_TYPE(o) == &g_op_type || Py_TYPE(o) == &g_method_type; }

std::span<const OpRecord* const> overloads(PyObject* op) { return info_of(op).records; }

Call parse_call(PyObject* op, PyObject* const* args, size_t count, PyObject* keywords) {
  Call call;
  parse(info_of(op), {args, count, keywords}, call);
  return call;
}

PyObject* wrap_results(const OpRecord& r, std::span<const Tensor> results) {
  const auto& returns = r.schema.returns;
  if (returns.size() == 1 && returns[0].type == ArgType::tensor) return wrap(results[0]);
  if (returns.empty()) Py_RETURN_NONE;
  PyTypeObject* named = returns.size() > 1 ? result_type(r) : nullptr;
  nb::object tuple = nb::steal(named ? PyStructSequence_New(named)
                                     : PyTuple_New(static_cast<Py_ssize_t>(results.size())));
  checked(tuple.ptr());
  for (size_t i = 0; i < results.size(); ++i) {
    PyObject* o = checked(wrap(results[i]));
    if (named)
      PyStructSequence_SetItem(tuple.ptr(), static_cast<Py_ssize_t>(i), o);
    else
      PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), o);
  }
  return tuple.release().ptr();
}

PyObject* run_call(const Call& call) {
  const OpRecord& r = *call.record;
  std::span<const Arg> args(call.args.data(), call.args.size());
  SourceLocation where = location_if_watched();
  bool release = !recording() && work_of(call) >= kManyElements;
  const auto& returns = r.schema.returns;
  if (returns.size() == 1 && returns[0].type == ArgType::tensor_list) {
    TensorList made;
    {
      WithoutGil unlocked(release);
      made = eager::dispatch_list(r, args, where);
    }
    return wrap(made);
  }
  SmallVector<Tensor, 2> made;
  made.resize(returns.size());
  {
    WithoutGil unlocked(release);
    eager::dispatch(r, args, {made.data(), made.size()}, where);
  }
  if (call.requires_grad) [[unlikely]]
    for (Tensor& t : made) t.requires_grad_();
  return wrap_results(r, {made.data(), made.size()});
}

PyObject* find_op_object(std::string_view name) {
  auto found = g_ops.find(name);
  return found == g_ops.end() ? nullptr : found->second;
}

void bind_ops(nb::module_& m) {
  ready(g_op_type, "frit.Op");
  ready(g_method_type, "frit.OpMethod");
  m.attr("Op") = nb::handle(reinterpret_cast<PyObject*>(&g_op_type));
  nb::dict all;
  nb::handle tensor(reinterpret_cast<PyObject*>(tensor_type()));
  for (const OpInfo& info : infos()) {
    PyObject* op = make(g_op_type, info);
    g_ops.emplace(info.name, op);
    all[info.name.c_str()] = nb::handle(op);
    if (!is_method(info)) continue;
    nb::object method = nb::steal(make(g_method_type, info));
    // What the type has of that name already is written by hand.
    if (!PyDict_GetItemString(tensor_type()->tp_dict, info.name.c_str()))
      checked(PyDict_SetItemString(tensor_type()->tp_dict, info.name.c_str(), method.ptr()));
  }
  PyType_Modified(tensor_type());
  m.attr("ops") = all;
}

}  // namespace frit::python
