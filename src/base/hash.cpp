#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace frit {
namespace {

static_assert(sizeof(XXH3_state_t) <= 576 && alignof(XXH3_state_t) <= 64);

XXH3_state_t* as_state(std::byte* p) { return reinterpret_cast<XXH3_state_t*>(p); }

Hash128 from(XXH128_hash_t h) { return {h.high64, h.low64}; }

}  // namespace

std::string Hash128::hex() const {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out(32, '0');
  for (int i = 0; i < 16; ++i) {
    out[15 - i] = digits[hi >> (4 * i) & 15];
    out[31 - i] = digits[lo >> (4 * i) & 15];
  }
  return out;
}

Hasher::Hasher() {
  XXH3_INITSTATE(as_state(state_));
  XXH3_128bits_reset(as_state(state_));
}

Hasher& Hasher::bytes(const void* data, size_t size) {
  if (size) XXH3_128bits_update(as_state(state_), data, size);
  return *this;
}

Hash128 Hasher::finish() const {
  return from(XXH3_128bits_digest(reinterpret_cast<const XXH3_state_t*>(state_)));
}

Hash128 hash_bytes(std::string_view text) { return from(XXH3_128bits(text.data(), text.size())); }

}  // namespace frit
