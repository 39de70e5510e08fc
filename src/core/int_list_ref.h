// Parameter types of the public functions. They own nothing: for the length of a call only.
#pragma once
#include <concepts>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/scalar.h"
#include "core/tensor_impl.h"
#include "sym/int.h"

namespace frit {

// A list of sizes or dims: {2, -1}, {n / 2, 3}, an IntList, vectors and spans of integers.
class IntListRef {
 public:
  IntListRef() = default;
#if defined(__GNUC__) && !defined(__clang__)  // it warns of what is meant: for a call only
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
#endif
  IntListRef(std::initializer_list<Int> l) : data_(l.begin()), size_(l.size()) {}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
  IntListRef(std::span<const Int> l) : data_(l.data()), size_(l.size()) {}
  IntListRef(const IntList& l) : data_(l.data()), size_(l.size()) {}
  IntListRef(const std::vector<Int>& l) : data_(l.data()), size_(l.size()) {}
  // A number in an Int's range is held as itself, so an array of them is an array of Ints.
  IntListRef(std::span<const int64_t> l) : data_(checked(l)), size_(l.size()) {}
  IntListRef(const std::vector<int64_t>& l) : IntListRef(std::span<const int64_t>(l)) {}
  IntListRef(const Dims& l) : IntListRef(std::span<const int64_t>(l)) {}

  std::span<const Int> span() const { return {data_, size_}; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const Int* begin() const { return data_; }
  const Int* end() const { return data_ + size_; }
  Int operator[](size_t i) const { return data_[i]; }
  IntList list() const { return IntList(span()); }

 private:
  static const Int* checked(std::span<const int64_t> l) {
    for (int64_t v : l)
      if (v < Int::kLowest) (void)Int(v);  // raises
    return reinterpret_cast<const Int*>(l.data());
  }
  const Int* data_ = nullptr;
  size_t size_ = 0;
};

// Dims of a reduction and other parameters where a lone integer counts as a list of one.
class DimsRef {
 public:
  DimsRef() = default;
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  DimsRef(T one) : one_(one), is_one_(true) {}
  DimsRef(Int one) : one_(one), is_one_(true) {}
  DimsRef(std::initializer_list<Int> l) : list_(l) {}
  template <class L>
    requires std::convertible_to<const L&, IntListRef>
  DimsRef(const L& l) : list_(l) {}
  IntList list() const { return is_one_ ? IntList{one_} : list_.list(); }

 private:
  IntListRef list_;
  Int one_ = 0;
  bool is_one_ = false;
};

// The same where there may be none: std::nullopt, or left out.
template <class List>
class OptionalList {
 public:
  OptionalList() = default;
  OptionalList(std::nullopt_t) {}
  OptionalList(std::initializer_list<Int> l) : list_(l), given_(true) {}
  template <class L>
    requires std::convertible_to<const L&, List>
  OptionalList(const L& l) : list_(l), given_(true) {}
  bool has_value() const { return given_; }
  IntList list() const { return list_.list(); }

 private:
  List list_;
  bool given_ = false;
};
using OptionalIntListRef = OptionalList<IntListRef>;
using OptionalDimsRef = OptionalList<DimsRef>;

// A bool where another overload takes a number in the same place: an int does not convert.
class ExactBool {
 public:
  template <std::same_as<bool> T>
  ExactBool(T v) : value_(v) {}
  operator bool() const { return value_; }

 private:
  bool value_;
};

// A number where another overload takes a bool in the same place: a bool does not convert.
class ExactScalar : public Scalar {
 public:
  template <class T>
    requires(!std::same_as<std::remove_cvref_t<T>, bool> && std::convertible_to<T, Scalar>)
  ExactScalar(T&& v) : Scalar(std::forward<T>(v)) {}
};

}  // namespace frit
