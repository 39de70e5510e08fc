#include "bindings/signature.h"

#include <fmt/format.h>

namespace frit::python {
namespace {

PyObject* interned(std::string_view s) {
  PyObject* o = PyUnicode_FromStringAndSize(s.data(), static_cast<Py_ssize_t>(s.size()));
  if (!o) throw_python();
  PyUnicode_InternInPlace(&o);
  return o;
}
PyObject* out_name() {
  static PyObject* name = interned("out");
  return name;
}
PyObject* requires_grad_name() {
  static PyObject* name = interned("requires_grad");
  return name;
}
bool same(PyObject* a, PyObject* b) { return a == b || (b && PyUnicode_Compare(a, b) == 0); }

const char* alias_of(const std::string& name) {
  if (name == "self") return "input";
  if (name == "dim") return "axis";
  if (name == "keepdim") return "keepdims";
  if (name == "other") return "x2";
  return nullptr;
}

int find(const Signature& s, PyObject* keyword) {
  for (size_t i = 0; i < s.parameters.size(); ++i)  // most keywords are interned, as names are
    if (s.parameters[i].name == keyword) return static_cast<int>(i);
  for (size_t i = 0; i < s.parameters.size(); ++i)
    if (same(keyword, s.parameters[i].name) || same(keyword, s.parameters[i].alias))
      return static_cast<int>(i);
  return -1;
}

// A keyword that is no parameter: out=, requires_grad=.
bool take_extra(const Signature& s, PyObject* keyword, PyObject* value, Extras& extras) {
  if (s.record->out && same(keyword, out_name())) {
    extras.out = value == Py_None ? nullptr : value;
    return true;
  }
  if (s.makes_tensors && same(keyword, requires_grad_name()) && PyBool_Check(value)) {
    extras.requires_grad = value == Py_True;
    return true;
  }
  return false;
}

bool is_int(PyObject* o) { return PyIndex_Check(o) && !PyBool_Check(o); }

// The arguments from place `first` on, as one list.
bool take_ints(const Signature& s, const GivenCall& call, size_t first, Arg& to) {
  IntList list;
  for (size_t i = first; i < call.positional; ++i) {
    Int one;
    if (!to_int(call.args[i], Match::loose, one)) return false;
    list.push_back(one);
  }
  to = Arg(std::move(list));
  return true;
}

PyTypeObject* named_results(const OpRecord& r) {
  const auto& returns = r.schema.returns;
  if (returns.size() < 2) return nullptr;
  for (const SchemaReturn& one : returns)
    if (one.name.empty()) return nullptr;
  // Kept, with their names, for the life of the process.
  auto* fields = new std::vector<PyStructSequence_Field>();
  for (const SchemaReturn& one : returns) fields->push_back({one.name.c_str(), nullptr});
  fields->push_back({nullptr, nullptr});
  auto* name = new std::string("frit.return_types." + r.schema.name);
  PyStructSequence_Desc d{name->c_str(), nullptr, fields->data(), static_cast<int>(returns.size())};
  PyTypeObject* t = PyStructSequence_NewType(&d);
  if (!t) throw_python();
  return t;
}

std::string python_type(const SchemaArg& a) {
  std::string t = wanted_text(a);
  return a.optional ? t + " | None" : t;
}

std::string default_text(const Arg& a) {
  if (a.is_none()) return "None";
  if (a.is<bool>()) return a.as<bool>() ? "True" : "False";
  if (a.is<Int>()) return a.as<Int>().str();
  if (a.is<double>()) return fmt::format("{}", a.as<double>());
  if (a.is<Symbol>()) return fmt::format("\"{}\"", a.as<Symbol>().str());
  if (a.is<Scalar>()) {
    const Scalar& s = a.as<Scalar>();
    return s.is_real() ? fmt::format("{}", s.to_double()) : fmt::format("{}", s.to_int64());
  }
  if (a.is<IntList>()) {
    std::string t;
    for (Int i : a.as<IntList>()) t += (t.empty() ? "" : ", ") + i.str();
    return "(" + t + ")";
  }
  return "...";
}

std::string call_text(const GivenCall& call) {
  std::string t;
  for (size_t i = 0; i < call.positional; ++i) t += (i ? ", " : "") + given_text(call.args[i]);
  for (size_t i = 0; i < call.keyword_count(); ++i) {
    PyObject* name = PyTuple_GET_ITEM(call.keywords, static_cast<Py_ssize_t>(i));
    t += fmt::format("{}{}={}", t.empty() ? "" : ", ", nb::cast<std::string>(nb::handle(name)),
                     given_text(call.args[call.positional + i]));
  }
  return "(" + t + ")";
}

[[noreturn]] void fail(std::string_view name, std::string message, std::string hint) {
  throw UserError(ErrorKind::type, name, std::move(message), std::move(hint));
}

// What is wrong with the call of a name that has one signature.
void explain(std::string_view name, const Signature& s, const GivenCall& call) {
  std::string hint = fmt::format("its signature is {}{}", name, s.text());
  if (call.positional > s.places && !s.loose_ints)
    fail(name,
         fmt::format("{}() takes {} positional argument{} but {} {} given", name, s.places,
                     s.places == 1 ? "" : "s", call.positional,
                     call.positional == 1 ? "was" : "were"),
         hint);
  std::vector<PyObject*> given(s.parameters.size());
  for (size_t i = 0; i < std::min(call.positional, s.places); ++i) given[i] = call.args[i];
  for (size_t i = 0; i < call.keyword_count(); ++i) {
    PyObject* keyword = PyTuple_GET_ITEM(call.keywords, static_cast<Py_ssize_t>(i));
    std::string text = nb::cast<std::string>(nb::handle(keyword));
    Extras extras;
    int at = find(s, keyword);
    if (at < 0 && !take_extra(s, keyword, call.args[call.positional + i], extras))
      fail(name, fmt::format("{}() got an unexpected keyword argument '{}'", name, text), hint);
    if (at < 0) continue;
    if (given[static_cast<size_t>(at)])
      fail(name, fmt::format("{}() got multiple values for argument '{}'", name, text), hint);
    given[static_cast<size_t>(at)] = call.args[call.positional + i];
  }
  std::string missing;
  int count = 0;
  for (size_t i = 0; i < given.size(); ++i) {
    const SchemaArg& a = *s.parameters[i].arg;
    std::string shown = a.name == "self" ? "input" : a.name;
    if (!given[i]) {
      if (!a.has_default) missing += fmt::format("{}\"{}\"", count++ ? ", " : "", shown);
      continue;
    }
    Arg ignored;
    if (convert(given[i], a, Match::loose, ignored)) continue;
    std::string place = i < call.positional ? fmt::format(" (position {})", i + 1) : std::string();
    fail(name,
         fmt::format("{}(): argument '{}'{} must be {}, not {}", name, shown, place, wanted_text(a),
                     given_text(given[i])),
         hint);
  }
  if (count)
    fail(name,
         fmt::format("{}() missing {} required positional argument{}: {}", name, count,
                     count == 1 ? "" : "s", missing),
         hint);
}

}  // namespace

Signature::Signature(const OpRecord& r) : record(&r) {
  bool layout = false, dtype = false;
  for (const SchemaArg& a : r.schema.args) {
    Parameter p{&a, interned(a.name), nullptr};
    const char* alias = alias_of(a.name);
    if (alias && r.schema.find(alias) < 0) p.alias = interned(alias);
    parameters.push_back(p);
    if (!a.keyword_only) ++places;
    layout = layout || a.type == ArgType::layout;
    dtype = dtype || a.type == ArgType::dtype;
  }
  makes_tensors = layout && dtype && r.schema.find("requires_grad") < 0;
  size_t first = places && parameters[0].arg->type == ArgType::tensor ? 1 : 0;
  loose_ints = places == first + 1 && parameters[first].arg->type == ArgType::integer_list;
  result = named_results(r);
}

std::string Signature::text() const {
  std::string t;
  bool star = false;
  for (const Parameter& p : parameters) {
    if (!t.empty()) t += ", ";
    if (p.arg->keyword_only && !star) {
      t += "*, ";
      star = true;
    }
    t += python_type(*p.arg) + " " + (p.arg->name == "self" ? "input" : p.arg->name);
    if (p.arg->has_default) t += " = " + default_text(p.arg->default_value);
  }
  if (record->out) t += std::string(star ? ", " : ", *, ") + "Tensor out = None";
  return "(" + t + ")";
}

bool match(const Signature& s, const GivenCall& call, Match how, ArgList& args, Extras& extras) {
  size_t count = s.parameters.size();
  args.clear();
  args.resize(count);
  uint64_t filled = 0;
  size_t positional = call.positional;
  if (s.loose_ints && positional >= s.places && is_int(call.args[s.places - 1])) {
    if (!take_ints(s, call, s.places - 1, args[s.places - 1])) return false;
    filled |= uint64_t{1} << (s.places - 1);
    positional = s.places - 1;
  }
  if (positional > s.places) return false;
  for (size_t i = 0; i < positional; ++i)
    if (!convert(call.args[i], *s.parameters[i].arg, how, args[i])) return false;
  filled |= (uint64_t{1} << positional) - 1;
  for (size_t i = 0, n = call.keyword_count(); i < n; ++i) {
    PyObject* keyword = PyTuple_GET_ITEM(call.keywords, static_cast<Py_ssize_t>(i));
    PyObject* value = call.args[call.positional + i];
    int at = find(s, keyword);
    if (at < 0) {
      if (!take_extra(s, keyword, value, extras)) return false;
      continue;
    }
    auto place = static_cast<size_t>(at);
    if (filled >> place & 1) return false;
    if (!convert(value, *s.parameters[place].arg, how, args[place])) return false;
    filled |= uint64_t{1} << place;
  }
  for (size_t i = 0; i < count; ++i) {
    if (filled >> i & 1) continue;
    if (!s.parameters[i].arg->has_default) return false;
    args[i] = s.parameters[i].arg->default_value;
  }
  return true;
}

void fail_match(std::string_view name, std::span<const Signature> signatures,
                const GivenCall& call) {
  if (signatures.size() == 1) explain(name, signatures[0], call);
  std::string text = fmt::format(
      "{}() received an invalid combination of arguments - got {}, but expected one of:", name,
      call_text(call));
  for (const Signature& s : signatures) text += "\n * " + s.text();
  fail(name, text, {});
}

}  // namespace frit::python
