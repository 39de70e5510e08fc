#include "eager/copy_slices.h"

#include "eager/dispatch.h"

namespace frit::eager {

CopySlices::CopySlices(Edge before, Ptr<TapeNode> writer, uint32_t index, uint32_t self_edge,
                       const Tensor& base, std::vector<Ptr<CallInfo>> steps)
    : writer_(std::move(writer)),
      index_(index),
      self_edge_(self_edge),
      base_(base),
      steps_(std::move(steps)) {
  edges.push_back(std::move(before));
  for (size_t i = 0; i < writer_->edges.size(); ++i) {
    if (i == self_edge_) {
      edge_of_.push_back(0);
      writer_->edges[i] = {};  // the base's edge stands for it
      continue;
    }
    edge_of_.push_back(static_cast<int>(edges.size()));
    edges.push_back(writer_->edges[i]);
  }
}

Tensor CopySlices::copy_of(const Tensor& grad, bool by_place) const {
  EagerCaller c(where());
  if (!by_place) return c.op<"clone">(grad).tensor();
  if (recording())
    t_state.observer->unsupported(*grad.impl(), "the gradient of a write through as_strided",
                                  "write through slices or other views", where());
  Tensor whole = c.op<"empty_strided">(Arg(IntList(base_.sizes.begin(), base_.sizes.end())),
                                       Arg(IntList(base_.strides.begin(), base_.strides.end())),
                                       Arg(grad.dtype()))
                     .tensor();
  return c.op<"copy_">(whole, grad).tensor();
}

void CopySlices::apply(TapeRun& run) {
  static const OpRecord& as_strided = find_op("as_strided");
  EagerCaller c(where());
  bool by_place = false;
  for (const Ptr<CallInfo>& step : steps_) by_place = by_place || &step->record == &as_strided;
  Tensor whole = copy_of(run.grads[0], by_place);
  run.grads[0] = {};
  Tensor part = whole;
  for (const Ptr<CallInfo>& step : steps_) {
    ArgList args = step->numbers();
    args[0] = Arg(part);
    // Offsets count from the start of the storage: the copy's begins where the base does.
    if (&step->record == &as_strided && !args[3].is_none())
      args[3] = Arg(args[3].to_int() - Int(base_.offset));
    part = c.call(step->record, args)[0].tensor();
  }

  SmallVector<Tensor, 2> grads(writer_->outputs.size());
  grads[index_] = c.op<"clone">(part).tensor();
  SmallVector<Tensor, 4> results(edge_of_.size());
  SmallVector<bool, 4> wanted;
  for (int e : edge_of_) wanted.push_back(run.wanted[static_cast<size_t>(e)]);
  TapeRun inner{{grads.data(), grads.size()}, {results.data(), results.size()}, wanted};
  writer_->apply(inner);

  for (size_t i = 0; i < edge_of_.size(); ++i) {
    if (i == self_edge_) continue;
    run.results[static_cast<size_t>(edge_of_[i])] = results[i];
  }
  if (!run.wanted[0]) return;
  if (results[self_edge_].defined())
    c.op<"copy_">(part, results[self_edge_]);
  else
    c.op<"zero_">(part);
  run.results[0] = whole;
}

}  // namespace frit::eager
