// The running version's opcodes, as its own `opcode` module lists them: nothing here names a
// version.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "frame/abi/python.h"

namespace frit::frame {

struct Opcodes {
  enum class Jump : uint8_t { kNone, kForward, kBackward };

  std::unordered_map<std::string, int> by_name;
  std::array<std::string, 256> names;
  std::array<Jump, 256> jump{};
  std::array<uint8_t, 256> caches{};
  int have_argument = 0;

  // Those that the analysis treats in their own way; -1 where the version has none of the name.
  int extended_arg, resume, make_cell, copy_free_vars, return_generator, return_value, return_const,
      raise_varargs, reraise, jump_forward, jump_backward, jump_backward_no_interrupt, for_iter,
      end_for, kw_names, precall, call, call_kw, call_function_ex, load_attr, trap;

  bool is_end(int opcode) const;   // nothing follows but a handler
  bool is_jump(int opcode) const;  // always taken
  bool is_prologue(
      int opcode) const;  // a trap there would keep the evaluator from setting the frame up
};

// Null with an exception set if the module is not what it is known to be.
const Opcodes* opcodes();

}  // namespace frit::frame
