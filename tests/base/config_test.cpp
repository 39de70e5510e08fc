#include "base/config.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "base/file.h"

namespace frit {
namespace {

// Sets a variable for one test.
class With {
 public:
  With(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) before_ = old;
    ::setenv(name, value, 1);
  }
  ~With() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

template <class F>
std::string message(F call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST(Config, TheTableIsSortedAndSaysWhatEachMeans) {
  auto all = env_variables();
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(),
                             [](auto& a, auto& b) { return std::string_view(a.name) < b.name; }));
  for (auto& v : all) EXPECT_GT(std::string_view(v.meaning).size(), 10u) << v.name;
}

TEST(Config, TheDocumentationListsThem) {
  std::string rows = "| variable | meaning |\n|---|---|\n";
  for (auto& v : env_variables()) rows += "| `" + std::string(v.name) + "` | " + v.meaning + " |\n";
  std::string page = read_file(FRIT_SOURCE_DIR "/docs/building.md");
  EXPECT_NE(page.find(rows), page.npos) << "docs/building.md should end with\n" << rows;
}

TEST(Config, Values) {
  {
    With w("FRIT_CHECK", "replay");
    EXPECT_EQ(env("FRIT_CHECK"), "replay");
  }
  With empty("FRIT_CHECK", "");
  EXPECT_EQ(env("FRIT_CHECK"), std::nullopt);
  With n("FRIT_NUM_THREADS", "12");
  EXPECT_EQ(env_int("FRIT_NUM_THREADS"), 12);
  for (const char* on : {"1", "on", "yes", "true"}) {
    With w("FRIT_COMPILE_DEBUG", on);
    EXPECT_TRUE(env_flag("FRIT_COMPILE_DEBUG"));
  }
  With off("FRIT_COMPILE_DEBUG", "0");
  EXPECT_FALSE(env_flag("FRIT_COMPILE_DEBUG", true));
  EXPECT_TRUE(env_flag("FRIT_DISABLE_CACHE", true));
}

TEST(Config, Errors) {
  With n("FRIT_NUM_THREADS", "12x");
  EXPECT_EQ(
      message([] { env_int("FRIT_NUM_THREADS"); }),
      "[FRIT_NUM_THREADS] is \"12x\", expected a whole number.\n  try: unset FRIT_NUM_THREADS");
  With w("FRIT_COMPILE_DEBUG", "maybe");
  EXPECT_EQ(message([] { env_flag("FRIT_COMPILE_DEBUG"); }),
            "[FRIT_COMPILE_DEBUG] is \"maybe\", expected 1 or 0.\n  try: FRIT_COMPILE_DEBUG=1");
  EXPECT_TRUE(message([] { env("FRIT_UNKNOWN"); })
                  .starts_with("internal error: environment variable FRIT_UNKNOWN is not in the "
                               "table of config.cpp"));
}

TEST(Config, NoticesComeOnce) {
  ::testing::internal::CaptureStderr();
  EXPECT_TRUE(notice_once("test-key", "the first of them"));
  EXPECT_FALSE(notice_once("test-key", "the second"));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "frit: the first of them\n");
  EXPECT_EQ(notice_count("test-key"), 2);
  EXPECT_EQ(notice_count("another"), 0);
}

}  // namespace
}  // namespace frit
