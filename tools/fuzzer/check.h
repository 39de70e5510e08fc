// One program, eager against compiled, over several calls.
#pragma once
#include <frit/compile.h>

#include "fuzzer/coverage.h"
#include "fuzzer/program.h"

namespace frit::fuzz {

struct Config {
  Backend backend = Backend::frit;
  bool fuse = true;
};
Config config_of(uint64_t seed);
std::string text(const Config&);

// What differs, and at which call; "" where nothing does.
std::string check(const Program&, const Config&, Coverage* coverage = nullptr);

}  // namespace frit::fuzz
