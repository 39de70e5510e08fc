// The name Json without the library's header.
#pragma once
#include <nlohmann/json_fwd.hpp>

namespace frit {
using Json = nlohmann::ordered_json;
}
