// Element types, their sizes, and PyTorch's rules of type promotion.
#pragma once
#include <cstdint>
#include <optional>
#include <source_location>
#include <string_view>

namespace frit {

enum class DType : uint8_t { f32, f64, bf16, f16, i8, i16, i32, i64, u8, boolean };
inline constexpr int kNumDTypes = 10;

inline constexpr DType kFloat32 = DType::f32, kFloat64 = DType::f64, kBFloat16 = DType::bf16,
                       kFloat16 = DType::f16, kInt8 = DType::i8, kInt16 = DType::i16,
                       kInt32 = DType::i32, kInt64 = DType::i64, kUInt8 = DType::u8,
                       kBool = DType::boolean;

constexpr int64_t size_of(DType t) {
  constexpr int8_t sizes[kNumDTypes] = {4, 8, 2, 2, 1, 2, 4, 8, 1, 1};
  return sizes[static_cast<int>(t)];
}
constexpr bool is_floating(DType t) { return t <= DType::f16; }
constexpr bool is_reduced_float(DType t) { return t == DType::bf16 || t == DType::f16; }
constexpr bool is_bool(DType t) { return t == DType::boolean; }
constexpr bool is_integral(DType t) { return t >= DType::i8 && t <= DType::u8; }  // not bool
// The type in which arithmetic on t is done before rounding back: f32 for the half types.
constexpr DType compute_type(DType t) { return is_reduced_float(t) ? DType::f32 : t; }

// "f32", the name in printed graphs; "float32", PyTorch's name, in errors and tables.
std::string_view short_name(DType);
std::string_view name(DType);
std::optional<DType> dtype_from_name(std::string_view);  // either kind of name

// The promotion of two tensor types of the same category level (torch.promote_types).
DType promote_types(DType a, DType b);

// torch.result_type over a mix of tensors with dimensions, 0-d tensors and Python-like numbers:
// the highest category wins; within it, only operands of the highest priority that has it count.
class TypePromotion {
 public:
  void add_tensor(DType t, bool zero_dim) { zero_dim ? merge(zero_, t) : merge(dim_, t); }
  void add_number(DType t) { merge(number_, t); }  // bool, i64 or the default float type
  DType result() const;

 private:
  static void merge(std::optional<DType>& into, DType t) {
    into = into ? promote_types(*into, t) : t;
  }
  std::optional<DType> dim_, zero_, number_;
};

DType default_dtype();
void set_default_dtype(DType, std::source_location where = std::source_location::current());

enum class DeviceType : uint8_t { cpu };
struct Device {
  DeviceType type = DeviceType::cpu;
  bool operator==(const Device&) const = default;
};

}  // namespace frit
