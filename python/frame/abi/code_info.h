// What is known of a code object without running it: its instructions, how deep the value stack is
// before each, its exception table, and the clones with stops that were made of it. Computed once,
// kept on the code.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "frame/abi/python.h"

namespace frit::frame {

constexpr int kUnitBytes = 2;  // of a code unit, in co_code and in f_lasti

struct Instruction {
  int unit;        // its first code unit
  int op_unit;     // where its opcode is: after the EXTENDED_ARGs
  int next;        // the instruction after it, caches skipped
  int target;      // where it jumps, or -1
  int arg;         // with the EXTENDED_ARGs; 0 if it has none
  uint8_t opcode;  // never a specialised or an instrumented one
  bool can_stop;   // a frame can be left and taken up before it
  int16_t depth;   // of the stack before it; -1: never reached
};

struct Handler {
  int target;  // the handler's first instruction
  int depth;   // the stack is cut to this,
  bool lasti;  // the raising unit is pushed, if so, and then the exception
};

class CodeInfo;

// A set of instructions at which a frame is given back. Lives as long as its code.
class Stops {
 public:
  bool contains(int unit) const { return member_[static_cast<size_t>(unit)]; }

 private:
  friend class CodeInfo;
  friend class FrameRun;
  std::vector<bool> member_;  // by unit
  std::vector<int> units_;
  mutable PyCodeObject* clone_ = nullptr;  // made at first use
};

// Anything a user of this folder keeps with a code object.
class Attachment {
 public:
  virtual ~Attachment() = default;
};

class CodeInfo {
 public:
  // The one of this code, computed at the first call. Null with an exception set.
  static CodeInfo* of(PyCodeObject* code);
  // The one of this code if there is one; nothing is computed.
  static CodeInfo* known(PyCodeObject* code);
  ~CodeInfo();

  int unit_count() const { return static_cast<int>(at_.size()); }
  std::span<const Instruction> instructions() const { return instructions_; }
  const Instruction* at(int unit) const;  // null: no instruction begins there
  bool can_stop(int unit) const;
  // The CALL that this instruction only prepares (KW_NAMES, PRECALL), or the instruction itself.
  const Instruction& call_of(int unit) const;
  std::optional<Handler> handler(
      int unit) const;  // of an exception raised by the instruction at this unit
  // Where CPython may next come to a stop in this frame after this instruction, handlers included.
  std::vector<int> successors(int unit) const;

  // Those of `units` at which a frame can stop. The same set is the same object.
  const Stops& stops(std::span<const int> units);
  const Stops& no_stops() { return stops({}); }
  // Stops at every successor of the instruction and not at itself (at other instructions it may or
  // may not).
  const Stops& step_stops(int unit);

  std::unique_ptr<Attachment> attachment;

 private:
  friend class FrameRun;
  struct Range {
    int start, end;
    Handler handler;
  };

  explicit CodeInfo(PyCodeObject* code) : code_(code) {}
  bool decode();
  bool read_exception_table();
  bool find_depths();
  void find_stops();
  void color();
  std::vector<int> direct_successors(const Instruction& instruction) const;
  PyCodeObject* clone(const Stops& stops) const;  // borrowed; null with an exception set
  struct ReturnPlace {
    PyCodeObject* code;  // borrowed
    int unit;            // of a RETURN_VALUE in it
  };
  ReturnPlace return_place();  // code is null with an exception set
  PyObject* with_code(
      const std::vector<std::pair<int, int>>& opcodes) const;  // a copy, (unit, opcode) replaced

  PyCodeObject* code_;  // borrowed: this lives on it
  std::vector<Instruction> instructions_;
  std::vector<int> at_;  // unit -> index in instructions_, or -1
  std::vector<Range> ranges_;
  std::map<std::vector<int>, std::unique_ptr<Stops>> stops_;
  std::vector<int> colors_;                // by index: no successor has the instruction's own
  std::vector<const Stops*> color_stops_;  // by color: all instructions of other colors
  ReturnPlace return_place_{nullptr, -1};
};

// An opcode of the running version by its name, -1 if it has none of this name.
int opcode_named(std::string_view name);

}  // namespace frit::frame
