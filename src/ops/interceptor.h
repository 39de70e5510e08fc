// Who sees ops while the thread's word says kRecording or kReplaying. One at a time a thread.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/symbol.h"
#include "core/generator.h"
#include "core/state.h"
#include "ops/arg.h"

namespace frit {

struct OpRecord;

// What of a module decides which code runs, besides its training flag. It is kept apart from the
// module: an entry that depends on it may outlive the module.
struct ModuleForm {
  std::vector<uint64_t> hooks;  // handles of forward and pre-forward hooks
  bool operator==(const ModuleForm&) const = default;
};

class Interceptor : public Observer {
 public:
  // kRecording: the op has run (functional, in-place, out or view form as called); args hold the
  // tensors as they were passed, results what it gave.
  virtual void note(const OpRecord&, std::span<const Arg> args, std::span<const Tensor> results,
                    PhiloxState rng_before, SourceLocation where) = 0;
  // kReplaying: give the op's results without running it. False: not answered, run it.
  virtual bool answer(const OpRecord&, std::span<const Arg> args, std::span<Tensor> results,
                      SourceLocation where) = 0;
  // A value is about to be read on the host (item, operator bool, data()). `t` holds it already.
  virtual void reading_value(const Tensor& t, SourceLocation where) = 0;
  // leaf.grad has become `grad` (undefined: None): zero_grad, set_grad, the end of a backward pass.
  // Called after the change; an accumulation in place is an ordinary noted op instead.
  virtual void grad_changed(const Tensor& leaf, const Tensor& grad) = 0;
  // leaf.grad is about to be read (by the program or by an accumulation).
  virtual void grad_read(const Tensor& leaf) = 0;
  // backward() is about to run from these roots. False: it cannot be part of the recording (some
  // tape node on the way was not made in it), and what runs is not noted.
  virtual bool backward_begins(std::span<const Tensor> roots, SourceLocation where) = 0;
  // kRecording: a rule raised on symbolic sizes, so the op runs unseen.
  virtual void failed(const OpRecord&, const std::string& text, SourceLocation where) {}
  // A flag of the program's (a module's training mode) decides what runs next: the entry depends on
  // it.
  virtual void reading_flag(const std::shared_ptr<const bool>& flag, const char* what) {}
  // What the module at `path` is made of decides what runs next.
  virtual void reading_form(const std::shared_ptr<const ModuleForm>& form, Symbol path) {}
  // The hooks of this leaf's gradient are about to run; there may be none.
  virtual void gradient_hooks_read(const Tensor& leaf) {}
  // item_int(): the symbol that stands for the value, where the graph goes on with one.
  virtual std::optional<Int> symbol_for(const Tensor& t, int64_t value, SourceLocation where) = 0;
};

// The interceptor of this thread, or null; it is also t_state.observer.
Interceptor* interceptor();

}  // namespace frit
