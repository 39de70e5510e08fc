// The vector header as text, for generated code: no includes, no comments.
#pragma once

#include <string>
#include <string_view>

#include "base/cpu.h"

namespace frit::vec {

// The whole header, for any level: the one it is compiled for (FV_LEVEL, or what the flags say).
std::string_view vec_header_text();

// What of the header `code` uses, for one level: the macros (FV, FV_BEGIN, ...), and the
// declarations that `code` names with those these need, in their order. A sixth of the header for
// most kernels, of which the header is most of what their compile parses (tens of microseconds to
// select, a few milliseconds saved). Names are all that is looked at, so a name of the header that
// `code` uses for something else costs a little and does no harm.
std::string vec_header_for(CpuLevel level, std::string_view code);

}  // namespace frit::vec
