// Frames of CPython as the capture sees them: taken at their start or at a stop, read and
// rewritten, run on from any instruction, left at any instruction. What differs between versions of
// CPython is in layout.h.
//
// An instruction is named by its first code unit, its EXTENDED_ARGs included. Everything here wants
// the GIL.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "frame/abi/code_info.h"
#include "frame/abi/python.h"

struct _PyInterpreterFrame;

namespace frit::frame {

class FrameHandler;

// One running frame that its handler has in hand. While it has, the frame is the thread's current
// one, as if CPython executed the instruction last named by set_instruction: tracebacks,
// sys._getframe and warnings see it. The handler ends with one of the finish functions, or with
// run_until and kin returning kDone.
class FrameRun {
 public:
  enum class Outcome {
    kStopped,  // at instruction(), which has not run yet: everything may be read and rewritten
    kDone,     // the frame has returned, yielded or raised and must not be touched: see take_result
  };

  PyCodeObject* code() const { return code_; }
  PyFunctionObject* function() const;
  PyObject* globals() const;   // a dict
  PyObject* builtins() const;  // nearly always a dict
  CodeInfo& info() const { return *info_; }
  bool is_generator() const;  // the frame of a generator, coroutine or async generator

  // The instruction that runs next. To be set before anything that may look at the frame, too.
  int instruction() const { return unit_; }
  void set_instruction(int unit);

  // Locals, cells and free variables by their index in localsplus, and the value stack, bottom
  // first. Null is an unbound local, or the NULL that calls put on the stack. Borrowed when read;
  // set ones are stolen.
  int local_count() const { return local_count_; }
  PyObject* local(int index) const { return locals_[index]; }
  void set_local(int index, PyObject* stolen);
  int depth() const { return depth_; }
  std::span<PyObject* const> stack() const {
    return {locals_ + local_count_, static_cast<size_t>(depth_)};
  }
  void push(PyObject* stolen) { locals_[local_count_ + depth_++] = stolen; }
  PyObject* pop() { return take(local_count_ + --depth_); }  // the caller's reference from now on
  void set_stack(std::span<PyObject* const> stolen);         // all of it; the old one is released
  void drop_stack(int depth);                                // releases what lies above

  // The slots themselves (locals, then the stack), for one who moves all of them.
  PyObject** slots() { return locals_; }
  void set_depth(int depth) { depth_ = depth; }

  // The exception being handled (what sys.exception() says), or null; set when a region is left
  // inside an `except` block that only the region entered: the frame's own stack then holds the one
  // before it.
  PyObject* handled_exception() const;
  void set_handled_exception(PyObject* stolen);

  // CPython runs on from instruction() and gives the frame back at the first of the stops it comes
  // to, or when the frame is done. The instruction it starts at always runs, also when it is one of
  // the stops. Once a debugger or profiler has come in, it runs the rest (kDone).
  Outcome run_until(const Stops& stops);
  // CPython runs this instruction, with all it calls; stops at whatever comes next in this frame,
  // be it a handler.
  Outcome step();
  // The set exception is raised at instruction(): through the frame's own exception table, with its
  // traceback.
  Outcome raise_until(const Stops& stops);
  Outcome raise_step();  // stops at the handler's first instruction
  // After kDone: the result, or null with an exception set.
  PyObject* take_result();
  bool is_done() const { return done_; }

  // The last thing done with a frame; the handler returns what they return.
  PyObject* finish();                            // CPython runs the rest
  PyObject* finish_returning(PyObject* stolen);  // the frame returns this; the stack is dropped
  PyObject* finish_raising();                    // the set exception is raised at instruction()

  FrameRun(const FrameRun&) = delete;
  FrameRun& operator=(const FrameRun&) = delete;

 private:
  friend PyObject* run_frame(PyThreadState* thread, _PyInterpreterFrame* frame,
                             FrameHandler& handler);
  friend class MakeReal;
  friend class HandlerAside;  // of the tests
  FrameRun(PyThreadState* thread, _PyInterpreterFrame* frame, CodeInfo& info,
           FrameHandler& handler);
  ~FrameRun();

  PyObject* take(int slot) {
    PyObject* taken = locals_[slot];
    locals_[slot] = nullptr;
    return taken;
  }
  void link();    // the frame becomes the thread's current one
  void unlink();  // and no longer is
  Outcome run_clone(const Stops& stops);
  Outcome done(PyObject* result);
  PyObject* evaluate(PyCodeObject* code, bool raising);
  bool unwind(PyObject* exception);  // to the handler of instruction(); false: it has none
  PyObject* leave_raising();
  bool
  run_plainly();  // the instruction, if it is a call or an attribute read: not by the evaluator
  bool call_plainly();
  bool read_plainly(const Instruction& instruction);
  bool spread_plainly(const Instruction& instruction);

  PyThreadState* thread_;
  _PyInterpreterFrame* frame_;
  PyCodeObject* code_;  // owned; the frame's own, also while a clone with stops runs
  CodeInfo* info_;
  FrameHandler* handler_;
  PyObject** locals_;
  int local_count_;
  int depth_;
  int unit_;
  PyObject* result_ = nullptr;
  bool done_ = false;
};

// Who runs the frames of a compiled function.
class FrameHandler {
 public:
  virtual ~FrameHandler() = default;

  // A frame that has arrived: new (instruction() is its first), a resumed generator's, or one made
  // real by `materialise`. Returns its result. One that is returned while the frame is not done is
  // what the frame returns or raises; a C++ exception is raised in the frame as a RuntimeError.
  virtual PyObject* run(FrameRun& frame) = 0;

  // Whether frames that begin while CPython runs a stretch of a handled frame (run_until, step,
  // finish, OfferFrames) may be wanted at all: if not, that stretch runs without the hook, at
  // CPython's own speed.
  virtual bool wants_frames() const { return false; }
  // And whether this one is given to `run` too. Asked for every frame: be quick.
  virtual bool wants(PyCodeObject* code, PyFunctionObject* function);

  // The call that `frame` was made real in the middle of has returned, or raised (the exception is
  // set). The instruction is the call's. As it stands: pushes the result, goes to the next
  // instruction, and `run`s on; raises at the instruction. To be overridden for instructions that
  // do more with what they called.
  virtual PyObject* run_returned(FrameRun& frame, PyObject* stolen_result);
  virtual PyObject* run_raised(FrameRun& frame);
};

// What a frame is to hold. The references are owned: materialise takes them, whatever happens.
struct FrameState {
  PyFunctionObject* function = nullptr;
  std::vector<PyObject*> locals;  // all of localsplus
  std::vector<PyObject*>
      stack;            // in a frame that is in a call: without the callable and its arguments
  int instruction = 0;  // where it goes on; the call itself, in a frame that is in a call
  PyObject* handled_exception = nullptr;  // null: as it is
};

// Makes frames of inlined callees real above the current frame, outermost first: each but the last
// is in the middle of a call of the next. Runs the last by handler.run, then each caller by
// run_returned or run_raised. Returns what the outermost returns, or null with an exception set.
PyObject* materialise(std::span<FrameState> frames, FrameHandler& handler);

// Below a handler's own C++ calls (a PyObject_Vectorcall made by the walk): frames the handler
// `wants` go to it.
class OfferFrames {
 public:
  explicit OfferFrames(FrameHandler& handler);
  ~OfferFrames();
  OfferFrames(const OfferFrames&) = delete;
  OfferFrames& operator=(const OfferFrames&) = delete;

 private:
  FrameHandler* previous_ = nullptr;
  bool offering_;
};

// Gives every frame of every thread to this handler, if it wants it, until it is called with null.
// For tests and for those who capture whole programs; a compiled function needs none of this.
void offer_all_frames(FrameHandler* handler);

}  // namespace frit::frame
