#include "core/dtype.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/scalar.h"

namespace frit {
namespace {

nlohmann::json promotion() {
  std::ifstream file(std::string(FRIT_SOURCE_DIR) + "/tests/core/data/promotion.json");
  return nlohmann::json::parse(file);
}

DType named(const nlohmann::json& j) { return dtype_from_name(j.get<std::string>()).value(); }

TEST(DType, NamesGoBothWays) {
  for (int i = 0; i < kNumDTypes; ++i) {
    auto t = static_cast<DType>(i);
    EXPECT_EQ(dtype_from_name(name(t)), t);
    EXPECT_EQ(dtype_from_name(short_name(t)), t);
  }
  EXPECT_EQ(dtype_from_name("complex64"), std::nullopt);
  EXPECT_EQ(name(kBFloat16), "bfloat16");
  EXPECT_EQ(short_name(kBFloat16), "bf16");
}

TEST(DType, Kinds) {
  EXPECT_TRUE(is_floating(kFloat16));
  EXPECT_FALSE(is_floating(kInt8));
  EXPECT_TRUE(is_integral(kUInt8));
  EXPECT_FALSE(is_integral(kBool));
  EXPECT_EQ(compute_type(kFloat16), kFloat32);
  EXPECT_EQ(compute_type(kInt16), kInt16);
  EXPECT_EQ(size_of(kBool), 1);
  EXPECT_EQ(size_of(kFloat64), 8);
}

TEST(Promotion, OfTypesIsPyTorchs) {
  nlohmann::json table = promotion();
  for (auto& row : table["types"])
    EXPECT_EQ(name(promote_types(named(row[0]), named(row[1]))), row[2].get<std::string>()) << row;
}

TEST(Promotion, OfOperandsIsPyTorchs) {
  nlohmann::json table = promotion();
  auto result = [](DType a, bool a_zero, DType b, bool b_zero) {
    TypePromotion p;
    p.add_tensor(a, a_zero);
    p.add_tensor(b, b_zero);
    return name(p.result());
  };
  for (auto& row : table["dim_and_zero_dim"]) {
    EXPECT_EQ(result(named(row[0]), false, named(row[1]), true), row[2].get<std::string>()) << row;
    EXPECT_EQ(result(named(row[1]), true, named(row[0]), false), row[2].get<std::string>()) << row;
  }
  for (auto& row : table["two_zero_dim"])
    EXPECT_EQ(result(named(row[0]), true, named(row[1]), true), row[2].get<std::string>()) << row;
  for (auto& row : table["number"]) {
    TypePromotion p;
    p.add_tensor(named(row[0]), row[1].get<int>() == 0);
    std::string kind = row[2];
    Scalar number = kind == "bool" ? Scalar(true) : kind == "int" ? Scalar(2) : Scalar(2.5);
    p.add_number(number.number_type());
    EXPECT_EQ(name(p.result()), row[3].get<std::string>()) << row;
  }
}

TEST(Promotion, NumbersAloneGiveTheirOwnType) {
  TypePromotion p;
  p.add_number(Scalar(true).number_type());
  EXPECT_EQ(p.result(), kBool);
  p.add_number(Scalar(2).number_type());
  EXPECT_EQ(p.result(), kInt64);
  p.add_number(Scalar(0.5).number_type());
  EXPECT_EQ(p.result(), kFloat32);
  set_default_dtype(kFloat64);
  EXPECT_EQ(Scalar(0.5).number_type(), kFloat64);
  set_default_dtype(kFloat32);
}

}  // namespace
}  // namespace frit
