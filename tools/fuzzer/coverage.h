// What programs reached: counts by group and name.
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "base/json_fwd.h"
#include "fuzzer/program.h"

namespace frit::fuzz {

struct Coverage {
  std::map<std::string, std::map<std::string, int64_t>> groups;

  void count(const std::string& group, const std::string& name, int64_t by = 1);
  // What a program does, from running it eagerly.
  void note(const Program&);
  void add(const Coverage&);

  std::string json() const;
  static Coverage parse(const std::string&);
};

// Tables; ops of the registry that no program and no graph has reached are named.
std::string text(const Coverage&);
std::vector<std::string> unreached_ops(const Coverage&);

}  // namespace frit::fuzz
