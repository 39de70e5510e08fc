// The vector header as text, for generated code: no includes, no comments.
#pragma once

#include <string_view>

namespace frit::vec {

// The whole header, for any level: the one it is compiled for (FV_LEVEL, or what the flags say).
std::string_view vec_header_text();

}  // namespace frit::vec
