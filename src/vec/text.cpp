#include "vec/text.h"

#pragma clang diagnostic ignored "-Woverlength-strings"

namespace frit::vec {
namespace {

// Written into the build directory by header_text.cmake.
constexpr char kText[] = {
#include "vec_header.inc"
};

}  // namespace

std::string_view vec_header_text() { return kText; }

}  // namespace frit::vec
