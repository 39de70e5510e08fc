// The vector header as one text, for generated code: no includes, no comments.
#pragma once

#include <string_view>

namespace frit::vec {

// The whole header. A compiler of generated code presents it as the file "vec/vec.h" or puts it in
// front of the code; the level follows the processor flags it compiles with (FV_LEVEL to force it).
std::string_view vec_header_text();

}  // namespace frit::vec
