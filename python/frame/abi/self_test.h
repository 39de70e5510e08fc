#pragma once

#include <string>

namespace frit::frame {

// Tries what this folder relies on, on functions of its own. "" if it holds; else what does not.
std::string self_test();

}  // namespace frit::frame
