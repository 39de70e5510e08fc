#include "base/symbol.h"

#include <cstring>
#include <mutex>
#include <new>
#include <unordered_map>

#include "base/fork.h"

namespace frit {

class SymbolTable {
 public:
  // Never destroyed: symbols are read by other static objects' destructors.
  static SymbolTable& get() {
    static SymbolTable* table = new SymbolTable;
    return *table;
  }

  Symbol intern(std::string_view text) {
    if (text.empty()) return Symbol();
    std::lock_guard lock(mutex_);
    if (auto it = entries_.find(text); it != entries_.end()) return Symbol(it->second);
    const Symbol::Entry* entry = make(text);
    entries_.emplace(entry->view(), entry);
    return Symbol(entry);
  }

 private:
  const Symbol::Entry* make(std::string_view text) {
    constexpr size_t kBlock = 64 * 1024;
    constexpr size_t kAlign = alignof(Symbol::Entry);
    size_t bytes = (sizeof(Symbol::Entry) + text.size() + 1 + kAlign - 1) / kAlign * kAlign;
    char* place;
    if (bytes > kBlock / 4) {
      place = static_cast<char*>(::operator new(bytes));
    } else {
      if (bytes > left_) {
        free_ = static_cast<char*>(::operator new(kBlock));
        left_ = kBlock;
      }
      place = free_;
      free_ += bytes;
      left_ -= bytes;
    }
    auto* entry = new (place) Symbol::Entry{text.size()};
    char* to = place + sizeof(Symbol::Entry);
    std::memcpy(to, text.data(), text.size());
    to[text.size()] = '\0';
    return entry;
  }

  ForkMutex mutex_;
  std::unordered_map<std::string_view, const Symbol::Entry*> entries_;
  char* free_ = nullptr;
  size_t left_ = 0;
};

Symbol intern(std::string_view text) { return SymbolTable::get().intern(text); }

}  // namespace frit
