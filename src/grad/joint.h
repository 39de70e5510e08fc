// Ahead-of-time differentiation: a forward graph becomes a joint graph (forward, then backward),
// and the joint graph is cut into a forward graph that saves values and a backward graph that reads
// them.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/graph.h"

namespace frit::grad {

// What eager's backward refuses when it comes to an op: a tensor that the tape would have kept,
// that is read, and that was written since; or an error of the derivative rule itself.
struct Watch {
  std::shared_ptr<const UserError> error;  // of the rule; then nothing was kept
  ir::Kept kept;
  const OpRecord* owner;  // the op whose derivative needs it
  SourceLocation where;   // of that op
  DType dtype;            // of what was kept
  IntList sizes;
  bool made_on_tape;          // by kept.maker
  std::vector<bool> reaches;  // by gradient: does the op's backward lead to it
  int node;                   // the op's place in the forward graph
  std::vector<bool> from{};   // by tangent: does its backward come to the op
  std::vector<bool> done{};   // by gradient: has backward come by all that leads to it before
};

// An op that eager's backward comes to and whose tape node keeps tensors: without retain_graph they
// are freed then, and eager refuses to come to it again.
struct Keeper {
  int node;  // its place in the forward graph
  const OpRecord* owner;
  SourceLocation where;
  std::vector<bool> reaches;  // by gradient
  bool freed = false;         // the forward graph itself went backward through it
};
// Is there no keeper left that backward may come to?
bool used_up(std::span<const Keeper>);

// A forward graph and its derivative in one graph. Its inputs are the forward graph's, then one
// tangent for each differentiated output; its outputs are the forward graph's, then one gradient
// for each input that wants one (a value; or null where none reaches it).
struct Joint {
  std::unique_ptr<ir::Graph> graph;
  int forward_inputs = 0, forward_outputs = 0;
  std::vector<int> tangent_of;        // for each tangent input: which forward output it belongs to
  std::vector<int> gradient_of;       // for each gradient output: which forward input it belongs to
  std::vector<ir::Value*> gradients;  // parallel to gradient_of, as made; null: none
  std::vector<bool> leads;            // parallel too: do differentiated outputs depend on the input
  std::vector<Watch> watches;         // in the order in which backward comes to them
  std::vector<Keeper> keepers;        // likewise
  bool keeps_all_ways = true;         // every way from a tangent to a gradient comes to a keeper
};

// `differentiated`: the forward outputs (fresh ones, or values written back) that may receive a
// gradient; it must be those that do, for what eager gives is undefined where none arrives.
// Gradients are made for every input with requires_grad. Nodes without a derivative stop
// it; a node that has none and should (no vjp) is an InternalError, since decompose_for_grad ran.
Joint differentiate(const ir::Graph& forward, std::span<const int> differentiated);

// A backward pass for the outputs that do receive a gradient.
struct Backward {
  // Inputs: `reads`, then tangents; outputs: gradients. Null where all was used up.
  std::unique_ptr<ir::Graph> graph;
  struct Read {
    bool is_input = false;  // of the forward graph, else a saved value of the partition
    int index = -1;
  };
  std::vector<Read> reads;
  std::vector<int> tangent_of;
  std::vector<bool> has_gradient;  // parallel to gradient_of
  std::vector<Watch> watches;
  std::vector<Keeper> keepers;
  bool keeps_all_ways = true;
};

// Equal numbers for equal values, also of different graphs: the same ops on the same inputs.
class ValueNumbers {
 public:
  // Of all values; inputs from number `inputs` on (tangents) equal no others.
  std::unordered_map<const ir::Value*, uint32_t> of(const ir::Graph&, int inputs);

 private:
  std::unordered_map<std::string, uint32_t> known_;
  uint32_t next_ = 0;
};

struct Partition {
  std::unique_ptr<ir::Graph> forward;  // outputs: the original ones, then the saved values
  int forward_outputs = 0;             // how many of forward's outputs are the original ones
  // What each saved value is: an input of the forward graph, or one of its outputs.
  struct Saved {
    bool is_input = false;
    int index = -1;
  };
  std::vector<Saved> saved;
  std::vector<int> gradient_of;
  std::vector<bool> leads;  // parallel to gradient_of, as in the joint graph
  Backward backward;        // where every differentiated output receives one
  ValueNumbers numbers;
  std::unordered_map<uint32_t, int> saved_number;  // number of a saved value: its index
};

// Minimum cut of the values that cross from forward to backward, by bytes (symbolic sizes by hint):
// what is cheap to compute again from what is saved anyway is computed again. Random and library
// nodes, products and reductions never are. Nothing is saved for a backward pass that can only
// refuse.
Partition partition(const Joint&);

// Another backward pass for the same forward graph, from the joint graph of fewer tangents. What
// was not saved is computed again, from the inputs where need be.
Backward backward_of(const Joint&, Partition&);

}  // namespace frit::grad
