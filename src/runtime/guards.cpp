#include "runtime/guards.h"

#include <fmt/format.h>

#include "base/error.h"
#include "core/state.h"

namespace frit::runtime {
namespace {

using Op = GuardProgram::Op;
using Step = GuardProgram::Step;

int64_t head_of(DType dtype, size_t rank, bool requires_grad) {
  return static_cast<int64_t>(dtype) | static_cast<int64_t>(rank) << 8 |
         static_cast<int64_t>(requires_grad) << 40;
}
std::string head_text(int64_t head) {
  return fmt::format("{} of {} dimensions{}", short_name(static_cast<DType>(head & 0xff)),
                     (head >> 8) & 0xffffffff, head >> 40 ? " that requires grad" : "");
}

bool is_stride(Op op) { return op >= Op::stride_is && op <= Op::stride_expression; }
bool is_dimension(Op op) { return op >= Op::size_is && op <= Op::stride_expression; }

}  // namespace

int GuardProgram::check(std::span<const Tensor> tensors, std::span<const int64_t> numbers,
                        std::span<int64_t> symbols) const noexcept {
  const TensorImpl* t = nullptr;
  const auto count = static_cast<int>(steps_.size());
  for (int at = 0; at < count; ++at) {
    const Step& s = steps_[static_cast<size_t>(at)];
    bool holds = true;
    switch (s.op) {
      case Op::word:
        holds = (t_state.word & s.imm2) == static_cast<uint32_t>(s.imm);
        break;
      case Op::default_dtype:
        holds = static_cast<int64_t>(frit::default_dtype()) == s.imm;
        break;
      case Op::head:
        t = s.tensor < tensors.size() ? tensors[s.tensor].impl() : nullptr;
        holds = t && head_of(t->dtype, t->sizes.size(), t->requires_grad()) == s.imm;
        break;
      case Op::size_is:
        holds = t->sizes[s.dim] == s.imm;
        break;
      case Op::size_binds:
        symbols[static_cast<size_t>(s.imm)] = t->sizes[s.dim];
        break;
      case Op::size_equals:
        holds = t->sizes[s.dim] == symbols[static_cast<size_t>(s.imm)];
        break;
      case Op::stride_is:
        holds = t->strides[s.dim] == s.imm || t->sizes[s.dim] <= 1;
        break;
      case Op::stride_binds:
        symbols[static_cast<size_t>(s.imm)] = t->strides[s.dim];
        break;
      case Op::stride_equals:
        holds = t->strides[s.dim] == symbols[static_cast<size_t>(s.imm)] || t->sizes[s.dim] <= 1;
        break;
      case Op::size_expression:
      case Op::stride_expression: {
        t = tensors[s.tensor].impl();
        int64_t value;
        if (is_stride(s.op) && t->sizes[s.dim] <= 1) break;
        holds = expressions_[static_cast<size_t>(s.imm)].try_run(symbols, &value) &&
                value == (is_stride(s.op) ? t->strides[s.dim] : t->sizes[s.dim]);
        break;
      }
      case Op::offset_is:
        holds = tensors[s.tensor].impl()->offset == s.imm;
        break;
      case Op::same_storage:
        holds = tensors[s.tensor].impl()->storage ==
                tensors[static_cast<size_t>(s.imm)].impl()->storage;
        break;
      case Op::other_storage:
        holds = !(tensors[s.tensor].impl()->storage ==
                  tensors[static_cast<size_t>(s.imm)].impl()->storage);
        break;
      case Op::number_is:
        holds = s.dim < numbers.size() && numbers[s.dim] == s.imm;
        break;
      case Op::number_binds:
        holds = s.dim < numbers.size();
        if (holds) symbols[static_cast<size_t>(s.imm)] = numbers[s.dim];
        break;
      case Op::condition: {
        int64_t value;
        holds = expressions_[static_cast<size_t>(s.imm)].try_run(symbols, &value) && value != 0;
        break;
      }
    }
    if (!holds) [[unlikely]]
      return at;
  }
  return -1;
}

std::string GuardProgram::subject(const Step& s) const {
  if (is_dimension(s.op))
    return fmt::format("{}.{}({})", names_[s.tensor], is_stride(s.op) ? "stride" : "size", s.dim);
  return s.tensor < names_.size() ? names_[s.tensor] : "";
}

std::string GuardProgram::why(int failed, std::span<const Tensor> tensors,
                              std::span<const int64_t> numbers,
                              std::span<const int64_t> symbols) const {
  if (failed < 0) return {};
  const Step& s = steps_[static_cast<size_t>(failed)];
  auto impl = [&] { return tensors[s.tensor].impl(); };
  auto found = [&] { return is_stride(s.op) ? impl()->strides[s.dim] : impl()->sizes[s.dim]; };
  switch (s.op) {
    case Op::word:
      return fmt::format("gradients were {}, now {}", s.imm & kGradEnabled ? "on" : "off",
                         t_state.word & kGradEnabled ? "on" : "off");
    case Op::default_dtype:
      return fmt::format("the default dtype was {}, now {}", name(static_cast<DType>(s.imm)),
                         name(frit::default_dtype()));
    case Op::head: {
      if (s.tensor >= tensors.size() || !tensors[s.tensor].defined())
        return fmt::format("{} was {}, now undefined", subject(s), head_text(s.imm));
      return fmt::format(
          "{} was {}, now {}", subject(s), head_text(s.imm),
          head_text(head_of(impl()->dtype, impl()->sizes.size(), impl()->requires_grad())));
    }
    case Op::size_is:
    case Op::stride_is:
      return fmt::format("{} was {}, now {}", subject(s), s.imm, found());
    case Op::size_equals:
    case Op::stride_equals:
      return fmt::format("{} was equal to {}, now {} and {}", subject(s),
                         symbol_names_[static_cast<size_t>(s.imm)], found(),
                         symbols[static_cast<size_t>(s.imm)]);
    case Op::size_expression:
    case Op::stride_expression:
      return fmt::format("{} was {}, now {}", subject(s), texts_[static_cast<size_t>(s.imm)],
                         found());
    case Op::offset_is:
      return fmt::format("{}.storage_offset() was {}, now {}", subject(s), s.imm, impl()->offset);
    case Op::same_storage:
      return fmt::format("{} and {} no longer share memory", names_[static_cast<size_t>(s.imm)],
                         subject(s));
    case Op::other_storage:
      return fmt::format("{} and {} have come to share memory", names_[static_cast<size_t>(s.imm)],
                         subject(s));
    case Op::number_is:
    case Op::number_binds:
      if (s.dim >= numbers.size()) return fmt::format("number {} is missing", s.dim);
      return fmt::format("number {} was {}, now {}", s.dim, s.imm, numbers[s.dim]);
    case Op::condition:
      return texts_[static_cast<size_t>(s.imm)] + " does not hold";
    case Op::size_binds:
    case Op::stride_binds:
      break;
  }
  return {};
}

std::string GuardProgram::str() const {
  std::string out;
  for (const Step& s : steps_) {
    auto symbol = [&] { return symbol_names_[static_cast<size_t>(s.imm)]; };
    switch (s.op) {
      case Op::word:
        out += fmt::format("state & {:#x} == {:#x}\n", s.imm2, s.imm);
        break;
      case Op::default_dtype:
        out += fmt::format("default dtype == {}\n", name(static_cast<DType>(s.imm)));
        break;
      case Op::head:
        out += fmt::format("{} is {}\n", subject(s), head_text(s.imm));
        break;
      case Op::size_is:
      case Op::stride_is:
        out += fmt::format("{} == {}\n", subject(s), s.imm);
        break;
      case Op::size_binds:
      case Op::stride_binds:
        out += fmt::format("{} = {}\n", symbol(), subject(s));
        break;
      case Op::size_equals:
      case Op::stride_equals:
        out += fmt::format("{} == {}\n", subject(s), symbol());
        break;
      case Op::size_expression:
      case Op::stride_expression:
        out += fmt::format("{} == {}\n", subject(s), texts_[static_cast<size_t>(s.imm)]);
        break;
      case Op::offset_is:
        out += fmt::format("{}.storage_offset() == {}\n", subject(s), s.imm);
        break;
      case Op::same_storage:
        out += fmt::format("{} shares memory with {}\n", subject(s),
                           names_[static_cast<size_t>(s.imm)]);
        break;
      case Op::other_storage:
        out += fmt::format("{} shares no memory with {}\n", subject(s),
                           names_[static_cast<size_t>(s.imm)]);
        break;
      case Op::number_is:
        out += fmt::format("number {} == {}\n", s.dim, s.imm);
        break;
      case Op::number_binds:
        out += fmt::format("{} = number {}\n", symbol(), s.dim);
        break;
      case Op::condition:
        out += texts_[static_cast<size_t>(s.imm)] + "\n";
        break;
    }
  }
  return out;
}

// --- building ---

GuardBuilder::GuardBuilder(const sym::ShapeEnv& env)
    : env_(env), bound_(env.symbols().size(), false) {
  for (const sym::Symbol& s : env.symbols()) program_.symbol_names_.push_back(s.name);
}

void GuardBuilder::process_word(uint32_t mask, uint32_t value) {
  program_.steps_.push_back({Op::word, 0, 0, mask, static_cast<int64_t>(value & mask)});
}
void GuardBuilder::process_default_dtype(DType t) {
  program_.steps_.push_back({Op::default_dtype, 0, 0, 0, static_cast<int64_t>(t)});
}

int GuardBuilder::expression(const sym::Expr* e) {
  program_.expressions_.push_back(env_.compile(e));
  program_.texts_.push_back(env_.text(e));
  return static_cast<int>(program_.expressions_.size()) - 1;
}

void GuardBuilder::dimension(int tensor, int dim, Int value, bool stride) {
  Step s{Op::size_is, static_cast<uint8_t>(dim), static_cast<uint16_t>(tensor), 0, 0};
  auto op = [&](Op of_size) {
    return stride ? static_cast<Op>(static_cast<int>(of_size) + static_cast<int>(Op::stride_is) -
                                    static_cast<int>(Op::size_is))
                  : of_size;
  };
  const sym::Expr* e = value.expr();
  if (!e) {
    s.op = op(Op::size_is);
    s.imm = value.constant();
    program_.steps_.push_back(s);
  } else if (e->is_symbol()) {
    auto index = static_cast<size_t>(e->value());
    s.op = op(bound_[index] ? Op::size_equals : Op::size_binds);
    s.imm = e->value();
    bound_[index] = true;
    program_.steps_.push_back(s);
  } else {
    s.op = op(Op::size_expression);
    s.imm = expression(e);
    late_.push_back(s);
  }
}

void GuardBuilder::tensor(int index, std::string name, DType dtype, std::span<const Int> sizes,
                          std::span<const Int> strides, bool requires_grad) {
  auto at = static_cast<size_t>(index);
  if (program_.names_.size() <= at) program_.names_.resize(at + 1);
  program_.names_[at] = std::move(name);
  program_.steps_.push_back(
      {Op::head, 0, static_cast<uint16_t>(index), 0, head_of(dtype, sizes.size(), requires_grad)});
  for (size_t d = 0; d < sizes.size(); ++d) dimension(index, static_cast<int>(d), sizes[d], false);
  for (size_t d = 0; d < strides.size(); ++d)
    dimension(index, static_cast<int>(d), strides[d], true);
}

void GuardBuilder::offset(int index, int64_t value) {
  late_.push_back({Op::offset_is, 0, static_cast<uint16_t>(index), 0, value});
}
void GuardBuilder::sharing(int a, int b, bool same) {
  late_.push_back({same ? Op::same_storage : Op::other_storage, 0, static_cast<uint16_t>(b), 0, a});
}
void GuardBuilder::number(int index, Int value) {
  Step s{Op::number_is, static_cast<uint8_t>(index), 0, 0, 0};
  if (const sym::Expr* e = value.expr(); e && e->is_symbol()) {
    s.op = Op::number_binds;
    s.imm = e->value();
    bound_[static_cast<size_t>(e->value())] = true;
  } else {
    FRIT_INVARIANT(value.is_constant(), "a number that is an expression");
    s.imm = value.constant();
  }
  program_.steps_.push_back(s);
}

void GuardBuilder::conditions(std::span<const sym::Expr* const> list) {
  for (const sym::Expr* e : list) late_.push_back({Op::condition, 0, 0, 0, expression(e)});
}

GuardProgram GuardBuilder::build() {
  for (const Step& s : late_) {
    if (s.op == Op::condition || s.op == Op::size_expression || s.op == Op::stride_expression)
      for (const sym::Program::Step& p : program_.expressions_[static_cast<size_t>(s.imm)].steps())
        FRIT_INVARIANT(p.op != sym::Program::Op::symbol || bound_[static_cast<size_t>(p.imm)],
                       "nothing binds " + program_.symbol_names_[static_cast<size_t>(p.imm)]);
    program_.steps_.push_back(s);
  }
  late_.clear();
  return std::move(program_);
}

}  // namespace frit::runtime
