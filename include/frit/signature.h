// The types of a callable that frit::compile is given, or what to type instead (room compile).
#pragma once
#include <type_traits>

namespace frit::compiler {

// R(A...) of a callable type; `kMutable` where calling it may change it.
template <class F>
struct Signature {
  static constexpr bool kKnown = false;
};
template <class F>
  requires requires { &F::operator(); }
struct Signature<F> : Signature<decltype(&F::operator())> {};
template <class R, bool is_mutable, class... A>
struct SignatureIs {
  static constexpr bool kKnown = true, kMutable = is_mutable;
  using type = R(A...);
};
#define FRIT_SIGNATURE(is_mutable, qualifiers)                                       \
  template <class R, class C, class... A>                                            \
  struct Signature<R (C::*)(A...) qualifiers> : SignatureIs<R, is_mutable, A...> {}; \
  template <class R, class C, class... A>                                            \
  struct Signature<R (C::*)(A...) qualifiers noexcept> : SignatureIs<R, is_mutable, A...> {};
FRIT_SIGNATURE(true, )
FRIT_SIGNATURE(true, &)
FRIT_SIGNATURE(true, &&)
FRIT_SIGNATURE(false, const)
FRIT_SIGNATURE(false, const&)
FRIT_SIGNATURE(false, const&&)
#undef FRIT_SIGNATURE
template <class R, class... A>
struct Signature<R (*)(A...)> : SignatureIs<R, false, A...> {};
template <class R, class... A>
struct Signature<R (*)(A...) noexcept> : SignatureIs<R, false, A...> {};

// What can be said about a callable that cannot be compiled.
template <class F>
struct Checked {
  static constexpr bool kMember = std::is_member_pointer_v<F>;
  static_assert(
      !kMember,
      "frit::compile: a member function needs its object: compile(net, &Net::forward), or "
      "a lambda that calls it");
  static_assert(
      kMember || Signature<F>::kKnown,
      "frit::compile: the signature of this callable is not known, because its operator() "
      "is generic (auto arguments), overloaded, or missing: name the types, "
      "[](Tensor x) {...}, or the signature, compile<Tensor(Tensor)>(f)");
  static constexpr bool usable() {
    if constexpr (kMember || !Signature<F>::kKnown) {
      return false;
    } else {
      static_assert(
          !Signature<F>::kMutable,
          "frit::compile: a mutable lambda (an operator() that is not const) changes what "
          "it holds, and a compiled call would not: leave `mutable` out, and keep what "
          "changes in tensors, in the arguments or behind a pointer");
      return !Signature<F>::kMutable;
    }
  }
};
template <class F>
struct SignatureOrNone {
  using type = void;
};
template <class F>
  requires(Checked<F>::usable())
struct SignatureOrNone<F> {
  using type = typename Signature<F>::type;
};
template <class F>
using SignatureOf = typename SignatureOrNone<F>::type;

template <class A>
constexpr bool kBindable =
    !std::is_rvalue_reference_v<A> &&
    (!std::is_lvalue_reference_v<A> || std::is_const_v<std::remove_reference_t<A>>);

}  // namespace frit::compiler
