// What a caller of a program can see after a call, and comparing two of those.
#pragma once
#include <string>
#include <vector>

#include "core/generator.h"
#include "corpus/program.h"

namespace frit::corpus {

struct SeenTensor {
  std::string name;
  bool defined = false;
  DType dtype = DType::f32;
  Dims sizes, strides;
  int64_t offset = 0;
  bool requires_grad = false, leaf = true;
  int64_t versions = 0;        // by how much the version rose in the call; a result's is what it is
  int object = 0;              // number of the first seen tensor that is the same object
  int storage = 0;             // and of the first with the same storage
  std::vector<uint8_t> bytes;  // elements in logical order
};

struct Observation {
  std::vector<SeenTensor> tensors;
  std::vector<std::string> numbers;
  std::string error;  // text of what was thrown
  std::string backward_error;
  std::vector<std::string> log;
  PhiloxState rng;
};

// Makes a call and looks: arguments from `data_seed`, random numbers from `rng_seed`.
Observation observe(Instance&, size_t call, uint64_t data_seed, uint64_t rng_seed, const Traits&,
                    const std::function<void(const compiler::Leaves&)>& before = {});

// Relative; 0: the same bits.
struct Tolerances {
  double values = 0, gradients = 0;
};
// "" where they agree, else the first difference.
std::string difference(const Observation& plain, const Observation& compiled, Tolerances);

}  // namespace frit::corpus
