// The loop IR: what a graph becomes before it is text. A Program is a list of steps over buffers; a
// step is a kernel of generated loops, a matrix product with an epilogue, an eager kernel on whole
// buffers, or the reading of a symbol.
//
// Index arithmetic is Int arithmetic. Loop variables are symbols of the graph's shape environment
// (unbacked, 0 <= i < size known to it, so that quotients and remainders simplify); one symbol
// serves every loop of the same size, so equal accesses are equal pointers. They have no value in
// FritRun::symbols: code that is generated for an index gives them names of its own.
//
// Types. A lane value has a compute type: f32, f64, i8, i16, i32, i64, u8 or boolean, never a half
// type. Loads widen (a bf16 buffer gives f32), stores round. Where eager rounds in the middle of
// what was fused there is a convert to the half type, whose value is an f32 that the half type can
// hold.
#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/graph.h"

namespace frit::loops {

struct Expr;

// --- Buffers ---

enum class Place : uint8_t {
  input,   // graph input `index`. Where it is written there are buffers of it for its contents
           // before and after each write: every load of the former comes before the store
  output,  // fresh graph output `index` (counted among the fresh ones only)
  arena,   // at byte `offset` of the run's arena
  own,     // memory of its own, number `index` of that kind: a step decides how much
  row,  // scratch of one turn of a nest's outer loops, indexed by row symbols only; its number of
        // elements is a constant of at most kRowScratchBytes: a local array
};
inline constexpr int64_t kRowScratchBytes = 32768;

// Memory with a layout. Accesses give flat element indices; sizes and strides are what library
// steps, outputs and the printer need. Buffers may share memory (arena reuse, in-place steps); a
// nest then reads an element only in the turn of its loops that overwrites it, at or before the
// store, so a compiler must not be told that pointers do not alias.
struct Buffer {
  std::string name;  // unique: "x", "up.weight", "%12"
  DType dtype = DType::f32;
  IntList sizes{}, strides{};
  Int elements = 0;  // extent: 1 + the highest flat index (0 if empty)
  Place place = Place::arena;
  int index = -1;
  Int offset = 0;  // arena: bytes, a multiple of 64
};

// --- Expressions ---

enum class ExprKind : uint8_t {
  load,      // buffer[index + the indirect part], as its compute type
  constant,  // scalar (never symbolic) as `type`, converted as eager converts a number
  index,     // the value of `index`, an i64: sizes and loop symbols as data
  call,     // body(args...): a function of the vec header, all operands compute types; gives `type`
  convert,  // args[0] as dtype `to`: fv::convert<to>; bf16 and f16 round and stay f32
  select,  // condition ? args[0] : args[1]. `condition` is over loop symbols and sizes; loads below
           // the side not taken are out of bounds and must not be made
  random,  // body(seed, offset, index, args...): element `index` of the Philox stream at block
           // offset run.offset + `offset`
  reduced,  // reduction number `slot` of this nest, for the present turn of the outer loops
  tile,     // gemm epilogues: the accumulator of element (batch, m, n), of type accumulator; not
            // yet rounded to a half dtype
};

// One data-dependent term of a load's or store's index: value * stride, where -size <= value < size
// (0 <= value where !wrap) and a negative one has size added. Outside of that, check `check` of the
// program fails (frit_run returns 1 + check, detail[0] = value) and nothing is read there. check <
// 0: known to be in bounds.
struct Indirect {
  const Expr* value = nullptr;  // i64
  Int size = 0, stride = 0;
  bool wrap = true;
  int check = -1;
};

// Immutable, hash-consed: in one Program equal expressions are equal pointers.
struct Expr {
  ExprKind kind;
  DType type = DType::f32;  // compute type of the value
  DType to = DType::f32;    // convert
  int buffer = -1;          // load
  int slot = -1;            // reduced
  Scalar scalar{};          // constant
  Int index = 0;            // load, index, random
  Int offset = 0;           // random
  Bool condition = true;    // select
  Symbol body{};            // call, random
  std::vector<const Expr*> args{};
  std::vector<Indirect> indirect{};  // load
  uint32_t id = 0;                   // order of making: deterministic
  uint64_t hash = 0;
};

// --- Nests ---

// A loop variable and its number of turns.
struct Range {
  Int symbol;  // a symbol of the environment
  Int size;
};

enum class Algorithm : uint8_t {
  pointwise,  // no reductions, no row
  row,        // lanes along the last row range (vec/reduce.h: row)
  column,     // lanes along the last outer range, the row in time (vec/reduce.h: column)
};

// One reduction over the whole row, by the nest's algorithm. The row's last range is reduced by row
// or column; where there are more row ranges, the results over the others, in row-major order, are
// joined by Levels (fv::combine). That is eager's order, and a function of the sizes only.
struct Reduction {
  enum class Op : uint8_t { sum, prod, max, min, any, all, arg_max, arg_min, first_max, first_min };
  Op op = Op::sum;
  const Expr* value = nullptr;  // over outer and row symbols; its type is what is accumulated
  DType type = DType::f32;  // of the result: value's type; i64 for arg_max and arg_min, which give
                            // the row-major number of the element in the row; first_max and
                            // first_min give that element (max and min may give a zero of the
                            // other sign)
};

struct Store {
  int buffer = -1;
  Int index = 0;
  std::vector<Indirect> indirect;
  const Expr* value = nullptr;  // type: compute_type(buffer's dtype)
  bool accumulate = false;      // adds to what is there; only in nests marked serial
};

// Stages of a nest run one after another within one turn of the outer loops.
//   over_row   one pass over the row: every store for every element (over outer and row symbols),
//   and
//              all reductions. Stores of a pass may be to buffers that later stages read back at
//              the same element.
//   otherwise  once per turn of the outer loops: stores over outer symbols only.
// Expressions may use `reduced` slots of earlier stages only; slots count reductions through all
// stages.
struct Stage {
  bool over_row = false;
  std::vector<Reduction> reductions{};  // over_row only
  std::vector<Store> stores{};
};

// outer x (row in stages). Turns of the outer loops are independent and may run in any order on any
// thread (unless serial). pointwise: outer is the whole domain, row is empty, one stage, !over_row.
// Outer may be empty: one turn. Ranges of size 0 are legal (a reduction then gives its start
// value), and adjacent ranges that every access sees as one have been collapsed into one.
struct Nest {
  std::string name;  // "layer_norm_relu": of the ops, for people
  Algorithm algorithm = Algorithm::pointwise;
  std::vector<Range> outer, row;
  std::vector<Stage> stages;
  bool serial = false;           // outer turns in order, on one thread (accumulating stores)
  std::vector<int> buffers;      // every buffer it touches, in order of first use: its parameters
  std::vector<std::string> ops;  // fused into it, in program order
  std::vector<SourceLocation> where;
  int num_ops = 0;  // call and convert nodes: the size of the body
};

// A nest run on given buffers. Parts with one nest have the same text: buffers[k] stands for the
// nest's buffers[k], sizes for the ranges' sizes (outer, then row). For ranges whose size is the
// same in all parts that share the nest, the nest's own size may be compiled in (Nest sizes are the
// first part's).
struct Part {
  int nest = -1;
  std::vector<int> buffers;
  std::vector<Int> sizes;
};

// --- Steps ---

// A matrix in a buffer: element (b, r, c) is at offset + b batch_stride + r row_stride + c
// col_stride.
struct Matrix {
  int buffer = -1;
  Int offset = 0, batch_stride = 0, row_stride = 0, col_stride = 1;
};

// C[b] = A[b] B[b], dtype in and out. Without an epilogue the product is stored to c (col_stride
// 1); with one, `epilogue` (a pointwise nest with outer = {batch, m, n} exactly, also where batch
// is 1) is run on each tile: its `tile` expression is the accumulator; c is unused.
struct Gemm {
  DType dtype = DType::f32;
  Int m = 0, n = 0, k = 0, batch = 1;
  Matrix a, b, c;
  int epilogue = -1;  // index into nests
};

// A tensor argument of a library step: a strided piece of a buffer.
struct TensorArg {
  int buffer = -1;  // -1: None
  DType dtype = DType::f32;
  IntList sizes, strides;
  Int offset = 0;  // elements
};

// An eager kernel on buffers of the program, for records that are not lowered.
struct Library {
  const OpRecord* record = nullptr;
  struct Argument {
    enum class Kind : uint8_t { tensor, tensors, fixed } kind = Kind::fixed;
    std::vector<TensorArg> tensors;
    Arg fixed;  // Ints in it may be symbolic (an integer, a list of them, a Scalar)
  };
  std::vector<Argument> args;
  std::vector<TensorArg> outs;
  Int rng_offset = 0;
  bool random = false;
  int check = -1;  // fails if the kernel raises; -1 where it cannot
};

// The kernel of a record whose output sizes depend on data makes its results itself; the sizes that
// are then known are symbols. Calls fn(output, dimension, symbol).
void for_each_made_size(const Library&,
                        const std::function<void(size_t, size_t, const sym::Expr*)>& fn);

enum class StepKind : uint8_t {
  generated,  // parts side by side in one parallel region; they are independent of one another
  gemm,
  library,
  symbol,    // symbols[symbol] = buffer[index] (an integer or bool buffer): item_int
  check,     // the condition holds, or check `check` fails
  allocate,  // memory for `buffer` (own or output), whose size steps before it decided; check
             // `check` fails where there can be none
};

struct Step {
  StepKind kind = StepKind::generated;
  std::string name;         // "k3_layer_norm_relu", unique
  std::vector<Part> parts;  // generated
  Gemm gemm;
  Library library;
  int buffer = -1;  // symbol, allocate
  Int index = 0, symbol = 0;
  Bool condition = true;  // check
  int check = -1;         // check, allocate
  ir::Stage stage = ir::Stage::forward;
  std::vector<std::string> ops;
  std::vector<SourceLocation> where;
};

// What may fail while the program runs, by index; what eager raises there is raised by the rerun.
struct Check {
  std::string text;
  SourceLocation where;
};

struct FreshOutput {
  int output = -1;  // index among the graph's outputs
  int buffer = -1;
  DType dtype = DType::f32;
  IntList sizes, strides;
};

class Program {
 public:
  explicit Program(std::shared_ptr<sym::ShapeEnv> e) : env(std::move(e)) {}
  Program(const Program&) = delete;

  std::string name;
  std::shared_ptr<sym::ShapeEnv> env;
  std::vector<Buffer> buffers;
  std::vector<Nest> nests;
  std::vector<Step> steps;  // in order
  std::vector<Check> checks;
  std::vector<FreshOutput> outputs;  // buffers with Place::output, by their index
  std::vector<int>
      written_inputs;  // graph inputs stored to; no step that can fail comes after a store
  int num_inputs = 0;
  int num_own = 0;  // buffers with Place::own
  Int arena_bytes = 0;
  bool uses_rng = false;

  // --- Loop symbols ---
  // The k-th loop symbol for a size; loops of one nest that have the same size use different k.
  Int loop_symbol(Int size, int k);
  // Is it one of ours? Then its size.
  std::optional<Int> size_of_symbol(Int symbol) const;

  // --- Expressions: the only way to make them; each checks types (InternalError) ---
  const Expr* load(int buffer, Int index, std::vector<Indirect> indirect = {});
  const Expr* constant(Scalar value, DType type);  // a symbolic integer becomes an index, converted
  const Expr* index(Int value);
  const Expr* call(Symbol body, std::vector<const Expr*> args, DType type);
  const Expr* convert(const Expr* value, DType to);  // nothing where it changes nothing
  const Expr* select(Bool condition, const Expr* yes, const Expr* no);
  const Expr* random(Symbol body, Int offset, Int element, std::vector<const Expr*> args,
                     DType type);
  const Expr* reduced(int slot, DType type);
  const Expr* tile(DType accumulator);

 private:
  const Expr* intern(Expr e);
  std::deque<Expr> exprs_;
  std::unordered_multimap<uint64_t, const Expr*> interned_;
  struct LoopSymbol {
    Int size;
    std::vector<Int> symbols;
  };
  std::vector<LoopSymbol> loop_symbols_;
  std::unordered_map<const sym::Expr*, Int> size_of_;
};

// --- Reading index expressions ---

// An index as a linear form of the given symbols: base + sum of coefs[i] * symbols[i], where base
// and coefs are free of all loop symbols of `symbols`. nullopt where it is none (a quotient, a
// product).
struct Affine {
  Int base;
  std::vector<Int> coefs;
};
std::optional<Affine> affine(Int index, std::span<const Int> symbols);
bool depends_on(Int index, Int symbol);
bool depends_on(Bool condition, Int symbol);
// Calls fn(const sym::Expr*) once for each symbol that occurs, in a fixed order.
void for_each_symbol(Int index, const std::function<void(const sym::Expr*)>& fn);
void for_each_symbol(Bool condition, const std::function<void(const sym::Expr*)>& fn);
Int substitute(Int index, std::span<const Int> from, std::span<const Int> to);
Bool substitute(Bool condition, std::span<const Int> from, std::span<const Int> to);

// Calls fn(const Expr*) for every node below the roots, operands before users, each once.
void for_each_expr(std::span<const Expr* const> roots, const std::function<void(const Expr*)>& fn);

// A value that costs a polynomial or more, its operands aside: kept rather than made again.
bool is_costly(const Expr&);

// --- Text ---

// Deterministic; parse(print(p)) prints the same.
std::string print(const Program&);
std::string print(const Program&, const Expr*);
std::unique_ptr<Program> parse(std::string_view text);
// InternalError naming the step and the rule broken.
void verify(const Program&);

}  // namespace frit::loops
