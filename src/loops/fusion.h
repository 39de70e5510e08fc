// Which nodes are computed together. A cluster becomes one nest of loops, one matrix product with
// its epilogue, or one library step.
//
// Every value of a loop cluster is an element for each turn of its domain's loops (full), or for
// each turn of the outer ones (a row's result). A node joins a cluster if it reads the cluster's
// values at exactly the turn in which they are made; then no memory lies between them.
#pragma once
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "loops/lower.h"
#include "loops/lowering.h"

namespace frit::loops {

bool same_sizes(const IntList& a, const IntList& b);
bool same_index(const IntList& a, const IntList& b);
// The index of the flat'th element; 0 in dimensions of size 1.
IntList unflatten(Int flat, std::span<const Int> sizes);

// Loops over the dimensions of some sizes; those known to be 1 have no loop.
struct Domain {
  IntList sizes, symbols;
  SmallVector<bool, 8> reduced;  // the row; empty loops of a reduction are in it too

  bool has_row() const {
    for (bool r : reduced)
      if (r) return true;
    return false;
  }
};

enum class ClusterKind : uint8_t { loops, gemm, library, symbol, part_write };

struct Cluster {
  struct Member {
    ir::Value* value = nullptr;
    IntList at;        // its index in terms of the domain's symbols
    bool full = true;  // an element for every turn
  };
  int id = 0;
  ClusterKind kind = ClusterKind::loops;
  Domain domain;
  std::vector<const ir::Node*> nodes;
  std::vector<Member> members;
  std::vector<int> preds,
      succs;      // clusters it reads, clusters that read it; some may be merged away
  int level = 0;  // above those of all it depends on
  int ops = 0, cost = 0;
  int merged_into = -1;
};

// An element of a value that is not a view.
struct Access {
  ir::Value* value;
  IntList at;
};

struct PartWrite;

class Fusion {
 public:
  // Inputs in `whole` are written whole.
  Fusion(const ir::Graph&, Program&, const Options&, const std::unordered_set<int>& whole);
  ~Fusion();
  void run();

  const std::vector<std::unique_ptr<Cluster>>& clusters() const { return clusters_; }
  // Live clusters, each after those it depends on; program order otherwise.
  std::vector<Cluster*> in_order() const;
  Cluster* home(const ir::Value* v) const;  // null: a graph input
  const Cluster::Member* member(const Cluster& c, const ir::Value* v) const;
  DataIndices& data() { return data_; }
  const std::vector<PartWrite>& part_writes() const { return part_writes_; }
  // The write of which v is what it leaves, or what it finds; null if there is none.
  const PartWrite* making(const ir::Value* v) const;
  const PartWrite* replacing(const ir::Value* v) const;
  // The write that the node's kernel makes.
  const PartWrite* made_by(const ir::Node& n) const;
  bool depends(const Cluster& a, const Cluster& b) const;

  // Through views to an input or what is computed.
  Access resolve(ir::Value* v, IntList at) const;
  // Strides of a value where it is stored: its own, or row-major for a stored view.
  IntList strides(const ir::Value* v) const;
  Int flat_index(const Access&) const;
  // A value as a strided piece of a stored one; the view is stored itself where there is none.
  struct Strided {
    ir::Value* base;
    IntList strides;
    Int offset;
  };
  Strided strided(ir::Value* v) const;
  // Where a view shows the elements of a computed value in the order in which they are stored, that
  // value; else null.
  ir::Value* same_memory(ir::Value* v) const;
  // The loops of sizes: the index of an element, 0 where a size is 1.
  Domain natural(std::span<const Int> sizes) const;
  IntList natural_index(std::span<const Int> sizes) const;
  // A reduction that has more than one element to reduce, by known sizes.
  bool reduces(const ir::Node& n) const;
  std::vector<bool> reduced_mask(const ir::Node& n) const;
  // Can a load have this index, if some of it comes from data?
  bool loadable(const Access&) const;
  // Can the element be computed anywhere, and what it reads be loaded, if some of its index comes
  // from data? Always, where nothing does.
  bool movable(const Access&) const;
  // Does the node use an index from data that no load depends on, so that nothing would check it?
  bool loses_index(const ir::Node& n, const IntList& at) const;
  // The elements a node's output reads, operand by operand.
  std::vector<Access> accesses(const ir::Node& n, const IntList& at) const;

 private:
  friend class AccessRecorder;
  bool all_used(std::span<const Int> symbols, const std::vector<Access>&) const;
  void visit(const ir::Node& n);
  void visit_elements(const ir::Node& n);
  void visit_reduction(const ir::Node& n);
  void visit_gemm(const ir::Node& n);
  void visit_whole(const ir::Node& n, ClusterKind kind);
  void visit_part_write(const PartWrite& w);
  Cluster* home_in_memory(ir::Value* v);
  void add_readers(Cluster& c, const ir::Value* v);
  std::vector<const ir::Node*> visiting_order();
  void store_view(ir::Value* v);
  ir::Value* reshaped(ir::Value* v) const;

  Cluster& make(ClusterKind kind);
  void add_pred(Cluster& c, Cluster* pred);
  void lift(Cluster& c, int level);
  void add_member(Cluster& c, ir::Value* v, IntList at, bool full);
  std::vector<Cluster*> candidates(const std::vector<Access>&) const;
  std::optional<IntList> fit(const Cluster& c, std::span<const Int> sizes, bool full) const;
  // Can a node with these accesses join, at full or outer turns? Fills what must be merged first.
  bool joinable(const Cluster& c, const std::vector<Access>&, bool full,
                std::vector<Cluster*>& merge) const;
  bool can_recompute(const Access& a, const Cluster& c, int& budget) const;
  bool mergeable(const Cluster& h, const Cluster& c, const Access& a) const;
  void merge(Cluster& from, Cluster& into);
  void join(Cluster& c, const ir::Node& n, const std::vector<Access>&);
  Cluster* live(int id) const;

  const ir::Graph& graph_;
  Program& program_;
  const Options& options_;
  mutable DataIndices data_;
  std::vector<std::unique_ptr<Cluster>> clusters_;
  std::unordered_map<const ir::Value*, int> home_;
  std::unordered_set<const ir::Value*> returned_;  // fresh outputs
  std::vector<PartWrite> part_writes_;
  std::vector<const ir::Node*> raising_;  // where parts are written
  mutable std::vector<uint32_t> visited_;
  mutable uint32_t stamp_ = 0;
};

}  // namespace frit::loops
