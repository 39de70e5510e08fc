// Steps of a program as C++ functions over a FritRun.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "codegen/cpu/generate.h"
#include "codegen/cpu/nest.h"

namespace frit::codegen::cpu {

// The program's nests as functions, written when a step first asks.
class NestTable {
 public:
  explicit NestTable(const loops::Program& program);
  const NestFunction& get(int nest);
  const std::vector<int>& used() const { return order_; }  // in the order of first use

 private:
  const loops::Program& program_;
  std::vector<NestUse> uses_;
  std::vector<std::unique_ptr<NestFunction>> functions_;
  std::vector<int> order_;
  Names names_;
};

struct StepText {
  std::string function;  // definitions; empty where the step is only statements of frit_run
  std::string call;      // statements of frit_run
  std::string declaration;
  std::vector<int> nests;
};

// Where symbols lie in FritRun::symbols.
using SymbolSlots = std::vector<const sym::Expr*>;

class StepWriter {
 public:
  StepWriter(const loops::Program& program, const SymbolSlots& slots, runtime::GraphPlan& plan)
      : program_(program), slots_(slots), plan_(plan), nests_(program) {}
  StepText write(const loops::Step& step);
  NestTable& nests() { return nests_; }

 private:
  class Body;
  StepText generated(const loops::Step&);
  StepText chunked(const loops::Step&);
  StepText gemm(const loops::Step&);
  StepText library(const loops::Step&);
  StepText symbol(const loops::Step&);
  StepText allocate(const loops::Step&);
  int late_buffer(int buffer);
  StepText check(const loops::Step&);
  std::string comment(const loops::Step&) const;

  const loops::Program& program_;
  const SymbolSlots& slots_;
  runtime::GraphPlan& plan_;
  NestTable nests_;
};

// Lines `const i64 s0 = run->symbols[0];` for the symbols used by texts made with `text`.
class SymbolUse {
 public:
  SymbolUse(const loops::Program& program, const SymbolSlots& slots, std::string array)
      : program_(program), slots_(slots), array_(std::move(array)) {}
  std::string text(Int i);
  std::string text(Bool b);
  std::string check_text(Bool b);
  std::string text(const sym::Expr* symbol);
  std::string lines() const;

 private:
  SymbolName name(const sym::Expr* s);
  const loops::Program& program_;
  const SymbolSlots& slots_;
  std::string array_;
  std::vector<size_t> used_;
};

}  // namespace frit::codegen::cpu
