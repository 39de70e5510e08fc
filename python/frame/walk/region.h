// A compiled function: its entries by place, and the loop that serves them or captures new ones.
#pragma once
#include <map>
#include <memory>

#include "frame/walk/entry.h"

namespace frit::walk {

struct BreakNote {
  WalkStop stop;
  int times = 1;
};

struct RecompileNote {
  std::string reason, where;
  std::string hint;  // what would spare it
};

// What all compiled functions do, beside serving entries.
enum class Stance : uint8_t {
  capturing,      // where none fits, another is captured
  plain,          // nothing is served, either
  serving,        // where none fits, plain Python runs
  no_recompiling  // where there are some and none fits, an error is raised
};

// Where entries begin: an instruction of a code.
struct Place {
  std::vector<std::shared_ptr<Entry>> entries;
  bool plain = false;  // nothing is captured here any more
  bool halts = false;  // the instruction itself cannot be followed
  int dropped = 0;
  std::unordered_map<std::string, Ref> numbers;  // ints that were guarded, by source
  std::unordered_set<std::string> dynamic;       // those that changed: symbols from then on
};

class Region final : public frame::FrameHandler {
 public:
  // Whose tensors a frame computes with, asked for each capture.
  using Chooser = std::function<TensorLibrary&(frame::FrameRun&)>;
  Region(Chooser chooser, CompileOptions options, std::string name);

  PyObject* run(frame::FrameRun& frame) override;
  // What CPython calls where the walk could not go on is captured, too.
  bool wants_frames() const override;
  bool wants(PyCodeObject* code, PyFunctionObject* function) override;

  // --- for explain ---
  const std::string& name() const { return name_; }
  std::vector<const Entry*> entries() const;
  const std::vector<BreakNote>& breaks() const { return breaks_; }
  const std::vector<RecompileNote>& recompiles() const { return recompiles_; }
  uint64_t plain_calls() const { return plain_calls_; }
  void reset();
  // A Python package of tensors: what is in there, but for its `nn`, is captured as part of callers
  // alone.
  static void add_package(const char* name);
  static void set_stance(Stance stance);

 private:
  enum class Next : uint8_t { go_on, done };
  // Serves an entry or captures one. `result`: of the frame, where it is done.
  Next serve_one(frame::FrameRun& frame, Place& place, PyObject*& result, bool& step, bool& served);
  Next capture(frame::FrameRun& frame, Place& place, PyObject*& result, bool& step);
  Next refuse(frame::FrameRun& frame, const Place& place, PyObject*& result) const;
  // go_on: the frame is at the next instruction, `step`: which CPython is to run.
  Next leave(frame::FrameRun& frame, std::vector<frame::FrameState> callees, PyObject*& result,
             bool& step);
  std::shared_ptr<Place> place_of(frame::FrameRun& frame);
  bool is_of_program(PyCodeObject* code);  // not the standard library's or a tensor library's
  void note_break(const WalkStop& stop);
  void drop(Place& place, const WalkStop& stop);

  Chooser chooser_;
  CompileOptions options_;
  std::string name_;
  std::map<std::pair<PyCodeObject*, int>, std::shared_ptr<Place>> places_;
  std::vector<Ref> codes_;
  std::unordered_map<PyCodeObject*, bool> wanted_;  // is_of_program
  std::vector<BreakNote> breaks_;
  std::vector<RecompileNote> recompiles_;
  uint64_t plain_calls_ = 0;
  int made_ = 0;
};

}  // namespace frit::walk
