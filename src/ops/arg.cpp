#include "ops/arg.h"

#include "base/error.h"

namespace frit {
namespace {

[[noreturn]] void wrong(const char* wanted) {
  throw InternalError(std::string("an op read an argument as ") + wanted + ", which it is not");
}

}  // namespace

const Ref& Arg::ref() const {
  static const Ref none;
  if (const Ref* r = std::get_if<Ref>(&v_)) return *r;
  if (is_none()) return none;
  wrong("a tensor");
}

Int Arg::to_int() const {
  if (const Int* i = std::get_if<Int>(&v_)) return *i;
  if (const bool* b = std::get_if<bool>(&v_)) return Int(*b ? 1 : 0);
  if (const Scalar* s = std::get_if<Scalar>(&v_); s && !s->is_real()) return s->as_int();
  wrong("an integer");
}

double Arg::to_double() const {
  if (const double* d = std::get_if<double>(&v_)) return *d;
  if (const Int* i = std::get_if<Int>(&v_)) return static_cast<double>(i->hint());
  if (const bool* b = std::get_if<bool>(&v_)) return *b ? 1.0 : 0.0;
  if (const Scalar* s = std::get_if<Scalar>(&v_)) return s->to_double();
  wrong("a number");
}

bool Arg::to_bool() const {
  if (const bool* b = std::get_if<bool>(&v_)) return *b;
  if (const Int* i = std::get_if<Int>(&v_)) return static_cast<bool>(*i != 0);
  if (const Scalar* s = std::get_if<Scalar>(&v_)) return s->to_bool();
  wrong("a bool");
}

Scalar Arg::to_scalar() const {
  if (const Scalar* s = std::get_if<Scalar>(&v_)) return *s;
  if (const Int* i = std::get_if<Int>(&v_)) return Scalar(*i);
  if (const double* d = std::get_if<double>(&v_)) return Scalar(*d);
  if (const bool* b = std::get_if<bool>(&v_)) return Scalar(*b);
  wrong("a number");
}

IntList Arg::to_ints() const {
  if (const IntList* l = std::get_if<IntList>(&v_)) return *l;
  return IntList{to_int()};
}

}  // namespace frit
