// What one node is, as an expression: read by the fusion analysis and by the building of nests
// alike.
#pragma once
#include <optional>
#include <unordered_map>
#include <vector>

#include "loops/loop_ir.h"

namespace frit::loops {

// An index that a tensor holds (gather's), as a symbol of index arithmetic, until the load that
// uses it is made: there it becomes an Indirect.
struct DataIndex {
  Int symbol;
  ir::Value* value = nullptr;  // an integer tensor
  IntList at;                  // which element of it
  Int size;                    // of the dimension it indexes
  bool wrap = false;           // may be negative, counting from the end
  const ir::Node* node = nullptr;
};

class DataIndices {
 public:
  explicit DataIndices(Program& p) : program_(p) {}
  Int symbol(ir::Value*, const IntList& at, Int size, bool wrap, const ir::Node&);
  // Those that occur in an index.
  std::vector<const DataIndex*> in(Int index) const;
  bool any() const { return !all_.empty(); }

 private:
  Program& program_;
  std::vector<DataIndex> all_;
};

// Whoever asks for a node's body says what its operands are. Values may be views.
class Reader {
 public:
  virtual ~Reader() = default;
  virtual const Expr* read(ir::Value*, const IntList& at) = 0;
  virtual Int data(ir::Value*, const IntList& at, Int size, bool wrap, const ir::Node&) = 0;
};

// Can `element` make it? Pointwise, views, copies, creation, random and the index ops whose
// lowering is known; of one output.
bool has_elements(const ir::Node&);
// Is the index used for reading alone? Others compare it, count it or draw by it.
bool only_reads(const ir::Node&);
// Element `at` of the node's output, rounded to its dtype; of the dtype's compute type.
const Expr* element(Program&, const ir::Node&, const IntList& at, Reader&);
// A view's or a moving copy's index into what it shows; nullopt for other nodes.
std::optional<IntList> viewed_index(const ir::Node&, const IntList& at);
// The operand that viewed_index is an index into.
ir::Value* viewed(const ir::Node&);

// Is the output the first operand with the elements of a view of it replaced by the second's? Then
// the index into the output of the second's element `at`.
bool writes_view(const ir::Node&);
IntList written_index(const ir::Node&, const IntList& at);

// An operand that says where its node writes: along a dimension of the first operand.
struct IndexOperand {
  ir::Value* value = nullptr;
  size_t dim = 0;
  bool wrap = false;  // may be negative, counting from the end
};
// Those of a node whose output is the first operand but for elements that they name, and whose
// kernel looks at them all before it writes any; none for other nodes.
std::vector<IndexOperand> written_by_index(const ir::Node&);

// A reduction's parts: what is joined, and what is made of the results.
struct ReductionParts {
  std::vector<Reduction> reductions;  // values at the given element of the operand
  // By output: from the reduced values, the value to store, rounded to the output's dtype.
  std::function<const Expr*(Program&, int output, std::span<const Expr* const> reduced)> finish;
};
bool is_reduction(const ir::Node&);
// `operand` is the element of the operand, in its compute type; `count` the number of elements
// reduced; `reduces` is false where that is known to be 1 by sizes, and then there are no
// reductions.
ReductionParts reduction_parts(Program&, const ir::Node&, const Expr* operand, Int count,
                               bool reduces);

// How costly a body is to compute again, about in additions.
int cost_of_body(std::string_view body);
int cost_of_node(const ir::Node&);

}  // namespace frit::loops
