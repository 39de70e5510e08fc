// Content hashes (XXH3, 128 bits) for cache keys and canonical forms. Not cryptographic: what is
// looked up by such a key lies in a folder that only its owner can write.
#pragma once
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace frit {

struct Hash128 {
  uint64_t hi = 0, lo = 0;
  std::string hex() const;  // 32 lower-case digits
  auto operator<=>(const Hash128&) const = default;
};

// Feed it values in a fixed order; the result is the same on every machine. Strings carry their
// length, so ("ab", "c") and ("a", "bc") differ.
class Hasher {
 public:
  Hasher();
  Hasher& bytes(const void* data, size_t size);  // just the bytes, no length
  Hasher& update(std::span<const std::byte> data) { return sized(data.data(), data.size()); }
  Hasher& update(std::string_view text) { return sized(text.data(), text.size()); }
  Hasher& update(const char* text) { return update(std::string_view(text)); }
  template <class T>
    requires(std::integral<T> || std::is_enum_v<T>)
  Hasher& update(T value) {  // any width hashes as its 64-bit value
    auto wide = static_cast<uint64_t>(value);
    return bytes(&wide, sizeof wide);
  }
  Hasher& update(double value) { return bytes(&value, sizeof value); }
  Hasher& update(const Hash128& h) { return update(h.hi).update(h.lo); }
  Hash128 finish() const;  // may be called at any point and again

 private:
  Hasher& sized(const void* data, size_t size) { return update(size).bytes(data, size); }
  alignas(64) std::byte state_[576];
};

Hash128 hash_bytes(std::string_view text);

// For hash tables: mixes a value's std::hash into a seed.
inline size_t hash_combine(size_t seed, size_t value) {
  uint64_t x = (seed ^ (value + 0x9e3779b97f4a7c15ull)) * 0xff51afd7ed558ccdull;
  return x ^ (x >> 32);
}
template <class T>
size_t hash_combine(size_t seed, const T& value) {
  return hash_combine(seed, static_cast<size_t>(std::hash<T>()(value)));
}

}  // namespace frit

template <>
struct std::hash<frit::Hash128> {
  size_t operator()(const frit::Hash128& h) const { return h.lo; }
};
