#include <random>

#include "io/common.h"

namespace frit::test {
namespace {

struct Npy : Files {
  // A version 1 file of this header and data.
  std::string error(const std::string& header, const std::string& data = "") {
    std::string bytes = "\x93NUMPY";
    bytes += {1, 0, static_cast<char>(header.size()), static_cast<char>(header.size() >> 8)};
    fs::path path = put(bytes + header + data);
    return error_of([&] { load_npy(path); });
  }
};

// Written by numpy 2.4.6: save(asfortranarray(array([[1, 2, 3], [4, 5, 6]], dtype='>i2')))
const std::string kFortran(
    "\x93NUMPY\x01\x00v\x00{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }"
    "                                                           \n"
    "\x00\x01\x00\x04\x00\x02\x00\x05\x00\x03\x00\x06",
    140);

TEST_F(Npy, FortranOrderAndTheOtherByteOrder) {
  Tensor t = load_npy(put(kFortran));
  EXPECT_EQ(t.dtype(), kInt16);
  EXPECT_THAT(sizes_of(t), ElementsAre(2, 3));
  EXPECT_EQ(t.impl()->strides[0], 1);
  EXPECT_EQ(t.impl()->strides[1], 2);
  const int16_t* p = t.data<int16_t>();
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j) EXPECT_EQ(p[i + 2 * j], 3 * i + j + 1);
}

TEST_F(Npy, TheDigits) {
  Tensor images = load_npy(fs::path(FRIT_SOURCE_DIR) / "data/digits/images.npy");
  Tensor labels = load_npy(fs::path(FRIT_SOURCE_DIR) / "data/digits/labels.npy");
  EXPECT_THAT(sizes_of(images), ElementsAre(1797, 64));
  EXPECT_THAT(sizes_of(labels), ElementsAre(1797));
  EXPECT_EQ(images.dtype(), kUInt8);
  EXPECT_EQ(labels.data<uint8_t>()[0], 0);
  EXPECT_EQ(labels.data<uint8_t>()[1796], 8);
}

TEST_F(Npy, WritesTheBytesNumPyWrites) {
  save_npy(make<float>({1, 2, 3}, {3}), file("x"));
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }";
  std::string wanted = std::string("\x93NUMPY\x01\x00v\x00", 10) + header +
                       std::string(117 - header.size(), ' ') + "\n";
  EXPECT_EQ(read_file(file("x")).substr(0, 128), wanted);
  EXPECT_EQ(read_file(file("x")).size(), 140u);
}

TEST_F(Npy, EveryDtypeComesBack) {
  for (int d = 0; d < kNumDTypes; ++d) {
    auto dtype = static_cast<DType>(d);
    for (std::vector<int64_t> sizes : {std::vector<int64_t>{3, 2}, {}, {0, 4}, {5}}) {
      Tensor t = patterned(sizes, dtype);
      if (dtype == kBFloat16) {
        EXPECT_THAT(error_of([&] { save_npy(t, file("x")); }), HasSubstr("NumPy has no bfloat16"));
        continue;
      }
      save_npy(t, file("x"));
      Tensor back = load_npy(file("x"));
      EXPECT_EQ(back.dtype(), dtype);
      EXPECT_EQ(sizes_of(back), sizes);
      EXPECT_EQ(bytes_of(back), bytes_of(t));
    }
  }
}

TEST_F(Npy, OtherVersionsAndSpellings) {
  std::string header = "{\"shape\":(2L,),'fortran_order':False,\"descr\":\"|u1\"}";
  for (char version : {'\x02', '\x03'}) {
    std::string bytes = std::string("\x93NUMPY") + version + std::string(1, '\0') +
                        static_cast<char>(header.size()) + std::string(3, '\0') + header + "ab";
    EXPECT_THAT(elements<uint8_t>(load_npy(put(bytes))), ElementsAre('a', 'b'));
  }
}

TEST_F(Npy, FaultsAreSaid) {
  EXPECT_THAT(error_of([&] { load_npy(file("none")); }),
              StartsWith("[load_npy] " + file("none").string() +
                         ": cannot be read: No such file or directory"));
  EXPECT_THAT(error_of([&] { load_npy(put("abc")); }), HasSubstr("is 3 bytes long, too short"));
  EXPECT_THAT(error_of([&] { load_npy(put(std::string("\x93NUMPY\x02\x00\x01\x00", 10))); }),
              HasSubstr("is cut short in its header"));
  EXPECT_THAT(error_of([&] { load_npy(put("PK\x03\x04 not this one")); }),
              HasSubstr("does not begin as a .npy file"));
  EXPECT_THAT(error_of([&] { load_npy(put(std::string("\x93NUMPY\x09\x00xxxx", 12))); }),
              HasSubstr("is of .npy version 9.0; Frit reads 1 to 3"));
  EXPECT_THAT(error_of([&] { load_npy(put(std::string("\x93NUMPY\x01\x00\xff\xff{", 11))); }),
              HasSubstr("says its header is 65535 bytes, in a file of 11: it is cut short"));
  const std::string rest = "'fortran_order': False, 'shape': (2,)}";
  EXPECT_THAT(error("{'descr': '|O', " + rest), HasSubstr("dtype '|O', which Frit does not have"));
  EXPECT_THAT(error("{'descr': '<u4', " + rest), HasSubstr("try: astype('int64')"));
  EXPECT_THAT(error("{'descr': [('a', '<f4')], " + rest), HasSubstr("holds a structured array"));
  EXPECT_THAT(error("{'descr': '<f4', " + rest, "1234567"),
              HasSubstr("is [2] of float32, 8 bytes, but 7 follow its header: it is cut short"));
  EXPECT_THAT(error("{'descr': '<f4', " + rest, "123456789"),
              HasSubstr("8 bytes, but 9 follow its header"));
  EXPECT_THAT(error("{'descr': '|i1', 'fortran_order': False, 'shape': (9223372036854775807, 2)}"),
              HasSubstr("more than memory can hold"));
  EXPECT_THAT(error("{'descr': '|i1', 'fortran_order': False, 'shape': (99999999999999999999,)}"),
              HasSubstr("a size is too large"));
  EXPECT_THAT(error("{'descr': '|i1', 'fortran_order': False, 'shape': (-1,)}"),
              HasSubstr("a size is not a number"));
  EXPECT_THAT(error("{'descr': '|i1', 'fortran_order': 0, 'shape': (1,)}"),
              AllOf(HasSubstr("its header is damaged: fortran_order is neither True nor False"),
                    HasSubstr("try: write the file again with numpy.save")));
  EXPECT_THAT(error("{'descr': '|i1', 'shape': (1,)}"),
              HasSubstr("it needs descr, fortran_order and shape"));
  EXPECT_THAT(error("{'descr': '|i1', 'descr': '|i1', " + rest),
              HasSubstr("unknown or there twice"));
  EXPECT_THAT(error("{'descr': '|i1' " + rest), HasSubstr("a comma is missing"));
  EXPECT_THAT(error("{'descr': '|i1"), HasSubstr("a string has no end"));
  EXPECT_THAT(error(""), HasSubstr("'{' is missing"));
  EXPECT_THAT(error("{'descr': '|i1', " + rest + " x", "12"),
              HasSubstr("text follows the closing brace"));
  EXPECT_THAT(error_of([&] { save_npy(Tensor(), file("y")); }),
              HasSubstr("the tensor to be written is undefined"));
}

TEST_F(Npy, DamagedFilesNeverCrash) {
  for (size_t n = 0; n < kFortran.size(); ++n)
    EXPECT_NE(error_of([&] { load_npy(put(kFortran.substr(0, n))); }), "no error") << n;
  std::mt19937 random(7);
  int refused = 0;
  for (int i = 0; i < 600; ++i) {
    std::string bytes = kFortran;
    for (int k = 1 + static_cast<int>(random() % 3); k > 0; --k)
      bytes[random() % 75] = static_cast<char>(random());
    refused += error_of([&] { load_npy(put(bytes)); }) != "no error";
  }
  EXPECT_GT(refused, 300);
}

}  // namespace
}  // namespace frit::test
