#include "loader/object_cache.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "base/config.h"
#include "base/event.h"

namespace fs = std::filesystem;
using frit::Hash128;
using frit::TempDir;
using frit::loader::CacheOptions;
using frit::loader::ObjectCache;
using testing::HasSubstr;

namespace {

Hash128 key(uint64_t i) { return frit::Hasher().update(i).finish(); }

CacheOptions in(const fs::path& folder, uint64_t limit = 1 << 20) {
  return {.folder = folder, .limit_bytes = limit};
}

std::string sample(int i) { return frit::read_file(i == 1 ? SAMPLE_1 : SAMPLE_2); }

int value_of(const std::shared_ptr<frit::loader::Library>& library) {
  return library ? library->function<int()>("value")() : -1;
}

// What `work` printed to stderr.
template <class F>
std::string stderr_of(F work) {
  testing::internal::CaptureStderr();
  work();
  return testing::internal::GetCapturedStderr();
}

// Runs in a child process; as an ordinary user where the test runs as root, whom no mode stops.
template <class F>
int in_child(const fs::path& given_to_it, F work) {
  pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && !given_to_it.empty()) {
      if (chown(given_to_it.c_str(), 65534, 65534) || setgid(65534) || setuid(65534)) _exit(99);
    }
    _exit(work());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

TEST(ObjectCache, StoresAndLoads) {
  TempDir folder;
  std::string why;
  {
    ObjectCache cache(in(folder / "cache"));
    EXPECT_EQ(cache.load(key(1), "one"), nullptr);
    auto one = cache.store(key(1), "one", sample(1), why);
    EXPECT_EQ(value_of(one), 1) << why;
    EXPECT_EQ(one->path(), cache.object_path(key(1)));
    EXPECT_EQ(cache.load(key(1), "one"), one);  // shared while it lives
    EXPECT_EQ(cache.stats().hits, 1);
    EXPECT_EQ(cache.stats().misses, 1);
  }
  ObjectCache cache(in(folder / "cache"));
  EXPECT_EQ(value_of(cache.load(key(1), "one")), 1);
  EXPECT_EQ(cache.load(key(2), "two"), nullptr);
  struct stat st;
  ASSERT_EQ(stat((folder / "cache").c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777, 0700u);
}

TEST(ObjectCache, Blobs) {
  TempDir folder;
  ObjectCache cache(in(folder / "cache"));
  EXPECT_FALSE(cache.get_blob(key(1)));
  cache.put_blob(key(1), "a graph");
  cache.put_blob(key(2), "");
  EXPECT_EQ(cache.get_blob(key(1)), "a graph");
  EXPECT_EQ(cache.get_blob(key(2)), "");
  cache.put_blob(key(1), "another");
  EXPECT_EQ(ObjectCache(in(folder / "cache")).get_blob(key(1)), "another");
}

TEST(ObjectCache, ADamagedFileIsAMissAndIsRemoved) {
  TempDir folder;
  std::string why;
  for (int how = 0; how < 4; ++how) {
    ObjectCache cache(in(folder / "cache"));
    cache.store(key(how), "x", sample(1), why).reset();
    fs::path path = cache.object_path(key(how));
    std::string bytes = frit::read_file(path);
    if (how == 0) bytes.resize(bytes.size() / 2);
    if (how == 1) bytes[bytes.size() / 3] ^= 1;
    if (how == 2) bytes.clear();
    if (how == 3) bytes = "not even an object";
    frit::write_file_atomic(path, bytes);
    EXPECT_EQ(cache.load(key(how), "x"), nullptr) << how;
    EXPECT_FALSE(fs::exists(path)) << how;
    EXPECT_EQ(cache.stats().damaged, 1);
    EXPECT_EQ(value_of(cache.store(key(how), "x", sample(2), why)), 2);
  }
}

TEST(ObjectCache, AnEntryUnderAnothersNameIsDamaged) {
  TempDir folder;
  std::string why;
  ObjectCache cache(in(folder / "cache"));
  cache.store(key(1), "x", sample(1), why).reset();
  fs::create_directories(cache.object_path(key(2)).parent_path());
  fs::copy_file(cache.object_path(key(1)), cache.object_path(key(2)));
  EXPECT_EQ(cache.load(key(2), "x"), nullptr);
}

TEST(ObjectCache, EventsTellHitsMissesAndDamage) {
  TempDir folder;
  std::vector<std::string> seen;
  auto subscription = frit::subscribe([&](const frit::Event& e) { seen.push_back(e.name); },
                                      frit::channel_bit(frit::Channel::cache));
  std::string why;
  ObjectCache cache(in(folder / "cache"));
  cache.load(key(1), "x");
  cache.store(key(1), "x", sample(1), why).reset();
  cache.load(key(1), "x").reset();
  frit::write_file_atomic(cache.object_path(key(1)), "junk");
  cache.load(key(1), "x");
  EXPECT_THAT(seen, testing::ElementsAre("miss", "hit", "damaged", "miss"));
}

TEST(ObjectCache, AFolderOthersMayReadIsNotUsed) {
  for (mode_t mode : {0755, 0770, 0707, 0720}) {
    TempDir folder;
    fs::path path = folder / "cache";
    mkdir(path.c_str(), 0700);
    chmod(path.c_str(), mode);
    std::string why, text = stderr_of([&] {
                       ObjectCache cache(in(path));
                       EXPECT_FALSE(cache.readable());
                       EXPECT_EQ(value_of(cache.store(key(1), "x", sample(1), why)), 1)
                           << why;  // in memory
                       EXPECT_EQ(cache.load(key(1), "x"), nullptr);
                       EXPECT_FALSE(cache.readable());
                     });
    EXPECT_TRUE(fs::is_empty(path));
    std::string reason = mode & 022 ? "other users may write to it" : "other users may read it";
    EXPECT_EQ(text, "frit: the object cache is off: in " + path.string() + ", " + reason +
                        ". What it holds is run, so it must be yours alone: chmod 700 " +
                        path.string() + ", or set FRIT_CACHE_DIR to a folder of your own.\n");
  }
}

TEST(ObjectCache, AFolderThatCannotBeMadeIsNoFault) {
  TempDir folder;
  frit::write_file_atomic(folder / "file", "");
  fs::path path = folder.path() / "file" / "cache";
  std::string why, text = stderr_of([&] {
                     ObjectCache cache(in(path));
                     EXPECT_EQ(value_of(cache.store(key(1), "x", sample(1), why)), 1) << why;
                     cache.put_blob(key(1), "x");
                     EXPECT_FALSE(cache.get_blob(key(1)));
                   });
  EXPECT_THAT(text, testing::StartsWith("frit: the object cache is off: cannot make the folder " +
                                        path.string()));
  EXPECT_THAT(text,
              testing::EndsWith("To have one, set FRIT_CACHE_DIR to a folder of your own.\n"));
}

TEST(ObjectCache, AnothersFolderIsNotUsed) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to make a folder of another user";
  TempDir folder;
  fs::path path = folder / "cache";
  mkdir(path.c_str(), 0700);
  ASSERT_EQ(chown(path.c_str(), 65534, 65534), 0);
  std::string text = stderr_of([&] { EXPECT_FALSE(ObjectCache(in(path)).readable()); });
  EXPECT_THAT(text, HasSubstr("it belongs to another user"));
}

TEST(ObjectCache, AReadOnlyFolderServesWhatItHas) {
  TempDir folder;
  chmod(folder.path().c_str(), 0755);
  fs::path path = folder / "cache";
  mkdir(path.c_str(), 0700);
  std::string one = sample(1), two = sample(2);
  int status = in_child(path, [&] {
    std::string why;
    ObjectCache(in(path)).store(key(1), "x", one, why).reset();
    chmod(path.c_str(), 0500);
    ObjectCache cache(in(path));
    if (!cache.readable() || cache.writable()) return 1;
    if (value_of(cache.load(key(1), "x")) != 1) return 2;
    if (value_of(cache.store(key(2), "x", two, why)) != 2) return 3;
    if (fs::exists(cache.object_path(key(2)))) return 4;
    if (frit::notice_count("object cache " + path.string()) != 1) return 5;
    return 0;
  });
  EXPECT_EQ(status, 0);
}

TEST(ObjectCache, AFullDiskIsNoFault) {
  TempDir folder;
  fs::path path = folder / "cache";
  std::string one = sample(1);
  int status = in_child({}, [&] {
    std::string why;
    ObjectCache cache(in(path));
    signal(SIGXFSZ, SIG_IGN);
    rlimit limit{1000, 1000};  // stands in for a full disk: writes beyond it fail
    setrlimit(RLIMIT_FSIZE, &limit);
    cache.put_blob(key(5), std::string(5000, 'x'));
    if (cache.get_blob(key(5))) return 1;
    if (cache.writable() || !cache.readable()) return 2;
    if (frit::notice_count("object cache " + path.string()) != 1) return 3;
    cache.put_blob(key(6), "no longer tried");
    if (cache.get_blob(key(6))) return 4;
    for (auto& file : fs::recursive_directory_iterator(path))
      if (!file.is_directory()) return 5;  // nothing half-written is left
    return 0;
  });
  EXPECT_EQ(status, 0);
}

TEST(ObjectCache, SweepKeepsWhatWasUsedLast) {
  TempDir folder;
  ObjectCache roomy(in(folder / "cache", 1 << 30)), cache(in(folder / "cache", 100'000));
  const timespec old[2] = {{1000, 0}, {1000, 0}}, older[2] = {{500, 0}, {500, 0}};
  for (int i = 0; i < 30; ++i) {
    roomy.put_blob(key(i), std::string(9'000, 'x'));
    utimensat(AT_FDCWD, cache.blob_path(key(i)).c_str(), i % 2 ? old : older, 0);
  }
  EXPECT_TRUE(cache.get_blob(key(0)));  // a hit renews it
  cache.sweep();
  uint64_t total = 0;
  int kept = 0;
  for (int i = 0; i < 30; ++i) {
    std::error_code error;
    auto size = fs::file_size(cache.blob_path(key(i)), error);
    if (!error) total += size, kept++;
    if (!error && i) EXPECT_EQ(i % 2, 1) << "an older one outlived a younger one";
  }
  EXPECT_TRUE(fs::exists(cache.blob_path(key(0))));
  EXPECT_LE(total, 100'000u);
  EXPECT_GE(kept, 7);
  EXPECT_EQ(cache.stats().swept > 0, true);
}

TEST(ObjectCache, StoringSweepsNowAndThen) {
  TempDir folder;
  ObjectCache cache(in(folder / "cache", 200'000));
  for (int i = 0; i < 400; ++i) cache.put_blob(key(i), std::string(5'000, 'x'));
  uint64_t total = 0;
  for (auto& file : fs::recursive_directory_iterator(folder.path()))
    if (file.is_regular_file()) total += file.file_size();
  EXPECT_LT(total, 400'000u);  // 2 MB were written
}

TEST(ObjectCache, SweepRemovesWhatInterruptedWritersLeft) {
  TempDir folder;
  ObjectCache cache(in(folder / "cache"));
  cache.put_blob(key(1), "x");
  fs::path shard = cache.blob_path(key(1)).parent_path();
  frit::write_file_atomic(shard / "a.so.tmpABCDEF", "half");
  frit::write_file_atomic(shard / "b.so.tmpABCDEF", "half");
  const timespec old[2] = {{1000, 0}, {1000, 0}};
  utimensat(AT_FDCWD, (shard / "a.so.tmpABCDEF").c_str(), old, 0);
  cache.sweep();
  EXPECT_FALSE(fs::exists(shard / "a.so.tmpABCDEF"));
  EXPECT_TRUE(fs::exists(shard / "b.so.tmpABCDEF"));  // somebody may be writing it
  EXPECT_TRUE(cache.get_blob(key(1)));
}

TEST(ObjectCache, OneBigEntryDoesNotDriveOutTheRest) {
  TempDir folder;
  ObjectCache cache(in(folder / "cache", 10'000));
  cache.put_blob(key(1), std::string(6'000, 'x'));
  EXPECT_FALSE(cache.get_blob(key(1)));
}

TEST(ObjectCache, LibrariesOutliveTheirFile) {
  TempDir folder;
  std::string why;
  ObjectCache cache(in(folder / "cache"));
  auto one = cache.store(key(1), "x", sample(1), why);
  fs::remove(cache.object_path(key(1)));
  EXPECT_EQ(value_of(one), 1);
  EXPECT_EQ(cache.load(key(1), "x"), one);
}

class Environment : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"FRIT_CACHE_DIR", "FRIT_CACHE_LIMIT_MB", "FRIT_DISABLE_CACHE",
                             "XDG_CACHE_HOME", "HOME"}) {
      const char* value = std::getenv(name);
      saved_.emplace_back(name, value ? std::optional<std::string>(value) : std::nullopt);
      unsetenv(name);
    }
  }
  void TearDown() override {
    for (auto& [name, value] : saved_) {
      if (value)
        setenv(name.c_str(), value->c_str(), 1);
      else
        unsetenv(name.c_str());
    }
  }

 private:
  std::vector<std::pair<std::string, std::optional<std::string>>> saved_;
};

TEST_F(Environment, ChoosesTheFolder) {
  setenv("HOME", "/home/user", 1);
  EXPECT_EQ(CacheOptions::from_environment().folder, "/home/user/.cache/frit");
  setenv("XDG_CACHE_HOME", "/xdg", 1);
  EXPECT_EQ(CacheOptions::from_environment().folder, "/xdg/frit");
  setenv("FRIT_CACHE_DIR", "/mine", 1);
  EXPECT_EQ(CacheOptions::from_environment().folder, "/mine");
  EXPECT_EQ(CacheOptions::from_environment().limit_bytes, uint64_t(1) << 30);
  setenv("FRIT_CACHE_LIMIT_MB", "5", 1);
  EXPECT_EQ(CacheOptions::from_environment().limit_bytes, uint64_t(5) << 20);
  setenv("FRIT_CACHE_LIMIT_MB", "0", 1);
  EXPECT_FALSE(CacheOptions::from_environment().folder);
  unsetenv("FRIT_CACHE_LIMIT_MB");
  setenv("FRIT_DISABLE_CACHE", "1", 1);
  EXPECT_FALSE(CacheOptions::from_environment().folder);
}

TEST_F(Environment, NoHomeMeansNoCache) {
  std::string text = stderr_of([] { EXPECT_FALSE(CacheOptions::from_environment().folder); });
  EXPECT_EQ(text,
            "frit: the object cache is off: neither HOME nor XDG_CACHE_HOME is set. "
            "Set FRIT_CACHE_DIR to a folder of your own to have one.\n");
}

TEST_F(Environment, ALimitThatMakesNoSense) {
  setenv("HOME", "/home/user", 1);
  setenv("FRIT_CACHE_LIMIT_MB", "-3", 1);
  try {
    CacheOptions::from_environment();
    FAIL() << "nothing raised";
  } catch (const frit::UserError& error) {
    EXPECT_STREQ(error.what(),
                 "[FRIT_CACHE_LIMIT_MB] is -3, expected a number of MiB, 0 for no cache.\n"
                 "  try: unset FRIT_CACHE_LIMIT_MB");
  }
}

}  // namespace
