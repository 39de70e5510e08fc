// tensor_from copies exactly as many values as the sizes hold.
#include <frit/tensor.h>
#include <gtest/gtest.h>

#include <array>

#include "base/error.h"

namespace frit {
namespace {

TEST(TensorFrom, CountsValues) {
  std::vector<float> values(1000, 1.f);
  std::array<int64_t, 1> two{2};
  try {
    tensor_from<float>(values, two);
    FAIL() << "1000 values went into 2";
  } catch (const UserError& e) {
    EXPECT_EQ(e.op(), "tensor_from");
    EXPECT_EQ(e.message(), "1000 values were given for sizes [2], which hold 2");
    EXPECT_EQ(e.hint(), "as many values as the sizes multiply to");
  }
  EXPECT_THROW(tensor_from<float>(std::span<const float>(values.data(), 1), two), UserError);
  EXPECT_EQ(tensor_from<float>(std::span<const float>(values.data(), 2), two).impl()->numel(), 2);
}

TEST(Places, OfMetadataThatIsNotThere) {
  auto error = [](auto&& fn) {
    try {
      fn();
    } catch (const UserError& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  const std::array<int64_t, 1> two{2};
  const Tensor t = empty_cpu(two, DType::f32), none;
  const std::vector<float> values(3);
  auto at = [](uint32_t line) { return "\n  at tensor_from_test.cpp:" + std::to_string(line); };
  auto expect = [&](const std::string& text, uint32_t line) {
    EXPECT_NE(text.find(at(line)), std::string::npos) << text;
  };
  expect(error([&] { t.size(9); }), __LINE__);
  expect(error([&] { t.stride(-2); }), __LINE__);
  expect(error([&] { tensor_from<float>(values, two); }), __LINE__);
  expect(error([&] { none.size(0); }), __LINE__);
  expect(error([&] { none.sizes(); }), __LINE__);
  expect(error([&] { none.numel(); }), __LINE__);
  expect(error([&] { none.dim(); }), __LINE__);
  expect(error([&] { none.dtype(); }), __LINE__);
  expect(error([&] { none.is_contiguous(); }), __LINE__);
}

}  // namespace
}  // namespace frit
