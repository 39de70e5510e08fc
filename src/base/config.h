// Every environment variable Frit reads, in one table, and the notices it prints at most once.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace frit {

struct EnvVariable {
  const char* name;
  const char* meaning;  // one sentence for the documentation
};

// Sorted by name.
std::span<const EnvVariable> env_variables();

// The variable's value now; nullopt where it is unset or empty. InternalError for a name that is
// not in the table.
std::optional<std::string> env(std::string_view name);
// The same as a whole number; UserError for other text.
std::optional<long> env_int(std::string_view name);
// The same as a switch: 1, true, on, yes are on; 0, false, off, no are off; UserError for other
// text.
bool env_flag(std::string_view name, bool otherwise = false);

// Prints "frit: <text>" to stderr the first time in the process that the key is seen, and says
// whether it did. Any thread may call it.
bool notice_once(std::string_view key, std::string_view text);
// For tests: how often the key was given to notice_once.
int notice_count(std::string_view key);

}  // namespace frit
