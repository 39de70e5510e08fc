// Whose tensors a walked program computes with. The walk knows no tensor type: it asks one of
// these.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "frame/walk/ref.h"
#include "frit/compile.h"
#include "sym/int.h"

namespace frit::walk {

// What calling something of the library, or reading an attribute of its tensors, does.
enum class TensorCall : uint8_t {
  none,       // not the library's, or not known
  op,         // computes tensors; notes itself in the recording
  sizes,      // gives sizes or strides, which may be symbols: see `ints`
  metadata,   // gives what the guards on a tensor fix: dtype, rank, requires_grad
  data,       // reads elements on the host
  literal,    // makes a tensor of the numbers that it is given
  grad,       // a leaf's gradient
  state,      // reads the state of the library, which every entry is guarded by
  set_state,  // changes it (grad mode)
};

// What a recording ends with: the tensors and numbers that are wanted of each run.
struct TensorResults {
  std::vector<PyObject*> tensors;
  std::vector<Int> numbers;
};

// The tensors given to a run. The vectors are those of the guards, which a run on another thread
// fills anew: where the library lets others go on, it takes the tensors over first.
struct TensorInputs {
  const std::vector<PyObject*>& all;
  // Those that may be others than at the last run with the same generation; 0: all may be.
  const std::vector<int>& live;
  uint64_t generation = 0;
};

// The tensors' part of an entry.
class TensorEntry {
 public:
  virtual ~TensorEntry() = default;
  enum class Outcome : uint8_t {
    done,
    refused,  // a guard on the tensors does not hold: nothing was done
    failed,   // a check of the graph failed: nothing was done, eager raises
  };
  // Results are new references, in the order of TensorResults.
  virtual Outcome run(const std::vector<PyObject*>& tensors, const std::vector<PyObject*>& numbers,
                      std::vector<Ref>& tensor_results, std::vector<Ref>& number_results) = 0;
  // The same, where it is known which of the tensors are as they were.
  virtual Outcome run_on(const TensorInputs& tensors, const std::vector<PyObject*>& numbers,
                         std::vector<Ref>& tensor_results, std::vector<Ref>& number_results) {
    return run(tensors.all, numbers, tensor_results, number_results);
  }
  // The first guard that does not hold, in the user's words; empty where all hold.
  virtual std::string why_not(const std::vector<PyObject*>& tensors,
                              const std::vector<PyObject*>& numbers) = 0;
  virtual int ops() const = 0;  // of the recorded graph
  virtual std::string graph_text() const = 0;
  virtual std::string guards_text() const = 0;
  // What each call looks at besides, in the user's words.
  virtual std::vector<std::string> checks() const = 0;
  virtual double compile_ms() const = 0;
};

// Something that computes tensors, as the program wrote it.
struct TensorOp {
  PyObject* callable = nullptr;  // or, where it is null,
  PyObject* name = nullptr;      // an operator's method ("__add__", also where it is the right
                                 // side's), or an attribute
  std::vector<PyObject*> args;   // positional, then as many as there are keywords
  PyObject* keywords = nullptr;  // a tuple of names, or null
};

struct RecordingStop {
  std::string kind, text, hint;
};

class TensorLibrary {
 public:
  virtual ~TensorLibrary() = default;

  virtual bool is_tensor(PyObject* o) const = 0;
  virtual TensorCall call_kind(PyObject* callable) const = 0;
  virtual TensorCall attribute_kind(PyObject* tensor, PyObject* name) const = 0;
  // What a call of kind `sizes` has given, as expressions: all of the tensor's, or the one number.
  virtual bool ints(PyObject* tensor, PyObject* callable_or_name, PyObject* result,
                    std::vector<Int>& found) = 0;
  // A new object that passes for the int `hint` and carries the expression into ops.
  virtual PyObject* symbolic_int(Int value, PyObject* hint) = 0;
  // The library's own module, for functions that are known by one name: full, stack, clone.
  virtual PyObject* module() const = 0;
  // Immutable values of the library's own: dtypes, devices. Told apart by identity.
  virtual bool is_plain(PyObject* o) const = 0;

  // Why nothing can be compiled now, as the process stands; empty where it can.
  virtual std::string steps_aside() { return {}; }

  // --- the recording: one at a time a thread ---
  // Runs an op by `run`, which gives its result or null with an exception set. A library whose ops
  // do not note themselves does it here.
  virtual PyObject* compute(const TensorOp&, const std::function<PyObject*()>& run) {
    return run();
  }
  // Runs `body` with every op noted. `body` says what is wanted of later runs.
  virtual void record(bool dynamic, const std::function<void(TensorResults&)>& body) = 0;
  // What was recorded, compiled; null where nothing came of it (stop says why).
  virtual std::unique_ptr<TensorEntry> compile(const CompileOptions& options,
                                               const std::string& name, RecordingStop& stop) = 0;
  // The tensor is read from outside for the first time: `name` in the user's words. Its number
  // among the tensors that are given to each run, or -1.
  virtual int use_external(PyObject* tensor, const std::string& name, bool dynamic) = 0;
  // A float that is given to each run as a tensor without dimensions, which stands for it in an
  // arithmetic op with `beside` (null: it is made a tensor of); null without an error where that
  // would compute something else.
  // `stand_in`: what use_float() gave for the number before, or null. `index` as of use_external().
  virtual PyObject* use_float(PyObject* number, PyObject* beside, PyObject* stand_in,
                              const std::string& name, int& index) {
    return nullptr;
  }
  // A symbol for an int that is given to each run.
  virtual Int use_number(int64_t value, const std::string& name) = 0;
  // Nothing more is asked of the recording.
  virtual void forget() {}
  // Nothing that follows is noted, and compile() gives nothing.
  virtual void abandon(const std::string& why) = 0;
  // Why nothing more can be recorded; empty while it can.
  virtual std::string stopped() const = 0;
};

}  // namespace frit::walk
