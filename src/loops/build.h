// Clusters to units: each a nest, a matrix product, a library call or a symbol, on buffers.
#pragma once
#include <unordered_set>

#include "loops/fusion.h"

namespace frit::loops {

struct Unit {
  StepKind kind = StepKind::generated;
  Nest nest;  // generated, and the epilogue of a gemm
  bool has_epilogue = false;
  Gemm gemm;
  Library library;
  int buffer = -1;  // symbol, allocate
  Int index = 0, symbol = 0;
  Bool condition = true;           // check
  int check = -1;                  // check, allocate
  std::vector<int> reads, writes;  // buffers
  std::vector<int> needs;          // buffers that must have been written, read or not
  bool raises = false;
  ir::Stage stage = ir::Stage::forward;
  std::vector<std::string> ops;
  std::vector<SourceLocation> where;
};

struct Built {
  std::vector<Unit> units;  // each after those it reads from
  std::unordered_map<const ir::Value*, int> buffers;
  std::vector<int> input_buffers;
};

// Declares the buffers and makes the units of every cluster that something needs.
Built build(const ir::Graph&, Program&, Fusion&, const Options&);

// A unit that stores buffer `from` to buffer `to`: of the same sizes, or, if packed, of the same
// elements when `from` is read in the order of its memory.
Unit copy_unit(Program&, const Fusion&, int from, int to, bool packed);
void note_buffers(Unit&);  // reads and writes from what it holds

}  // namespace frit::loops
