// Tensors of numbers: tensor([1, 2, 3]), as_tensor(n).
#include <fmt/format.h>

#include "frame/walk/c_functions.h"
#include "frame/walk/hints.h"
#include "frame/walk/walker.h"

namespace frit::walk {
namespace {

// What is said of the tensor besides its numbers.
struct Options {
  Value dtype;
  bool others = false;
};

Ref function(Walker& w, const char* name) {
  return Ref::take(PyObject_GetAttrString(w.library().module(), name));
}

// False: as for errors.
bool read_options(Walker& w, Args& args, Value& data, Options& options) {
  auto option = [&](Value& v, bool is_dtype) {
    if (!w.use_value(v)) return false;
    if (v.get() == Py_None || v.get() == Py_False) return true;
    if (is_dtype)
      options.dtype = v;
    else
      options.others = true;
    return true;
  };
  for (size_t i = 0; i < args.positional.size(); ++i) {
    if (i == 0)
      data = args.positional[0];
    else if (!option(args.positional[i], i == 1))
      return false;
  }
  for (auto& [name, v] : args.keywords) {
    if (PyUnicode_CompareWithASCIIString(name, "data") == 0)
      data = v;
    else if (!option(v, PyUnicode_CompareWithASCIIString(name, "dtype") == 0))
      return false;
  }
  return true;
}

// An expression of sizes.
Value of_number(Walker& w, Value& n, const Value& dtype) {
  Args given;
  given.positional = {w.taken(PyTuple_New(0)), n};
  if (dtype) given.keywords.emplace_back(name_of("dtype"), dtype);
  Ref full = function(w, "full");
  return w.call(w.constant(full.get()), given);
}

// Integers of which some are expressions; none without an error: there are no such.
Value of_numbers(Walker& w, Value& list, const Value& dtype) {
  std::vector<Value> items;
  bool ints = true, any = false;
  w.use_length(list);
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list.get()); ++i) {
    items.push_back(w.item_at(list, i));
    ints = ints && PyLong_CheckExact(items.back().get());
    any = any || items.back().is(ShadowKind::number);
  }
  if (!ints || !any) return {};
  Walker::Committed committed(w);
  for (Value& n : items) {
    n = of_number(w, n, dtype);
    if (!n) return {};
  }
  Ref stack = function(w, "stack");
  return w.call_with(w.constant(stack.get()), {w.make_list(std::move(items))});
}

}  // namespace

// A float that is given to each run as a tensor; none: it is not.
Value Walker::of_changing_float(Value& v, const Value& dtype) {
  static PyObject* const n_to = name_of("to");
  static PyObject* const n_clone = name_of("clone");
  if (!PyFloat_CheckExact(v.get())) return {};
  Ref wanted = dtype ? dtype.object
                     : Ref::take(PyObject_CallNoArgs(function(*this, "get_default_dtype").get()));
  if (!wanted) return {};
  const Ref text = Ref::take(PyObject_Str(wanted.get()));
  if (!text_of(text.get()).ends_with(".float32") && !text_of(text.get()).ends_with(".float64"))
    return {};
  Ref t = changing_float(v, nullptr);
  if (!t) return {};
  Ref has = Ref::take(PyObject_GetAttrString(t.get(), "dtype"));
  if (!has) return {};
  const bool same = wanted.get() == has.get();
  TensorOp op{nullptr, same ? n_clone : n_to, {t.get()}, nullptr};
  if (!same) op.args.push_back(wanted.get());
  return tensor_result(library_.compute(op, [&] {
    return same ? PyObject_CallMethodNoArgs(t.get(), n_clone)
                : PyObject_CallMethodOneArg(t.get(), n_to, wanted.get());
  }));
}

// The entry keeps one such tensor, and each run copies it. Numbers that are expressions of sizes,
// and floats that change, are filled in.
Value Walker::literal(PyObject* f, Args& args) {
  Value data;
  Options options;
  if (asks_for_gradient(args) && stop_at_leaf(f)) return {};
  if (!read_options(*this, args, data, options)) return {};
  if (plain_ || !data || asks_for_gradient(args)) return call_plain(f, args);
  if (is_tensor(data.get()) && c_function_name(f).ends_with("as_tensor") && !options.others) {
    static PyObject* const n_to = name_of("to");
    if (!use_tensor(data)) return {};
    if (!options.dtype) return data;
    Value to = load_attribute(data, n_to);
    return to ? call_with(to, {options.dtype}) : Value();
  }
  if (!is_plain(data.get(), library_)) {
    use_type(data);
    if (stop("data_read",
             fmt::format("{} of a {} is not followed", c_function_name(f), data.type()->tp_name),
             hint_of_call("tensor")))
      return {};
    return call_plain(f, args);
  }
  if (!options.others) {
    if (data.is(ShadowKind::number)) return of_number(*this, data, options.dtype);
    Value filled = is_sequence(data.get()) ? of_numbers(*this, data, options.dtype)
                                           : of_changing_float(data, options.dtype);
    if (filled || halted_ || PyErr_Occurred()) return filled;
  }
  if (!use_value(data)) return {};
  Value made = call_plain(f, args);
  if (!made || plain_) return made;
  Ref clone = function(*this, "clone");
  return call_with(constant(clone.get()), {constant(made.get())});
}

}  // namespace frit::walk
