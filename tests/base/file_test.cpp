#include "base/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "base/error.h"

namespace frit {
namespace {

template <class F>
std::string message(F call) {
  try {
    call();
  } catch (const UserError& e) {
    return e.what();
  }
  return "nothing was thrown";
}

mode_t mode_of(const fs::path& p) {
  struct stat st;
  return ::stat(p.c_str(), &st) == 0 ? st.st_mode & 07777 : 0;
}

TEST(File, WriteAndRead) {
  TempDir dir;
  std::string bytes("a\0b\n", 4);
  write_file_atomic(dir / "f", bytes, true);
  EXPECT_EQ(read_file(dir / "f"), bytes);
  EXPECT_EQ(try_read_file(dir / "none"), std::nullopt);
  EXPECT_EQ(try_read_file(dir.path()), std::nullopt);
  EXPECT_THAT(read_file("/proc/self/status"), ::testing::HasSubstr("Name:"));  // size 0 in its stat
}

TEST(File, AFailedWriteLeavesNothing) {
  TempDir dir;
  fs::create_directory(dir / "d");
  EXPECT_EQ(try_write_file_atomic(dir / "d", "x"), "Is a directory");
  EXPECT_EQ(std::distance(fs::directory_iterator(dir.path()), fs::directory_iterator()), 1);
  EXPECT_EQ(try_write_file_atomic("/dev/full/x", "x"), "Not a directory");
}

TEST(File, ReadersNeverSeeAPart) {
  TempDir dir;
  const std::string a(100000, 'a'), b(200000, 'b');
  write_file_atomic(dir / "f", a);
  std::thread writer([&] {
    for (int i = 0; i < 50; ++i) write_file_atomic(dir / "f", i % 2 ? a : b);
  });
  for (int i = 0; i < 200; ++i) {
    std::string got = read_file(dir / "f");
    EXPECT_TRUE(got == a || got == b) << got.size();
  }
  writer.join();
}

TEST(File, PrivateFolders) {
  TempDir dir;
  make_private_dir(dir / "a/b/c");
  EXPECT_EQ(mode_of(dir / "a"), 0700u);
  EXPECT_EQ(mode_of(dir / "a/b/c"), 0700u);
  make_private_dir(dir / "a/b/c");  // is there: nothing to do
  EXPECT_EQ(why_not_private(dir / "a"), std::nullopt);
  ::chmod((dir / "a").c_str(), 0777);
  EXPECT_EQ(why_not_private(dir / "a"), "other users may write to it");
  write_file_atomic(dir / "f", "");
  EXPECT_EQ(why_not_private(dir / "f"), "it is not a folder");
  EXPECT_EQ(why_not_private(dir / "none"), "No such file or directory");
  EXPECT_EQ(message([&] { make_private_dir(dir / "f/x"); }),
            "[file] cannot make the folder " + (dir / "f/x").string() + ": Not a directory");
  EXPECT_EQ(message([&] { make_private_dir(dir / "f"); }),
            "[file] cannot make the folder " + (dir / "f").string() + ": File exists");
}

TEST(File, AnotherUsersFolderIsNotPrivate) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to make another user's folder";
  TempDir dir;
  make_private_dir(dir / "a");
  ASSERT_EQ(::chown((dir / "a").c_str(), 12345, 12345), 0);
  EXPECT_EQ(why_not_private(dir / "a"), "it belongs to another user");
}

TEST(File, TempDirs) {
  fs::path was;
  {
    TempDir dir("frit-test");
    was = dir.path();
    EXPECT_EQ(mode_of(was), 0700u);
    write_file_atomic(dir / "f", "x");
    TempDir moved = std::move(dir);
    EXPECT_EQ(moved.path(), was);
    EXPECT_TRUE(fs::exists(was));
  }
  EXPECT_FALSE(fs::exists(was));
  {
    TempDir kept;
    kept.keep();
    was = kept.path();
  }
  EXPECT_TRUE(fs::exists(was));
  fs::remove_all(was);
}

TEST(File, Errors) {
  const char* given = std::getenv("TMPDIR");
  const std::string before = given ? given : "";
  setenv("TMPDIR", "/no/such", 1);
  const std::string text = message([] { TempDir dir("frit"); });
  EXPECT_TRUE(text.starts_with("[file] cannot make a temporary folder /no/such/frit-")) << text;
  EXPECT_TRUE(text.ends_with(": No such file or directory")) << text;
  given ? setenv("TMPDIR", before.c_str(), 1) : unsetenv("TMPDIR");
  EXPECT_EQ(message([] { read_file("/no/such/file"); }),
            "[file] cannot read /no/such/file: No such file or directory");
  EXPECT_EQ(message([] { write_file_atomic("/no/such/file", ""); }),
            "[file] cannot write /no/such/file: No such file or directory");
}

}  // namespace
}  // namespace frit
