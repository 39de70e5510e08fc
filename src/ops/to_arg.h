// Parameters of the public functions as op arguments.
#pragma once
#include <array>

#include "core/int_list_ref.h"
#include "ops/arg.h"

namespace frit {

inline Arg to_arg(const Tensor& t) { return Arg(t); }
inline Arg to_arg(const TensorList& l) { return Arg(l); }
inline Arg to_arg(Int i) { return Arg(i); }
inline Arg to_arg(double d) { return Arg(d); }
inline Arg to_arg(bool b) { return Arg(b); }
inline Arg to_arg(ExactBool b) { return Arg(static_cast<bool>(b)); }
inline Arg to_arg(const Scalar& s) { return Arg(s); }
inline Arg to_arg(DType t) { return Arg(t); }
inline Arg to_arg(std::string_view s) { return Arg(s); }
inline Arg to_arg(const std::shared_ptr<Generator>& g) { return Arg(g); }
inline Arg to_arg(const std::vector<double>& l) { return Arg(l); }
inline Arg to_arg(const IntListRef& l) { return Arg(l.list()); }
inline Arg to_arg(const DimsRef& l) { return Arg(l.list()); }
template <class List>
Arg to_arg(const OptionalList<List>& l) {
  return l.has_value() ? Arg(l.list()) : Arg();
}
template <class T>
Arg to_arg(const std::optional<T>& o) {
  return o ? to_arg(*o) : Arg();
}
template <size_t N>
Arg to_arg(const std::array<bool, N>& flags) {
  IntList l;
  for (bool f : flags) l.push_back(Int(f ? 1 : 0));
  return Arg(std::move(l));
}

}  // namespace frit
