#include "frame/abi/code_info.h"

#include <algorithm>

#include "frame/abi/layout.h"
#include "frame/abi/opcodes.h"
#include "frame/abi/owned.h"

namespace frit::frame {
namespace {

Py_ssize_t extra_index() {
  static const Py_ssize_t index =
      Layout::request_extra([](void* info) { delete static_cast<CodeInfo*>(info); });
  return index;
}

// The exception table's numbers: six bits a byte, the highest first, 64 marks that more follow.
class TableReader {
 public:
  explicit TableReader(PyObject* bytes)
      : at_(reinterpret_cast<const uint8_t*>(PyBytes_AS_STRING(bytes))),
        end_(at_ + PyBytes_GET_SIZE(bytes)) {}
  bool more() const { return at_ < end_; }
  int number() {
    int value = 0;
    for (bool continued = true; continued && more(); at_++) {
      value = (value << 6) | (*at_ & 63);
      continued = (*at_ & 64) != 0;
    }
    return value;
  }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
};

}  // namespace

CodeInfo* CodeInfo::known(PyCodeObject* code) {
  void* found = nullptr;
  Layout::get_extra(code, extra_index(), &found);
  return static_cast<CodeInfo*>(found);
}

CodeInfo* CodeInfo::of(PyCodeObject* code) {
  if (CodeInfo* found = known(code)) {
    return found;
  }
  std::unique_ptr<CodeInfo> info(new CodeInfo(code));
  if (!info->decode() || !info->read_exception_table() || !info->find_depths()) {
    return nullptr;
  }
  info->find_stops();
  if (CodeInfo* found = known(code)) {
    return found;  // another thread was faster, and its own is in use
  }
  if (Layout::set_extra(code, extra_index(), info.get()) < 0) {
    return nullptr;
  }
  return info.release();
}

CodeInfo::~CodeInfo() {
  for (auto& [units, stops] : stops_) {
    Py_XDECREF(stops->clone_);
  }
  if (return_place_.code != code_) {
    Py_XDECREF(return_place_.code);
  }
}

bool CodeInfo::decode() {
  const Opcodes* table = opcodes();
  Owned bytes(table ? PyCode_GetCode(code_)
                    : nullptr);  // without specialisation and instrumentation
  if (!bytes) {
    return false;
  }
  const auto* units = reinterpret_cast<const uint8_t*>(PyBytes_AS_STRING(bytes.get()));
  const int count = static_cast<int>(PyBytes_GET_SIZE(bytes.get()) / 2);
  at_.assign(static_cast<size_t>(count), -1);
  int start = 0;
  int high = 0;
  for (int unit = 0; unit < count;) {
    const uint8_t opcode = units[2 * unit];
    const int arg = high << 8 | units[2 * unit + 1];
    if (opcode == table->extended_arg) {
      high = arg;
      unit++;
      continue;
    }
    const int next = unit + 1 + table->caches[opcode];
    int target = -1;
    if (table->jump[opcode] == Opcodes::Jump::kForward) {
      target = next + arg;
    } else if (table->jump[opcode] == Opcodes::Jump::kBackward) {
      target = next - arg;
    }
    at_[static_cast<size_t>(start)] = static_cast<int>(instructions_.size());
    instructions_.push_back(
        {start, unit, next, target, opcode >= table->have_argument ? arg : 0, opcode, false, -1});
    unit = start = next;
    high = 0;
  }
  return true;
}

bool CodeInfo::read_exception_table() {
  TableReader reader(code_->co_exceptiontable);
  while (reader.more()) {
    const int start = reader.number();
    const int length = reader.number();
    const int target = reader.number();
    const int packed = reader.number();
    ranges_.push_back({start, start + length, {target, packed >> 1, (packed & 1) != 0}});
  }
  return true;
}

bool CodeInfo::find_depths() {
  const Opcodes* table = opcodes();
  std::vector<std::pair<int, int>> work = {{0, 0}};  // a unit, and the depth it is reached with
  while (!work.empty()) {
    const auto [unit, depth] = work.back();
    work.pop_back();
    if (unit >= unit_count() || at_[static_cast<size_t>(unit)] < 0) {
      continue;
    }
    Instruction& instruction = instructions_[static_cast<size_t>(at_[static_cast<size_t>(unit)])];
    if (instruction.depth >= 0) {
      continue;
    }
    instruction.depth = static_cast<int16_t>(depth);
    if (const auto found = handler(unit)) {
      work.emplace_back(found->target, found->depth + (found->lasti ? 1 : 0) + 1);
    }
    if (instruction.opcode == table->return_generator) {
      work.emplace_back(instruction.next,
                        1);  // the generator begins here, with the None that was sent
      continue;
    }
    const int arg = instruction.arg;
    if (instruction.target >= 0) {
      const int effect = PyCompile_OpcodeStackEffectWithJump(instruction.opcode, arg, 1);
      if (effect == PY_INVALID_STACK_EFFECT) {
        return false;
      }
      work.emplace_back(instruction.target, depth + effect);
    }
    if (!table->is_jump(instruction.opcode) && !table->is_end(instruction.opcode)) {
      const int effect = PyCompile_OpcodeStackEffectWithJump(instruction.opcode, arg, 0);
      if (effect == PY_INVALID_STACK_EFFECT) {
        return false;
      }
      work.emplace_back(instruction.next, depth + effect);
    }
  }
  return true;
}

// Not in the prologue, and not between a call's parts, which hand each other C variables of the
// evaluator.
void CodeInfo::find_stops() {
  const Opcodes* table = opcodes();
  bool in_call = false;
  for (Instruction& instruction : instructions_) {
    instruction.can_stop =
        instruction.depth >= 0 && !in_call && !table->is_prologue(instruction.opcode);
    in_call = instruction.opcode == table->kw_names || instruction.opcode == table->precall;
  }
}

const Instruction* CodeInfo::at(int unit) const {
  if (unit < 0 || unit >= unit_count() || at_[static_cast<size_t>(unit)] < 0) {
    return nullptr;
  }
  return &instructions_[static_cast<size_t>(at_[static_cast<size_t>(unit)])];
}

bool CodeInfo::can_stop(int unit) const {
  const Instruction* instruction = at(unit);
  return instruction && instruction->can_stop;
}

const Instruction& CodeInfo::call_of(int unit) const {
  const Opcodes* table = opcodes();
  const Instruction* instruction = at(unit);
  while (instruction->opcode == table->kw_names || instruction->opcode == table->precall) {
    instruction = at(instruction->next);
  }
  return *instruction;
}

std::optional<Handler> CodeInfo::handler(int unit) const {
  const Instruction* instruction = at(unit);
  const int raising = instruction ? instruction->op_unit : unit;
  for (const Range& range : ranges_) {
    if (range.start <= raising && raising < range.end) {
      return range.handler;
    }
  }
  return std::nullopt;
}

std::vector<int> CodeInfo::direct_successors(const Instruction& instruction) const {
  const Opcodes* table = opcodes();
  std::vector<int> found;
  if (!table->is_jump(instruction.opcode) && !table->is_end(instruction.opcode)) {
    found.push_back(instruction.next);
  }
  if (instruction.target >= 0) {
    found.push_back(instruction.target);
    const Instruction* end = at(instruction.target);
    if (instruction.opcode == table->for_iter && end && end->opcode == table->end_for) {
      found.push_back(end->next);  // an exhausted iterator skips it
    }
  }
  if (const auto raised = handler(instruction.unit)) {
    found.push_back(raised->target);
  }
  return found;
}

std::vector<int> CodeInfo::successors(int unit) const {
  std::vector<int> found;
  std::vector<int> seen;
  std::vector<int> work = {unit};
  while (!work.empty()) {
    const Instruction* instruction = at(work.back());
    work.pop_back();
    if (!instruction) {
      continue;
    }
    for (int next : direct_successors(*instruction)) {
      if (std::find(seen.begin(), seen.end(), next) != seen.end()) {
        continue;
      }
      seen.push_back(next);
      (can_stop(next) ? found : work).push_back(next);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace frit::frame
