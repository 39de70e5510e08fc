#include "loader/sealed.h"

#include <cstring>

namespace frit::loader {
namespace {

struct Trailer {
  uint64_t key_hi, key_lo, hash_hi, hash_lo, size;
  char magic[8];
};
constexpr char kMagic[8] = {'F', 'R', 'I', 'T', 's', 'e', 'a', '1'};

}  // namespace

std::string seal(const Hash128& key, std::string_view payload) {
  Hash128 hash = hash_bytes(payload);
  Trailer trailer = {key.hi, key.lo, hash.hi, hash.lo, payload.size(), {}};
  std::memcpy(trailer.magic, kMagic, sizeof kMagic);
  std::string file;
  file.reserve(payload.size() + sizeof trailer);
  file.append(payload);
  file.append(reinterpret_cast<const char*>(&trailer), sizeof trailer);
  return file;
}

std::optional<std::string_view> unseal(const Hash128& key, std::string_view file,
                                       std::string& why) {
  Trailer trailer;
  if (file.size() < sizeof trailer) {
    why = "it is truncated";
    return std::nullopt;
  }
  std::memcpy(&trailer, file.data() + file.size() - sizeof trailer, sizeof trailer);
  std::string_view payload = file.substr(0, file.size() - sizeof trailer);
  if (std::memcmp(trailer.magic, kMagic, sizeof kMagic) != 0)
    why = "its end is missing";
  else if (trailer.size != payload.size())
    why = "its size is wrong";
  else if (Hash128{trailer.key_hi, trailer.key_lo} != key)
    why = "it belongs to another key";
  else if (Hash128{trailer.hash_hi, trailer.hash_lo} != hash_bytes(payload))
    why = "its bytes were changed";
  else
    return payload;
  return std::nullopt;
}

}  // namespace frit::loader
