// A random tensor program as data: what the fuzzer makes, runs and shrinks.
#pragma once
#include <frit/tensor.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "ops/record.h"

namespace frit::fuzz {

struct InputSpec {
  DType dtype = DType::f32;
  std::vector<int64_t> sizes;
  bool transposed = false, requires_grad = false;
};

// variables[out...] = record(args); a tensor argument is the number of a variable.
struct Statement {
  const OpRecord* record = nullptr;
  std::vector<Arg> args;  // tensors: None here, see variables
  std::vector<std::vector<int>>
      variables;  // by argument: variables of a tensor or a list; empty otherwise
  int results = 0;
  bool branch_on_item = false;  // then: if (variable > 0) go on with its negative
  int branch_variable = -1;
};

struct Program {
  uint64_t seed = 0;
  std::vector<InputSpec> inputs;
  std::vector<Statement> statements;
  std::vector<int> outputs;
};

// Values for the inputs; `other` gives other data, `grow` is added to every leading size of 2 and
// more.
std::vector<Tensor> make_inputs(const Program&, uint64_t seed, int64_t grow);

// Runs the statements on the variables (inputs first); the outputs.
std::vector<Tensor> run(const Program&, std::vector<Tensor> variables);

// A random program of about `length` statements that runs without an error on its own inputs.
Program generate(uint64_t seed, int length);

// As C++ against the public API.
std::string text(const Program&);

}  // namespace frit::fuzz
