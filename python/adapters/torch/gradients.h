// An entry's forward and backward graphs, run over torch's tensors; torch's tape has both as one
// autograd.Function (python/frit/_torch.py).
#pragma once
#include "adapters/torch/twins.h"
#include "compile/entry.h"

namespace frit::torch {

struct Host;

// What an entry runs.
struct Program {
  std::shared_ptr<compiler::Entry> entry;
  std::vector<std::shared_ptr<Host>> hosts;  // its calls of torch
  bool draws = false;                        // random numbers are among them
};

// One run of it.
struct Run {
  const Api& api;
  std::shared_ptr<const Program> program;
  std::vector<Ref> fresh;     // the graph's fresh outputs that the caller sees
  std::vector<Ref> objects;   // its inputs; null for whole storages
  std::vector<Tensor> twins;  // the same
  std::vector<int64_t> symbols;
};

// Computes and commits; where gradients are wanted, through torch's tape. False, perhaps with an
// exception set: nothing was done.
bool run_forward(Run&);

// No mode is on under which torch's ops do something else: autocast, function and dispatch modes,
// functorch's transforms.
bool plain_state(const Api&, std::string* why = nullptr);

void set_grad_enabled(const Api&, bool);
class GradScope {
 public:
  GradScope(const Api&, bool enabled);
  ~GradScope();
  GradScope(const GradScope&) = delete;
  GradScope& operator=(const GradScope&) = delete;

 private:
  const Api& api_;
  bool before_;
};

void bind_gradients(nb::module_&);

}  // namespace frit::torch
