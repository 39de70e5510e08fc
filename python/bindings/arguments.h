// Python objects as op arguments, by the type that a schema asks for.
#pragma once
#include <optional>

#include "bindings/python.h"
#include "ops/schema.h"

namespace frit::python {

// How much is taken for the type asked for. Overloads are tried strictly first: a tensor of no
// dimensions is a number only where no overload takes it as a tensor.
enum class Match : uint8_t { strict, loose };

// Sets `to`; false where the object is of another type. Throws where it is of the type but out of
// its range.
bool convert(PyObject* o, const SchemaArg& a, Match match, Arg& to);

// "int", "tuple of (int, float)": what was given, in PyTorch's words.
std::string given_text(PyObject* o);
// "int", "Tensor", "tuple of ints": what a schema asks for.
std::string wanted_text(const SchemaArg& a);

// A Python number as one of ours.
bool to_scalar(PyObject* o, Match match, Scalar& to);
bool to_int(PyObject* o, Match match, Int& to);
PyObject* from_scalar(const Scalar& s);

}  // namespace frit::python
