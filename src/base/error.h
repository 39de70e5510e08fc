// The two kinds of error. A UserError is the caller's to mend: it names the op, what was given,
// what was expected, what to do, and the caller's own source line. An InternalError is our bug.
#pragma once
#include <cstdint>
#include <exception>
#include <source_location>
#include <string>
#include <string_view>

namespace frit {

// What a Python caller sees: RuntimeError, TypeError, ValueError, IndexError, NotImplementedError.
enum class ErrorKind : uint8_t { runtime, type, value, index, not_implemented };

// A place in the user's program. Pointers are to static text (std::source_location) or to symbols
// interned for the life of the process (base/symbol.h).
struct SourceLocation {
  const char* file = nullptr;
  const char* function = nullptr;
  uint32_t line = 0;

  SourceLocation() = default;
  SourceLocation(
      const std::source_location& l)  // implicit: default arguments are std::source_location
      : file(l.line() ? l.file_name() : nullptr), function(l.function_name()), line(l.line()) {}
  explicit operator bool() const { return file != nullptr; }
  bool operator==(const SourceLocation&) const = default;
  // "net.cpp:14": the file's last component and the line; "" where there is no location.
  std::string short_text() const;
  // "net.cpp:14 in Net::forward"; without the function where its name is not known.
  std::string text() const;
};

class Error : public std::exception {
 public:
  const char* what() const noexcept override { return text_.c_str(); }

 protected:
  std::string text_;
};

// Prints as
//   [matmul] sizes do not fit: a is [8, 64], b is [32, 10]; a's last (64) must equal b's first
//   (32).
//     at net.cpp:14 in forward
//     try: b.transpose(0, 1)
class UserError : public Error {
 public:
  UserError(ErrorKind kind, std::string_view op, std::string message, std::string hint = {},
            SourceLocation where = {});
  ErrorKind kind() const { return kind_; }
  const std::string& op() const { return op_; }
  const std::string& message() const { return message_; }  // what was given and what was expected
  const std::string& hint() const { return hint_; }        // what to do; may be empty
  SourceLocation where() const { return where_; }
  // The same error at a known place; keeps a place it already has.
  UserError at(SourceLocation where) const;
  // The same error of another op.
  UserError of(std::string_view op) const;

 private:
  void format();
  ErrorKind kind_;
  std::string op_, message_, hint_;
  SourceLocation where_;
};

class InternalError : public Error {
 public:
  explicit InternalError(std::string message,
                         std::source_location where = std::source_location::current());
};

// Our own invariants. Costs one branch; the message is built only on failure.
#define FRIT_INVARIANT(condition, ...)                                \
  do {                                                                \
    if (!(condition)) [[unlikely]]                                    \
      ::frit::fail_invariant(#condition, ::std::string{__VA_ARGS__}); \
  } while (false)

[[noreturn]] void fail_invariant(const char* condition, std::string message,
                                 std::source_location where = std::source_location::current());

}  // namespace frit
