#include "compile/repeat.h"

#include <frit/ops.h>

#include "eager/autograd_meta.h"
#include "eager/intercept.h"

namespace frit::compiler {

const ReplayStep& next_step(const Entry& e, size_t& step, const OpRecord& called,
                            SourceLocation where) {
  if (step >= e.replay.size() || e.replay[step].record != &called)
    throw UserError(
        ErrorKind::runtime, "compile",
        "the callable did not repeat what it did before: it called " + called.full_name +
            " where it had called " +
            (step < e.replay.size() ? e.replay[step].record->full_name : "nothing"),
        "callables that do the same for the same tensors; frit::host_call for side effects", where);
  return e.replay[step++];
}

Tensor result_of(const ReplayStep::Result& r, const TensorDescription& d, std::span<const Arg> args,
                 std::span<const Tensor> live, std::span<const int64_t> symbols) {
  if (r.argument >= 0 && args[static_cast<size_t>(r.argument)].is_ref())
    return args[static_cast<size_t>(r.argument)].ref().tensor();
  if (r.live >= 0) return live[static_cast<size_t>(r.live)];
  if (r.item_symbol >= 0) {
    Tensor t = empty_cpu(d.sizes, d.dtype);
    WordScope quiet(0, kRecording | kReplaying);
    t.fill_(Scalar(symbols[static_cast<size_t>(r.item_symbol)]));
    return t;
  }
  // It was used up within the prefix: a tensor of its description, without data.
  int64_t extent = 1;
  for (size_t k = 0; k < d.sizes.size(); ++k)
    extent += std::max<int64_t>(d.sizes[k] - 1, 0) * d.strides[k];
  Tensor used(make_ptr<TensorImpl>(
      make_ptr<Storage>(Storage::Fake{},
                        static_cast<size_t>((extent + d.offset) * size_of(d.dtype))),
      d.dtype, d.sizes, d.strides, d.offset));
  // Which ops the program's calls consist of depends on it.
  if (d.requires_grad) eager::ensure_meta(*used.impl()).requires_grad = true;
  return used;
}

Repeat::Repeat(Prefix prefix) : prefix_(std::move(prefix)) {
  // Sizes of arguments come first, and are numbers here.
  const auto& symbols = prefix_.entries.back()->compilation->recorded->env()->symbols();
  while (known_symbols_ < symbols.size() && !symbols[known_symbols_].unbacked) ++known_symbols_;
}

void Repeat::run(const Body& body, Leaves& results) {
  eager::InterceptorScope scope(*this, true);
  eager::set_intercepting(false, true);
  body(results);
  if (entry_ < prefix_.entries.size())
    throw UserError(
        ErrorKind::runtime, "compile",
        "the callable ended before it had repeated what it did before",
        "callables that do the same for the same tensors; frit::host_call for side effects");
}

void Repeat::end_entry() {
  step_ = 0;
  if (++entry_ == prefix_.entries.size()) eager::set_intercepting(false, false);
}

bool Repeat::answer(const OpRecord& record, std::span<const Arg> args, std::span<Tensor> results,
                    SourceLocation where) {
  const Entry& e = *prefix_.entries[entry_];
  const ReplayStep& step = next_step(e, step_, record, where);
  known_symbols_ = std::max(known_symbols_, step.symbols_after);
  const sym::ShapeEnv& env = *e.compilation->recorded->env();
  auto number = [&](Int i) { return env.evaluate(i, prefix_.symbols); };
  for (size_t i = 0; i < step.results.size() && i < results.size(); ++i) {
    const ReplayStep::Result& r = step.results[i];
    TensorDescription d = r.description;
    for (size_t k = 0; k < r.sizes.size(); ++k) {
      d.sizes[k] = number(r.sizes[k]);
      d.strides[k] = number(r.strides[k]);
    }
    if (!r.sizes.empty()) d.offset = number(r.offset);
    results[i] = result_of(r, d, args, prefix_.live[entry_], prefix_.symbols);
  }
  if (e.end == Entry::End::op_count && step_ == e.replay.size()) end_entry();
  return true;
}

std::optional<Int> Repeat::symbol_for(const Tensor&, int64_t value, SourceLocation) {
  // Its tensor may have been written since: what was read then counts.
  return Int(known_symbols_ < prefix_.symbols.size() ? prefix_.symbols[known_symbols_++] : value);
}

}  // namespace frit::compiler
