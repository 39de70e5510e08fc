#include "sym/program.h"

#include <algorithm>

#include "base/error.h"
#include "sym/algebra.h"
#include "sym/shape_env.h"

namespace frit::sym {
namespace {

enum class Fault : uint8_t { none, overflow, division_by_zero };

bool floordiv_into(int64_t a, int64_t b, int64_t* r) {
  if (b == -1) return !__builtin_sub_overflow(int64_t{0}, a, r);
  *r = exact_floordiv(a, b);
  return true;
}

int64_t evaluate_exactly(const Expr* e, std::span<const int64_t> symbols) {
  auto args = e->args();
  auto value = [&](size_t i) { return evaluate_exactly(args[i], symbols); };
  switch (e->kind()) {
    case Kind::constant:
    case Kind::truth:
      return e->value();
    case Kind::symbol:
      return symbols[static_cast<size_t>(e->value())];
    case Kind::product: {
      int64_t r = value(0);
      for (size_t i = 1; i < args.size(); ++i) r = exact_mul(r, value(i));
      return r;
    }
    case Kind::sum: {
      int64_t r = exact_mul(value(0), e->coefs()[0]);
      for (size_t i = 1; i < args.size(); ++i) r = exact_add(r, exact_mul(value(i), e->coefs()[i]));
      return exact_add(r, e->value());
    }
    case Kind::floordiv:
    case Kind::mod: {
      int64_t a = value(0), b = value(1);
      if (b == 0) throw DivisionByZero{};
      return e->kind() == Kind::mod ? exact_mod(a, b) : exact_floordiv(a, b);
    }
    case Kind::min:
    case Kind::max: {
      int64_t r = value(0);
      for (size_t i = 1; i < args.size(); ++i)
        r = e->kind() == Kind::min ? std::min(r, value(i)) : std::max(r, value(i));
      return r;
    }
    case Kind::eq:
      return value(0) == 0;
    case Kind::ne:
      return value(0) != 0;
    case Kind::ge:
      return value(0) >= 0;
    case Kind::conj:
      for (size_t i = 0; i < args.size(); ++i)
        if (!value(i)) return 0;
      return 1;
    case Kind::disj:
      for (size_t i = 0; i < args.size(); ++i)
        if (value(i)) return 1;
      return 0;
  }
  return 0;
}

int64_t symbols_of(const Expr* e) {
  if (e->is_symbol()) return e->value() + 1;
  int64_t n = 0;
  for (const Expr* a : e->args()) n = std::max(n, symbols_of(a));
  return n;
}

[[noreturn]] void raise(Fault fault, const std::string& what) {
  throw UserError(ErrorKind::runtime, "size",
                  fault == Fault::overflow ? what + " does not fit into 64 bits for the sizes given"
                                           : what + " divides by zero for the sizes given");
}

// The symbols of e with their values: "2*s0, with s0 = 3,".
std::string with_values(const Expr* e, std::span<const int64_t> symbols) {
  std::string s = "\"" + text(e) + "\"";
  std::string values;
  for (int64_t i = 0; i < symbols_of(e); ++i) {
    const Expr* symbol = e->env()->symbols()[static_cast<size_t>(i)].expr;
    if (!occurs(symbol, e)) continue;
    values += (values.empty() ? "" : ", ") + text(symbol) + " = " + std::to_string(symbols[i]);
  }
  return values.empty() ? s : s + " (" + values + ")";
}

}  // namespace

int64_t evaluate(const Expr* e, std::span<const int64_t> symbols) {
  FRIT_INVARIANT(symbols_of(e) <= static_cast<int64_t>(symbols.size()),
                 "a value for every symbol of " + text(e));
  try {
    return evaluate_exactly(e, symbols);
  } catch (const Overflow&) {
    raise(Fault::overflow, with_values(e, symbols));
  } catch (const DivisionByZero&) {
    raise(Fault::division_by_zero, with_values(e, symbols));
  }
}

// --- Flat programs ---

class Compiler {
 public:
  explicit Compiler(Program& program) : program_(program) {}

  void emit(const Expr* e) {
    auto args = e->args();
    switch (e->kind()) {
      case Kind::constant:
      case Kind::truth:
        push(Program::Op::constant, e->value());
        break;
      case Kind::symbol:
        push(Program::Op::symbol, e->value());
        break;
      case Kind::product:
        fold(args, Program::Op::mul);
        break;
      case Kind::sum:
        for (size_t i = 0; i < args.size(); ++i) {
          emit(args[i]);
          if (e->coefs()[i] != 1) step(Program::Op::scale, e->coefs()[i]);
          if (i > 0) combine(Program::Op::add);
        }
        if (e->value() != 0) step(Program::Op::offset, e->value());
        break;
      case Kind::floordiv:
        fold(args, Program::Op::floordiv);
        break;
      case Kind::mod:
        fold(args, Program::Op::mod);
        break;
      case Kind::min:
        fold(args, Program::Op::min);
        break;
      case Kind::max:
        fold(args, Program::Op::max);
        break;
      case Kind::eq:
        test(args[0], Program::Op::is_zero);
        break;
      case Kind::ne:
        test(args[0], Program::Op::is_nonzero);
        break;
      case Kind::ge:
        test(args[0], Program::Op::is_nonneg);
        break;
      case Kind::conj:
        shortcut(args, Program::Op::and_jump);
        break;
      case Kind::disj:
        shortcut(args, Program::Op::or_jump);
        break;
    }
  }

 private:
  void step(Program::Op op, int64_t imm = 0) { program_.steps_.push_back({op, imm}); }
  void push(Program::Op op, int64_t imm) {
    FRIT_INVARIANT(++depth_ <= Program::kMostStack, "a size expression nested too deeply");
    step(op, imm);
  }
  void combine(Program::Op op) {
    --depth_;
    step(op);
  }
  void fold(std::span<const Expr* const> args, Program::Op op) {
    emit(args[0]);
    for (const Expr* a : args.subspan(1)) emit(a), combine(op);
  }
  void test(const Expr* arg, Program::Op op) {
    emit(arg);
    step(op);
  }
  void shortcut(std::span<const Expr* const> args, Program::Op op) {
    std::vector<size_t> jumps;
    for (size_t i = 0; i < args.size(); ++i) {
      emit(args[i]);
      if (i + 1 == args.size()) break;
      jumps.push_back(program_.steps_.size());
      combine(op);
    }
    for (size_t j : jumps) program_.steps_[j].imm = static_cast<int64_t>(program_.steps_.size());
  }

  Program& program_;
  int depth_ = 0;
};

Program Program::compile(const Expr* e) {
  Program p;
  Compiler(p).emit(e);
  p.symbols_needed_ = symbols_of(e);
  return p;
}

namespace {

Fault interpret(std::span<const Program::Step> steps, std::span<const int64_t> symbols,
                int64_t* result) noexcept {
  using Op = Program::Op;
  int64_t stack[Program::kMostStack + 1];  // the first is below the bottom
  int64_t* top = stack;
  for (size_t i = 0; i < steps.size(); ++i) {
    const auto [op, imm] = steps[i];
    bool overflow = false;
    switch (op) {
      case Op::constant:
        *++top = imm;
        break;
      case Op::symbol:
        *++top = symbols[static_cast<size_t>(imm)];
        break;
      case Op::add:
        --top, overflow = __builtin_add_overflow(top[0], top[1], top);
        break;
      case Op::mul:
        --top, overflow = __builtin_mul_overflow(top[0], top[1], top);
        break;
      case Op::scale:
        overflow = __builtin_mul_overflow(*top, imm, top);
        break;
      case Op::offset:
        overflow = __builtin_add_overflow(*top, imm, top);
        break;
      case Op::floordiv:
        --top;
        if (top[1] == 0) return Fault::division_by_zero;
        overflow = !floordiv_into(top[0], top[1], top);
        break;
      case Op::mod:
        --top;
        if (top[1] == 0) return Fault::division_by_zero;
        *top = exact_mod(top[0], top[1]);
        break;
      case Op::min:
        --top, *top = std::min(top[0], top[1]);
        break;
      case Op::max:
        --top, *top = std::max(top[0], top[1]);
        break;
      case Op::is_zero:
        *top = *top == 0;
        break;
      case Op::is_nonzero:
        *top = *top != 0;
        break;
      case Op::is_nonneg:
        *top = *top >= 0;
        break;
      case Op::and_jump:
      case Op::or_jump:
        if (*top == (op == Op::or_jump))
          i = static_cast<size_t>(imm) - 1;
        else
          --top;
        break;
    }
    if (overflow) return Fault::overflow;
  }
  *result = *top;
  return Fault::none;
}

}  // namespace

bool Program::try_run(std::span<const int64_t> symbols, int64_t* result) const noexcept {
  if (static_cast<int64_t>(symbols.size()) < symbols_needed_) return false;
  return interpret(steps_, symbols, result) == Fault::none;
}

int64_t Program::run(std::span<const int64_t> symbols) const {
  FRIT_INVARIANT(static_cast<int64_t>(symbols.size()) >= symbols_needed_,
                 "a value for every symbol");
  int64_t r = 0;
  if (Fault f = interpret(steps_, symbols, &r); f != Fault::none) raise(f, "a size expression");
  return r;
}

std::string Program::str() const {
  static constexpr const char* kNames[] = {
      "constant", "symbol", "add",     "mul",        "scale",     "offset",   "floordiv", "mod",
      "min",      "max",    "is_zero", "is_nonzero", "is_nonneg", "and_jump", "or_jump"};
  std::string s;
  for (const Step& step : steps_) {
    s += (s.empty() ? "" : "; ") + std::string(kNames[static_cast<size_t>(step.op)]);
    bool has_imm = step.op <= Op::symbol || step.op == Op::scale || step.op == Op::offset ||
                   step.op >= Op::and_jump;
    if (has_imm) s += " " + std::to_string(step.imm);
  }
  return s;
}

}  // namespace frit::sym
