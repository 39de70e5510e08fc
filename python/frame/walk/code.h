// A code object, decoded: the instructions of every supported CPython in one vocabulary. The stack
// is each version's own at every instruction, so that a frame can be handed over between any two.
#pragma once
#include <cstdint>
#include <vector>

#include "frame/walk/ref.h"

namespace frit::walk {

enum class Op : uint8_t {
  unsupported,
  nothing,
  load_fast,
  load_fast_check,
  load_fast_and_clear,
  load_fast_load_fast,
  store_fast,
  store_fast_load_fast,
  store_fast_store_fast,
  delete_fast,
  load_const,
  load_global,
  load_build_class,
  store_global,
  delete_global,
  pop_top,
  push_null,
  copy,
  swap,
  end_for,
  unary_not,
  unary_negative,
  unary_positive,
  unary_invert,
  to_bool,
  binary_op,
  compare_op,
  is_op,
  contains_op,
  binary_subscr,
  store_subscr,
  delete_subscr,
  binary_slice,
  store_slice,
  load_attr,
  store_attr,
  delete_attr,
  load_super_attr,
  jump,
  pop_jump_if_false,
  pop_jump_if_true,
  pop_jump_if_none,
  pop_jump_if_not_none,
  jump_if_false_or_pop,
  jump_if_true_or_pop,
  get_iter,
  for_iter,
  kw_names,
  call,
  call_kw,
  call_function_ex,
  return_value,
  return_const,
  build_tuple,
  build_list,
  build_set,
  build_map,
  build_const_key_map,
  build_slice,
  build_string,
  list_append,
  list_extend,
  set_add,
  set_update,
  map_add,
  dict_update,
  dict_merge,
  list_to_tuple,
  unpack_sequence,
  unpack_ex,
  format_value,
  convert_value,
  format_simple,
  format_with_spec,
  make_cell,
  copy_free_vars,
  load_closure,
  load_deref,
  store_deref,
  delete_deref,
  make_function,
  set_function_attribute,
  load_assertion_error,
  import_name,
  import_from,
  before_with,
  with_except_start,
  push_exc_info,
  pop_except,
  check_exc_match,
  reraise,
  raise_varargs,
  return_generator,
  yield_value,
  get_yield_from_iter,
  send,
  end_send,
  get_len,
  match_sequence,
  match_mapping,
  match_class,
  match_keys,
};

struct Instruction {
  Op op = Op::unsupported;
  bool flag = false;  // load_attr, load_global: with a place for self; compare_op: as a bool
  int arg = 0;
  int second =
      0;  // of what stands for two; unsupported: the opcode; load_super_attr: given arguments
  int unit = 0;     // where its opcode is in the code
  int start = 0;    // where it begins: before its EXTENDED_ARGs
  int target = -1;  // of a jump: an index of instructions
  bool backward = false;
  bool ends_generator = false;  // of the code CPython puts around generators
  bool prepares_call = false;   // PRECALL: of one piece with the call
};

struct Handler {
  int start, end;  // units
  int target;      // index of instructions
  int depth;
  bool push_unit;
};

struct Code {
  std::vector<Instruction> instructions;
  std::vector<int> at;  // by unit; -1 within an instruction
  std::vector<Handler> handlers;
  bool generator = false;
  bool supported = true;  // each instruction is
  const char* unsupported = nullptr;
  // The innermost handler of the unit, or null.
  const Handler* handler_of(int unit) const;
};

// Whether frames of the code can be walked at all: not those of generators and coroutines, which
// CPython resumes, nor of modules and classes, whose names live in a dict.
inline bool is_walkable(const PyCodeObject* code) {
  constexpr int kResumed = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR;
  return (code->co_flags & CO_OPTIMIZED) && !(code->co_flags & kResumed);
}
// Decoded once and kept with the code object's life.
const Code& code_of(PyCodeObject* code);

}  // namespace frit::walk
