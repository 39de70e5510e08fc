// The one place where tensor code that is being run becomes a Graph, for every front end and every
// tensor library. The Recorder knows no tensor class: it is told of ops by note(), with tensors as
// Handles, after the library has run them.
//
// Functionalization: each storage has a base Value and aliases, each a chain of view ops from the
// base. A write through an alias makes a new base Value; other aliases are derived from it again
// when they are next read.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/handle.h"
#include "ir/graph.h"

namespace frit::trace {

// Why a recording ended before the program did. Kinds are stable names that docs list.
struct Stop {
  std::string kind;  // "aliased_inputs", "unsupported", "mismatch", ...
  std::string text;  // what happened
  std::string hint;  // what to type
  SourceLocation where;
  bool internal = false;  // our bug: the capture is dropped with a notice and a reproducer
};

// Whoever owns the tensors: the front end for a library.
class Host {
 public:
  virtual ~Host() = default;
  struct InputInfo {
    std::string name;           // in the user's words: "x", "up.weight"
    bool dynamic = false;       // sizes of 2 and more become symbols
    std::vector<int8_t> marks;  // by dimension: 1 its size does, -1 it does not, 0 as `dynamic`
    Symbol module_path;
    // Sizes and strides that an earlier recording on the same shape environment gave the tensor.
    std::optional<std::pair<IntList, IntList>> known;
  };
  // A tensor the recording has not met is used: it becomes an input.
  virtual InputInfo describe_input(const Handle&) = 0;
  // A tensor's symbolic sizes are known now (fresh results and inputs).
  virtual void set_symbolic(const Handle&, const IntList& sizes, const IntList& strides,
                            Int offset) = 0;
  // A flat tensor (rank 1, offset 0) over the whole storage of this one, for storages that several
  // inputs share and one of them writes.
  virtual Handle whole_storage(const Handle&) = 0;
};

class Recorder {
 public:
  struct Options {
    bool dynamic = true;  // false: every size is a constant
    // Storages known, from a dropped capture, to be shared by inputs of which one is written.
    std::vector<uint64_t> grouped_storages;
  };
  Recorder(std::shared_ptr<sym::ShapeEnv> env, Host& host, Options options);
  ~Recorder();

  // Makes the tensor an input if it is not known yet (arguments, in order, before anything runs).
  int input(const Handle&);
  bool knows(uint64_t identity) const;

  // One op has run. `record` may be any form; args are complete, their tensors Handles describing
  // what the op saw before it ran; results describe what it gave (for in-place forms: the written
  // tensor). Provenance: where, module, stage. After a stop, notes are ignored.
  void note(const OpRecord& record, std::span<const Arg> args, std::span<const Handle> results,
            const ir::Provenance& from);

  // The node of the op that was noted last; null where the graph needed none.
  ir::Node* noted() const { return noted_; }
  // A backward pass has freed what eager keeps for this node.
  void free_history(ir::Node* n) { graph_->set_freed(n, true); }

  // The values of this tensor's single element will be known to the graph as a symbol.
  Int define_symbol(const Handle& scalar, std::optional<int64_t> seen, const ir::Provenance& from);

  // The current Value of a tensor (derived from its base if it was written through an alias).
  ir::Value* value_of(const Handle&);
  // `fresh` is another object for the same elements as `same_as` (detach, a copied handle).
  void add_alias(const Handle& same_as, const Handle& fresh);

  void stop(Stop);
  const std::optional<Stop>& stopped() const { return stopped_; }

  const ir::Graph& graph() const { return *graph_; }
  Int rng_blocks() const { return rng_blocks_; }  // how far the generator has moved, symbolic

  // Inputs in graph order, as they were when met.
  struct Input {
    Handle handle;
    std::string name;
    bool dynamic = false;
    int of_group = -1;  // index of the group base input it is derived from, or -1
    bool written = false;
    bool aliased = false;         // returned as itself or as a view: its grouping is a guard
    SmallVector<int, 5> symbols;  // by dimension: index of the symbol made for it, or -1
    bool fixed_offset = false;    // its storage offset is a constant of the graph: a guard
    bool exact_strides = false;   // those of dimensions of size 1 matter too: a guard
  };
  const std::vector<Input>& inputs() const { return inputs_; }

  // Ends the recording: `returned` are the tensors to give back (in order, repeats allowed), then
  // write-backs and the generator's advance become effects. The graph is verified.
  std::unique_ptr<ir::Graph> finish(std::span<const Handle> returned);
  // finish() left these storages for the next attempt to group (kind "aliased_inputs").
  const std::vector<uint64_t>& storages_to_group() const { return to_group_; }

  struct ViewStep {
    const OpRecord* record;
    ArgList args;  // argument 0 is replaced
    ir::Maker maker = {};
    int writes = 0;  // of the storage, before it was made
  };
  // The views by which the program came from the storage's base to this tensor; empty where an
  // in-place view reshaped it.
  std::span<const ViewStep> views_of(const Handle& h) const;

 private:
  struct StorageState {
    ir::Value* base = nullptr;  // current contents
    uint64_t generation = 1;    // rises with every write
    int input = -1;             // index of the input it came in with, or -1: made here
    int writes = 0;
    ir::Maker maker = {};        // of the base, where a write left another than made its value
    bool laid_out_anew = false;  // a written input with gaps: its value has none
  };
  struct TensorState {
    uint64_t storage = 0;         // key into storages_
    std::vector<ViewStep> chain;  // from the storage's base to this tensor; empty: the base itself
    ir::Value* value = nullptr;   // what it held at `generation`
    uint64_t generation = 0;
    int input = -1;
    IntList sizes, strides;
    Int offset = 0;  // relative to the storage's base
    // The base's own object, which an in-place view reshaped: at which generation. Else 0.
    uint64_t reshaped = 0;
  };

  // What eager kept for a node's derivative: the storage, and how often it had been written by
  // then.
  struct KeptIn {
    ir::Node* node;
    ir::Kept kept;
    uint64_t storage;
    uint64_t object = 0;  // the kept tensor's identity, where eager keeps that very object
  };

  TensorState& state_of(const Handle&);
  ir::Value* current(TensorState&, const ir::Provenance&);
  // What a write does to the history of what it writes.
  struct History {
    bool kept = false;      // the tape has no node for it: the old history goes on
    std::vector<Ref> flat;  // the written value has gradients of 0 for these
    Ref through;            // the value that the written one's gradient goes to
  };
  History history_of(const OpRecord& inplace_or_out, const Handle& target,
                     std::span<const Arg> args, const ArgList& values, const ir::Provenance&);
  Ref in_own_dtype(const ir::Node&, DType target, const ir::Provenance&);
  ir::Value* with_history(ir::Value*, Ref kept, std::vector<Ref> flat, ir::Provenance);
  void write(TensorState&, ir::Value* updated, const ir::Maker& by, const ir::Provenance&, History);
  static ir::Maker maker_of(const StorageState&);
  ir::Maker maker_of(const TensorState&) const;
  ArgList with_values(std::span<const Arg> args, const ir::Provenance&);
  void count_from_self(const OpRecord&, std::span<const Arg> args, ArgList& values);
  bool within_base(const StorageState&, const ArgList& as_strided, const ir::Provenance&);
  void note_view(const OpRecord&, std::span<const Arg>, std::span<const Handle>,
                 const ir::Provenance&);
  void note_view_in_place(const OpRecord& view, std::span<const Arg>, const Handle& self,
                          const ir::Provenance&);
  void note_fresh(const OpRecord&, std::span<const Arg>, std::span<const Handle>,
                  const ir::Provenance&);
  void note_written(const OpRecord&, std::span<const Arg>, std::span<const Handle>,
                    const ir::Provenance&);
  ir::Node* add(const OpRecord& functional, ArgList args, const ir::Provenance&);
  void add_fresh(const Handle&, ir::Value*);
  void keep_args(ir::Node*, std::span<const Arg> args, bool self_is_copied);
  void keep_outs(ir::Node*, std::span<const Handle> outs);
  void settle_kept(const std::unordered_map<uint64_t, int>& base_output);
  bool of_data(const Handle&) const;
  void check_agrees(const ir::Value&, const Handle&, const OpRecord&);

  std::shared_ptr<sym::ShapeEnv> env_;
  Host& host_;
  Options options_;
  std::unique_ptr<ir::Graph> graph_;
  std::vector<Input> inputs_;
  std::unordered_map<uint64_t, TensorState> tensors_;    // by identity
  std::unordered_map<uint64_t, StorageState> storages_;  // by storage, or by kSeparate | input
  std::unordered_map<uint64_t, std::vector<int>> inputs_of_storage_;
  std::vector<KeptIn> kept_;
  ir::Node* noted_ = nullptr;
  std::vector<uint64_t> to_group_;
  std::optional<Stop> stopped_;
  Int rng_blocks_ = 0;
  size_t asserts_before_;  // of the environment: those of recordings before this one
};

}  // namespace frit::trace
