#include "vec/text.h"

#include "vec/select.h"

#pragma clang diagnostic ignored "-Woverlength-strings"

namespace frit::vec {
namespace {

// Written into the build directory by header_text.cmake.
constexpr char kText[] = {
#include "vec_header.inc"
};
constexpr char kAvx2[] = {
#include "vec_header_2.inc"
};
constexpr char kAvx512[] = {
#include "vec_header_5.inc"
};

}  // namespace

std::string_view vec_header_text() { return kText; }

std::string vec_header_for(CpuLevel level, std::string_view code) {
  static const Declarations avx2(kAvx2, "namespace fv { inline namespace l2 {");
  static const Declarations avx512(kAvx512, "namespace fv { inline namespace l5 {");
  return (level == CpuLevel::avx512 ? avx512 : avx2).select(code);
}

}  // namespace frit::vec
