// Ahead-of-time differentiation: a forward graph becomes a joint graph (forward, then backward),
// and the joint graph is cut into a forward graph that saves values and a backward graph that reads
// them.
#pragma once
#include <memory>
#include <vector>

#include "ir/graph.h"

namespace frit::grad {

// A forward graph and its derivative in one graph. Its inputs are the forward graph's, then one
// tangent for each differentiated output; its outputs are the forward graph's, then one gradient
// for each input that wants one (a value; or null where none reaches it).
struct Joint {
  std::unique_ptr<ir::Graph> graph;
  int forward_inputs = 0, forward_outputs = 0;
  std::vector<int> tangent_of;        // for each tangent input: which forward output it belongs to
  std::vector<int> gradient_of;       // for each gradient output: which forward input it belongs to
  std::vector<ir::Value*> gradients;  // parallel to gradient_of, as made; null: none
};

// `differentiated`: the forward outputs (fresh ones, or values written back) that may receive a
// gradient. Gradients are made for every input with requires_grad. Nodes without a derivative stop
// it; a node that has none and should (no vjp) is an InternalError, since decompose_for_grad ran.
Joint differentiate(const ir::Graph& forward, std::span<const int> differentiated);

struct Partition {
  std::unique_ptr<ir::Graph> forward;   // outputs: the original ones, then the saved values
  std::unique_ptr<ir::Graph> backward;  // inputs: saved values, then tangents; outputs: gradients
  int forward_outputs = 0;              // how many of forward's outputs are the original ones
  // What each saved input of backward is: an input of the forward graph, or one of its outputs.
  struct Saved {
    bool is_input = false;
    int index = -1;
  };
  std::vector<Saved> saved;
  std::vector<int> tangent_of, gradient_of;
  std::vector<bool> has_gradient;  // parallel to gradient_of
};

// Minimum cut of the values that cross from forward to backward, by bytes (symbolic sizes by hint):
// what is cheap to compute again from what is saved anyway is computed again. Random and library
// nodes, products and reductions never are.
Partition partition(const Joint&);

}  // namespace frit::grad
