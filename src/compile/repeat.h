// Going on eagerly where entries end: the callable runs again from its beginning, the ops of the
// entries are answered with what those left, and everything after them runs as if never compiled.
#pragma once
#include "compile/entry.h"
#include "ops/interceptor.h"

namespace frit::compiler {

// The entries of a call that have run already, and what they left.
struct Prefix {
  std::vector<std::shared_ptr<Entry>> entries;
  std::vector<std::vector<Tensor>> live;  // by entry
  std::vector<int64_t> symbols = {};      // values of the symbols they know
};

// The next step of the entry. UserError where the callable does something else than it did.
const ReplayStep& next_step(const Entry&, size_t& step, const OpRecord& called,
                            SourceLocation where);
// One result of the step. `layout`: its sizes, strides and offset on this call.
Tensor result_of(const ReplayStep::Result&, const TensorDescription& layout,
                 std::span<const Arg> args, std::span<const Tensor> live,
                 std::span<const int64_t> symbols);

class Repeat final : public Interceptor {
 public:
  explicit Repeat(Prefix prefix);
  // UserError where the callable does not do again what it did.
  void run(const Body& body, Leaves& results);
  void host_call() { end_entry(); }

  // --- Interceptor ---
  bool answer(const OpRecord&, std::span<const Arg> args, std::span<Tensor> results,
              SourceLocation where) override;
  void reading_value(const Tensor&, SourceLocation) override { end_entry(); }
  std::optional<Int> symbol_for(const Tensor&, int64_t value, SourceLocation) override;
  bool backward_begins(std::span<const Tensor>, SourceLocation) override {
    end_entry();  // the last one: no recorded pass has another after it
    return false;
  }
  void note(const OpRecord&, std::span<const Arg>, std::span<const Tensor>, PhiloxState,
            SourceLocation) override {}
  void grad_changed(const Tensor&, const Tensor&) override {}
  void grad_read(const Tensor&) override {}
  void reading_metadata(const TensorImpl&) override {}
  void unsupported(const TensorImpl&, const char*, const char*, SourceLocation) override {}
  void changing_state(const char*, const char*, SourceLocation) override { end_entry(); }

 private:
  void end_entry();

  Prefix prefix_;
  size_t entry_ = 0, step_ = 0;
  size_t known_symbols_ = 0;  // how many of them the run has met
};

}  // namespace frit::compiler
