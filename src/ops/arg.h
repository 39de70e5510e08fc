// What an op is called with: Ref (a tensor in some form) and Arg (anything a schema can name).
#pragma once
#include <frit/tensor.h>

#include <memory>
#include <span>
#include <string>
#include <variant>

#include "base/small_vector.h"
#include "base/symbol.h"

namespace frit {

namespace ir {
class Value;
}
struct Handle;  // core to every tensor library: core/handle.h

// A tensor as ops see it, whoever runs them: a Tensor (eager), a Value of a graph being built, a
// Handle of another library's tensor, or nothing.
class Ref {
 public:
  enum class Kind : uint8_t { none, tensor, value, handle };
  Ref() = default;
  Ref(Tensor t) : kind_(t.defined() ? Kind::tensor : Kind::none), tensor_(std::move(t)) {}
  Ref(ir::Value* v) : kind_(v ? Kind::value : Kind::none), other_(v) {}
  Ref(const Handle* h) : kind_(h ? Kind::handle : Kind::none), other_(const_cast<Handle*>(h)) {}

  Kind kind() const { return kind_; }
  bool defined() const { return kind_ != Kind::none; }
  const Tensor& tensor() const { return tensor_; }  // undefined unless kind() is tensor
  ir::Value* value() const {
    return kind_ == Kind::value ? static_cast<ir::Value*>(other_) : nullptr;
  }
  const Handle* handle() const {
    return kind_ == Kind::handle ? static_cast<const Handle*>(other_) : nullptr;
  }
  bool same_as(const Ref& o) const {
    return kind_ == o.kind_ && tensor_.is_same(o.tensor_) && other_ == o.other_;
  }

 private:
  Kind kind_ = Kind::none;
  Tensor tensor_;
  void* other_ = nullptr;
};

using RefList = SmallVector<Ref, 2>;

// One argument. std::monostate is None: an absent optional.
class Arg {
 public:
  using Storage =
      std::variant<std::monostate, Ref, std::vector<Ref>, Int, IntList, double, bool, Scalar, DType,
                   Symbol, std::shared_ptr<Generator>, std::vector<double>>;
  Arg() = default;
  Arg(Ref r) {
    if (r.defined()) v_ = std::move(r);
  }
  Arg(const Tensor& t) {
    if (t.defined()) v_ = Ref(t);
  }
  Arg(Tensor&& t) {
    if (t.defined()) v_ = Ref(std::move(t));
  }
  Arg(ir::Value* v) {
    if (v) v_ = Ref(v);
  }
  Arg(std::vector<Ref> l) : v_(std::move(l)) {}
  Arg(std::span<const Tensor> l) : v_(std::vector<Ref>(l.begin(), l.end())) {}
  Arg(const TensorList& l) : v_(std::vector<Ref>(l.begin(), l.end())) {}
  Arg(Int i) : v_(i) {}
  Arg(int64_t i) : v_(Int(i)) {}
  Arg(int i) : v_(Int(i)) {}
  Arg(IntList l) : v_(std::move(l)) {}
  Arg(std::initializer_list<Int> l) : v_(IntList(l)) {}
  Arg(double d) : v_(d) {}
  Arg(std::vector<double> l) : v_(std::move(l)) {}
  Arg(bool b) : v_(b) {}
  Arg(Scalar s) : v_(s) {}
  Arg(DType t) : v_(t) {}
  Arg(Symbol s) : v_(s) {}
  Arg(std::string_view s) : v_(intern(s)) {}
  Arg(const char* s) : v_(intern(s)) {}
  Arg(std::shared_ptr<Generator> g) {
    if (g) v_ = std::move(g);
  }
  template <class T>
  Arg(const std::optional<T>& o) {
    if (o) *this = Arg(*o);
  }

  bool is_none() const { return v_.index() == 0; }
  template <class T>
  bool is() const {
    return std::holds_alternative<T>(v_);
  }
  template <class T>
  const T& as() const {
    return std::get<T>(v_);
  }
  bool is_ref() const { return is<Ref>(); }
  bool is_ref_list() const { return is<std::vector<Ref>>(); }
  const Ref& ref() const;  // an undefined Ref where the argument is None
  const std::vector<Ref>& refs() const { return as<std::vector<Ref>>(); }
  const Storage& storage() const { return v_; }

  // Numbers convert where nothing is lost: int to float, bool to int, any to Scalar.
  Int to_int() const;
  double to_double() const;
  bool to_bool() const;
  Scalar to_scalar() const;
  // A lone integer counts as a list of one.
  IntList to_ints() const;

 private:
  Storage v_;
};

using ArgList = SmallVector<Arg, 6>;

// Calls fn(Ref) for every tensor in the arguments, in order, lists included; undefined ones not.
template <class F>
void for_each_ref(std::span<const Arg> args, F&& fn) {
  for (const Arg& a : args) {
    if (a.is_ref())
      fn(a.ref());
    else if (a.is_ref_list())
      for (const Ref& r : a.refs())
        if (r.defined()) fn(r);
  }
}

}  // namespace frit
