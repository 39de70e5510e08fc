#include "base/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file.h"

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

TEST(Json, KeepsTheOrderOfKeys) {
  Json j;
  j["zeta"] = 1;
  j["alpha"] = {1, 2};
  EXPECT_EQ(j.dump(), R"({"zeta":1,"alpha":[1,2]})");
}

TEST(Json, FileRoundTrip) {
  TempDir dir;
  Json j = {{"b", 1.5}, {"a", nullptr}, {"text", "caf\u00e9"}};
  write_json_file(dir / "x.json", j);
  EXPECT_EQ(read_json_file(dir / "x.json"), j);
  EXPECT_EQ(read_file(dir / "x.json").back(), '\n');
  write_json_file(dir / "x.json", Json::array(), -1);  // replaces
  EXPECT_EQ(read_file(dir / "x.json"), "[]\n");
}

TEST(Json, BytesThatAreNotUtf8AreReplaced) {
  TempDir dir;
  write_json_file(dir / "x.json", Json("a\xff"));
  EXPECT_EQ(read_json_file(dir / "x.json").get<std::string>(), "a\xef\xbf\xbd");
}

TEST(Json, ErrorsNameTheFile) {
  TempDir dir;
  std::string path = (dir / "x.json").string();
  EXPECT_EQ(message([&] { read_json_file(path); }),
            "[file] cannot read " + path + ": No such file or directory");
  write_file_atomic(path, "");
  EXPECT_EQ(message([&] { read_json_file(path); }),
            "[file] " + path + " is not JSON: it is empty.");
  write_file_atomic(path, "{\n  \"a\": 1,\n  \"b\" 2\n}");
  EXPECT_EQ(message([&] { read_json_file(path); }),
            "[file] " + path + " is not JSON: the fault is at line 3, column 7.");
  EXPECT_EQ(
      message([&] { write_json_file(dir / "no" / "x.json", 1); }),
      "[file] cannot write " + (dir / "no" / "x.json").string() + ": No such file or directory");
}

TEST(Json, Members) {
  Json j = {{"n", 3}, {"s", "x"}};
  EXPECT_EQ(json_get<int>(j, "n", "load"), 3);
  EXPECT_EQ(json_get<std::string>(j, "s", "load"), "x");
  EXPECT_EQ(message([&] { json_get<int>(j, "m", "load"); }), "[load] the member \"m\" is missing.");
  EXPECT_EQ(message([&] { json_get<int>(j, "s", "load"); }),
            "[load] the member \"s\" has an unexpected type: string.");
  EXPECT_EQ(message([&] { json_get<int>(Json::array(), "s", "load"); }),
            "[load] expected an object with a member \"s\", found array.");
}

}  // namespace
}  // namespace frit
