// Guard programs: under which tensors and which state of the process a compiled entry is valid, as
// one flat list of steps that is run at each call. Checking binds the symbols: a size that is a
// symbol is stored where it is first met, and compared where it is met again.
#pragma once
#include <frit/tensor.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sym/shape_env.h"

namespace frit::runtime {

class GuardProgram {
 public:
  enum class Op : uint8_t {
    word,             // (t_state.word & imm2) == imm
    default_dtype,    // imm
    head,             // tensor: dtype, rank, requires_grad as packed in imm
    size_is,          // tensor.size(dim) == imm
    size_binds,       // symbols[imm] = tensor.size(dim)
    size_equals,      // tensor.size(dim) == symbols[imm]
    size_expression,  // tensor.size(dim) == expression imm
    stride_is,
    stride_binds,
    stride_equals,
    stride_expression,  // not asked of sizes 0 and 1
    offset_is,
    same_storage,   // as tensor imm
    other_storage,  // than tensor imm
    number_is,      // numbers[dim] == imm
    number_binds,   // symbols[imm] = numbers[dim]
    condition,      // expression imm is not 0
  };
  struct Step {
    Op op;
    uint8_t dim = 0;
    uint16_t tensor = 0;
    uint32_t imm2 = 0;
    int64_t imm = 0;
  };

  // The step that failed, or -1. `symbols` has a value for each symbol of the environment, by
  // index; those the program binds are written, also where it fails. Undefined tensors fail.
  // Allocates nothing.
  int check(std::span<const Tensor> tensors, std::span<const int64_t> numbers,
            std::span<int64_t> symbols) const noexcept;
  // Step `failed` in words, with what was expected and what was found:
  // "x.size(1) was 64, now 32". `symbols` as check left them.
  std::string why(int failed, std::span<const Tensor> tensors, std::span<const int64_t> numbers,
                  std::span<const int64_t> symbols) const;

  std::span<const Step> steps() const { return steps_; }
  // Each step as a line.
  std::string str() const;

 private:
  friend class GuardBuilder;
  std::string subject(const Step&) const;
  std::vector<Step> steps_;
  std::vector<sym::Program> expressions_;
  std::vector<std::string> texts_;         // of expressions
  std::vector<std::string> names_;         // of tensors
  std::vector<std::string> symbol_names_;  // by index
};

// Collects guards; the environment must outlive it, not the program.
class GuardBuilder {
 public:
  explicit GuardBuilder(const sym::ShapeEnv& env);

  // The bits of ThreadState::word in `mask` are as in `value`.
  void process_word(uint32_t mask, uint32_t value);
  void process_default_dtype(DType t);
  // Tensor number `index` of the call. Sizes and strides are numbers, symbols or expressions; a
  // bare symbol that nothing has bound yet is bound by it. With strides empty they are free.
  void tensor(int index, std::string name, DType dtype, std::span<const Int> sizes,
              std::span<const Int> strides, bool requires_grad);
  void offset(int index, int64_t value);
  void sharing(int a, int b, bool same);
  void number(int index, Int value);
  // The environment's conditions (ShapeEnv::entry_conditions), once all symbols are bound.
  void conditions(std::span<const sym::Expr* const> list);

  // InternalError where a symbol in use is bound by nothing.
  GuardProgram build();

 private:
  void dimension(int tensor, int dim, Int value, bool stride);
  int expression(const sym::Expr* e);
  const sym::ShapeEnv& env_;
  GuardProgram program_;
  std::vector<bool> bound_;
  std::vector<GuardProgram::Step> late_;  // what may need symbols that are bound later
};

}  // namespace frit::runtime
