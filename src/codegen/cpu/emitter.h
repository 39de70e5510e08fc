// Lane expressions as C++ statements: every value is written once, in the outermost block where it
// can be computed, as a scalar where it is the same in all lanes.
#pragma once
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/cpu/text.h"
#include "loops/loop_ir.h"

namespace frit::codegen::cpu {

// Where in a nest's loops a statement stands, outermost first.
enum Level : int {
  kFunction,    // before all loops
  kTurn,        // once per turn of the outer loops (but those of lanes)
  kColumnLane,  // column: once per vector of outputs
  kOtherRow,    // within the row's ranges but the last
  kInner,       // pointwise and row: a vector of elements; column: the last range of the row
  kLevels,
};

// A value as text: a name, a call or a literal.
struct Operand {
  std::string text;
  bool vector = false;
};

struct Block {
  Block* parent = nullptr;
  int level = kFunction;
  bool in_lambda = false;  // `return` does not leave the nest function
  std::string text;
  std::map<std::pair<const loops::Expr*, std::string>, Operand> known;
  std::map<std::string, std::string> rows;  // indices that were checked here, by what they are

  void line(const std::string& s) { text += s + "\n"; }
};

// Where a value is wanted: in which block, and for which lanes.
struct Place {
  explicit Place(Block* b, bool on_a_path = false, std::string lanes = {})
      : block(b), conditional(on_a_path), mask(std::move(lanes)) {}
  Block* block;
  bool conditional;  // on a path that may not be taken: no load may be moved out of it
  std::string mask;  // the lanes that may be touched; empty: the first m
};

class Emitter {
 public:
  Emitter(const loops::Program& program, Names& names) : program_(program), names_(names) {}

  // --- set up by the writer of the nest ---
  void bind_symbol(const sym::Expr* symbol, std::string text, int level);
  void set_lane(const sym::Expr* symbol, std::string text, int level);
  void bind_buffer(int buffer, std::string text) { pointers_[buffer] = std::move(text); }
  const std::string& pointer(int buffer) const { return pointers_.at(buffer); }
  void set_tile(std::string text) { tile_ = std::move(text); }
  // A value whose lanes stand at `text` + (lane - `first`): fetched or computed before.
  void set_staged(const loops::Expr* e, std::string text, std::string first) {
    staged_[e] = {std::move(text), std::move(first)};
  }
  void count_uses(const std::vector<const loops::Expr*>& roots);
  void set_slot(int slot, Operand value, int level);
  // Loads of the buffers stored by the nest stay behind `level`.
  void set_stored(std::set<int> buffers, int level) {
    stored_ = std::move(buffers), stored_level_ = level;
  }
  // Within a pass over a row that may be empty, loads are not moved out of it.
  void keep_loads(bool keep) { keep_loads_ = keep; }

  // --- blocks ---
  template <class F>
  std::string in_block(int level, bool in_lambda, F f) {
    Block b;
    for (int l = level; l >= 0 && !b.parent; --l) b.parent = blocks_[l];
    b.level = level;
    b.in_lambda = in_lambda || (b.parent && b.parent->in_lambda);
    Block* before = blocks_[level];
    bool lanes = lanes_named_;
    if (level == lane_level_) lanes_named_ = false;
    blocks_[level] = &b;
    f(b);
    blocks_[level] = before;
    if (level == lane_level_) lanes_named_ = lanes;
    return std::move(b.text);
  }
  Block& block(int level) { return *blocks_[level]; }
  // What is known of loads of these buffers is known no longer.
  void forget(const std::set<int>& buffers);

  // --- text ---
  Operand value(const loops::Expr* e, const Place& at);
  bool is_vector(const loops::Expr* e);  // does it differ between lanes?
  std::string as_vector(const Operand& o, DType t) const;
  // The bytes of truth values that lie one after another in memory; else nothing.
  std::string truth_bytes(const loops::Expr* e, const Place& at);
  // Stores go to `later`, to be written after all values of the pass.
  void store(const loops::Store& s, const Place& at, bool lanes, std::string& later);
  std::string index(Int i);  // of scalars only

  // What was used.
  std::vector<const sym::Expr*> free_symbols;
  bool random = false, checks = false;

 private:
  struct Address;
  int level_of(const loops::Expr* e);
  int level_of(Int i);
  bool on_lane(Int i) const { return lane_ && loops::depends_on(i, Int(lane_)); }
  bool has_loads(const loops::Expr* e);
  SymbolName symbol(const sym::Expr* e);
  SymbolName text(Int i);
  Block* home(int level);
  Operand define(const loops::Expr* e, Block& b, Operand value, const char* wish = "t");
  Operand load(const loops::Expr* e, const Place& at);
  Operand staged(const loops::Expr* e) const;
  Operand call(const loops::Expr* e, const Place& at);
  Operand select(const loops::Expr* e, const Place& at);
  Operand drawn(const loops::Expr* e, const Place& at);
  Address address(int buffer, Int index, const std::vector<loops::Indirect>& indirect,
                  const Place& at, bool vector);
  void name_lanes();

  const loops::Program& program_;
  Names& names_;
  Block* blocks_[kLevels] = {};
  struct Known {
    std::string text;
    int level;
  };
  std::unordered_map<const sym::Expr*, Known> symbols_;
  const sym::Expr* lane_ = nullptr;
  std::string lane_text_, lanes_text_, tile_;
  int lane_level_ = -1;
  bool lanes_named_ = false, keep_loads_ = false;
  std::unordered_map<int, std::string> pointers_;
  std::unordered_map<const loops::Expr*, int> uses_, levels_;
  std::unordered_map<const loops::Expr*, bool> vectors_, loads_;
  struct Slot {
    Operand value;
    int level;
  };
  std::unordered_map<int, Slot> slots_;
  std::unordered_map<const loops::Expr*, std::pair<std::string, std::string>> staged_;
  std::set<int> stored_;
  int stored_level_ = kTurn;
};

}  // namespace frit::codegen::cpu
