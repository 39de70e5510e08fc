#include "eager/intercept.h"

#include <atomic>

namespace frit {

Interceptor* interceptor() { return static_cast<Interceptor*>(t_state.observer); }

namespace eager {

namespace {

thread_local constinit Stage t_stage = Stage::forward;
thread_local constinit TapeObserver* t_tape_observer = nullptr;
thread_local constinit uint64_t t_serial = 0;

uint64_t next_serial() {
  static std::atomic<uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

Stage current_stage() { return t_stage; }
StageScope::StageScope(Stage s) : saved_(t_stage) { t_stage = s; }
StageScope::~StageScope() { t_stage = saved_; }

TapeObserver* tape_observer() { return recording() ? t_tape_observer : nullptr; }
uint64_t capture_serial() { return t_serial; }

InterceptorScope::InterceptorScope(Interceptor& i, bool replaying)
    : word_(t_state.word), observer_(t_state.observer), tape_(t_tape_observer), serial_(t_serial) {
  t_state.observer = &i;
  t_tape_observer = dynamic_cast<TapeObserver*>(&i);
  t_serial = next_serial();
  set_intercepting(true, replaying);
}

InterceptorScope::~InterceptorScope() {
  // Grad modes changed inside stay changed, as they would without a capture.
  constexpr uint32_t bits = kRecording | kReplaying;
  t_state.word = (t_state.word & ~bits) | (word_ & bits);
  t_state.observer = observer_;
  t_tape_observer = tape_;
  t_serial = serial_;
}

void set_intercepting(bool recording, bool replaying) {
  t_state.word &= ~(kRecording | kReplaying);
  if (recording) t_state.word |= kRecording;
  if (replaying) t_state.word |= kReplaying;
}

}  // namespace eager
}  // namespace frit
