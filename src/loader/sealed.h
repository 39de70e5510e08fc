// Files that tell on themselves: what the cache and packages keep ends in a trailer with its key,
// size and hash, so that a damaged or truncated one is known before anything reads or maps it. A
// shared object with a trailer is still a shared object: nothing in ELF refers to bytes past its
// own.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/hash.h"

namespace frit::loader {

// The bytes with their trailer.
std::string seal(const Hash128& key, std::string_view payload);

// The payload inside `file`. nullopt with the reason ("it is truncated", ...) where the file is not
// what seal() made for this key.
std::optional<std::string_view> unseal(const Hash128& key, std::string_view file, std::string& why);

}  // namespace frit::loader
