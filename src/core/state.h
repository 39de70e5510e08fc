// The one thread-local word every op tests, and who is watching this thread's tensors.
#pragma once
#include <cstdint>

#include "base/error.h"

namespace frit {

class TensorImpl;

// Bits of the word. Zero but for kGradEnabled means: shape rule, kernel, done.
enum DispatchBit : uint32_t {
  kGradEnabled = 1u << 0,    // ops on tensors that require gradients go on the tape
  kRecording = 1u << 1,      // an Interceptor notes every op
  kInferenceMode = 1u << 2,  // no tape, and what is made never gets one
  kReplaying = 1u << 3,      // an Interceptor answers ops instead of running them
  kViewsUnseen = 1u << 4,    // views are not followed: nobody else has what is made
};

// What core tells about reads that are not ops. Installed together with kRecording.
class Observer {
 public:
  virtual ~Observer() = default;
  // sizes, strides or requires_grad of a tensor are about to be read
  virtual void reading_metadata(const TensorImpl&) = 0;
  // Something no graph can hold is about to be done to the tensor: what, what to type instead, and
  // where, if that is known ("x.register_hook()", ...).
  virtual void unsupported(const TensorImpl&, const char* what, const char* hint,
                           SourceLocation where) = 0;
  // State beside tensors, which what follows may depend on, is about to be changed (a generator's
  // seed, a module's tensors): what, what to type instead, and where, if that is known.
  virtual void changing_state(const char* /*what*/, const char* /*hint*/,
                              SourceLocation /*where*/) {}
};

struct ThreadState {
  uint32_t word = kGradEnabled;
  Observer* observer = nullptr;
};

extern thread_local constinit ThreadState t_state;

inline bool recording() { return t_state.word & (kRecording | kReplaying); }

// Rises whenever the metadata or the storage of any live tensor changes (set_, resize_, t_(),
// requires_grad_, .data=): equal epochs mean that no guard on tensor metadata needs looking at.
uint64_t metadata_epoch();
void bump_metadata_epoch();

// Sets bits of the word for a scope.
class WordScope {
 public:
  WordScope(uint32_t set, uint32_t clear) : saved_(t_state.word) {
    t_state.word = (saved_ | set) & ~clear;
  }
  ~WordScope() { t_state.word = saved_; }
  WordScope(const WordScope&) = delete;
  WordScope& operator=(const WordScope&) = delete;

 private:
  uint32_t saved_;
};

}  // namespace frit
