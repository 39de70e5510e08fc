// A compiled graph: its code, its plan, and how to run it once. Everything a run needs lives in the
// run; the object itself is constant and may be run by several threads at once.
#pragma once
#include <frit/tensor.h>

#include <memory>
#include <span>

#include "core/generator.h"
#include "loader/library.h"
#include "runtime/plan.h"
#include "vec/abi.h"

namespace frit::runtime {

class CompiledGraph {
 public:
  // `library` exports frit_plan and frit_run (vec/abi.h). InternalError where it does not.
  CompiledGraph(std::shared_ptr<loader::Library> library, GraphPlan plan);

  const GraphPlan& plan() const { return plan_; }

  // Fills in the symbols that are sizes, strides or offsets of inputs; the others are the caller's.
  void bind_symbols(std::span<const Tensor> inputs, std::span<int64_t> symbols) const;

  // Computes the fresh outputs and stores to the written inputs. `symbols` has a value for each of
  // plan().symbols; those made by steps are filled in. Versions and generators are the caller's to
  // advance: nothing but the stores to inputs can be seen from outside.
  // Returns -1, or the index of the check that failed; then no input has been stored to.
  int run(std::span<const Tensor> inputs, std::span<int64_t> symbols, PhiloxState rng,
          std::span<Tensor> outputs) const;

 private:
  std::shared_ptr<loader::Library> library_;
  GraphPlan plan_;
  void (*plan_fn_)(const frit_i64*, frit_i64*) = nullptr;
  frit_i64 (*run_fn_)(FritRun*) = nullptr;
};

}  // namespace frit::runtime
