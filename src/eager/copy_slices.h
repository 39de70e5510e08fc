// The history of a tensor of which a view was written: gradients of the written part go through the
// op that wrote it, those of the rest pass by.
#pragma once
#include "eager/tape.h"

namespace frit::eager {

class CopySlices final : public TapeNode {
 public:
  // `writer` made the view of `steps` from the base; `before` is where the base's gradient went.
  CopySlices(Edge before, Ptr<TapeNode> writer, uint32_t index, uint32_t self_edge,
             const Tensor& base, std::vector<Ptr<CallInfo>> steps);
  std::string name() const override { return kCopySlices; }
  void apply(TapeRun& run) override;
  void release_saved() override { writer_->release_saved(); }
  const TapeNode& writer() const override { return writer_->writer(); }
  SourceLocation where() const override { return writer_->where(); }

 private:
  // A copy of the base's gradient that the steps can be taken on.
  Tensor copy_of(const Tensor& grad, bool by_place) const;

  Ptr<TapeNode> writer_;
  uint32_t index_, self_edge_;
  TensorInfo base_;
  std::vector<Ptr<CallInfo>> steps_;
  SmallVector<int, 3> edge_of_;  // by the writer's edges: ours
};

}  // namespace frit::eager
