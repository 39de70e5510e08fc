// What is known of C functions: by the definition or the type itself, never by name.
#pragma once
#include "frame/walk/walker.h"

namespace frit::walk {

enum class CKind : uint8_t {
  model,      // the walk does it itself
  instance,   // calling an instance of the type: the walk does it itself
  pure,       // of plain values alone it gives a value, and nothing else
  types,      // reads only the types of its arguments
  state,      // reads some state; guarded by calling it again
  no_effect,  // nothing the program could notice
};

// `bound`: the function holds its first argument already.
using Model = Value (*)(Walker&, PyObject* f, Args&, bool bound);

struct CFunction {
  CKind kind = CKind::pure;
  Model model = nullptr;
};

// By PyMethodDef, slot wrapper, or type.
const CFunction* find_c_function(const void* key);
// One that a library of tensors brings with it.
void add_c_function(PyObject* callable, CFunction f);
// Python functions that are answered by the walk: is_compiling().
Model python_model(PyObject* function);
void add_python_model(PyObject* function, Model model);
// A C type's own __new__, called by name: all of them have one definition.
Model find_new_model(PyObject* type);
void add_new_model(PyTypeObject* type, Model model);
std::string c_function_name(PyObject* f);
// Making an instance runs nothing of the program's behind the walk's back.
bool is_safe_to_make(PyTypeObject* type);

// functools.partial, collections.defaultdict
PyTypeObject* partial_type();
PyTypeObject* defaultdict_type();
// The call of an instance of the type.
const CFunction* find_instance_call(PyTypeObject* type);

// The table while it is filled.
class CFunctions {
 public:
  void add(PyObject* callable, CFunction f);
  void add(const char* module, std::initializer_list<const char*> names, CKind kind,
           Model model = nullptr);
  void add(PyTypeObject* type, std::initializer_list<const char*> methods, CKind kind,
           Model model = nullptr);
  void add_all_methods(PyTypeObject* type);  // pure ones
  void type(PyTypeObject* type, Model model);
  void instances(PyTypeObject* type, Model model);
  const CFunction* find(const void* key) const;

 private:
  std::unordered_map<const void*, CFunction> by_key_;
};

void add_builtins(CFunctions&);
void add_containers(CFunctions&);
void add_types(CFunctions&);
void add_partial(CFunctions&);
void add_pure(CFunctions&);

}  // namespace frit::walk
