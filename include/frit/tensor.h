// Tensor: a handle to sizes, strides and a shared storage. Copying one shares everything.
// Implemented by the rooms core (data and metadata) and eager (ops and gradients).
#pragma once
#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "core/int_list_ref.h"
#include "core/scalar.h"
#include "core/tensor_impl.h"

namespace frit {

class Tensor;
class Generator;
namespace nn {
class Parameter;
}

// An operand of an operator, with the place of the expression: operators cannot have default
// arguments, so the implicit conversion takes it.
struct Operand {
  Operand(const Tensor& t, std::source_location w = std::source_location::current())
      : tensor(t), where(w) {}
  Operand(const nn::Parameter& p, std::source_location w = std::source_location::current());
  const Tensor& tensor;
  std::source_location where;
};
// A number, with the place likewise.
struct NumberOperand {
  template <std::convertible_to<Scalar> T>
  NumberOperand(const T& v, std::source_location w = std::source_location::current())
      : number(v), where(w) {}
  Scalar number;
  std::source_location where;
};
struct Position {
  template <std::convertible_to<Int> T>
  Position(const T& v, std::source_location w = std::source_location::current())
      : index(v), where(w) {}
  Int index;
  std::source_location where;
};

// An optional tensor argument is an undefined Tensor.
using TensorList = std::vector<Tensor>;

namespace indexing {
struct None {};      // a new dimension of size 1
struct Ellipsis {};  // as many full slices as fit
struct Slice {       // start:stop:step; absent ends reach to the edge
  std::optional<Int> start = std::nullopt, stop = std::nullopt;
  Int step = 1;
};
class Index;  // any of these, an Int, or a Tensor (ops room: frit/indexing.h)
}  // namespace indexing

class Tensor {
 public:
  Tensor() = default;  // undefined: no metadata, no data
  explicit Tensor(Ptr<TensorImpl> impl) : impl_(std::move(impl)) {}

  bool defined() const { return static_cast<bool>(impl_); }
  TensorImpl* impl() const { return impl_.get(); }
  const Ptr<TensorImpl>& ptr() const { return impl_; }
  bool is_same(const Tensor& o) const { return impl_ == o.impl_; }

  DType dtype(std::source_location where = std::source_location::current()) const {
    return checked(where).dtype;
  }
  Device device() const { return {}; }
  int64_t dim(std::source_location where = std::source_location::current()) const {
    return checked(where).dim();
  }
  // Sizes and strides as Ints: symbolic where a Recorder made them so. Reading is seen by it.
  Int size(int64_t d, std::source_location where = std::source_location::current()) const;
  Int stride(int64_t d, std::source_location where = std::source_location::current()) const;
  IntList sizes(std::source_location where = std::source_location::current()) const;
  IntList strides(std::source_location where = std::source_location::current()) const;
  Int numel(std::source_location where = std::source_location::current()) const;
  Int storage_offset(std::source_location where = std::source_location::current()) const;
  bool is_contiguous(std::source_location where = std::source_location::current()) const;
  bool is_floating_point(std::source_location where = std::source_location::current()) const {
    return is_floating(dtype(where));
  }

  // The elements; UserError where the tensor has none (a fake one) or T is not its dtype.
  template <class T>
  T* data(std::source_location where = std::source_location::current()) const {
    check_dtype(dtype_of<T>(), where);
    return static_cast<T*>(raw_data(where));
  }
  void* raw_data(std::source_location where = std::source_location::current()) const;

  // The single element. Inside a compiled callable this ends the entry (item_int goes on). To an
  // integer type the value is truncated; UserError where T cannot hold it.
  template <class T>
  T item(std::source_location where = std::source_location::current()) const {
    static_assert(std::is_arithmetic_v<T>,
                  "item<T>() gives a number: T is bool, an integer type, float or double");
    Scalar s = item_scalar(where);
    if constexpr (std::is_same_v<T, bool>) {
      return s.to_bool();
    } else {
      if (!s.fits<T>()) [[unlikely]]
        fail_item(s, std::is_floating_point_v<T>, std::is_signed_v<T>, sizeof(T), where);
      if constexpr (std::is_integral_v<T>)
        return s.is_real() ? static_cast<T>(s.to_double()) : static_cast<T>(s.to_int64());
      else
        return static_cast<T>(s.to_double());
    }
  }
  // As an Int: in a compiled callable it stays in the same graph as an unbacked symbol.
  Int item_int(std::source_location where = std::source_location::current()) const;
  // The truth of a single element; ends the entry like item<bool>().
  explicit operator bool() const { return item<bool>(std::source_location()); }
  template <class T>
  std::vector<T> to_vector(std::source_location where = std::source_location::current()) const;

  // Gradients (room eager; see frit/autograd.h).
  bool requires_grad() const;
  Tensor& requires_grad_(bool value = true,
                         std::source_location where = std::source_location::current());
  bool is_leaf() const;
  bool is_inference() const;  // made in InferenceMode
  Tensor grad() const;
  void set_grad(Tensor grad, std::source_location where = std::source_location::current()) const;
  void backward(Tensor gradient = {}, bool retain_graph = false, bool create_graph = false,
                std::source_location where = std::source_location::current()) const;
  void retain_grad(std::source_location where = std::source_location::current()) const;
  // Called with the gradient of this tensor when it is computed; may return another. The handle
  // removes the hook.
  uint64_t register_hook(std::function<Tensor(const Tensor&)> hook,
                         std::source_location where = std::source_location::current()) const;
  void remove_hook(uint64_t handle,
                   std::source_location where = std::source_location::current()) const;

  uint64_t version(std::source_location where = std::source_location::current()) const {
    return checked(where).storage->version();
  }
  bool shares_storage_with(const Tensor& o,
                           std::source_location where = std::source_location::current()) const {
    return checked(where).storage == o.checked(where).storage;
  }

  // As a printed tensor: values (abbreviated above 1,000 elements), dtype when it is not the
  // default.
  std::string str() const;

  // x[...]: indices are Ints, indexing::Slice, None, Ellipsis, Tensors.
  Tensor index(std::initializer_list<indexing::Index> indices,
               std::source_location where = std::source_location::current()) const;
  Tensor index_put_(std::initializer_list<indexing::Index> indices, const Tensor& values,
                    std::source_location where = std::source_location::current()) const;
  // Every element that the indices show becomes the number.
  Tensor index_put_(std::initializer_list<indexing::Index> indices, const Scalar& value,
                    std::source_location where = std::source_location::current()) const;
  Tensor operator[](Position i) const;

  Tensor& operator+=(Operand o);
  Tensor& operator-=(Operand o);
  Tensor& operator*=(Operand o);
  Tensor& operator/=(Operand o);
  Tensor& operator+=(NumberOperand o);
  Tensor& operator-=(NumberOperand o);
  Tensor& operator*=(NumberOperand o);
  Tensor& operator/=(NumberOperand o);

// Every op whose first argument is a tensor, as a method; generated from the records.
#include "frit/tensor_methods.inc"

  template <class T>
  static constexpr DType dtype_of();

 private:
  const TensorImpl& checked(const std::source_location& where = {}) const {
    if (!impl_) [[unlikely]]
      fail_undefined(where);
    return *impl_;
  }
  [[noreturn]] static void fail_undefined(const std::source_location& where);
  void check_dtype(DType wanted, std::source_location where) const;
  Scalar item_scalar(std::source_location where) const;
  [[noreturn]] static void fail_item(const Scalar& value, bool real, bool is_signed, size_t bytes,
                                     std::source_location where);
  Ptr<TensorImpl> impl_;
};

struct bfloat16 {
  uint16_t bits;
};
struct float16 {
  uint16_t bits;
};

template <class T>
constexpr DType Tensor::dtype_of() {
  if constexpr (std::is_same_v<T, float>)
    return DType::f32;
  else if constexpr (std::is_same_v<T, double>)
    return DType::f64;
  else if constexpr (std::is_same_v<T, bfloat16>)
    return DType::bf16;
  else if constexpr (std::is_same_v<T, float16>)
    return DType::f16;
  else if constexpr (std::is_same_v<T, bool>)
    return DType::boolean;
  else if constexpr (std::is_same_v<T, int8_t>)
    return DType::i8;
  else if constexpr (std::is_same_v<T, int16_t>)
    return DType::i16;
  else if constexpr (std::is_same_v<T, int32_t>)
    return DType::i32;
  else if constexpr (std::is_same_v<T, uint8_t>)
    return DType::u8;
  else {
    static_assert(
        std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) == 8,
        "no dtype holds this type: tensors are of bool, int8_t, int16_t, int32_t, "
        "int64_t, uint8_t, float16, bfloat16, float and double (size_t and other unsigned "
        "types: convert to int64_t)");
    return DType::i64;
  }
}

Tensor operator-(Operand a);
Tensor operator~(Operand a);
#define FRIT_BINARY_OPERATOR(op)            \
  Tensor operator op(Operand a, Operand b); \
  Tensor operator op(Operand a, Scalar b);  \
  Tensor operator op(Scalar a, Operand b);
FRIT_BINARY_OPERATOR(+)
FRIT_BINARY_OPERATOR(-)
FRIT_BINARY_OPERATOR(*)
FRIT_BINARY_OPERATOR(/)
FRIT_BINARY_OPERATOR(<)
FRIT_BINARY_OPERATOR(<=)
FRIT_BINARY_OPERATOR(>)
FRIT_BINARY_OPERATOR(>=)
FRIT_BINARY_OPERATOR(==)
FRIT_BINARY_OPERATOR(!=)
FRIT_BINARY_OPERATOR(&)
FRIT_BINARY_OPERATOR(|)
FRIT_BINARY_OPERATOR(^)
#undef FRIT_BINARY_OPERATOR

// --- making tensors from memory (room core)
// -------------------------------------------------------

// Uninitialised, contiguous.
Tensor empty_cpu(std::span<const int64_t> sizes, DType dtype);
Tensor empty_strided_cpu(std::span<const int64_t> sizes, std::span<const int64_t> strides,
                         DType dtype);
// Over memory of yours; `release` is called when the last tensor that uses it is gone.
Tensor from_blob(void* data, std::span<const int64_t> sizes, DType dtype = DType::f32,
                 std::function<void()> release = {});
inline Tensor from_blob(void* data, std::initializer_list<int64_t> sizes, DType dtype = DType::f32,
                        std::function<void()> release = {}) {
  return from_blob(data, std::span<const int64_t>(sizes.begin(), sizes.size()), dtype,
                   std::move(release));
}
// A copy of values, which must be as many as the sizes multiply to: UserError [tensor_from]
// otherwise.
template <class T>
Tensor tensor_from(std::span<const T> values, std::span<const int64_t> sizes,
                   std::source_location where = std::source_location::current());
// A view of the same storage: no check that the extent fits but for the storage's end
// (InternalError).
Tensor alias_view(const Tensor& base, std::span<const int64_t> sizes,
                  std::span<const int64_t> strides, int64_t offset);

void check_value_count(int64_t values, const TensorImpl& made, std::source_location where);

template <class T>
Tensor tensor_from(std::span<const T> values, std::span<const int64_t> sizes,
                   std::source_location where) {
  Tensor t = empty_cpu(sizes, Tensor::dtype_of<T>());
  check_value_count(static_cast<int64_t>(values.size()), *t.impl(), where);
  std::copy(values.begin(), values.end(), static_cast<T*>(t.impl()->data()));
  return t;
}

}  // namespace frit
