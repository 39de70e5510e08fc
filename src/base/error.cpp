#include "base/error.h"

#include <cstring>

#include "base/location.h"

namespace frit {
namespace {

std::string_view last_component(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// "Net::forward" out of "Tensor Net::forward(Tensor)"; lambdas read as "lambda".
std::string short_function(std::string_view pretty) {
  if (pretty.find("(lambda") != pretty.npos || pretty.find("(anonymous class)") != pretty.npos)
    return "lambda";
  pretty = pretty.substr(0, pretty.find('('));
  if (auto space = pretty.rfind(' '); space != pretty.npos) pretty = pretty.substr(space + 1);
  while (!pretty.empty() && (pretty.front() == '*' || pretty.front() == '&'))
    pretty.remove_prefix(1);
  return std::string(pretty);
}

}  // namespace

std::string SourceLocation::short_text() const {
  if (!file) return {};
  return std::string(last_component(file)) + ":" + std::to_string(line);
}

std::string SourceLocation::text() const {
  std::string out = short_text();
  if (function)
    if (auto name = short_function(function); !name.empty()) out += " in " + name;
  return out;
}

thread_local constinit SourceLocation t_location, t_last_place;

UserError::UserError(ErrorKind kind, std::string_view op, std::string message, std::string hint,
                     SourceLocation where)
    : kind_(kind), op_(op), message_(std::move(message)), hint_(std::move(hint)), where_(where) {
  format();
}

void UserError::format() {
  text_ = "[" + op_ + "] " + message_;
  if (where_) text_ += "\n  at " + where_.text();
  if (!hint_.empty()) text_ += "\n  try: " + hint_;
}

UserError UserError::at(SourceLocation where) const {
  if (where_ || !where) return *this;
  return UserError(kind_, op_, message_, hint_, where);
}
UserError UserError::of(std::string_view op) const {
  return UserError(kind_, op, message_, hint_, where_);
}

InternalError::InternalError(std::string message, std::source_location where) {
  text_ = "internal error: " + std::move(message) + " (" +
          std::string(last_component(where.file_name())) + ":" + std::to_string(where.line()) +
          "). This is a fault of Frit, not of your program.";
}

void fail_invariant(const char* condition, std::string message, std::source_location where) {
  std::string text = std::string(condition) + " does not hold";
  if (!message.empty()) text += ": " + message;
  throw InternalError(std::move(text), where);
}

}  // namespace frit
