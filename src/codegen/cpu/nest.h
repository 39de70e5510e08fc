// One nest as a C++ function.
#pragma once
#include <string>
#include <vector>

#include "codegen/cpu/text.h"
#include "loops/loop_ir.h"

namespace frit::codegen::cpu {

// How a nest is used in the program, as far as its text depends on it.
struct NestUse {
  bool epilogue = false;           // of a matrix product
  bool chunked = false;            // one long row: see NestFunction::partials
  std::vector<bool> varying_size;  // by range, outer then row: not the same in all parts
};

struct NestFunction {
  std::string name;
  std::string text;                       // the whole definition, `static`
  std::string signature;                  // its first line without the brace
  std::vector<size_t> buffers;            // parameters: places in Nest::buffers
  std::vector<size_t> sizes;              // then ranges whose size is a parameter
  std::vector<const sym::Expr*> symbols;  // then symbols of the graph
  bool random = false;                    // then seed, rng
  bool checks = false;                    // then run
  int weight = 1;                         // of one element: about how many instructions
  // Chunked: the reductions of the first stage. <name>_chunks(begin, end, first, r0, ...,
  // parameters) stores those of chunks first + begin on to r0[begin] on, for any thread to run;
  // <name>(r0, ..., parameters) takes what they come to and does the rest.
  struct Partial {
    std::string op, type;
  };
  std::vector<Partial> partials;
};

// Can its row be cut into chunks that several threads reduce?
bool can_be_chunked(const loops::Nest& nest);

// A nest function takes turns [begin, end) of the outer loops (row: the turns; else the elements),
// an epilogue takes a tile; then the parameters.
NestFunction write_nest(const loops::Program& program, const loops::Nest& nest, const NestUse& use,
                        const std::string& name);

}  // namespace frit::codegen::cpu
