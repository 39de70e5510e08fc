// FRIT_TRACE: every event into a file, for tools.
#pragma once
#include <filesystem>

#include "base/event.h"

namespace frit {

// Writes events into folder/trace-<process>.json: Chrome's trace-event format, which
// chrome://tracing and Perfetto open, one event a line below a "[" (whose "]" the format leaves
// optional, so the file is whole after every event). A forked child writes a file of its own.
// Notices, not errors, where the folder cannot be written.
[[nodiscard]] Subscription trace_into(const std::filesystem::path& folder);

}  // namespace frit
