// Work in processes of its own, so that a crash of compiled code is a result like any other.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace frit::fuzz {

// What the function gave, run in a forked process; nullopt where that crashed or took more than the
// seconds, with how in `end`.
std::optional<std::string> isolated(const std::function<std::string()>& fn, int seconds,
                                    std::string* end = nullptr);

struct Work {
  int64_t count = 0;  // items 0 .. count - 1
  int jobs = 1;       // processes
  int seconds = 120;  // the most an item may take
  // In a child: works on the item, and may tell the parent something.
  std::function<void(int64_t item, const std::function<void(const std::string&)>& tell)> item;
  // In a child, once it has no more items.
  std::function<void(const std::function<void(const std::string&)>& tell)> last;
  // In the parent, in the order in which it is told.
  std::function<void(int64_t item, const std::string& text)> told;
  // In the parent: the child that worked on the item ended in that way ("SIGSEGV").
  std::function<void(int64_t item, const std::string& how)> crashed;
  // In the parent, asked often: is that enough?
  std::function<bool()> enough;
};
// Items go to children in turn: child j of n has j, j + n, ... After a crash another one goes on
// with the next.
void run_isolated(const Work&);

}  // namespace frit::fuzz
