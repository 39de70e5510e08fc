// What tests of error texts share.
#pragma once
#include <string>

#include "base/error.h"

namespace frit::test {

// The text of the UserError that fn raises; "no error" if it raises none.
template <class F>
std::string error_of(F&& fn) {
  try {
    fn();
  } catch (const UserError& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace frit::test
