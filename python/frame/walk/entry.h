// A cached stretch of a frame: under which guards it holds, what it computes, what it changes, and
// how the frame goes on.
#pragma once
#include <memory>

#include "frame/abi/frame.h"
#include "frame/walk/recipe.h"
#include "frame/walk/walker.h"

namespace frit::walk {

// A frame as an entry leaves it.
struct FrameRecipe {
  Recipe function;  // of an inlined callee
  std::vector<Recipe> locals, stack;
  int unit = 0;
};

struct EffectRecipe {
  Effect::Kind kind;
  Recipe target, key, value;
};

struct Entry {
  // Of the frame: the function where it begins, since closures are its own.
  PyFunctionObject* function = nullptr;
  PyObject* globals = nullptr;
  GuardProgram guards;
  std::vector<int> external_numbers;  // slots
  std::vector<int> read;              // slots that recipes read
  std::unique_ptr<TensorEntry> tensors;
  std::vector<Build> builds;
  std::vector<EffectRecipe> effects;
  // How it ends: with a value, or at an instruction that CPython runs: the frame itself, then
  // inlined callees, outermost first.
  bool returns = false;
  Recipe result;
  std::vector<FrameRecipe> frames;
  bool changes_handled = false;  // the exception that is being handled, to `handled`
  Recipe handled;
  std::optional<WalkStop> stop;  // why it ends there
  uint64_t runs = 0;
  int opcodes = 0;
  std::string name;
};

// Makes an entry of a walk that has ended: by returning `result`, or by halting (`result` empty) in
// `root` and the walker's halted frames. Null: `why` says what stands against it. To be called
// within the recording: `results` is what is wanted of later runs.
std::unique_ptr<Entry> describe(Walker& walker, Frame& root, const Value& result,
                                TensorResults& results, std::string& why);
// The instruction that the frame is at, as one that frames can stop before.
int unit_of(const Frame& f);
// How many operands the call that the frame is in has on its stack.
int call_operands(const Frame& f);

// Checks, computes and commits; then the frame holds what it would, or `returned` is its result.
enum class Served : uint8_t { no, failed, returned, left, raised };
Served serve(Entry& entry, frame::FrameRun& frame, PyObject*& returned,
             std::vector<frame::FrameState>& callees);

}  // namespace frit::walk
