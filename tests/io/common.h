// What the tests of this room share: files in a folder of their own, and errors as text.
#pragma once
#include <frit/io.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file.h"
#include "error_of.h"

namespace frit::test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

template <class T>
Tensor make(std::vector<T> values, std::vector<int64_t> sizes) {
  return tensor_from<T>(std::span<const T>(values), sizes);
}

template <class T>
std::vector<T> elements(const Tensor& t) {
  EXPECT_TRUE(t.is_contiguous());
  const T* p = t.data<T>();
  return std::vector<T>(p, p + t.impl()->numel());
}

inline std::vector<int64_t> sizes_of(const Tensor& t) {
  return {t.impl()->sizes.begin(), t.impl()->sizes.end()};
}

// Every byte of a tensor, whatever its dtype.
inline std::string bytes_of(const Tensor& t) {
  EXPECT_TRUE(t.is_contiguous());
  return std::string(static_cast<const char*>(t.raw_data()),
                     static_cast<size_t>(t.impl()->numel() * size_of(t.dtype())));
}

// A contiguous tensor of a dtype with recognisable bytes (0 and 1 for bools).
inline Tensor patterned(std::vector<int64_t> sizes, DType dtype) {
  Tensor t = empty_cpu(sizes, dtype);
  auto* p = static_cast<unsigned char*>(t.raw_data());
  for (int64_t i = 0, n = t.impl()->numel() * size_of(dtype); i < n; ++i)
    p[i] = static_cast<unsigned char>(dtype == kBool ? i % 2 : i * 37 + 11);
  return t;
}

class Files : public ::testing::Test {
 protected:
  fs::path file(const std::string& name) const { return folder_ / name; }
  fs::path put(const std::string& bytes, const std::string& name = "x") const {
    write_file_atomic(file(name), bytes);
    return file(name);
  }
  // What is in the folder, so that nothing is left over.
  size_t count() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }
  TempDir folder_{"frit_io"};
};

}  // namespace frit::test
