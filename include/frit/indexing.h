// x.index({...}): what may stand between the brackets (room eager).
#pragma once
#include <frit/tensor.h>

#include <variant>

namespace frit::indexing {

// None, Ellipsis, Slice, an Int (select), or a Tensor of integers or bools. A bool is a new
// dimension of size 1 or 0, as in PyTorch.
class Index {
 public:
  using Storage = std::variant<None, Ellipsis, Slice, Int, bool, Tensor>;
  Index(None) : v_(None{}) {}
  Index(std::nullopt_t) : v_(None{}) {}
  Index(Ellipsis) : v_(Ellipsis{}) {}
  Index(Slice s) : v_(std::move(s)) {}
  template <std::same_as<bool> T>
  Index(T b) : v_(b) {}
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Index(T i) : v_(Int(i)) {}
  Index(Int i) : v_(i) {}
  Index(Tensor t) : v_(std::move(t)) {}

  template <class T>
  bool is() const {
    return std::holds_alternative<T>(v_);
  }
  template <class T>
  const T& as() const {
    return std::get<T>(v_);
  }

 private:
  Storage v_;
};

}  // namespace frit::indexing
