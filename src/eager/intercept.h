// Installing an Interceptor; which part of a training step is running.
#pragma once
#include <cstdint>

#include "ops/interceptor.h"

namespace frit::eager {

class TapeNode;

enum class Stage : uint8_t { forward, backward, optimizer };

// backward while the engine runs, optimizer inside an optimiser's step.
Stage current_stage();

class StageScope {
 public:
  explicit StageScope(Stage);
  ~StageScope();
  StageScope(const StageScope&) = delete;
  StageScope& operator=(const StageScope&) = delete;

 private:
  Stage saved_;
};

// What an Interceptor may implement besides (found by its type when it is installed). Called only
// while it is recording or replaying.
class TapeObserver {
 public:
  virtual ~TapeObserver() = default;
  // `fresh` is a new object that shows exactly what `known` shows: an output, kept for the backward
  // pass. It is what backward ops will be given.
  virtual void aliased(const Tensor& known, const Tensor& fresh) = 0;
  // The op noted last has this node on the tape.
  virtual void taped(const TapeNode&) = 0;
  // A backward pass has freed what the node keeps.
  virtual void freed(const TapeNode&) = 0;
};
TapeObserver* tape_observer();  // null unless recording or replaying

// Installs the interceptor on this thread: kRecording, or kReplaying in addition.
class InterceptorScope {
 public:
  explicit InterceptorScope(Interceptor&, bool replaying = false);
  ~InterceptorScope();
  InterceptorScope(const InterceptorScope&) = delete;
  InterceptorScope& operator=(const InterceptorScope&) = delete;

 private:
  uint32_t word_;
  Observer* observer_;
  TapeObserver* tape_;
  uint64_t serial_;
};

// Switches the installed interceptor between its modes, or off with neither (it stays installed).
void set_intercepting(bool recording, bool replaying);

// Which installation this is, never reused; 0 outside of one. Symbolic sizes that were kept under
// another number must not be touched: their shape environment may be gone.
uint64_t capture_serial();

// Sets some bits of the thread's word for a scope, and gives back those bits alone: an interceptor
// that takes itself off the word inside stays off.
class BitScope {
 public:
  BitScope(uint32_t bits, uint32_t values) : bits_(bits), saved_(t_state.word & bits) {
    t_state.word = (t_state.word & ~bits) | values;
  }
  ~BitScope() { t_state.word = (t_state.word & ~bits_) | saved_; }
  BitScope(const BitScope&) = delete;
  BitScope& operator=(const BitScope&) = delete;

 private:
  uint32_t bits_, saved_;
};

// Nothing inside is noted or answered: kernels that call back, the parts of an op noted as a whole.
class UnrecordedScope : BitScope {
 public:
  UnrecordedScope() : BitScope(kRecording | kReplaying, 0) {}
};

}  // namespace frit::eager
