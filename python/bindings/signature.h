// A record's schema as a Python signature, and the matching of calls to it.
#pragma once
#include <string>
#include <vector>

#include "bindings/arguments.h"
#include "ops/record.h"

namespace frit::python {

struct Parameter {
  const SchemaArg* arg = nullptr;
  PyObject* name = nullptr;   // interned
  PyObject* alias = nullptr;  // NumPy's name for it, or input for self; may be null
};

struct Signature {
  const OpRecord* record = nullptr;
  std::vector<Parameter> parameters;
  size_t places = 0;               // how many may be given by position
  bool loose_ints = false;         // x.view(2, 3): the ints of the last place one by one
  bool makes_tensors = false;      // takes requires_grad=
  PyTypeObject* result = nullptr;  // of several results that have names

  explicit Signature(const OpRecord& r);
  // "(Tensor input, Tensor other, *, Number alpha = 1)"
  std::string text() const;
};

// What a call gives: positional arguments, then as many as there are keywords.
struct GivenCall {
  PyObject* const* args;
  size_t positional;
  PyObject* keywords;  // a tuple of names, or null
  size_t keyword_count() const {
    return keywords ? static_cast<size_t>(PyTuple_GET_SIZE(keywords)) : 0;
  }
};
// The keywords that every op has, taken out of a call.
struct Extras {
  PyObject* out = nullptr;
  bool requires_grad = false;
};

// Sets complete arguments; false where the call does not fit.
bool match(const Signature& s, const GivenCall& call, Match how, ArgList& args, Extras& extras);
// The TypeError of a call that fits none of them.
[[noreturn]] void fail_match(std::string_view name, std::span<const Signature> signatures,
                             const GivenCall& call);

}  // namespace frit::python
