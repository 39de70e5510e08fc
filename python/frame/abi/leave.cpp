// Ways out of an instruction that do not go through a clone: a call made by the call protocol, and
// the return of a value from wherever the frame is.
#include "frame/abi/frame.h"
#include "frame/abi/layout.h"
#include "frame/abi/opcodes.h"
#include "frame/abi/owned.h"

namespace frit::frame {

// What is most likely to look at the frame is done from here, where the frame has its own code: a
// call and the read of an attribute. False: it is neither. True: done, with its
// result on the stack and the next instruction set, or with an exception set.
bool FrameRun::run_plainly() {
  if (Layout::is_observed(thread_)) {
    return false;
  }
  const Instruction* at = info_->at(unit_);
  if (at->opcode == opcodes()->load_attr) {
    return read_plainly(*at);
  }
  if (at->opcode == opcodes()->call_function_ex) {
    return spread_plainly(*at);
  }
  return call_plainly();
}

bool FrameRun::read_plainly(const Instruction& at) {
  if (Layout::kMethodBit && (at.arg & 1)) {
    return false;  // it leaves a method and its self
  }
  PyObject* name = PyTuple_GET_ITEM(code_->co_names, Layout::kMethodBit ? at.arg >> 1 : at.arg);
  Layout::set_executing(frame_, at.op_unit);
  if (PyObject* value = PyObject_GetAttr(stack().back(), name)) {
    drop_stack(depth_ - 1);
    push(value);
    set_instruction(at.next);
  }
  return true;
}

bool FrameRun::call_plainly() {
  const Opcodes* table = opcodes();
  const Instruction* first = info_->at(unit_);
  const Instruction* at = &info_->call_of(unit_);
  PyObject* names =
      first->opcode == table->kw_names ? PyTuple_GET_ITEM(code_->co_consts, first->arg) : nullptr;
  const bool names_on_stack = at->opcode == table->call_kw;
  if (at->opcode != table->call && !names_on_stack) {
    return false;
  }
  set_instruction(at->unit);
  Layout::set_executing(frame_, at->op_unit);
  const int base = depth_ - at->arg - 2 - (names_on_stack ? 1 : 0);
  PyObject** lower = locals_ + local_count_ + base;
  if (names_on_stack) {
    names = lower[at->arg + 2];
  }
  // Below the arguments: a method and its self, or a callable and NULL.
  const bool has_self = Layout::kCallableFirst ? lower[1] != nullptr : lower[0] != nullptr;
  PyObject* callable = Layout::kCallableFirst || has_self ? lower[0] : lower[1];
  PyObject** arguments = lower + (has_self ? 1 : 2);
  const size_t positional = static_cast<size_t>(at->arg + (has_self ? 1 : 0)) -
                            (names ? static_cast<size_t>(PyTuple_GET_SIZE(names)) : 0);
  PyObject* result =
      PyObject_Vectorcall(callable, arguments, positional | PY_VECTORCALL_ARGUMENTS_OFFSET, names);
  if (result) {
    drop_stack(base);
    push(result);
    set_instruction(at->next);
  }
  return true;
}

// A call with * or **, whose arguments have been gathered.
bool FrameRun::spread_plainly(const Instruction& at) {
  PyObject* named = (at.arg & 1) ? stack().back() : nullptr;
  const int base = depth_ - 3 - (named ? 1 : 0);
  PyObject** lower = locals_ + local_count_ + base;
  const bool is_list = PyList_CheckExact(lower[2]);
  if ((!is_list && !PyTuple_CheckExact(lower[2])) || (named && !PyDict_CheckExact(named))) {
    return false;
  }
  const Owned positional(is_list ? PyList_AsTuple(lower[2]) : Py_NewRef(lower[2]));
  if (!positional) {
    return true;
  }
  Layout::set_executing(frame_, at.op_unit);
  PyObject* callable = Layout::kCallableFirst ? lower[0] : lower[1];
  if (PyObject* result = PyObject_Call(callable, positional.get(), named)) {
    drop_stack(base);
    push(result);
    set_instruction(at.next);
  }
  return true;
}

PyObject* FrameRun::finish_returning(PyObject* stolen) {
  const CodeInfo::ReturnPlace place = info_->return_place();
  drop_stack(0);
  if (!place.code) {
    Py_DECREF(stolen);
    return finish_raising();
  }
  push(stolen);
  unit_ = place.unit;
  done(evaluate(place.code, false));
  return take_result();
}

}  // namespace frit::frame
