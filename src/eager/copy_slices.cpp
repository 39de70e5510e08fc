#include "eager/copy_slices.h"

#include "eager/dispatch.h"

namespace frit::eager {

CopySlices::CopySlices(Edge before, Ptr<TapeNode> writer, uint32_t index, uint32_t self_edge,
                       std::vector<Ptr<CallInfo>> steps)
    : writer_(std::move(writer)), index_(index), self_edge_(self_edge), steps_(std::move(steps)) {
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

void CopySlices::apply(TapeRun& run) {
  EagerCaller c(where());
  Tensor whole = c.op<"clone">(run.grads[0]).tensor();
  run.grads[0] = {};
  Tensor part = whole;
  for (const Ptr<CallInfo>& step : steps_) {
    ArgList args = step->numbers();
    args[0] = Arg(part);
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
