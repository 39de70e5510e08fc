// Writes of parts of an input that are made in the input's memory: their cost is that of the part.
//
// A graph says a[0].mul_(c) as a whole new value of a, select_scatter(a, .., 0, 0), that is stored
// to a at the end. Where that value is a's old one but for what such nodes replace, one after
// another, each of them stores its part in a's memory, after everyone who reads the value before
// it; who reads the value after it reads a's memory then.
#pragma once
#include <unordered_set>

#include "loops/fusion.h"

namespace frit::loops {

struct PartWrite {
  int input = -1;
  const ir::Node* node = nullptr;     // its output is the input's contents after the write,
  ir::Value* before = nullptr;        // and these are those before it
  ir::Value* part = nullptr;          // the new elements,
  std::vector<const ir::Node*> path;  // in whose place: views written through, the innermost first
  // Or, without a part, a node whose kernel writes by index to what the path shows of the input.
  const ir::Node* kernel = nullptr;
  IntList strides;  // of that, in the input's memory
  Int offset = 0;
  std::vector<IndexOperand> indices;
  ir::Value* after() const { return node->output(); }
  // The index into the input of an element of the part.
  IntList place(IntList at) const;
};

// May the node end the run?
bool stops(const ir::Node&);

// Those of a graph, each input's in their order; none for the inputs in `whole`. No node that may
// raise needs what they write.
std::vector<PartWrite> part_writes(const ir::Graph&, const Fusion&,
                                   const std::unordered_set<int>& whole);

}  // namespace frit::loops
