// What compiled callables take and give, as lists of tensors and numbers (room compile).
#pragma once
#include <frit/tensor.h>

#include <array>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace frit::compiler {

// Arguments and results flattened: tensors in order, and everything else as numbers (values, and
// lengths of vectors), which are part of the key.
struct Leaves {
  SmallVector<Tensor, 6> tensors;
  SmallVector<Scalar, 4> numbers;
  // Of arguments that are Ints: the number, and where the callable will read it. One that changes
  // from call to call is a symbol there while the callable is captured.
  SmallVector<std::pair<size_t, Int*>, 2> ints;
};

class LeafReader {
 public:
  explicit LeafReader(const Leaves& l) : leaves_(l) {}
  const Tensor& tensor() { return leaves_.tensors[tensor_++]; }
  const Scalar& number() { return leaves_.numbers[number_++]; }

 private:
  const Leaves& leaves_;
  size_t tensor_ = 0, number_ = 0;
};

// The members of a plain struct.
struct AnyField {
  template <class T>
  operator T() const;
};
template <class T, size_t... i>
constexpr bool takes_fields(std::index_sequence<i...>) {
  return requires { T{(static_cast<void>(i), AnyField())...}; };
}
template <class T, size_t n = 8>
constexpr size_t field_count() {
  if constexpr (takes_fields<T>(std::make_index_sequence<n>()))
    return n;
  else if constexpr (n > 0)
    return field_count<T, n - 1>();
  else
    return 0;
}
// What a struct with a base takes first.
template <class T>
struct AnyBase {
  template <class B>
    requires(std::is_base_of_v<B, T> && !std::is_same_v<B, T>)
  operator B() const;
};
template <class T>
constexpr bool has_base() {
  return requires { T{AnyBase<T>()}; };
}
template <class T, size_t... i, size_t... j, size_t... k>
constexpr bool takes_nested(std::index_sequence<i...>, std::index_sequence<j...>,
                            std::index_sequence<k...>) {
  return requires {
    T{(static_cast<void>(i), AnyField())...,
      {(static_cast<void>(j), AnyField())...},
      (static_cast<void>(k), AnyField())...};
  };
}
// Does an array of `count` elements follow the first `before` of n values? In braces it takes that
// many of them, where any other member would leave room for one more.
template <class T, size_t n, size_t before, size_t count>
constexpr bool array_at() {
  using Before = std::make_index_sequence<before>;
  using Array = std::make_index_sequence<count>;
  using Rest = std::make_index_sequence<n - before - count>;
  return takes_nested<T>(Before(), Array(), Rest()) &&
         !takes_nested<T>(Before(), Array(), std::make_index_sequence<n - before - count + 1>());
}
template <class T, size_t n, size_t before = 0, size_t count = 2>
constexpr bool has_array() {
  if constexpr (before + count > n) {
    if constexpr (before + 2 < n)
      return has_array<T, n, before + 1, 2>();
    else
      return false;
  } else {
    return array_at<T, n, before, count>() || has_array<T, n, before, count + 1>();
  }
}
template <class T, class Fn>
void with_fields(T& v, Fn&& fn) {
  using Plain = std::remove_const_t<T>;
  constexpr size_t n = field_count<Plain>();
  constexpr bool kBase = has_base<Plain>();
  constexpr bool kFew = n > 0 && !takes_fields<Plain>(std::make_index_sequence<9>());
  constexpr bool kArray = has_array<Plain, n>();
  constexpr bool kSmall = kFew && !kBase && !kArray;
  static_assert(!kBase,
                "frit::compile takes structs without bases: make the base a member, or specialise "
                "frit::compiler::Flatten");
  static_assert(!kArray,
                "frit::compile takes structs without C arrays: make the member a std::array, or "
                "specialise frit::compiler::Flatten");
  static_assert(kFew || kBase || kArray,
                "frit::compile takes structs of one to eight members (elements of C arrays count, "
                "a std::array is one): specialise frit::compiler::Flatten for larger ones");
#define FRIT_FIELDS(count, ...)    \
  else if constexpr (n == count) { \
    auto& [__VA_ARGS__] = v;       \
    fn(__VA_ARGS__);               \
  }
  if constexpr (!kSmall) {
  }
  FRIT_FIELDS(1, a)
  FRIT_FIELDS(2, a, b)
  FRIT_FIELDS(3, a, b, c)
  FRIT_FIELDS(4, a, b, c, d)
  FRIT_FIELDS(5, a, b, c, d, e)
  FRIT_FIELDS(6, a, b, c, d, e, f)
  FRIT_FIELDS(7, a, b, c, d, e, f, g)
  FRIT_FIELDS(8, a, b, c, d, e, f, g, h)
#undef FRIT_FIELDS
}

// How a type is flattened and made again. Structs of up to eight public members, without bases and
// constructors, are taken member by member. Specialise for types of your own.
template <class T>
struct Flatten {
  static constexpr bool kNumber = std::is_arithmetic_v<T> || std::is_enum_v<T>;
  static constexpr bool kFields = std::is_aggregate_v<T> && std::is_class_v<T> && !kNumber;
  static_assert(
      kNumber || (kFields && std::is_copy_constructible_v<T>),
      "frit::compile takes and gives Tensors, numbers, enums, and tuples, pairs, arrays, vectors, "
      "optionals and plain structs of them; for another type specialise frit::compiler::Flatten, "
      "or "
      "let the callable capture what is the same in every call");
  static void put(const T& v, Leaves& l) {
    if constexpr (kFields)
      with_fields(v,
                  [&](const auto&... f) { (Flatten<std::decay_t<decltype(f)>>::put(f, l), ...); });
    else if constexpr (std::is_same_v<T, bool>)
      l.numbers.push_back(Scalar(v));
    else if constexpr (std::is_floating_point_v<T>)
      l.numbers.push_back(Scalar(static_cast<double>(v)));
    else
      l.numbers.push_back(Scalar(static_cast<int64_t>(v)));
  }
  static T get(LeafReader& r) {
    if constexpr (kFields) {
      T v{};
      with_fields(v, [&](auto&... f) { ((f = Flatten<std::decay_t<decltype(f)>>::get(r)), ...); });
      return v;
    } else {
      const Scalar& s = r.number();
      if constexpr (std::is_same_v<T, bool>)
        return s.to_bool();
      else if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(s.to_double());
      else
        return static_cast<T>(s.to_int64());
    }
  }
};
template <>
struct Flatten<Tensor> {
  static void put(const Tensor& t, Leaves& l) { l.tensors.push_back(t); }
  static Tensor get(LeafReader& r) { return r.tensor(); }
};
template <>
struct Flatten<Int> {
  static void put(Int v, Leaves& l) { l.numbers.push_back(Scalar(v)); }
  static Int get(LeafReader& r) { return r.number().as_int(); }
};
template <class T>
struct Flatten<std::vector<T>> {
  static void put(const std::vector<T>& v, Leaves& l) {
    l.numbers.push_back(Scalar(static_cast<int64_t>(v.size())));
    for (const T& x : v) Flatten<T>::put(x, l);
  }
  static std::vector<T> get(LeafReader& r) {
    std::vector<T> v;
    int64_t n = r.number().to_int64();
    for (int64_t i = 0; i < n; ++i) v.push_back(Flatten<T>::get(r));
    return v;
  }
};
template <class T>
struct Flatten<std::optional<T>> {
  static void put(const std::optional<T>& v, Leaves& l) {
    l.numbers.push_back(Scalar(v.has_value()));
    if (v) Flatten<T>::put(*v, l);
  }
  static std::optional<T> get(LeafReader& r) {
    if (!r.number().to_bool()) return std::nullopt;
    return Flatten<T>::get(r);
  }
};
template <class... T>
struct Flatten<std::tuple<T...>> {
  static void put(const std::tuple<T...>& v, Leaves& l) {
    std::apply([&](const T&... x) { (Flatten<T>::put(x, l), ...); }, v);
  }
  static std::tuple<T...> get(LeafReader& r) { return std::tuple<T...>{Flatten<T>::get(r)...}; }
};
template <class T, size_t n>
struct Flatten<std::array<T, n>> {
  static void put(const std::array<T, n>& v, Leaves& l) {
    for (const T& x : v) Flatten<T>::put(x, l);
  }
  static std::array<T, n> get(LeafReader& r) {
    std::array<T, n> v{};
    for (T& x : v) x = Flatten<T>::get(r);
    return v;
  }
};
template <class A, class B>
struct Flatten<std::pair<A, B>> {
  static void put(const std::pair<A, B>& v, Leaves& l) {
    Flatten<A>::put(v.first, l);
    Flatten<B>::put(v.second, l);
  }
  static std::pair<A, B> get(LeafReader& r) {
    A a = Flatten<A>::get(r);
    return {std::move(a), Flatten<B>::get(r)};
  }
};

}  // namespace frit::compiler
