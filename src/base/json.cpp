#include "base/json.h"

#include <algorithm>

#include "base/error.h"
#include "base/file.h"

namespace frit {
namespace {

// "line 3, column 7" of a byte offset that counts from one, as the parser reports it.
std::string position(std::string_view text, size_t byte) {
  std::string_view before = text.substr(0, std::min(byte ? byte - 1 : 0, text.size()));
  size_t line = 1 + static_cast<size_t>(std::count(before.begin(), before.end(), '\n'));
  size_t start = before.rfind('\n');
  size_t column = start == before.npos ? before.size() + 1 : before.size() - start;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

}  // namespace

Json parse_json(std::string_view text, std::string_view op, std::string_view what) {
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::parse_error& e) {
    std::string where = text.empty() ? "it is empty" : "the fault is at " + position(text, e.byte);
    throw UserError(ErrorKind::value, op, std::string(what) + " is not JSON: " + where + ".");
  }
}

Json read_json_file(const std::filesystem::path& path) {
  return parse_json(read_file(path), "file", path.string());
}

void write_json_file(const std::filesystem::path& path, const Json& value, int indent) {
  write_file_atomic(path, value.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n");
}

void fail_json_member(const Json& object, std::string_view key, std::string_view op) {
  std::string name = "\"" + std::string(key) + "\"";
  if (!object.is_object())
    throw UserError(ErrorKind::value, op,
                    "expected an object with a member " + name + ", found " +
                        std::string(object.type_name()) + ".");
  auto it = object.find(key);
  if (it == object.end())
    throw UserError(ErrorKind::value, op, "the member " + name + " is missing.");
  throw UserError(ErrorKind::value, op,
                  "the member " + name + " has an unexpected type: " + it->type_name() + ".");
}

}  // namespace frit
