// Compiled objects and small blobs on disk, by key. The key is a hash of everything the content
// depends on, so that an entry is never wrong, only absent. Any number of processes may share a
// folder: entries appear by rename and are never written to again.
//
// The folder must be the user's own and closed to others (0700), because what lies in it is run.
// Where it is not, or cannot be made or written, one notice says why and what to do, and work goes
// on without.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/file.h"
#include "base/hash.h"
#include "loader/library.h"

namespace frit::loader {

struct CacheOptions {
  std::optional<fs::path> folder;  // nullopt: no cache on disk
  uint64_t limit_bytes = uint64_t(1) << 30;

  // FRIT_CACHE_DIR, else frit/ in the user's cache folder; FRIT_CACHE_LIMIT_MB; FRIT_DISABLE_CACHE.
  // UserError where a variable makes no sense.
  static CacheOptions from_environment();
};

struct CacheStats {
  int64_t hits = 0, misses = 0, stores = 0, damaged = 0, swept = 0;
};

class ObjectCache {
 public:
  explicit ObjectCache(CacheOptions options);

  // The object of this key, loaded, or null. A damaged file is removed and counts as a miss. An
  // object this process has loaded already is shared, with or without a folder.
  std::shared_ptr<Library> load(const Hash128& key, const std::string& name);
  // Keeps the object where possible and loads it. Null with the reason if the system cannot load
  // it.
  std::shared_ptr<Library> store(const Hash128& key, const std::string& name,
                                 std::string_view object, std::string& why);

  // Small things beside the objects. Neither raises.
  std::optional<std::string> get_blob(const Hash128& key);
  void put_blob(const Hash128& key, std::string_view bytes);

  // Whether there is a folder to read from, and to write to. Opens it on first use.
  bool readable();
  bool writable();
  // Where the entry of a key lies, or would.
  fs::path object_path(const Hash128& key) const { return path_of(key, ".so"); }
  fs::path blob_path(const Hash128& key) const { return path_of(key, ".blob"); }

  // Removes what was used longest ago until the folder is below its limit, and what interrupted
  // writers left. Stores call it now and then.
  void sweep();
  CacheStats stats() const;

 private:
  enum class State : uint8_t { unopened, off, readable, writable };
  State open_folder();
  State state();
  void stop_writing(const std::string& reason);
  fs::path path_of(const Hash128& key, const char* suffix) const;
  std::optional<std::string> read(const Hash128& key, const char* suffix);
  bool write(const Hash128& key, const char* suffix, std::string_view payload);
  std::shared_ptr<Library> already_loaded(const Hash128& key);
  void remember(const Hash128& key, const std::shared_ptr<Library>& library);

  const CacheOptions options_;
  std::atomic<State> state_{State::unopened};
  std::mutex mutex_;  // guards loaded_ and the opening of the folder
  std::unordered_map<Hash128, std::weak_ptr<Library>> loaded_;
  std::atomic<int64_t> hits_{0}, misses_{0}, stores_{0}, damaged_{0}, swept_{0};
};

}  // namespace frit::loader
