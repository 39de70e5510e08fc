#include "core/dtype.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "base/error.h"
#include "base/location.h"
#include "core/scalar.h"
#include "core/state.h"

namespace frit {

void Scalar::raise_range(const std::string& value) {
  throw UserError(ErrorKind::runtime, "number",
                  value + " is out of range: integers are of 64 bits with a sign",
                  "a number below 2^63, or a double");
}
namespace {

constexpr std::array<std::string_view, kNumDTypes> kShort = {"f32", "f64", "bf16", "f16", "i8",
                                                             "i16", "i32", "i64",  "u8",  "bool"};
constexpr std::array<std::string_view, kNumDTypes> kLong = {
    "float32", "float64", "bfloat16", "float16", "int8",
    "int16",   "int32",   "int64",    "uint8",   "bool"};

int category(DType t) { return is_bool(t) ? 0 : is_integral(t) ? 1 : 2; }

std::atomic<DType> g_default{DType::f32};

}  // namespace

std::string_view short_name(DType t) { return kShort[static_cast<int>(t)]; }
std::string_view name(DType t) { return kLong[static_cast<int>(t)]; }

std::optional<DType> dtype_from_name(std::string_view text) {
  for (int i = 0; i < kNumDTypes; ++i)
    if (text == kShort[i] || text == kLong[i]) return static_cast<DType>(i);
  return std::nullopt;
}

DType promote_types(DType a, DType b) {
  if (a == b) return a;
  if (is_bool(a)) return b;
  if (is_bool(b)) return a;
  if (is_floating(a) != is_floating(b)) return is_floating(a) ? a : b;
  if (is_floating(a)) {
    if (is_reduced_float(a) && is_reduced_float(b)) return DType::f32;  // bf16 with f16
    return size_of(a) > size_of(b) ? a : b;
  }
  // u8 with a signed type needs the next wider signed type.
  if (a == DType::u8 || b == DType::u8) {
    DType other = a == DType::u8 ? b : a;
    return other == DType::i8 ? DType::i16 : other;
  }
  return size_of(a) > size_of(b) ? a : b;
}

DType TypePromotion::result() const {
  std::optional<DType> best;
  for (const auto& level : {dim_, zero_, number_}) {
    if (!level) continue;
    if (!best)
      best = level;
    else if (category(*level) > category(*best))
      best = level;
  }
  return best.value_or(default_dtype());
}

DType default_dtype() { return g_default.load(std::memory_order_relaxed); }
void set_default_dtype(DType t, std::source_location where) {
  if (recording()) [[unlikely]]
    t_state.observer->changing_state("changing the default dtype",
                                     "set it before the compiled call", located(where));
  g_default.store(t, std::memory_order_relaxed);
}

}  // namespace frit
