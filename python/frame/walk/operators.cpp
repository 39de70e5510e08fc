// Operators: on numbers that are expressions, on tensors, on plain values, and by the methods of
// Python classes.
#include <fmt/format.h>
#include <opcode.h>

#include "frame/walk/walker.h"

namespace frit::walk {
namespace {

constexpr int kInplace = NB_INPLACE_ADD;  // the first of the in-place operators

PyObject* run_binary(int op, PyObject* a, PyObject* b) {
  switch (op) {
    case NB_ADD:
      return PyNumber_Add(a, b);
    case NB_AND:
      return PyNumber_And(a, b);
    case NB_FLOOR_DIVIDE:
      return PyNumber_FloorDivide(a, b);
    case NB_LSHIFT:
      return PyNumber_Lshift(a, b);
    case NB_MATRIX_MULTIPLY:
      return PyNumber_MatrixMultiply(a, b);
    case NB_MULTIPLY:
      return PyNumber_Multiply(a, b);
    case NB_REMAINDER:
      return PyNumber_Remainder(a, b);
    case NB_OR:
      return PyNumber_Or(a, b);
    case NB_POWER:
      return PyNumber_Power(a, b, Py_None);
    case NB_RSHIFT:
      return PyNumber_Rshift(a, b);
    case NB_SUBTRACT:
      return PyNumber_Subtract(a, b);
    case NB_TRUE_DIVIDE:
      return PyNumber_TrueDivide(a, b);
    case NB_XOR:
      return PyNumber_Xor(a, b);
    case NB_INPLACE_ADD:
      return PyNumber_InPlaceAdd(a, b);
    case NB_INPLACE_AND:
      return PyNumber_InPlaceAnd(a, b);
    case NB_INPLACE_FLOOR_DIVIDE:
      return PyNumber_InPlaceFloorDivide(a, b);
    case NB_INPLACE_LSHIFT:
      return PyNumber_InPlaceLshift(a, b);
    case NB_INPLACE_MATRIX_MULTIPLY:
      return PyNumber_InPlaceMatrixMultiply(a, b);
    case NB_INPLACE_MULTIPLY:
      return PyNumber_InPlaceMultiply(a, b);
    case NB_INPLACE_REMAINDER:
      return PyNumber_InPlaceRemainder(a, b);
    case NB_INPLACE_OR:
      return PyNumber_InPlaceOr(a, b);
    case NB_INPLACE_POWER:
      return PyNumber_InPlacePower(a, b, Py_None);
    case NB_INPLACE_RSHIFT:
      return PyNumber_InPlaceRshift(a, b);
    case NB_INPLACE_SUBTRACT:
      return PyNumber_InPlaceSubtract(a, b);
    case NB_INPLACE_TRUE_DIVIDE:
      return PyNumber_InPlaceTrueDivide(a, b);
    case NB_INPLACE_XOR:
      return PyNumber_InPlaceXor(a, b);
  }
  PyErr_SetString(PyExc_SystemError, "an operator that is not known");
  return nullptr;
}

const char* kNames[] = {"add", "and", "floordiv", "lshift", "matmul",  "mul", "mod",
                        "or",  "pow", "rshift",   "sub",    "truediv", "xor"};

struct Methods {
  PyObject *normal[13], *reflected[13], *inplace[13];
  Methods() {
    for (int i = 0; i < 13; ++i) {
      normal[i] = name_of(fmt::format("__{}__", kNames[i]).c_str());
      reflected[i] = name_of(fmt::format("__r{}__", kNames[i]).c_str());
      inplace[i] = name_of(fmt::format("__i{}__", kNames[i]).c_str());
    }
  }
};
const Methods& methods() {
  static const Methods m;
  return m;
}

bool is_int(PyObject* o) { return PyLong_CheckExact(o) || PyBool_Check(o); }

std::optional<Int> expression(const Value& v) {
  if (v.is(ShadowKind::number)) return v.shadow->number;
  int overflow = 0;
  const long long n = PyLong_AsLongLongAndOverflow(v.get(), &overflow);
  if (overflow || n < -(1ll << 60) || n > (1ll << 60)) return std::nullopt;
  return Int(int64_t{n});
}

std::optional<Int> arithmetic(int op, Int a, Int b) {
  switch (op) {
    case NB_ADD:
      return a + b;
    case NB_SUBTRACT:
      return a - b;
    case NB_MULTIPLY:
      return a * b;
    case NB_FLOOR_DIVIDE:
      return floordiv(a, b);
    case NB_REMAINDER:
      return mod(a, b);
  }
  return std::nullopt;
}

bool is_basic(PyObject* o) {
  return is_int(o) || PyFloat_CheckExact(o) || PyUnicode_CheckExact(o) || o == Py_None ||
         PyBytes_CheckExact(o) || PyComplex_CheckExact(o);
}

}  // namespace

Value Walker::binary(int op, Value& a, Value& b) {
  PyObject *x = a.get(), *y = b.get();
  if (plain_) return taken(run_binary(op, x, y));
  const int plain_op = op >= kInplace ? op - kInplace : op;
  const Methods& m = methods();
  if (is_tensor(x) || is_tensor(y)) {
    if (PyObject* f = !is_tensor(x) ? python_method(a.type(), m.normal[plain_op]) : nullptr) {
      use_type(a);
      Committed committed(*this);
      Value r = call_with(constant(f), {a, b});
      if (!r || r.get() != Py_NotImplemented) return r;
    }
    bool ok = true;
    // A tensor without dimensions does as a number does, but for powers, and for what is computed
    // in another way where the number is in front.
    const bool front = plain_op == NB_ADD || plain_op == NB_SUBTRACT || plain_op == NB_MULTIPLY ||
                       plain_op == NB_TRUE_DIVIDE;
    const bool behind = front || plain_op == NB_FLOOR_DIVIDE || plain_op == NB_REMAINDER;
    Ref first = front ? changing_float(a, y) : Ref();
    Ref second = behind ? changing_float(b, x) : Ref();
    const bool number_first = static_cast<bool>(first);
    if (number_first) op = plain_op;  // it is not written
    if (!first) first = for_op(a, ok);
    if (ok && !second) second = for_op(b, ok);
    if (!ok) return {};
    if (number_first && op == NB_TRUE_DIVIDE) {
      static PyObject* const n_reciprocal = name_of("reciprocal");
      Ref r = Ref::take(
          compute(n_reciprocal, {y}, [&] { return PyObject_CallMethodNoArgs(y, n_reciprocal); }));
      if (!r) return {};
      return tensor_result(compute(m.normal[NB_MULTIPLY], {r.get(), first.get()},
                                   [&] { return PyNumber_Multiply(r.get(), first.get()); }));
    }
    PyObject* name = op >= kInplace ? m.inplace[plain_op] : m.normal[plain_op];
    return tensor_result(compute(name, {first.get(), second.get()},
                                 [&] { return run_binary(op, first.get(), second.get()); }));
  }
  if ((a.is(ShadowKind::number) || b.is(ShadowKind::number)) && is_int(x) && is_int(y)) {
    if ((!a.is(ShadowKind::number) && !use_value(a)) ||
        (!b.is(ShadowKind::number) && !use_value(b)))
      return {};
    std::optional<Int> e1 = expression(a), e2 = expression(b);
    Ref r = Ref::take(run_binary(op, x, y));
    if (!r) {
      use_value(a);
      use_value(b);
      return {};
    }
    if (e1 && e2 && (plain_op == NB_FLOOR_DIVIDE || plain_op == NB_REMAINDER))
      if (*e2 != Int(0)) {
      }  // asked: an entry is for divisors that are not 0
    // Sizes end where Python's ints go on.
    int overflow = 0;
    const long long seen =
        PyLong_Check(r.get()) ? PyLong_AsLongLongAndOverflow(r.get(), &overflow) : 0;
    if (overflow || seen > (1ll << 60) || seen < -(1ll << 60)) e1.reset();
    if (e1 && e2)
      if (std::optional<Int> e = arithmetic(plain_op, *e1, *e2)) return number(r.release(), *e);
    if (!use_value(a) || !use_value(b)) return {};
    return taken(r.release());
  }
  if (is_basic(x) && is_basic(y)) {
    if (!use_value(a) || !use_value(b)) return {};
    return taken(run_binary(op, x, y));
  }
  if (op >= kInplace)
    if (PyObject* f = python_method(a.type(), m.inplace[plain_op])) {
      use_type(a);
      Committed committed(*this);
      Value r = call_with(constant(f), {a, b});
      if (!r || r.get() != Py_NotImplemented) return r;
    }
  if (op == NB_INPLACE_ADD && PyList_CheckExact(x)) return list_extend(a, b) ? a : Value();
  if (plain_op == NB_ADD && is_sequence(x) && is_sequence(y) &&
      PyList_CheckExact(x) == PyList_CheckExact(y)) {
    use_length(a);
    use_length(b);
    std::vector<Value> items;
    for (Value* v : {&a, &b})
      for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(v->get()); ++i) {
        items.push_back(item_at(*v, i));
        if (!items.back()) return {};
      }
    return with_items(run_binary(op, x, y), items);
  }
  if (plain_op == NB_MULTIPLY && is_sequence(x) && is_int(y) && op < kInplace) {
    if (!use_value(b)) return {};
    use_length(a);
    const Py_ssize_t n = PyLong_AsSsize_t(y);
    if (n == -1 && PyErr_Occurred()) return {};
    constexpr Py_ssize_t kMostItems = 1 << 14;
    if (const Py_ssize_t size = PySequence_Fast_GET_SIZE(x); size && n > kMostItems / size) {
      if (stop("size", "a sequence of very many items is not followed")) return {};
      return taken(run_binary(op, x, y));
    }
    std::vector<Value> items;
    for (Py_ssize_t k = 0; k < n; ++k)
      for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(x); ++i) items.push_back(item_at(a, i));
    return with_items(run_binary(op, x, y), items);
  }
  // The right side goes first where its class comes from the left one's and has a method of its
  // own.
  const bool right_first = a.type() != b.type() && PyType_IsSubtype(b.type(), a.type()) &&
                           python_method(b.type(), m.reflected[plain_op]) &&
                           guards.lookup(a.type(), m.reflected[plain_op]) !=
                               guards.lookup(b.type(), m.reflected[plain_op]);
  auto left = [&](Value& r) {
    PyObject* f = python_method(a.type(), m.normal[plain_op]);
    if (!f) return false;
    use_type(a);
    use_type(b);
    r = call_with(constant(f), {a, b});
    return !r || r.get() != Py_NotImplemented;
  };
  auto right = [&](Value& r) {
    PyObject* f = a.type() == b.type() ? nullptr : python_method(b.type(), m.reflected[plain_op]);
    if (!f) return false;
    use_type(a);
    use_type(b);
    r = call_with(constant(f), {b, a});
    return !r || r.get() != Py_NotImplemented;
  };
  {
    Committed committed(*this);
    Value r;
    if (right_first ? right(r) || left(r) : left(r) || right(r)) return r;
  }
  const bool plain = is_plain(x, library_) && is_plain(y, library_);
  if (plain && !PyList_CheckExact(x) && !PyDict_CheckExact(x) && !PySet_CheckExact(x)) {
    if (!use_value(a) || !use_value(b)) return {};
    return known_or_constant(run_binary(op, x, y));
  }
  if (PyDict_CheckExact(x) && PyDict_CheckExact(y) && plain_op == NB_OR && op < kInplace) {
    Value r = fresh(PyDict_New());
    Args args;
    args.positional = {a};
    if (!r || !dict_update(r, args, 0)) return {};
    args.positional = {b};
    return dict_update(r, args, 0) ? r : Value();
  }
  use_type(a);
  use_type(b);
  if (stop("operator", fmt::format("the operator {} of a {} and a {} is not followed",
                                   kNames[plain_op], a.type()->tp_name, b.type()->tp_name)))
    return {};
  return taken(run_binary(op, x, y));
}

Value Walker::unary(int kind, Value& v) {
  auto run = [&](PyObject* o) {
    return kind == 0 ? PyNumber_Negative(o) : kind == 1 ? PyNumber_Positive(o) : PyNumber_Invert(o);
  };
  static PyObject* const names[] = {name_of("__neg__"), name_of("__pos__"), name_of("__invert__")};
  if (plain_) return taken(run(v.get()));
  if (is_tensor(v.get())) {
    if (!use_tensor(v)) return {};
    return tensor_result(compute(names[kind], {v.get()}, [&] { return run(v.get()); }));
  }
  if (v.is(ShadowKind::number) && kind == 0) return number(run(v.get()), -v.shadow->number);
  if (PyObject* f = python_method(v.type(), names[kind])) {
    use_type(v);
    Committed committed(*this);
    return call_with(constant(f), {v});
  }
  if (is_basic(v.get())) {
    if (!use_value(v)) return {};
    return taken(run(v.get()));
  }
  use_type(v);
  if (stop("operator", fmt::format("a sign before a {} is not followed", v.type()->tp_name)))
    return {};
  return taken(run(v.get()));
}

Value Walker::compare(int op, Value& a, Value& b) {
  static PyObject* const names[] = {name_of("__lt__"), name_of("__le__"), name_of("__eq__"),
                                    name_of("__ne__"), name_of("__gt__"), name_of("__ge__")};
  static const int swapped[] = {Py_GT, Py_GE, Py_EQ, Py_NE, Py_LT, Py_LE};
  PyObject *x = a.get(), *y = b.get();
  if (plain_) return taken(PyObject_RichCompare(x, y, op));
  if (is_tensor(x) || is_tensor(y)) {
    bool ok = true;
    Ref first = changing_float(a, y), second = changing_float(b, x);
    if (!first) first = for_op(a, ok);
    if (ok && !second) second = for_op(b, ok);
    if (!ok) return {};
    PyObject* r = compute(names[op], {first.get(), second.get()},
                          [&] { return PyObject_RichCompare(first.get(), second.get(), op); });
    return r && !is_tensor(r) ? taken(r) : tensor_result(r);
  }
  if ((a.is(ShadowKind::number) || b.is(ShadowKind::number)) && is_int(x) && is_int(y)) {
    if ((!a.is(ShadowKind::number) && !use_value(a)) ||
        (!b.is(ShadowKind::number) && !use_value(b)))
      return {};
    std::optional<Int> e1 = expression(a), e2 = expression(b);
    if (e1 && e2) {
      // Asking decides by the sizes seen, and makes it a guard.
      const bool r = op == Py_LT   ? static_cast<bool>(*e1 < *e2)
                     : op == Py_LE ? static_cast<bool>(*e1 <= *e2)
                     : op == Py_EQ ? static_cast<bool>(*e1 == *e2)
                     : op == Py_NE ? static_cast<bool>(*e1 != *e2)
                     : op == Py_GT ? static_cast<bool>(*e1 > *e2)
                                   : static_cast<bool>(*e1 >= *e2);
      return boolean(r);
    }
    if (!use_value(a) || !use_value(b)) return {};
    return taken(PyObject_RichCompare(x, y, op));
  }
  if (is_basic(x) && is_basic(y)) {
    if (!use_value(a) || !use_value(b)) return {};
    return taken(PyObject_RichCompare(x, y, op));
  }
  if ((op == Py_EQ || op == Py_NE) && is_sequence(x) && is_sequence(y) &&
      PyList_CheckExact(x) == PyList_CheckExact(y)) {
    use_length(a);
    use_length(b);
    // What compares two items may change the lists.
    auto more = [&](Py_ssize_t i) {
      return i < PySequence_Fast_GET_SIZE(x) && i < PySequence_Fast_GET_SIZE(y);
    };
    auto lengths_differ = [&] {
      return PySequence_Fast_GET_SIZE(x) != PySequence_Fast_GET_SIZE(y);
    };
    if (PyList_CheckExact(x) && lengths_differ()) return boolean(op == Py_NE);
    Committed committed(*this);
    for (Py_ssize_t i = 0; more(i); ++i) {
      Value p = item_at(a, i), q = item_at(b, i);
      if (!p || !q) return {};
      if (p.get() == q.get()) {
        if (p.shadow == q.shadow) continue;
        if (!p.is(ShadowKind::number) && !q.is(ShadowKind::number)) {
          use_same(p, q);
          if (p.shadow == q.shadow) continue;
        }
      }
      Value r = compare(Py_EQ, p, q);
      const int t = r ? truth(r) : -1;
      if (t < 0) return {};
      if (!t && more(i)) return boolean(op == Py_NE);
    }
    return boolean(lengths_differ() == (op == Py_NE));
  }
  {
    Committed committed(*this);
    const bool right_first = a.type() != b.type() && PyType_IsSubtype(b.type(), a.type());
    for (int turn = 0; turn < 2; ++turn) {
      const bool right = right_first ? turn == 0 : turn == 1;
      PyObject* f =
          right ? python_method(b.type(), names[swapped[op]]) : python_method(a.type(), names[op]);
      if (!f) continue;
      use_type(a);
      use_type(b);
      Value r = right ? call_with(constant(f), {b, a}) : call_with(constant(f), {a, b});
      if (!r || r.get() != Py_NotImplemented) return r;
    }
    // object's != asks ==.
    if (op == Py_NE)
      if (PyObject* f = python_method(a.type(), names[Py_EQ])) {
        Value r = call_with(constant(f), {a, b});
        if (!r) return r;
        if (r.get() != Py_NotImplemented) {
          const int t = truth(r);
          return t < 0 ? Value() : boolean(!t);
        }
      }
  }
  if ((is_plain(x, library_) || is_enum_of_plain(x)) &&
      (is_plain(y, library_) || is_enum_of_plain(y))) {
    if (!use_value(a) || !use_value(b)) return {};
    return taken(PyObject_RichCompare(x, y, op));
  }
  use_type(a);
  use_type(b);
  if ((op == Py_EQ || op == Py_NE) &&
      a.type()->tp_richcompare == PyBaseObject_Type.tp_richcompare &&
      b.type()->tp_richcompare == PyBaseObject_Type.tp_richcompare) {
    // By identity.
    const bool same = x == y;
    if (same) {
      use_same(a, b);
    } else {
      canonical(a);
      canonical(b);
      Source *s = source_of(a), *t = source_of(b);
      if (s && t && (s->kind != SourceKind::constant || t->kind != SourceKind::constant)) {
        if (s->id < t->id) std::swap(s, t);
        guards.add(GuardKind::not_same, *s, nullptr, t);
      }
    }
    return boolean(same == (op == Py_EQ));
  }
  if ((x == Py_None || y == Py_None) && (op == Py_EQ || op == Py_NE) &&
      !(is_plain(x, library_) && is_plain(y, library_))) {
    const PyTypeObject* t = x == Py_None ? b.type() : a.type();
    if (t->tp_richcompare == PyBaseObject_Type.tp_richcompare ||
        PyDict_CheckExact(x == Py_None ? y : x) || is_sequence(x == Py_None ? y : x))
      return boolean((x == y) == (op == Py_EQ));
  }
  if (stop("comparison", fmt::format("comparing a {} with a {} is not followed", a.type()->tp_name,
                                     b.type()->tp_name)))
    return {};
  return taken(PyObject_RichCompare(x, y, op));
}

int Walker::contains(Value& container, Value& v) {
  static PyObject* const n_contains = name_of("__contains__");
  if (plain_) return PySequence_Contains(container.get(), v.get());
  Value& c = under_proxy(container);
  PyObject* o = c.get();
  if (PyObject* f = python_method(c.type(), n_contains)) {
    use_type(c);
    Committed committed(*this);
    Value r = call_with(constant(f), {c, v});
    return r ? truth(r) : -1;
  }
  const bool view = c.is(ShadowKind::fresh) && parts(c).iterates == Iterates::keys &&
                    parts(c).base && PyDict_Check(parts(c).base.get());
  if (PyDict_Check(o) || view) {
    Value d = view ? parts(c).base : c;
    use_type(d);
    if (!use_key(v)) return -1;
    if (!is_key(v)) {
      if (stop("key", fmt::format("a dict's key that is a {} is not followed", v.type()->tp_name)))
        return -1;
      return PySequence_Contains(o, v.get());
    }
    const int there = PyDict_Contains(d.get(), v.get());
    if (there < 0) return -1;
    if (!there) {
      use_absent(d, v.get());
    } else if (Source* s = d.is(ShadowKind::fresh) ? nullptr : source_of(d)) {
      const bool attributes = s->kind == SourceKind::dict && PyUnicode_CheckExact(v.get());
      Source* known = sources.find(attributes ? SourceKind::attribute : SourceKind::key,
                                   attributes ? s->parent : s, v.get(), 0);
      if (!known || !known->written) {
        keep(v.get());
        guards.add(GuardKind::present_key, *s, v.get());
      }
    }
    return there;
  }
  if (is_sequence(o) && !is_plain(o, library_)) {
    // One after the other, as list does: identity first.
    use_length(c);
    Committed committed(*this);
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) {
      Value x = item_at(c, i);
      if (!x) return -1;
      if (x.get() == v.get() && !x.is(ShadowKind::number) && !v.is(ShadowKind::number)) {
        use_same(x, v);
        if (x.shadow == v.shadow) return 1;
      }
      Value r = compare(Py_EQ, x, v);
      const int t = r ? truth(r) : -1;
      if (t) return t;
    }
    return 0;
  }
  if (PySet_Check(o) && c.is(ShadowKind::fresh) && is_key(v)) {
    // What was put into it was so as it is looked up: by value, or by identity.
    return use_key(v) ? PySequence_Contains(o, v.get()) : -1;
  }
  if (is_plain(o, library_) && is_plain(v.get(), library_)) {
    if (PyAnySet_Check(o)) {
      Source* s = c.is(ShadowKind::fresh) ? nullptr : source_of(c);
      if (!use_value(v)) return -1;
      const int there = PySequence_Contains(o, v.get());
      if (s && PySet_Check(o)) {
        if (s->changed) {
          lose("changed", "a set of the caller's is read after it was changed");
        } else if (there >= 0) {
          use_type(c);
          keep(v.get());
          guards.add(there ? GuardKind::present_key : GuardKind::absent_key, *s, v.get());
        }
      }
      return there;
    }
    if (!use_value(c) || !use_value(v)) return -1;
    return PySequence_Contains(o, v.get());
  }
  use_type(c);
  if (stop("in", fmt::format("'in' a {} is not followed", c.type()->tp_name))) return -1;
  return PySequence_Contains(o, v.get());
}

Value Walker::format(Value& v, int conversion, Value* spec) {
  if (!plain_) {
    if (is_tensor(v.get())) {
      if (stop("data_read", "a tensor's text is made", "print after the compiled call")) return {};
    } else if (!is_plain(v.get(), library_)) {
      use_type(v);
      if (stop("format", fmt::format("the text of a {} is not followed", v.type()->tp_name)))
        return {};
    }
    if (!use_value(v) || (spec && !use_value(*spec))) return {};
  }
  Ref text = v.object;
  if (conversion) {
    text = Ref::take(conversion == 1   ? PyObject_Str(v.get())
                     : conversion == 2 ? PyObject_Repr(v.get())
                                       : PyObject_ASCII(v.get()));
    if (!text) return {};
  }
  if (PyUnicode_CheckExact(text.get()) && !spec) return taken(text.release());
  return taken(PyObject_Format(text.get(), spec ? spec->get() : nullptr));
}

}  // namespace frit::walk
