#include "frame/abi/opcodes.h"

#include <initializer_list>
#include <memory>
#include <utility>

#include "frame/abi/code_info.h"
#include "frame/abi/layout.h"
#include "frame/abi/owned.h"

namespace frit::frame {
namespace {

bool read_names(Opcodes& table, PyObject* module) {
  Owned map(PyObject_GetAttrString(module, "opmap"));
  if (!map || !PyDict_Check(map.get())) {
    return false;
  }
  Py_ssize_t at = 0;
  PyObject *name, *number;
  while (PyDict_Next(map.get(), &at, &name, &number)) {
    const char* text = PyUnicode_AsUTF8(name);
    const long opcode = PyLong_AsLong(number);
    if (!text || (opcode == -1 && PyErr_Occurred())) {
      return false;
    }
    table.by_name.emplace(text, static_cast<int>(opcode));
    if (opcode >= 0 && opcode < 256) {  // others are the compiler's own
      table.names[static_cast<size_t>(opcode)] = text;
    }
  }
  return true;
}

bool read_jumps(Opcodes& table, PyObject* module) {
  for (const char* list : {"hasjrel", "hasjabs"}) {
    Owned jumps(PyObject_GetAttrString(module, list));
    Owned iterator(jumps ? PyObject_GetIter(jumps.get()) : nullptr);
    if (!iterator) {
      return false;
    }
    while (Owned item{PyIter_Next(iterator.get())}) {
      const long opcode = PyLong_AsLong(item.get());
      if (opcode < 0 || opcode > 255) {
        continue;
      }
      const bool backward =
          table.names[static_cast<size_t>(opcode)].find("BACKWARD") != std::string::npos;
      table.jump[static_cast<size_t>(opcode)] =
          backward ? Opcodes::Jump::kBackward : Opcodes::Jump::kForward;
    }
    if (PyErr_Occurred()) {
      return false;
    }
  }
  return true;
}

// By opcode in a list up to 3.12, by name in a dict since.
bool read_caches(Opcodes& table, PyObject* module) {
  Owned caches(PyObject_GetAttrString(module, "_inline_cache_entries"));
  if (!caches) {
    return false;
  }
  for (int opcode = 0; opcode < 256; opcode++) {
    PyObject* count = nullptr;
    if (PyDict_Check(caches.get())) {
      count = PyDict_GetItemString(caches.get(), table.names[static_cast<size_t>(opcode)].c_str());
    } else if (PyList_Check(caches.get()) && opcode < PyList_GET_SIZE(caches.get())) {
      count = PyList_GET_ITEM(caches.get(), opcode);
    }
    if (count) {
      table.caches[static_cast<size_t>(opcode)] = static_cast<uint8_t>(PyLong_AsLong(count));
    }
  }
  return !PyErr_Occurred();
}

void find_special(Opcodes& table) {
  const std::initializer_list<std::pair<int Opcodes::*, const char*>> specials = {
      {&Opcodes::extended_arg, "EXTENDED_ARG"},
      {&Opcodes::resume, "RESUME"},
      {&Opcodes::make_cell, "MAKE_CELL"},
      {&Opcodes::copy_free_vars, "COPY_FREE_VARS"},
      {&Opcodes::return_generator, "RETURN_GENERATOR"},
      {&Opcodes::return_value, "RETURN_VALUE"},
      {&Opcodes::return_const, "RETURN_CONST"},
      {&Opcodes::raise_varargs, "RAISE_VARARGS"},
      {&Opcodes::reraise, "RERAISE"},
      {&Opcodes::jump_forward, "JUMP_FORWARD"},
      {&Opcodes::jump_backward, "JUMP_BACKWARD"},
      {&Opcodes::jump_backward_no_interrupt, "JUMP_BACKWARD_NO_INTERRUPT"},
      {&Opcodes::for_iter, "FOR_ITER"},
      {&Opcodes::end_for, "END_FOR"},
      {&Opcodes::kw_names, "KW_NAMES"},
      {&Opcodes::precall, "PRECALL"},
      {&Opcodes::call, "CALL"},
      {&Opcodes::call_kw, "CALL_KW"},
      {&Opcodes::call_function_ex, "CALL_FUNCTION_EX"},
      {&Opcodes::load_attr, "LOAD_ATTR"},
      {&Opcodes::trap, Layout::kTrap},
  };
  for (const auto& [member, name] : specials) {
    const auto found = table.by_name.find(name);
    table.*member = found == table.by_name.end() ? -1 : found->second;
  }
}

const Opcodes* make_table() {
  Owned module(PyImport_ImportModule("opcode"));
  auto table = std::make_unique<Opcodes>();
  if (!module || !read_names(*table, module.get()) || !read_jumps(*table, module.get()) ||
      !read_caches(*table, module.get())) {
    return nullptr;
  }
  Owned have_argument(PyObject_GetAttrString(module.get(), "HAVE_ARGUMENT"));
  if (!have_argument) {
    return nullptr;
  }
  table->have_argument = static_cast<int>(PyLong_AsLong(have_argument.get()));
  find_special(*table);
  if (table->trap < 0 || table->resume < 0 || table->return_value < 0) {
    PyErr_SetString(PyExc_RuntimeError,
                    "[compile] Python's opcode module lacks an opcode that capture needs");
    return nullptr;
  }
  return table.release();  // as long as the process
}

}  // namespace

bool Opcodes::is_end(int opcode) const {
  return opcode == return_value || opcode == return_const || opcode == raise_varargs ||
         opcode == reraise;
}

bool Opcodes::is_jump(int opcode) const {
  return opcode == jump_forward || opcode == jump_backward || opcode == jump_backward_no_interrupt;
}

bool Opcodes::is_prologue(int opcode) const {
  return opcode == resume || opcode == make_cell || opcode == copy_free_vars ||
         opcode == return_generator;
}

const Opcodes* opcodes() {
  static const Opcodes* table = nullptr;
  if (!table) {
    table = make_table();
  }
  return table;
}

int opcode_named(std::string_view name) {
  const Opcodes* table = opcodes();
  if (!table) {
    PyErr_Clear();
    return -1;
  }
  const auto found = table->by_name.find(std::string(name));
  return found == table->by_name.end() ? -1 : found->second;
}

}  // namespace frit::frame
