// Finding the plugin, and doing without it.
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/config.h"
#include "base/error.h"
#include "harness.h"

namespace frit::jit {
namespace {

using testing::HasSubstr;

const char* kText = "extern \"C\" int f() { return 41; }";

CompileResult with_plugin(const fs::path& plugin) {
  TempDir folder;
  CompilerOptions options = options_in(folder.path());
  options.plugin = plugin;
  return Compiler(options).compile(request_of({kText}));
}

std::string user_error(const CompileResult& result) {
  try {
    raise_if_failed(result);
  } catch (const UserError& error) {
    return error.what();
  }
  return "nothing raised";
}

TEST(Plugin, IsFoundInTheBuildTree) {
  LoadedPlugin plugin = load_plugin(std::nullopt);
  ASSERT_TRUE(plugin.api) << plugin.problem;
  EXPECT_STREQ(plugin.api->build, plugin_build());
  EXPECT_EQ(plugin.path, fs::path(FRIT_BINARY_DIR) / "lib" / "libfrit_cc.so");
}

TEST(Plugin, ShowsOneSymbol) {
  std::string command = "nm -D --defined-only " FRIT_BINARY_DIR "/lib/libfrit_cc.so";
  FILE* pipe = popen(command.c_str(), "r");
  ASSERT_TRUE(pipe);
  std::string text;
  char buffer[4096];
  while (size_t n = fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, n);
  if (pclose(pipe) != 0) GTEST_SKIP() << "no nm here";
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text.substr(0, 2000);
  EXPECT_THAT(text, HasSubstr(" T frit_cc_entry"));
}

TEST(Plugin, OneThatDoesNotExist) {
  auto result = with_plugin("/nonexistent/libfrit_cc.so");
  EXPECT_EQ(result.status, CompileStatus::plugin_missing);
  EXPECT_EQ(user_error(result),
            "[compile] the compiler plugin that FRIT_PLUGIN names does not exist: "
            "/nonexistent/libfrit_cc.so.\n"
            "  try: unset FRIT_PLUGIN, or set it to the path of libfrit_cc.so");
}

TEST(Plugin, OneOfAnotherBuild) {
  auto result = with_plugin(FAKES "other_build.so");
  EXPECT_EQ(result.status, CompileStatus::plugin_unfit);
  EXPECT_EQ(
      user_error(result),
      std::string("[compile] the compiler plugin " FAKES "other_build.so is of another "
                  "build: it is 18.1.8-0123456789abcdef, this library needs ") +
          plugin_build() +
          ".\n  try: install Frit again, so that the library and its plugin are of one build");
}

TEST(Plugin, OneOfAnotherInterface) {
  auto result = with_plugin(FAKES "other_abi.so");
  EXPECT_EQ(result.status, CompileStatus::plugin_unfit);
  EXPECT_THAT(result.message, HasSubstr("is of another build: it is 25.1.0-0123456789abcdef"));
}

TEST(Plugin, ALibraryThatIsNone) {
  auto result = with_plugin(FAKES "no_plugin.so");
  EXPECT_EQ(result.status, CompileStatus::plugin_unfit);
  EXPECT_EQ(result.message, FAKES "no_plugin.so is not a compiler plugin: it has no frit_cc_entry");
}

TEST(Plugin, AFileThatIsNoLibrary) {
  TempDir folder;
  write_file_atomic(folder / "libfrit_cc.so", "text");
  auto result = with_plugin(folder / "libfrit_cc.so");
  EXPECT_EQ(result.status, CompileStatus::plugin_unfit);
  EXPECT_THAT(result.message, testing::StartsWith("cannot load the compiler plugin: "));
  EXPECT_THAT(result.message, HasSubstr("file too short"));
}

// A copy of this executable in a folder without a plugin.
TEST(Plugin, NoneAnywhere) {
  TempDir folder;
  fs::create_directories(folder.path() / "a" / "b");
  fs::path copy = folder.path() / "a" / "b" / "test_jit";
  fs::copy_file("/proc/self/exe", copy);
  std::string command = "FRIT_CHILD=1 " + copy.string() + " --gtest_filter=Child.NoPlugin 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(Child, NoPlugin) {
  ONLY_AS_CHILD();
  TempDir folder;
  auto result = Compiler(options_in(folder.path())).compile(request_of({kText}));
  EXPECT_EQ(result.status, CompileStatus::plugin_missing);
  std::string b = fs::read_symlink("/proc/self/exe").parent_path(), a = fs::path(b).parent_path();
  std::string top = fs::path(a).parent_path();
  EXPECT_EQ(user_error(result),
            "[compile] the compiler plugin libfrit_cc.so was not found; looked in " + b + ", " + b +
                "/lib, " + a + "/lib, " + top +
                "/lib.\n  try: put it beside the library, or set FRIT_PLUGIN to its path");
  // A plugin that anyone may write is no better than none.
  std::string lib = b + "/lib";
  fs::create_directory(lib);
  write_file_atomic(lib + "/libfrit_cc.so", "evil");
  fs::permissions(lib + "/libfrit_cc.so", fs::perms::others_write, fs::perm_options::add);
  result = Compiler(options_in(folder.path())).compile(request_of({kText}));
  EXPECT_EQ(result.status, CompileStatus::plugin_missing);
  EXPECT_THAT(result.message,
              HasSubstr(lib + " (that one belongs to another user or may be written by anyone)"));
}

bool plugin_is_loaded() {
  return read_file("/proc/self/maps").find("libfrit_cc") != std::string::npos;
}

TEST(Child, CompilesWithTheEnvironmentsOptions) {
  ONLY_AS_CHILD();
  auto result = Compiler().compile(request_of({kText}));
  ASSERT_TRUE(result) << result.message;
  EXPECT_EQ(result.library->function<int()>("f")(), 41);
  EXPECT_FALSE(result.library->path().empty());
}

TEST(Child, Hit) {
  ONLY_AS_CHILD();
  auto result = Compiler().compile(request_of({kText}));
  ASSERT_TRUE(result) << result.message;
  EXPECT_TRUE(result.hit);
  EXPECT_EQ(result.library->function<int()>("f")(), 41);
  EXPECT_FALSE(plugin_is_loaded());
  EXPECT_EQ(result.times.load_plugin, 0);
}

TEST(Processes, AHitLoadsNoPlugin) {
  TempDir folder;
  std::pair<std::string, std::string> cache{"FRIT_CACHE_DIR", (folder / "cache").string()};
  EXPECT_CHILD_PASSES("CompilesWithTheEnvironmentsOptions", cache);
  EXPECT_CHILD_PASSES("Hit", cache);
  // Not even one that exists is needed.
  std::pair<std::string, std::string> none{"FRIT_PLUGIN", "/nonexistent/libfrit_cc.so"};
  EXPECT_CHILD_PASSES("Hit", cache, none);
}

TEST(Processes, SeveralCompileTheSameAtOnce) {
  TempDir folder;
  std::vector<child::Child> children;
  for (int i = 0; i < 4; ++i)
    children.push_back(child::start("CompilesWithTheEnvironmentsOptions",
                                    {{"FRIT_CACHE_DIR", (folder / "cache").string()}}));
  for (child::Child& child : children) {
    std::string output;
    EXPECT_EQ(child.wait(output), 0) << output;
  }
  int files = 0;
  for (auto& file : fs::recursive_directory_iterator(folder / "cache"))
    files += file.is_regular_file();
  EXPECT_EQ(files, 1);
}

TEST(Options, FromTheEnvironment) {
  setenv("FRIT_CACHE_DIR", "/mine", 1);
  setenv("FRIT_PLUGIN", "/p/libfrit_cc.so", 1);
  setenv("FRIT_COMPILE_TIMEOUT", "7", 1);
  CompilerOptions options = CompilerOptions::from_environment();
  EXPECT_EQ(options.cache.folder, "/mine");
  EXPECT_EQ(options.plugin, "/p/libfrit_cc.so");
  EXPECT_EQ(options.time_limit, std::chrono::seconds(7));
  setenv("FRIT_COMPILE_TIMEOUT", "-1", 1);
  try {
    CompilerOptions::from_environment();
    FAIL() << "nothing raised";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "[FRIT_COMPILE_TIMEOUT] is -1, expected seconds, or 0 for no limit.\n"
                 "  try: unset FRIT_COMPILE_TIMEOUT");
  }
  for (const char* name : {"FRIT_CACHE_DIR", "FRIT_PLUGIN", "FRIT_COMPILE_TIMEOUT"}) unsetenv(name);
}

}  // namespace
}  // namespace frit::jit
