// The sets of instructions a frame stops at, and the clones of the code that stop there: the trap
// opcode in the place of each. A clone is made of co_code, which is free of what the evaluator
// wrote into it.
#include <algorithm>

#include "frame/abi/code_info.h"
#include "frame/abi/opcodes.h"
#include "frame/abi/owned.h"

namespace frit::frame {

const Stops& CodeInfo::stops(std::span<const int> units) {
  std::vector<int> wanted;
  for (int unit : units) {
    if (can_stop(unit)) {
      wanted.push_back(unit);
    }
  }
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::unique_ptr<Stops>& found = stops_[wanted];
  if (!found) {
    found = std::make_unique<Stops>();
    found->member_.assign(at_.size(), false);
    for (int unit : wanted) {
      found->member_[static_cast<size_t>(unit)] = true;
    }
    found->units_ = std::move(wanted);
  }
  return *found;
}

// Colors so that no instruction has a successor of its own color: a step stops at all instructions
// of other colors, and a handful of clones serves every step of the code.
void CodeInfo::color() {
  colors_.assign(instructions_.size(), -1);
  std::vector<std::vector<size_t>> neighbours(instructions_.size());
  for (size_t i = 0; i < instructions_.size(); i++) {
    for (int unit : successors(instructions_[i].unit)) {
      const auto next = static_cast<size_t>(at_[static_cast<size_t>(unit)]);
      neighbours[i].push_back(next);
      neighbours[next].push_back(i);
    }
  }
  int count = 1;
  for (size_t i = 0; i < instructions_.size(); i++) {
    std::vector<bool> taken(static_cast<size_t>(count) + 1, false);
    for (size_t n : neighbours[i]) {
      if (n != i && colors_[n] >= 0) {
        taken[static_cast<size_t>(colors_[n])] = true;
      }
    }
    colors_[i] = static_cast<int>(std::find(taken.begin(), taken.end(), false) - taken.begin());
    count = std::max(count, colors_[i] + 1);
  }
  color_stops_.assign(static_cast<size_t>(count), nullptr);
}

const Stops& CodeInfo::step_stops(int unit) {
  if (colors_.empty()) {
    color();
  }
  const auto color =
      static_cast<size_t>(colors_[static_cast<size_t>(at_[static_cast<size_t>(unit)])]);
  if (!color_stops_[color]) {
    std::vector<int> others;
    for (size_t i = 0; i < instructions_.size(); i++) {
      if (colors_[i] != static_cast<int>(color)) {
        others.push_back(instructions_[i].unit);
      }
    }
    color_stops_[color] = &stops(others);
  }
  return *color_stops_[color];
}

PyCodeObject* CodeInfo::clone(const Stops& stops) const {
  if (stops.clone_ || stops.units_.empty()) {
    return stops.clone_ ? stops.clone_ : code_;
  }
  std::vector<std::pair<int, int>> traps;
  for (int unit : stops.units_) {
    traps.emplace_back(unit, opcodes()->trap);
  }
  Owned made(with_code(traps));
  if (!stops.clone_) {  // else another thread was faster
    stops.clone_ = reinterpret_cast<PyCodeObject*>(made.release());
  }
  return stops.clone_;
}

// Nearly every code has a RETURN_VALUE. One that has not gets a copy that has.
CodeInfo::ReturnPlace CodeInfo::return_place() {
  if (return_place_.code) {
    return return_place_;
  }
  const int return_value = opcodes()->return_value;
  for (const Instruction& instruction : instructions_) {
    if (instruction.opcode == return_value) {
      return return_place_ = {code_, instruction.op_unit};
    }
  }
  const int last = instructions_.back().op_unit;
  Owned made(with_code({{last, return_value}}));
  if (!return_place_.code) {
    return_place_ = {reinterpret_cast<PyCodeObject*>(made.release()), last};
  }
  return return_place_;
}

PyObject* CodeInfo::with_code(const std::vector<std::pair<int, int>>& replaced) const {
  const Owned bytes(PyCode_GetCode(code_));
  if (!bytes) {
    return nullptr;
  }
  const Owned changed(
      PyBytes_FromStringAndSize(PyBytes_AS_STRING(bytes.get()), PyBytes_GET_SIZE(bytes.get())));
  if (!changed) {
    return nullptr;
  }
  for (const auto& [unit, opcode] : replaced) {
    char* at = PyBytes_AS_STRING(changed.get()) + 2 * unit;
    at[0] = static_cast<char>(opcode);
    at[1] = 0;
  }
  const Owned replace(PyObject_GetAttrString(reinterpret_cast<PyObject*>(code_), "replace"));
  const Owned none(PyTuple_New(0));
  const Owned keywords(PyDict_New());
  if (!replace || !none || !keywords ||
      PyDict_SetItemString(keywords.get(), "co_code", changed.get()) < 0) {
    return nullptr;
  }
  return PyObject_Call(replace.get(), none.get(), keywords.get());
}

}  // namespace frit::frame
