// Keeping the cache folder below its limit.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <vector>

#include "base/event.h"
#include "loader/object_cache.h"

namespace frit::loader {
namespace {

struct Entry {
  fs::path path;
  uint64_t bytes;
  timespec used;
  bool operator<(const Entry& o) const {
    return used.tv_sec != o.used.tv_sec ? used.tv_sec < o.used.tv_sec
                                        : used.tv_nsec < o.used.tv_nsec;
  }
};

// A writer needs milliseconds; what is older than this was left behind.
constexpr time_t kAbandonedSeconds = 600;

bool is_temporary(const fs::path& path) {
  return path.filename().string().find(".tmp") != std::string::npos;
}

bool is_entry(const fs::path& path) {
  return path.extension() == ".so" || path.extension() == ".blob";
}

}  // namespace

void ObjectCache::sweep() {
  if (!writable()) return;
  std::vector<Entry> entries;
  uint64_t total = 0;
  std::error_code error;
  // Other processes add and remove meanwhile: every failure here means that somebody was faster.
  for (fs::directory_iterator shard(*options_.folder, error), end; !error && shard != end;
       shard.increment(error)) {
    if (shard->path().filename().string().size() != 2) continue;  // not one of ours
    std::error_code inner;
    for (fs::directory_iterator file(shard->path(), inner); !inner && file != end;
         file.increment(inner)) {
      struct stat st;
      if (::lstat(file->path().c_str(), &st) || !S_ISREG(st.st_mode)) continue;
      if (is_temporary(file->path())) {
        if (st.st_mtime + kAbandonedSeconds < ::time(nullptr)) ::unlink(file->path().c_str());
      } else if (is_entry(file->path())) {
        entries.push_back({file->path(), static_cast<uint64_t>(st.st_size), st.st_mtim});
        total += entries.back().bytes;
      }
    }
  }
  if (total <= options_.limit_bytes) return;
  std::sort(entries.begin(), entries.end());
  const uint64_t target = options_.limit_bytes / 5 * 4;  // room until the next sweep
  int64_t removed = 0;
  for (auto& entry : entries) {
    if (total <= target) break;
    if (::unlink(entry.path.c_str()) == 0) removed++;
    total -= entry.bytes;
  }
  swept_ += removed;
  if (log_enabled(Channel::cache)) {
    Event event;
    event.channel = Channel::cache;
    event.name = "sweep";
    event.text = "removed " + std::to_string(removed) + " entries, " + std::to_string(total >> 10) +
                 " KiB remain";
    emit(event);
  }
}

}  // namespace frit::loader
