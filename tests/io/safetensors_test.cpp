#include <sys/stat.h>

#include <random>

#include "io/common.h"

namespace frit::test {
namespace {

struct Safetensors : Files {
  // A file of this header and data.
  fs::path raw(const std::string& header, const std::string& data = "") {
    std::string length(8, '\0');
    for (int i = 0; i < 8; ++i) length[i] = static_cast<char>(header.size() >> 8 * i);
    return put(length + header + data);
  }
  std::string error(const std::string& header, const std::string& data = "") {
    fs::path path = raw(header, data);
    return error_of([&] { load(path); });
  }
};

// Written by the safetensors package, version 0.8.0:
//   save({"w": float32 [[1, 2, 3], [4, 5, 6.5]], "n": int64 [7, -8], "flag": bool [1, 0, 1]},
//        metadata={"made": "by hand"})
const std::string kWritten(
    "\xd0\x00\x00\x00\x00\x00\x00\x00"
    R"({"__metadata__":{"made":"by hand"},"n":{"dtype":"I64","shape":[2],"data_offsets":[0,16]},)"
    R"("w":{"dtype":"F32","shape":[2,3],"data_offsets":[16,40]},)"
    R"("flag":{"dtype":"BOOL","shape":[3],"data_offsets":[40,43]}}   )"
    "\x07\x00\x00\x00\x00\x00\x00\x00\xf8\xff\xff\xff\xff\xff\xff\xff"
    "\x00\x00\x80?\x00\x00\x00@\x00\x00@@\x00\x00\x80@\x00\x00\xa0@\x00\x00\xd0@\x01\x00\x01",
    259);

TEST_F(Safetensors, ReadsWhatThePackageWrites) {
  auto tensors = load(put(kWritten));
  ASSERT_EQ(tensors.size(), 3u);
  EXPECT_EQ(tensors[0].first, "n");
  EXPECT_THAT(elements<int64_t>(tensors[0].second), ElementsAre(7, -8));
  EXPECT_EQ(tensors[1].first, "w");
  EXPECT_THAT(elements<float>(tensors[1].second), ElementsAre(1, 2, 3, 4, 5, 6.5));
  EXPECT_THAT(sizes_of(tensors[1].second), ElementsAre(2, 3));
  EXPECT_EQ(tensors[2].first, "flag");
  EXPECT_THAT(elements<bool>(tensors[2].second), ElementsAre(true, false, true));
  EXPECT_THAT(load_metadata(file("x")),
              ElementsAre(std::pair<std::string, std::string>{"made", "by hand"}));
}

TEST_F(Safetensors, WritesTheBytesThePackageWrites) {
  save({{"n", make<int64_t>({7, -8}, {2})},
        {"w", make<float>({1, 2, 3, 4, 5, 6.5}, {2, 3})},
        {"flag", patterned({3}, kBool)}},
       file("x"), {{"made", "by hand"}});
  std::string bytes = read_file(file("x")), wanted = kWritten;
  EXPECT_EQ(bytes.substr(0, 256), wanted.substr(0, 256));
}

TEST_F(Safetensors, EveryDtypeComesBackInOrder) {
  std::vector<std::pair<std::string, Tensor>> tensors;
  for (int d = 0; d < kNumDTypes; ++d) {
    auto dtype = static_cast<DType>(d);
    tensors.emplace_back("a." + std::string(name(dtype)), patterned({3, 2}, dtype));
    tensors.emplace_back("number." + std::string(name(dtype)), patterned({}, dtype));
    tensors.emplace_back("none." + std::string(name(dtype)), patterned({2, 0, 5}, dtype));
  }
  save(tensors, file("x"));
  auto back = load(file("x"));
  ASSERT_EQ(back.size(), tensors.size());
  for (size_t i = 0; i < back.size(); ++i) {
    EXPECT_EQ(back[i].first, tensors[i].first);
    EXPECT_EQ(back[i].second.dtype(), tensors[i].second.dtype());
    EXPECT_EQ(sizes_of(back[i].second), sizes_of(tensors[i].second));
    EXPECT_EQ(bytes_of(back[i].second), bytes_of(tensors[i].second));
  }
  EXPECT_TRUE(load_metadata(file("x")).empty());
}

TEST_F(Safetensors, ViewsAreWrittenAsWhatTheyShow) {
  Tensor base = make<float>({0, 1, 2, 3, 4, 5}, {2, 3});
  std::vector<int64_t> sizes{3, 2}, strides{1, 3}, one{2}, still{0};
  save({{"transposed", alias_view(base, sizes, strides, 0)},
        {"same", alias_view(base, one, still, 4)}},
       file("x"));
  auto back = load(file("x"));
  EXPECT_THAT(elements<float>(back[0].second), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(elements<float>(back[1].second), ElementsAre(4, 4));
}

TEST_F(Safetensors, NothingAtAllIsAFileToo) {
  save({}, file("x"));
  EXPECT_TRUE(load(file("x")).empty());
}

TEST_F(Safetensors, NamesMayHoldAnyText) {
  save({{"", patterned({1}, kInt8)}, {"\"quoted\" \\ \n ü", patterned({1}, kInt8)}}, file("x"));
  EXPECT_EQ(load(file("x"))[0].first, "");
  EXPECT_EQ(load(file("x"))[1].first, "\"quoted\" \\ \n ü");
}

TEST_F(Safetensors, AFailedSaveLeavesTheOldFile) {
  save({{"a", make<float>({1}, {1})}}, file("x"));
  std::string before = read_file(file("x"));
  EXPECT_THAT(error_of([&] { save({{"a", Tensor()}}, file("x")); }),
              HasSubstr("x: the tensor \"a\" is undefined"));
  EXPECT_EQ(read_file(file("x")), before);
  EXPECT_EQ(count(), 1u);
}

TEST_F(Safetensors, SavingSaysWhatIsWrong) {
  Tensor t = make<float>({1}, {1});
  EXPECT_THAT(error_of([&] { save({{"a", t}, {"a", t}}, file("x")); }),
              HasSubstr("two tensors have the name \"a\""));
  EXPECT_THAT(error_of([&] { save({{"__metadata__", t}}, file("x")); }),
              HasSubstr("no tensor can have the name __metadata__"));
  EXPECT_THAT(error_of([&] { save({{"\xff", t}}, file("x")); }),
              HasSubstr("a name or text to be written is not UTF-8"));
  std::string text = error_of([&] { save({{"a", t}}, file("none") / "x"); });
  EXPECT_THAT(text, StartsWith("[save] " + (file("none") / "x").string() +
                               ": cannot be written: No such file or directory"));
  EXPECT_THAT(text, HasSubstr("at safetensors_test.cpp:"));
  EXPECT_THAT(text, HasSubstr("\n  try: make the folder first"));
  EXPECT_THAT(error_of([&] { save({{"a", t}}, "/dev/full/x"); }), HasSubstr("cannot be written"));
  EXPECT_EQ(count(), 0u);
}

TEST_F(Safetensors, WhatIsNoFileIsSaid) {
  EXPECT_THAT(error_of([&] { load(file("none")); }),
              HasSubstr("cannot be read: No such file or directory"));
  EXPECT_THAT(error_of([&] { load(file("none")); }),
              HasSubstr("\n  try: the path of a file that is there"));
  EXPECT_THAT(error_of([&] { load(folder_.path()); }), HasSubstr("is a folder"));
  ASSERT_EQ(mkfifo(file("fifo").c_str(), 0600), 0);
  EXPECT_THAT(error_of([&] { load(file("fifo")); }), HasSubstr("is not a regular file"));
}

TEST_F(Safetensors, LyingHeadersAreRefused) {
  EXPECT_THAT(error_of([&] { load(put("")); }), HasSubstr("is 0 bytes long, too short"));
  EXPECT_THAT(error_of([&] { load(put(std::string(8, '\xff'))); }),
              HasSubstr("says its header is 18446744073709551615 bytes, in a file of 8"));
  EXPECT_THAT(error_of([&] { load(put(std::string(8, '\0'))); }),
              HasSubstr("does not begin with '{'"));
  EXPECT_THAT(error("[]"), HasSubstr("does not begin with '{'"));
  EXPECT_THAT(error("{\"a\":"), HasSubstr("its header is not JSON"));
  EXPECT_THAT(error("{\"a\": \"\xff\"}"), HasSubstr("its header is not JSON"));
  EXPECT_THAT(error(R"({"a": 1})"), HasSubstr("\"a\" is not an object"));
  EXPECT_THAT(error(R"({"a": {}})"), HasSubstr("\"a\" has no dtype"));
  EXPECT_THAT(error(R"({"a": {"dtype": "F8_E4M3", "shape": [1], "data_offsets": [0, 1]}})", "x"),
              HasSubstr("has dtype \"F8_E4M3\", which Frit does not have"));
  EXPECT_THAT(error(R"({"a": {"dtype": "F32", "shape": 1, "data_offsets": [0, 4]}})", "xxxx"),
              HasSubstr("has no shape"));
  EXPECT_THAT(error(R"({"a": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}})", "xxxx"),
              HasSubstr("has -1 in its shape"));
  EXPECT_THAT(error(R"({"a": {"dtype": "F32", "shape": [1.5], "data_offsets": [0, 4]}})", "xxxx"),
              HasSubstr("has 1.5 in its shape"));
  EXPECT_THAT(error(R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0]}})", "xxxx"),
              HasSubstr("has no data_offsets"));
  EXPECT_THAT(error(R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [4, 0]}})", "xxxx"),
              HasSubstr("ends at byte 0, before its begin at 4"));
  EXPECT_THAT(error(R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}})", "xxxx"),
              HasSubstr("ends at byte 8 of 4: the file is cut short"));
  EXPECT_THAT(error(R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}})", "xxxx"),
              HasSubstr("is [2] of float32, 8 bytes, but has 4"));
  EXPECT_THAT(
      error(
          R"({"a": {"dtype": "F32", "shape": [4294967296, 4294967296, 4], "data_offsets": [0, 0]}})"),
      HasSubstr("more than memory can hold"));
  EXPECT_THAT(error(R"({"a": {"dtype": "I8", "shape": [2], "data_offsets": [1, 3]}})", "xxx"),
              HasSubstr("begins at byte 1, where 0 is the next: the tensors have a gap"));
  EXPECT_THAT(error(R"({"a": {"dtype": "I8", "shape": [2], "data_offsets": [0, 2]},
                       "b": {"dtype": "I8", "shape": [2], "data_offsets": [1, 3]}})",
                    "xxx"),
              HasSubstr("\"b\" begins at byte 1, where 2 is the next: the tensors overlap"));
  EXPECT_THAT(error(R"({"a": {"dtype": "I8", "shape": [2], "data_offsets": [0, 2]}})", "xxx"),
              HasSubstr("the tensors end at byte 2 of 3"));
  EXPECT_THAT(error(R"({"a": {"dtype": "I8", "shape": [0], "data_offsets": [0, 0]},
                       "a": {"dtype": "I8", "shape": [0], "data_offsets": [0, 0]}})"),
              AllOf(HasSubstr("its header has the name \"a\" twice"),
                    HasSubstr("try: write the file again with each name once")));
  EXPECT_THAT(error(R"({"__metadata__": {"n": 1}})"),
              HasSubstr("__metadata__ is not an object of strings"));
  EXPECT_THAT(error(std::string(100000, '{')), HasSubstr("JSON"));
  EXPECT_THAT(error("{\"a\": " + std::string(100000, '[') + std::string(100000, ']') + "}"),
              HasSubstr("its header is nested deeper than the format allows"));
}

TEST_F(Safetensors, EverythingWrongIsSaidAtOnce) {
  std::string text = error(R"({"a": {"dtype": "U64", "shape": [1], "data_offsets": [0, 8]}, "b": 3,
                              "c": {"dtype": "I8", "shape": [4], "data_offsets": [0, 8]}})",
                           "12345678");
  EXPECT_THAT(text, HasSubstr("x: is not a sound safetensors file:"));
  EXPECT_THAT(text, HasSubstr("\n    \"a\" has dtype \"U64\""));
  EXPECT_THAT(text, HasSubstr("\n    \"b\" is not an object"));
  EXPECT_THAT(text, HasSubstr("\n    \"c\" is [4] of int8, 4 bytes, but has 8"));
}

// A sound file, cut at every length and with every kind of damage: a UserError or a sound result.
TEST_F(Safetensors, DamagedFilesNeverCrash) {
  for (size_t n = 0; n < kWritten.size(); ++n)
    EXPECT_NE(error_of([&] { load(put(kWritten.substr(0, n))); }), "no error") << n;
  std::mt19937 random(7);
  int refused = 0;
  for (int i = 0; i < 600; ++i) {
    std::string bytes = kWritten;
    for (int k = 1 + static_cast<int>(random() % 3); k > 0; --k)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    refused += error_of([&] { load(put(bytes)); }) != "no error";
  }
  EXPECT_GT(refused, 300);
}

}  // namespace
}  // namespace frit::test
