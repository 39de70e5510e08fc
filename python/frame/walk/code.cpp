#include "frame/walk/code.h"

#include <opcode.h>

#include <memory>
#include <unordered_map>

namespace frit::walk {
namespace {

constexpr int kVersion = PY_VERSION_HEX >> 16;

// How one of CPython's instructions reads in ours. `next`: the unit after it and its caches.
Instruction decode(int opcode, int arg, int next) {
  Instruction i;
  i.arg = arg;
  auto is = [&](Op op) { i.op = op; };
  auto forward = [&](Op op) { i.op = op, i.target = next + arg; };
  [[maybe_unused]] auto back = [&](Op op) { i.op = op, i.target = next - arg, i.backward = true; };
  switch (opcode) {
    case RESUME:
    case NOP:
      is(Op::nothing);
      break;
#ifdef PRECALL
    case PRECALL:
      is(Op::nothing), i.prepares_call = true;
      break;
#endif
    case LOAD_FAST:
      is(Op::load_fast);
      break;
    case STORE_FAST:
      is(Op::store_fast);
      break;
    case DELETE_FAST:
      is(Op::delete_fast);
      break;
#ifdef LOAD_FAST_CHECK
    case LOAD_FAST_CHECK:
      is(Op::load_fast_check);
      break;
    case LOAD_FAST_AND_CLEAR:
      is(Op::load_fast_and_clear);
      break;
#endif
#ifdef LOAD_FAST_LOAD_FAST
    case LOAD_FAST_LOAD_FAST:
      is(Op::load_fast_load_fast), i.arg = arg >> 4, i.second = arg & 15;
      break;
    case STORE_FAST_LOAD_FAST:
      is(Op::store_fast_load_fast), i.arg = arg >> 4, i.second = arg & 15;
      break;
    case STORE_FAST_STORE_FAST:
      is(Op::store_fast_store_fast), i.arg = arg >> 4, i.second = arg & 15;
      break;
#endif
    case LOAD_CONST:
      is(Op::load_const);
      break;
    case LOAD_GLOBAL:
      is(Op::load_global), i.arg = arg >> 1, i.flag = arg & 1;
      break;
    case LOAD_BUILD_CLASS:
      is(Op::load_build_class);
      break;
    case STORE_GLOBAL:
      is(Op::store_global);
      break;
    case DELETE_GLOBAL:
      is(Op::delete_global);
      break;
    case POP_TOP:
      is(Op::pop_top);
      break;
    case PUSH_NULL:
      is(Op::push_null);
      break;
    case COPY:
      is(Op::copy);
      break;
    case SWAP:
      is(Op::swap);
      break;
#ifdef END_FOR
    case END_FOR:
      is(kVersion >= 0x030d ? Op::pop_top : Op::end_for);
      break;
#endif
    case UNARY_NOT:
      is(Op::unary_not);
      break;
    case UNARY_NEGATIVE:
      is(Op::unary_negative);
      break;
    case UNARY_INVERT:
      is(Op::unary_invert);
      break;
#ifdef UNARY_POSITIVE
    case UNARY_POSITIVE:
      is(Op::unary_positive);
      break;
#endif
#ifdef TO_BOOL
    case TO_BOOL:
      is(Op::to_bool);
      break;
#endif
    case BINARY_OP:
      is(Op::binary_op);
      break;
    case COMPARE_OP:
      is(Op::compare_op);
      if (kVersion == 0x030c) i.arg = arg >> 4;
      if (kVersion >= 0x030d) i.arg = arg >> 5, i.flag = arg & 16;
      break;
    case IS_OP:
      is(Op::is_op);
      break;
    case CONTAINS_OP:
      is(Op::contains_op);
      break;
    case BINARY_SUBSCR:
      is(Op::binary_subscr);
      break;
    case STORE_SUBSCR:
      is(Op::store_subscr);
      break;
    case DELETE_SUBSCR:
      is(Op::delete_subscr);
      break;
#ifdef BINARY_SLICE
    case BINARY_SLICE:
      is(Op::binary_slice);
      break;
    case STORE_SLICE:
      is(Op::store_slice);
      break;
#endif
    case LOAD_ATTR:
      is(Op::load_attr);
      if (kVersion >= 0x030c) i.arg = arg >> 1, i.flag = arg & 1;
      break;
#ifdef LOAD_METHOD
#if PY_VERSION_HEX < 0x030c0000
    case LOAD_METHOD:
      is(Op::load_attr), i.flag = true;
      break;
#endif
#endif
#ifdef LOAD_SUPER_ATTR
    case LOAD_SUPER_ATTR:
      is(Op::load_super_attr), i.arg = arg >> 2, i.flag = arg & 1, i.second = arg & 2;
      break;
#endif
    case STORE_ATTR:
      is(Op::store_attr);
      break;
    case DELETE_ATTR:
      is(Op::delete_attr);
      break;
    case JUMP_FORWARD:
      forward(Op::jump);
      break;
    case JUMP_BACKWARD:
      back(Op::jump);
      break;
    case JUMP_BACKWARD_NO_INTERRUPT:
      back(Op::jump);
      break;
#ifdef POP_JUMP_FORWARD_IF_FALSE
    case POP_JUMP_FORWARD_IF_FALSE:
      forward(Op::pop_jump_if_false);
      break;
    case POP_JUMP_FORWARD_IF_TRUE:
      forward(Op::pop_jump_if_true);
      break;
    case POP_JUMP_FORWARD_IF_NONE:
      forward(Op::pop_jump_if_none);
      break;
    case POP_JUMP_FORWARD_IF_NOT_NONE:
      forward(Op::pop_jump_if_not_none);
      break;
    case POP_JUMP_BACKWARD_IF_FALSE:
      back(Op::pop_jump_if_false);
      break;
    case POP_JUMP_BACKWARD_IF_TRUE:
      back(Op::pop_jump_if_true);
      break;
    case POP_JUMP_BACKWARD_IF_NONE:
      back(Op::pop_jump_if_none);
      break;
    case POP_JUMP_BACKWARD_IF_NOT_NONE:
      back(Op::pop_jump_if_not_none);
      break;
    case JUMP_IF_FALSE_OR_POP:
      forward(Op::jump_if_false_or_pop);
      break;
    case JUMP_IF_TRUE_OR_POP:
      forward(Op::jump_if_true_or_pop);
      break;
#else
    case POP_JUMP_IF_FALSE:
      forward(Op::pop_jump_if_false);
      break;
    case POP_JUMP_IF_TRUE:
      forward(Op::pop_jump_if_true);
      break;
    case POP_JUMP_IF_NONE:
      forward(Op::pop_jump_if_none);
      break;
    case POP_JUMP_IF_NOT_NONE:
      forward(Op::pop_jump_if_not_none);
      break;
#endif
    case GET_ITER:
      is(Op::get_iter);
      break;
    case FOR_ITER:
      // Past the instructions that end the loop where nothing is left of it on the stack.
      forward(Op::for_iter);
      if (kVersion == 0x030c) i.target += 1;
      if (kVersion >= 0x030d) i.target += 2;
      break;
#ifdef KW_NAMES
    case KW_NAMES:
      is(Op::kw_names);
      break;
#endif
    case CALL:
      is(Op::call);
      break;
#ifdef CALL_KW
    case CALL_KW:
      is(Op::call_kw);
      break;
#endif
    case CALL_FUNCTION_EX:
      is(Op::call_function_ex);
      break;
    case RETURN_VALUE:
      is(Op::return_value);
      break;
#ifdef RETURN_CONST
    case RETURN_CONST:
      is(Op::return_const);
      break;
#endif
    case BUILD_TUPLE:
      is(Op::build_tuple);
      break;
    case BUILD_LIST:
      is(Op::build_list);
      break;
    case BUILD_SET:
      is(Op::build_set);
      break;
    case BUILD_MAP:
      is(Op::build_map);
      break;
    case BUILD_CONST_KEY_MAP:
      is(Op::build_const_key_map);
      break;
    case BUILD_SLICE:
      is(Op::build_slice);
      break;
    case BUILD_STRING:
      is(Op::build_string);
      break;
    case LIST_APPEND:
      is(Op::list_append);
      break;
    case LIST_EXTEND:
      is(Op::list_extend);
      break;
    case SET_ADD:
      is(Op::set_add);
      break;
    case SET_UPDATE:
      is(Op::set_update);
      break;
    case MAP_ADD:
      is(Op::map_add);
      break;
    case DICT_UPDATE:
      is(Op::dict_update);
      break;
    case DICT_MERGE:
      is(Op::dict_merge);
      break;
#ifdef LIST_TO_TUPLE
    case LIST_TO_TUPLE:
      is(Op::list_to_tuple);
      break;
#endif
    case RETURN_GENERATOR:
      is(Op::return_generator);
      break;
    case YIELD_VALUE:
      is(Op::yield_value);
      break;
    case GET_YIELD_FROM_ITER:
      is(Op::get_yield_from_iter);
      break;
    case SEND:
      forward(Op::send);
      break;
#ifdef END_SEND
    case END_SEND:
      is(Op::end_send);
      break;
    case CLEANUP_THROW:
      is(Op::nothing), i.ends_generator = true;
      break;
#endif
#ifdef CALL_INTRINSIC_1
    case CALL_INTRINSIC_1:
      if (arg == 3) is(Op::nothing), i.ends_generator = true;
      if (arg == 5) is(Op::unary_positive);
      if (arg == 6) is(Op::list_to_tuple);
      break;
#endif
    case UNPACK_SEQUENCE:
      is(Op::unpack_sequence);
      break;
    case UNPACK_EX:
      is(Op::unpack_ex);
      break;
#ifdef FORMAT_VALUE
    case FORMAT_VALUE:
      is(Op::format_value);
      break;
#endif
#ifdef CONVERT_VALUE
    case CONVERT_VALUE:
      is(Op::convert_value);
      break;
    case FORMAT_SIMPLE:
      is(Op::format_simple);
      break;
    case FORMAT_WITH_SPEC:
      is(Op::format_with_spec);
      break;
#endif
    case MAKE_CELL:
      is(Op::make_cell);
      break;
    case COPY_FREE_VARS:
      is(Op::copy_free_vars);
      break;
#if PY_VERSION_HEX < 0x030d0000
    case LOAD_CLOSURE:
      is(Op::load_closure);
      break;
#endif
    case LOAD_DEREF:
      is(Op::load_deref);
      break;
    case STORE_DEREF:
      is(Op::store_deref);
      break;
    case DELETE_DEREF:
      is(Op::delete_deref);
      break;
    case MAKE_FUNCTION:
      is(Op::make_function);
      break;
#ifdef SET_FUNCTION_ATTRIBUTE
    case SET_FUNCTION_ATTRIBUTE:
      is(Op::set_function_attribute);
      break;
#endif
    case LOAD_ASSERTION_ERROR:
      is(Op::load_assertion_error);
      break;
    case IMPORT_NAME:
      is(Op::import_name);
      break;
    case IMPORT_FROM:
      is(Op::import_from);
      break;
    case BEFORE_WITH:
      is(Op::before_with);
      break;
    case WITH_EXCEPT_START:
      is(Op::with_except_start);
      break;
    case PUSH_EXC_INFO:
      is(Op::push_exc_info);
      break;
    case POP_EXCEPT:
      is(Op::pop_except);
      break;
    case CHECK_EXC_MATCH:
      is(Op::check_exc_match);
      break;
    case RERAISE:
      is(Op::reraise);
      break;
    case RAISE_VARARGS:
      is(Op::raise_varargs);
      break;
    case GET_LEN:
      is(Op::get_len);
      break;
    case MATCH_SEQUENCE:
      is(Op::match_sequence);
      break;
    case MATCH_MAPPING:
      is(Op::match_mapping);
      break;
    case MATCH_CLASS:
      is(Op::match_class);
      break;
    case MATCH_KEYS:
      is(Op::match_keys);
      break;
    default:
      break;
  }
  if (i.op == Op::unsupported) i.second = opcode;
  return i;
}

void read_handlers(Code& c, PyObject* table) {
  const auto* p = reinterpret_cast<const uint8_t*>(PyBytes_AS_STRING(table));
  const uint8_t* end = p + PyBytes_GET_SIZE(table);
  auto number = [&] {
    int v = *p & 63;
    while (*p & 64) v = v << 6 | (*++p & 63);
    ++p;
    return v;
  };
  while (p < end) {
    const int start = number(), length = number(), target = number(), depth = number();
    // What ends a generator when it is closed, or turns a StopIteration that leaves it.
    const int at = c.at[static_cast<size_t>(target)];
    if (c.instructions[static_cast<size_t>(at)].ends_generator) continue;
    c.handlers.push_back(
        {start, start + length, c.at[static_cast<size_t>(target)], depth >> 1, (depth & 1) != 0});
  }
}

std::unique_ptr<Code> decode(PyCodeObject* code) {
  auto c = std::make_unique<Code>();
  c->generator = code->co_flags & CO_GENERATOR;
  if (code->co_flags & (CO_COROUTINE | CO_ASYNC_GENERATOR | CO_ITERABLE_COROUTINE)) {
    c->supported = false;
    c->unsupported = "an async function";
    return c;
  }
  if (!(code->co_flags & CO_OPTIMIZED)) {
    c->supported = false;
    c->unsupported = "code of a module or a class";
    return c;
  }
  Ref bytes = Ref::take(PyCode_GetCode(code));  // never the quickened memory
  const auto* p = reinterpret_cast<const uint8_t*>(PyBytes_AS_STRING(bytes.get()));
  const int units = static_cast<int>(PyBytes_GET_SIZE(bytes.get()) / 2);
  c->at.assign(static_cast<size_t>(units) + 1, -1);
  int extended = 0, first = -1;
  for (int u = 0; u < units;) {
    const int opcode = p[2 * u], arg = p[2 * u + 1] | extended << 8;
    if (first < 0) first = u;
    if (opcode == EXTENDED_ARG) {
      extended = arg;
      ++u;
      continue;
    }
    int next = u + 1;
    while (next < units && p[2 * next] == CACHE) ++next;
    Instruction i = decode(opcode, arg, next);
    i.unit = u;
    i.start = first;
    c->at[static_cast<size_t>(first)] = c->at[static_cast<size_t>(u)] =
        static_cast<int>(c->instructions.size());
    if (i.op == Op::unsupported) c->supported = false;
    c->instructions.push_back(i);
    u = next;
    extended = 0;
    first = -1;
  }
  if (!c->supported) c->unsupported = "made of instructions that are not followed";
  for (Instruction& i : c->instructions)
    if (i.target >= 0) i.target = c->at[static_cast<size_t>(i.target)];
  read_handlers(*c, code->co_exceptiontable);
  if (c->generator && c->supported && !c->handlers.empty()) {
    // Closing it would run them.
    c->supported = false;
    c->unsupported = "a generator with `try` or `with`";
  }
  return c;
}

}  // namespace

const Handler* Code::handler_of(int unit) const {
  const Handler* found = nullptr;  // entries are sorted, inner ones come later
  for (const Handler& h : handlers)
    if (unit >= h.start && unit < h.end) found = &h;
  return found;
}

const Code& code_of(PyCodeObject* code) {
  // Code objects that were walked are kept: there are as many as functions in the program.
  static auto& known = *new std::unordered_map<PyCodeObject*, std::unique_ptr<Code>>();
  auto& c = known[code];
  if (!c) {
    Py_INCREF(code);
    c = decode(code);
  }
  return *c;
}

}  // namespace frit::walk
