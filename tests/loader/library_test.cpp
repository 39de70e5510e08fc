#include "loader/library.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loader/sealed.h"

namespace fs = std::filesystem;
using frit::loader::Library;
using testing::HasSubstr;

namespace {

bool is_mapped(const std::string& path) {
  return frit::read_file("/proc/self/maps").find(path) != std::string::npos;
}

TEST(Library, FindsFunctions) {
  std::string why;
  auto library = Library::try_open(SAMPLE_1, "sample", why);
  ASSERT_TRUE(library) << why;
  EXPECT_EQ(library->function<int()>("value")(), 1);
  EXPECT_EQ(library->function<int(int)>("twice")(21), 42);
  EXPECT_EQ(library->find("nothing_such"), nullptr);
  EXPECT_EQ(library->path(), SAMPLE_1);
}

TEST(Library, NamesAMissingSymbol) {
  std::string why;
  auto library = Library::try_open(SAMPLE_1, "sample", why);
  ASSERT_TRUE(library) << why;
  try {
    library->function<void()>("frit_run");
    FAIL() << "nothing raised";
  } catch (const frit::InternalError& error) {
    EXPECT_THAT(error.what(), HasSubstr("compiled object sample has no symbol frit_run"));
  }
}

TEST(Library, UnloadsWithItsLastOwner) {
  frit::TempDir folder;
  fs::path path = folder / "mine.so";
  fs::copy_file(SAMPLE_1, path);
  std::string why;
  auto library = Library::try_open(path, "mine", why);
  ASSERT_TRUE(library) << why;
  auto second = library;
  library.reset();
  EXPECT_TRUE(is_mapped(path.string()));
  second.reset();
  EXPECT_FALSE(is_mapped(path.string()));
}

TEST(Library, LoadsFromMemory) {
  std::string why, one = frit::read_file(SAMPLE_1), two = frit::read_file(SAMPLE_2);
  auto a = Library::try_from_memory(one, "a", why);
  ASSERT_TRUE(a) << why;
  auto b = Library::try_from_memory(two, "b", why);
  ASSERT_TRUE(b) << why;
  EXPECT_EQ(a->function<int()>("value")(), 1);
  EXPECT_EQ(b->function<int()>("value")(), 2);
  EXPECT_TRUE(a->path().empty());
  // The loader must not take a later object for an earlier one that had the same descriptor.
  for (int i = 0; i < 10; ++i) {
    a.reset();
    a = Library::try_from_memory(i % 2 ? one : two, "again", why);
    ASSERT_TRUE(a) << why;
    EXPECT_EQ(a->function<int()>("value")(), i % 2 ? 1 : 2);
  }
}

TEST(Library, SealedFilesAreCheckedFirst) {
  frit::TempDir folder;
  frit::Hash128 key{1, 2};
  fs::path path = folder / "graph.so";
  std::string file = frit::loader::seal(key, frit::read_file(SAMPLE_1));
  frit::write_file_atomic(path, file);
  EXPECT_EQ(Library::open_sealed(path, key, "graph")->function<int()>("value")(), 1);
  auto error_of = [&](const fs::path& path) -> std::string {
    try {
      Library::open_sealed(path, key, "graph");
    } catch (const frit::UserError& error) {
      return error.what();
    }
    return "nothing raised";
  };
  file[file.size() / 2] ^= 4;
  frit::write_file_atomic(path, file);
  EXPECT_EQ(error_of(path), "[load] " + path.string() +
                                " cannot be loaded: its bytes were changed.\n"
                                "  try: make the package again, or copy it again");
  EXPECT_EQ(error_of("/nonexistent/x.so"),
            "[load] /nonexistent/x.so cannot be loaded: it is missing or cannot be read.");
  frit::write_file_atomic(path, frit::loader::seal(key, "no object"));
  EXPECT_THAT(error_of(path),
              testing::StartsWith("[load] " + path.string() + " cannot be loaded: "));
}

TEST(Library, SaysWhyItCannotLoad) {
  std::string why;
  EXPECT_EQ(Library::try_open("/nonexistent/x.so", "x", why), nullptr);
  EXPECT_THAT(why, HasSubstr("/nonexistent/x.so"));
  why.clear();
  EXPECT_EQ(Library::try_from_memory("this is no object", "x", why), nullptr);
  EXPECT_FALSE(why.empty());
  why.clear();
  EXPECT_EQ(Library::try_from_memory("", "x", why), nullptr);
  EXPECT_FALSE(why.empty());
}

}  // namespace
