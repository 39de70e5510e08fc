// JSON with keys in the order they were added, and files of it. A heavy header: include it in .cpp
// files and json_fwd.h elsewhere.
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/json_fwd.h"

namespace frit {

// UserErrors name the file: missing or unreadable; not JSON, with line and column.
Json read_json_file(const std::filesystem::path& path);
// The file is replaced as a whole or not at all. UserError where it cannot be written.
void write_json_file(const std::filesystem::path& path, const Json& value, int indent = 2);
// UserError "[op] <what> is not JSON: ..." with line and column.
Json parse_json(std::string_view text, std::string_view op, std::string_view what);

// A member that must be there. UserError naming the op, the place and the key, where it is missing
// or of another type.
template <class T>
T json_get(const Json& object, std::string_view key, std::string_view op);

[[noreturn]] void fail_json_member(const Json& object, std::string_view key, std::string_view op);

template <class T>
T json_get(const Json& object, std::string_view key, std::string_view op) {
  if (object.is_object())
    if (auto it = object.find(key); it != object.end()) {
      try {
        return it->template get<T>();
      } catch (const nlohmann::json::exception&) {
      }
    }
  fail_json_member(object, key, op);
}

}  // namespace frit
