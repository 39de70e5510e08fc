// Interned strings: names, file names and source text that live as long as the process. Two symbols
// are equal exactly when their texts are, so comparing and hashing cost one pointer.
#pragma once
#include <compare>
#include <cstddef>
#include <functional>
#include <string_view>

namespace frit {

class Symbol {
 public:
  constexpr Symbol() = default;  // the empty text; intern("") gives the same
  std::string_view str() const { return entry_ ? entry_->view() : std::string_view(); }
  const char* c_str() const { return entry_ ? entry_->text() : ""; }
  bool empty() const { return entry_ == nullptr; }
  explicit operator bool() const { return entry_ != nullptr; }
  size_t hash() const { return std::hash<const void*>()(entry_); }  // differs from run to run
  bool operator==(const Symbol&) const = default;
  bool operator==(std::string_view text) const { return str() == text; }
  // By text, so that what is sorted by symbol prints the same in every run.
  std::strong_ordering operator<=>(const Symbol& o) const { return str() <=> o.str(); }

 private:
  friend class SymbolTable;
  struct Entry {
    size_t size;
    const char* text() const { return reinterpret_cast<const char*>(this + 1); }
    std::string_view view() const { return {text(), size}; }
  };
  explicit constexpr Symbol(const Entry* entry) : entry_(entry) {}
  const Entry* entry_ = nullptr;
};

// The one symbol of this text. Any thread may call it. The text may hold any bytes; c_str() of one
// with a zero byte inside ends there.
Symbol intern(std::string_view text);

}  // namespace frit

template <>
struct std::hash<frit::Symbol> {
  size_t operator()(const frit::Symbol& s) const { return s.hash(); }
};
