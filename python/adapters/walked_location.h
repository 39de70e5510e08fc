// Where the walk is, for errors and for what a recording notes.
#pragma once
#include "bindings/python.h"

namespace frit::python {

// The innermost walked frame outside of this package.
SourceLocation walked_location(const PyCodeObject* code);

}  // namespace frit::python
