// Graph: SSA, functional, typed. Every Value has dtype, device, sizes and strides as Ints. Views
// and mutation do not exist inside; effects are a list at the end. Nodes exist only through
// Graph::add, which runs the op's shape rule.
#pragma once
#include <list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ops/record.h"
#include "sym/shape_env.h"

namespace frit::ir {

class Graph;
class Node;

enum class Stage : uint8_t { forward, backward, optimizer };
constexpr const char* stage_text(Stage s) {
  return s == Stage::forward ? "forward" : s == Stage::backward ? "backward" : "optimizer";
}

// Where a node comes from; kept through every pass.
struct Provenance {
  // The innermost, or none.
  SourceLocation place() const { return where.empty() ? SourceLocation{} : where.front(); }
  std::vector<SourceLocation> where;  // innermost first; merged nodes keep all
  Symbol module_path;                 // "up"; empty outside modules
  Stage stage = Stage::forward;
  bool grad = true;            // false: recorded with gradients off; differentiation stops here
  const char* pass = nullptr;  // the pass that made it, null for recorded nodes
  uint32_t from = 0;           // id of the node it was made from, 0 for none
};

class Value {
 public:
  uint32_t id() const { return id_; }
  DType dtype() const { return dtype_; }
  const IntList& sizes() const { return sizes_; }
  const IntList& strides() const { return strides_; }
  int64_t dim() const { return static_cast<int64_t>(sizes_.size()); }
  Int numel() const { return numel_of<Int>(sizes_); }
  Node* producer() const { return producer_; }  // null for graph inputs
  int index() const { return index_; }          // among the producer's outputs, or the inputs
  Symbol name() const { return name_; }         // inputs: "x", "up.weight"; else empty
  // Nodes that read it (a node that reads it twice is there twice) plus uses as graph
  // outputs/effects.
  const std::vector<Node*>& users() const { return users_; }
  bool requires_grad = false;  // inputs: what the guard says
  TensorMeta<Int> meta() const { return {dtype_, sizes_, strides_, Int(0), requires_grad}; }

 private:
  friend class Graph;
  uint32_t id_ = 0;
  DType dtype_ = DType::f32;
  IntList sizes_, strides_;
  Node* producer_ = nullptr;
  int index_ = 0;
  Symbol name_;
  std::vector<Node*> users_;
};

// The node that made a tensor on eager's tape: errors name it.
struct Maker {
  const OpRecord* op = nullptr;  // null: none is known
  int output = 0;
  SourceLocation where;
  bool by_slices = false;  // `op` wrote a view of the tensor
};

// A tensor that eager keeps for the derivative of a node, in memory that writes reach: the
// program's own by the end of the recording (`writes` were done before it was kept, `writes_at_end`
// in all), or the caller's until backward runs.
struct Kept {
  int16_t arg = -1;      // argument, or -1: output number `element`
  int16_t element = -1;  // of an argument that is a list
  int input = -1;        // whose memory it is: that of a graph input,
  int output = -1;       // of a graph output, or of neither
  int object = -1;  // the graph input that is the kept tensor itself: it tells what it has become
  int writes = 0, writes_at_end = 0;
  Maker maker;                         // of an argument
  std::optional<IntList> shown_sizes;  // what the tensor has become by in-place views
};

class Node {
 public:
  uint32_t id() const { return id_; }
  const OpRecord& record() const { return *record_; }
  std::span<const Arg> args() const { return args_; }  // Refs are Values of this graph
  std::span<Value* const> outputs() const { return outputs_; }
  Value* output(int i = 0) const { return outputs_[static_cast<size_t>(i)]; }
  const Provenance& provenance() const { return provenance_; }
  Provenance& provenance() { return provenance_; }
  // Random nodes: the Philox offset, in blocks, relative to the generator's at the entry's start.
  // Fixed at capture; a recomputed copy keeps it.
  Int rng_offset() const { return rng_offset_; }
  // A symbol this node's single value defines (item_int), or none.
  Int defines() const { return defines_; }
  const std::vector<Kept>& kept() const { return kept_; }
  // The dtype of the tensor that the op was written to in place, where it gives another: eager's
  // tape has result and gradient in that.
  std::optional<DType> written_as() const { return written_as_; }
  // Had a backward pass of the recording come to it and freed what eager keeps for it?
  bool freed() const { return freed_; }

 private:
  friend class Graph;
  uint32_t id_ = 0;
  const OpRecord* record_ = nullptr;
  ArgList args_;
  SmallVector<Value*, 2> outputs_;
  Provenance provenance_;
  Int rng_offset_ = 0;
  Int defines_ = 0;
  std::vector<Kept> kept_;
  std::optional<DType> written_as_;
  bool freed_ = false;
  std::vector<std::unique_ptr<Value>> owned_;            // the outputs
  std::list<std::unique_ptr<Node>>::iterator position_;  // in the graph's list
};

// What a run does besides giving values, in program order.
struct Effect {
  enum class Kind : uint8_t {
    write_input,  // value becomes the contents of graph input `input`; its version rises `bumps`
                  // times
    advance_rng,  // the generator moves on by `blocks`
    host,         // an effect on the caller's objects; `host` indexes the entry's recipe
  };
  Kind kind = Kind::write_input;
  Value* value = nullptr;
  int input = -1;
  int bumps = 1;
  Int blocks = 0;
  int host = -1;
};

// What a graph output is to the caller.
struct Output {
  enum class Kind : uint8_t { fresh, input, view_of_input, view_of_output };
  Value* value = nullptr;  // fresh: the value. Others: what the alias shows, or null
  Kind kind = Kind::fresh;
  int of = -1;             // which input or output
  IntList sizes, strides;  // views: made by the library's own call
  Int offset = 0;
  bool requires_grad = false;
  int bumps = 0;  // fresh: how often the program wrote it, so its version
};

// A condition checked in the graph while it runs (frit::check on an unbacked symbol).
struct RuntimeAssert {
  Bool condition = true;
  std::string message;
  SourceLocation where;
};

class Graph {
 public:
  explicit Graph(std::shared_ptr<sym::ShapeEnv> env, std::string name = "graph");
  Graph(const Graph&) = delete;

  std::string name;
  const std::shared_ptr<sym::ShapeEnv>& env() const { return env_; }

  Value* add_input(std::string_view name, DType, std::span<const Int> sizes,
                   std::span<const Int> strides, bool requires_grad = false);
  // Runs the record's shape rule, makes the outputs, appends (or inserts before `before`).
  // UserError from the shape rule passes through; a written form is an InternalError.
  Node* add(const OpRecord&, ArgList args, Provenance = {}, Node* before = nullptr);
  // For parsers and passes that know better: outputs' metadata as given, verified by verify().
  Node* add_with_outputs(const OpRecord&, ArgList args, std::span<const OutMeta<Int>> outs,
                         Provenance = {}, Node* before = nullptr);
  void set_rng_offset(Node*, Int blocks);
  void set_defines(Node*, Int symbol);
  void set_kept(Node*, std::vector<Kept>);
  void set_written_as(Node*, std::optional<DType>);
  void set_freed(Node*, bool);
  void replace_all_uses(Value* from, Value* to);  // in nodes, outputs and effects
  void set_arg(Node*, size_t i, Arg);
  void erase(Node*);  // InternalError if an output is still used

  std::span<Value* const> inputs() const { return inputs_; }
  // Removes unused inputs; returns, for each kept one, its old index.
  std::vector<int> drop_unused_inputs(const std::function<bool(Value*)>& keep);
  const std::list<std::unique_ptr<Node>>& nodes() const { return nodes_; }
  std::vector<Output> outputs;
  std::vector<Effect> effects;
  std::vector<RuntimeAssert> asserts;
  // Every value read by outputs and effects counts as a use; call after changing those two by hand.
  void refresh_uses();

 private:
  std::shared_ptr<sym::ShapeEnv> env_;
  std::vector<Value*> inputs_;
  std::list<std::unique_ptr<Node>> nodes_;
  std::vector<std::unique_ptr<Value>> owned_inputs_;
  uint32_t next_value_ = 0, next_node_ = 1;
};

// Deterministic text; parse(print(g)) prints the same. See reference form in docs/architecture.md:
//   graph forward(x: f32[s0, 64], up.weight: f32[256, 64]) {
//     %0: f32[s0, 256] = linear(x, up.weight, up.bias)   # net.cpp:9 up
//     return %0
//   }
std::string print(const Graph&);
struct PrintOptions {
  bool locations = true;
  bool strides = false;
  std::function<std::string(Int)> number = {};  // how sizes are written, if not as they are
};
std::string print(const Graph&, PrintOptions);
// UserError [parse] with line and column for text that is not a graph.
std::unique_ptr<Graph> parse(std::string_view text);
// InternalError naming the node and the rule broken: defined before used, metadata agrees with the
// shape rule, no written forms, effects and outputs refer to values of this graph, uses are right.
void verify(const Graph&);
// All but what the shape rules say.
void verify_structure(const Graph&);
std::unique_ptr<Graph> clone(const Graph&);

// The Caller that only builds: every call appends a node. Implicit composites run as their parts.
class BuilderCaller final : public Caller {
 public:
  explicit BuilderCaller(Graph& g, Provenance p = {}, Node* before = nullptr)
      : graph_(g), provenance_(std::move(p)), before_(before) {}
  RefList call(const OpRecord&, std::span<const Arg> args) override;
  void set_provenance(Provenance p) { provenance_ = std::move(p); }

 private:
  Graph& graph_;
  Provenance provenance_;
  Node* before_;
};

}  // namespace frit::ir
