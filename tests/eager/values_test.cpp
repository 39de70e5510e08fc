// Indexing, reading values, printing.
#include <frit/ops.h>
#include <frit/print.h>

#include <sstream>

#include "common.h"

namespace frit {
namespace {
using namespace test;
using indexing::Ellipsis;
using indexing::None;
using indexing::Slice;

Tensor counting() {
  std::vector<double> v(24);
  for (int i = 0; i < 24; ++i) v[static_cast<size_t>(i)] = i;
  return make(v, {2, 3, 4});
}

TEST(Indexing, NumbersSlicesNoneEllipsis) {
  Tensor x = counting();
  EXPECT_THAT(values(x.index({1, 2})), ElementsAre(20, 21, 22, 23));
  EXPECT_THAT(values(x.index({Ellipsis{}, -1})), ElementsAre(3, 7, 11, 15, 19, 23));
  EXPECT_THAT(values(x.index({0, Slice{1, std::nullopt}, Slice{std::nullopt, std::nullopt, 3}})),
              ElementsAre(4, 7, 8, 11));
  EXPECT_EQ(x.index({None{}, Ellipsis{}, None{}}).impl()->sizes, (Dims{1, 2, 3, 4, 1}));
  EXPECT_FALSE(x.index({}).is_same(x));
  EXPECT_TRUE(x.index({}).shares_storage_with(x));
  EXPECT_THAT(values(x[1][0]), ElementsAre(12, 13, 14, 15));
}

TEST(Indexing, PutThroughViews) {
  Tensor x = make({0, 0, 0, 0}, {2, 2});
  x.index_put_({Slice{}, 1}, vec({5, 6}));
  EXPECT_THAT(values(x), ElementsAre(0, 5, 0, 6));
}

TEST(Ordering, NoneOfANumberIsTheNumber) {
  auto [values, indices] = topk(scalar_tensor(3.5), 0);
  EXPECT_EQ(values.item<double>(), 3.5);
  EXPECT_EQ(indices.item<int64_t>(), 0);
}

TEST(Indexing, MasksWithoutDimensions) {
  Tensor x = make({1, 2, 3}, {3}), yes = make({1}, {}).to(kBool), no = make({0}, {}).to(kBool);
  EXPECT_EQ(x.index({yes}).impl()->sizes, (Dims{1, 3}));
  EXPECT_EQ(x.index({no}).impl()->sizes, (Dims{0, 3}));
  x.index_put_({yes}, 7);
  x.index_put_({no}, 8);
  EXPECT_EQ(x.to_vector<double>(), (std::vector<double>{7, 7, 7}));
}

TEST(Indexing, ValuesLoseLeadingOnes) {
  Tensor x = make({1, 2, 3, 4}, {2, 2});
  x.index_put_({0}, make({7, 8}, {1, 1, 2}));
  EXPECT_EQ(x.to_vector<double>(), (std::vector<double>{7, 8, 3, 4}));
}

TEST(Indexing, Errors) {
  Tensor x = counting();
  EXPECT_THAT(error_of([&] { x.index({0, 0, 0, 0}); }),
              HasSubstr("[index] too many indices for tensor of dimension 3, got 4"));
  EXPECT_THAT(error_of([&] { x.index({Ellipsis{}, Ellipsis{}}); }),
              HasSubstr("an index can only have a single ellipsis, got 2"));
  EXPECT_THAT(error_of([&] { x.index({5}); }),
              HasSubstr("index 5 is out of bounds for dimension 0 with size 2"));
  EXPECT_THAT(error_of([&] { x.index({5}); }), HasSubstr("at values_test.cpp:"));
  EXPECT_THAT(error_of([&] { x.index({Tensor()}); }), HasSubstr("an index is an undefined tensor"));
}

TEST(Values, Item) {
  EXPECT_EQ(make({2.5}, {1, 1}).item<double>(), 2.5);
  EXPECT_EQ(make({2.5}, {}).item<int>(), 2);
  Tensor i = tensor_from<int64_t>(std::vector<int64_t>{7}, std::vector<int64_t>{1});
  EXPECT_TRUE(i.item_int().same_as(7));
  EXPECT_TRUE(static_cast<bool>(i));
  EXPECT_THAT(error_of([] { vec({1, 2}).item<double>(); }),
              HasSubstr("[item] a Tensor with 2 elements cannot be converted to Scalar"));
  EXPECT_THAT(error_of([] { vec({1}).item_int(); }),
              HasSubstr("[item_int] the tensor is float64, an integer is asked for"));
  EXPECT_THAT(error_of([] { vec({1, 2}).item<double>(); }), HasSubstr("at values_test.cpp:"));
}

template <class T>
Tensor one(T v) {
  return tensor_from<T>(std::span<const T>(&v, 1), {});
}

TEST(Values, ItemDoesNotNarrow) {
  EXPECT_EQ(one<int64_t>(300).item<int16_t>(), 300);
  EXPECT_THAT(error_of([] { one<int64_t>(300).item<int8_t>(); }),
              HasSubstr("[item] value cannot be converted to type int8_t without overflow: it is "
                        "300\n  at values_test.cpp:"));
  EXPECT_THAT(error_of([] { one<int64_t>(int64_t{1} << 40).item<int>(); }),
              HasSubstr("type int32_t without overflow: it is 1099511627776"));
  EXPECT_THAT(error_of([] { one<int64_t>(-1).item<size_t>(); }),
              HasSubstr("type uint64_t without overflow: it is -1"));
  EXPECT_THAT(error_of([] { one<double>(1e300).item<float>(); }),
              HasSubstr("type float without overflow: it is 1e+300"));
  EXPECT_THAT(error_of([] { one<double>(1e300).item<float>(); }), HasSubstr("try: item<double>()"));
  EXPECT_THAT(error_of([] { one<float>(3e9f).item<int>(); }),
              HasSubstr("type int32_t without overflow: it is 3000000000"));
  EXPECT_THAT(error_of([] { (one<float>(1) / 0).item<int64_t>(); }),
              HasSubstr("type int64_t without overflow: it is inf"));
  EXPECT_EQ(one<double>(-2.9).item<int>(), -2);  // PyTorch's Scalar::to<int> cuts off, too
  EXPECT_EQ(one<double>(INFINITY).item<float>(), INFINITY);
  EXPECT_EQ(one<float>(9e18f).item<uint64_t>(), static_cast<uint64_t>(9e18f));
  int64_t lowest = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(one<int64_t>(lowest).item<int64_t>(), lowest);
  EXPECT_EQ(one<int64_t>(lowest).item<double>(), -0x1p63);
  EXPECT_TRUE(one<int64_t>(lowest).item<bool>());
  Tensor filled = one<int64_t>(0);
  filled.fill_(Scalar(lowest));
  EXPECT_EQ(filled.item<int64_t>(), lowest);
}

TEST(Operators, ErrorsNameTheLine) {
  Tensor x = make({1, 2, 3}, {3}), y = make({1, 2}, {2});
  std::string here = "at values_test.cpp:" + std::to_string(__LINE__ + 1);
  EXPECT_THAT(error_of([&] { x += y; }), HasSubstr(here));
  here = "at values_test.cpp:" + std::to_string(__LINE__ + 1);
  EXPECT_THAT(error_of([&] { x[3]; }), HasSubstr(here));
  here = "at values_test.cpp:" + std::to_string(__LINE__ + 1);
  EXPECT_THAT(error_of([&] { x.data<int8_t>(); }), HasSubstr(here));
  x += 1, x -= 1.5, x *= size_t{2}, x /= x.size(0), x += x;
  EXPECT_THAT(values(x), ElementsAre(2. / 3, 2, 10. / 3));
  EXPECT_THAT(values(x[size_t{1}] + x.index({uint32_t{1}})), ElementsAre(4));
}

TEST(Values, HalfTypes) {
  Tensor h = tensor_from<float16>(std::vector<float16>{{0x3c00}, {0xc100}, {0x0001}, {0x7c00}},
                                  std::vector<int64_t>{4});
  EXPECT_EQ(h[0].item<double>(), 1.0);
  EXPECT_EQ(h[1].item<double>(), -2.5);
  EXPECT_EQ(h[2].item<double>(), std::ldexp(1.0, -24));
  EXPECT_TRUE(std::isinf(h[3].item<double>()));
  Tensor b = tensor_from<bfloat16>(std::vector<bfloat16>{{0x3fc0}}, std::vector<int64_t>{1});
  EXPECT_EQ(b.item<double>(), 1.5);
}

TEST(Values, VectorsFollowTheStrides) {
  Tensor x = make({1, 2, 3, 4}, {2, 2});
  EXPECT_THAT(values(op<"t">(x)), ElementsAre(1, 3, 2, 4));
  EXPECT_THAT(error_of([&] { x.to_vector<float>(); }),
              HasSubstr("the tensor's dtype is float64, asked for float32"));
}

Tensor floats(std::vector<float> v, std::vector<int64_t> sizes) {
  return tensor_from<float>(v, sizes);
}

TEST(Values, Printing) {
  EXPECT_EQ(floats({1, 2.5f, -3}, {3}).str(), "tensor([ 1.0000,  2.5000, -3.0000])");
  EXPECT_EQ(floats({1, 2, 3, 4}, {2, 2}).str(), "tensor([[1., 2.],\n        [3., 4.]])");
  EXPECT_EQ(vec({1}).str(), "tensor([1.], dtype=float64)");
  EXPECT_EQ(floats({3}, {}).str(), "tensor(3.)");
  EXPECT_EQ((floats({1, 2}, {2}) > 1.5).str(), "tensor([False,  True])");
  EXPECT_EQ(floats({1}, {1}).requires_grad_().str(), "tensor([1.], requires_grad=True)");
  EXPECT_EQ((floats({1}, {1}).requires_grad_() * 2.0).str(), "tensor([2.], grad_fn=<MulBackward>)");
  EXPECT_EQ(floats({}, {0, 2}).str(), "tensor([], size=[0, 2], dtype=float32)");
  EXPECT_EQ(Tensor().str(), "tensor(undefined)");
  std::ostringstream stream;
  stream << floats({3}, {1}) << ' ' << Tensor();
  EXPECT_EQ(stream.str(), "tensor([3.]) tensor(undefined)");
  std::vector<float> many(2000, 1.f);
  EXPECT_EQ(floats(many, {2000}).str(), "tensor([1., 1., 1., ..., 1., 1., 1.])");
}

TEST(Values, SumsAndProductsAsTruth) {  // of the elements as bools
  EXPECT_TRUE(op<"sum">(vec({0.3, 0.2}), DType::boolean).item<bool>());
  EXPECT_TRUE(op<"sum">(vec({1, -1}).to(kInt64), DType::boolean).item<bool>());
  EXPECT_TRUE(op<"prod">(vec({0.3, 0.2}), DType::boolean).item<bool>());
  EXPECT_FALSE(op<"prod">(vec({0.3, 0}), DType::boolean).item<bool>());
}

TEST(Values, PlacesOfMisuse) {
  const Tensor none, three = frit::ones({3});
  auto error = [](auto&& fn) {
    try {
      fn();
    } catch (const UserError& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  auto at = [](uint32_t line) { return "at values_test.cpp:" + std::to_string(line); };
  auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect(error([&] { (void)(three + none); }), "[add] argument 'other' is an undefined tensor");
  expect(error([&] { (void)(three + none); }), at(__LINE__));
  expect(error([&] { (void)none.relu(); }), at(__LINE__));
  expect(error([&] { (void)none.item<float>(); }), at(__LINE__));
  expect(error([&] { (void)frit::embedding(frit::ones({4, 3}), frit::full({2}, 7).to(kInt64)); }),
         "[embedding] index out of range in self");
  // `if` has no place of its own.
  expect(error([&] { (void)bool(three > 0); }), "the last op before was " + at(__LINE__));
}

}  // namespace
}  // namespace frit
