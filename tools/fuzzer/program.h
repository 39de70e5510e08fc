// A random tensor program as data: what the fuzzer makes, runs, shrinks and prints.
#pragma once
#include <frit/tensor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ops/record.h"

namespace frit::fuzz {

struct InputSpec {
  enum class Layout : uint8_t { dense, transposed, sliced, expanded };
  enum class Values : uint8_t { normal, index, unit };  // index: 0 .. 2; unit: in [0, 1)
  DType dtype = DType::f32;
  std::vector<int64_t> sizes;
  Layout layout = Layout::dense;
  Values values = Values::normal;
  bool requires_grad = false;
  bool computed = false;  // requires_grad and no leaf: the program is given a leaf times 1
  int alias_of = -1;      // shows the memory of that input, which comes before it
};

// What a statement does with variables, which are numbered: inputs first, then results.
struct Statement {
  enum class Kind : uint8_t {
    op,              // results = record(args)
    branch_on_item,  // v.item() > 0 ? -v : v + 1
    branch_on_size,  // v.size(dim) > limit ? -v : v + 1
    backward,        // v.sum().backward()
  };
  // A number of the arguments is not a constant but a size of a variable.
  struct SizeOf {
    size_t argument = 0;
    int element = -1;  // in a list; -1: a lone integer
    int variable = -1;
    int64_t dim = 0;
  };
  Kind kind = Kind::op;
  const OpRecord* record = nullptr;
  std::vector<Arg> args;                    // tensors: None here, see variables
  std::vector<std::vector<int>> variables;  // by argument: of a tensor or a list of them
  std::vector<SizeOf> sizes;
  int results = 0;
  int variable = -1;  // of a branch or backward
  int64_t dim = 0, limit = 0;
  bool no_grad = false;
  bool fill = false;  // the results hold no values yet: they are zeroed

  void for_each_variable(const std::function<void(int&)>&);
  bool uses(int variable) const;
};

struct Program {
  uint64_t seed = 0;
  std::vector<InputSpec> inputs;
  std::vector<Statement> statements;
  std::vector<int> outputs;
  bool raises = false;       // the last statement does
  bool fixed_sizes = false;  // compiled for each of its sizes

  int first_result(size_t statement) const;  // the number of its first result
};

// The tensors of a call. `leaves` are those that gradients are kept in, by input.
struct Inputs {
  std::vector<Tensor> given, leaves;
};
// `data` chooses the values; `grow` is added to every leading size of 2 and more.
Inputs make_inputs(const Program&, uint64_t data, int64_t grow);

void execute(const Statement&, std::vector<Tensor>& variables);
// Runs the statements on the variables (inputs first); the outputs.
std::vector<Tensor> run(const Program&, std::vector<Tensor> variables);

// Results before anything is written to them.
bool is_uninitialised(const OpRecord&);

// As C++ against the public API.
std::string text(const Program&);
std::string text(const InputSpec&);

}  // namespace frit::fuzz
