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

// The macros of types.h, which are gone from the preprocessed text, for code that wants them.
constexpr std::string_view kMacros =
    "#define FV static inline __attribute__((always_inline))\n"
    "#define FV_SLOW static inline __attribute__((noinline))\n"
    "#define FV_CALL [[clang::always_inline]]\n"
    "#define FV_LAZY template <int = 0> FV\n"
    "#define FV_LAZY_SLOW template <int = 0> FV_SLOW\n"
    "#define FV_END } }\n";
constexpr std::string_view kMacrosAvx2 =
    "#define FV_LEVEL 2\n#define FV_L 8\n#define FV_BEGIN namespace fv { inline namespace l2 {\n";
constexpr std::string_view kMacrosAvx512 =
    "#define FV_LEVEL 5\n#define FV_L 16\n#define FV_BEGIN namespace fv { inline namespace l5 {\n";

}  // namespace

std::string_view vec_header_text() { return kText; }

std::string vec_header_for(CpuLevel level, std::string_view code) {
  static const Declarations avx2(kAvx2, "namespace fv { inline namespace l2 {");
  static const Declarations avx512(kAvx512, "namespace fv { inline namespace l5 {");
  bool wide = level == CpuLevel::avx512;
  std::string out(wide ? kMacrosAvx512 : kMacrosAvx2);
  out += kMacros;
  out += (wide ? avx512 : avx2).select(code);
  return out;
}

}  // namespace frit::vec
