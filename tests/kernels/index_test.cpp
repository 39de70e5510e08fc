// Gathers, scatters and the ops that are not lowered, against loops that say what they mean.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "calls.h"

namespace frit::kernels::test {
namespace {

Tensor indices(std::span<const int64_t> sizes, int64_t below, uint32_t seed = 5) {
  std::mt19937 random(seed);
  Tensor t = empty_cpu(sizes, DType::i64);
  auto* p = static_cast<int64_t*>(t.impl()->data());
  for (int64_t i = 0; i < t.impl()->numel(); ++i)
    p[i] = static_cast<int64_t>(random() % static_cast<uint64_t>(below));
  return t;
}
int64_t integer_at(const Tensor& t, std::span<const int64_t> index) {
  return static_cast<const int64_t*>(t.impl()->data())[flat_index(index, t.impl()->strides)];
}

template <class F>
std::pair<ErrorKind, std::string> error_of(F f) {
  try {
    f();
  } catch (const UserError& e) {
    return {e.kind(), e.message()};
  }
  return {ErrorKind::runtime, "no error"};
}

const Dims kSizes{4, 5, 6};

TEST(Index, SelectAndGather) {
  for (DType t : kTypes)
    for (int how : {0, 1, 2})
      for (int64_t d = 0; d < 3; ++d) {
        Tensor x = laid_out(small_numbers(kSizes, t), how);
        auto v = values(x);
        const Dims strides = contiguous(kSizes);
        Tensor which = indices(Dims{7}, kSizes[static_cast<size_t>(d)]);
        Tensor y = op<"index_select">(x, d, which);
        auto out = values(y);
        size_t n = 0;
        each_index(y.impl()->sizes, [&](Dims i) {
          i[static_cast<size_t>(d)] = integer_at(which, Dims{i[static_cast<size_t>(d)]});
          ASSERT_EQ(out[n++], v[static_cast<size_t>(flat_index(i, strides))]);
        });
        Tensor at = indices(Dims{3, 4, 5}, kSizes[static_cast<size_t>(d)], 8);
        out = values(op<"gather">(x, d, laid_out(at, how)));
        n = 0;
        each_index(Dims{3, 4, 5}, [&](Dims i) {
          int64_t k = integer_at(at, i);
          i[static_cast<size_t>(d)] = k;
          ASSERT_EQ(out[n++], v[static_cast<size_t>(flat_index(i, strides))]);
        });
      }
}

TEST(Index, ScattersInOrder) {
  for (DType t : kTypes)
    for (int how : {0, 1, 2})
      for (int64_t d = 0; d < 3; ++d) {
        const auto k = static_cast<size_t>(d);
        Tensor x = laid_out(small_numbers(kSizes, t), how),
               src = laid_out(small_numbers(Dims{4, 5, 6}, t, 2), how);
        Tensor at = indices(Dims{3, 4, 5}, 4, 8);  // many of them equal
        const Dims strides = contiguous(kSizes);
        auto replaced = values(x), added = replaced, filled = replaced, s = values(src);
        each_index(Dims{3, 4, 5}, [&](Dims i) {
          double from = s[static_cast<size_t>(flat_index(i, contiguous(Dims{4, 5, 6})))];
          i[k] = integer_at(at, i);
          auto place = static_cast<size_t>(flat_index(i, strides));
          replaced[place] = from;
          filled[place] = 1;
          added[place] = is_bool(t) ? added[place] != 0 || from != 0 : added[place] + from;
        });
        EXPECT_EQ(values(op<"scatter.src">(x, d, at, src)), replaced);
        EXPECT_EQ(values(op<"scatter_add">(x, d, at, src)), added);
        EXPECT_EQ(values(op<"scatter.value">(x, d, at, Scalar(1))), filled);
      }
}

TEST(Index, ScatterReduce) {
  Tensor x = from_values({1, 2, 3}, Dims{3}, DType::f32),
         at = from_values({0, 0, 2}, Dims{3}, DType::i64),
         src = from_values({4, -6, 8}, Dims{3}, DType::f32);
  auto run = [&](const char* how, bool self) {
    return values(op<"scatter_reduce.two">(x, 0, at, src, how, self));
  };
  using V = std::vector<double>;
  EXPECT_EQ(run("sum", true), (V{-1, 2, 11}));
  EXPECT_EQ(run("sum", false), (V{-2, 2, 8}));
  EXPECT_EQ(run("prod", true), (V{-24, 2, 24}));
  EXPECT_EQ(run("prod", false), (V{-24, 2, 8}));
  EXPECT_EQ(run("mean", false), (V{-1, 2, 8}));
  EXPECT_EQ(run("mean", true)[2], 5.5);
  EXPECT_EQ(run("amax", true), (V{4, 2, 8}));
  EXPECT_EQ(run("amin", false), (V{-6, 2, 8}));
}

TEST(Index, AddAndCopyAlongAVector) {
  for (DType t : kTypes)
    for (int64_t d = 0; d < 2; ++d) {
      const Dims sizes{6, 5};
      Dims source_sizes = sizes;
      source_sizes[static_cast<size_t>(d)] = 4;
      Tensor x = small_numbers(sizes, t), source = laid_out(small_numbers(source_sizes, t, 2), 1);
      Tensor which = from_values({1, 3, 1, 0}, Dims{4}, DType::i64);
      auto added = values(x), copied = added, s = values(source);
      size_t n = 0;
      each_index(source_sizes, [&](Dims i) {
        i[static_cast<size_t>(d)] = integer_at(which, Dims{i[static_cast<size_t>(d)]});
        auto place = static_cast<size_t>(flat_index(i, contiguous(sizes)));
        double from = s[n++];
        added[place] = is_bool(t) ? added[place] != 0 || from != 0 : added[place] + from;
        copied[place] = from;
      });
      EXPECT_EQ(values(op<"index_add">(x, d, which, source)), added) << name(t);
      if (d == 0) {
        EXPECT_EQ(values(op<"index_copy">(x, d, which, source)), copied);
      }
    }
}

TEST(Index, ByTensors) {
  Tensor x = small_numbers(Dims{4, 5, 6}, DType::f32, 1, 100);
  Tensor a = from_values({-1, 2}, Dims{2, 1}, DType::i64),
         b = from_values({0, 3, -5}, Dims{3}, DType::i64);
  auto v = values(x);
  for (int how : {0, 1, 2}) {
    Tensor y = laid_out(x, how);
    // Adjacent: their sizes stand in their place.
    Tensor z = op<"_index">(y, std::vector<Ref>{Ref(), Ref(b), Ref(a)});
    auto out = values(z);
    ASSERT_EQ(z.impl()->sizes, (Dims{4, 2, 3}));
    size_t n = 0;
    const int64_t rows[] = {0, 3, 0}, columns[] = {5, 2};
    each_index(z.impl()->sizes, [&](const Dims& i) {
      ASSERT_EQ(out[n++], v[static_cast<size_t>(i[0] * 30 + rows[i[2]] * 6 + columns[i[1]])]);
    });
    // Apart: first.
    z = op<"_index">(y, std::vector<Ref>{Ref(a), Ref(), Ref(b)});
    ASSERT_EQ(z.impl()->sizes, (Dims{2, 3, 5}));
    out = values(z), n = 0;
    const int64_t first[] = {3, 2}, last[] = {0, 3, 1};
    each_index(z.impl()->sizes, [&](const Dims& i) {
      ASSERT_EQ(out[n++], v[static_cast<size_t>(first[i[0]] * 30 + i[2] * 6 + last[i[1]])]);
    });
  }
  Tensor put = op<"_index_put">(from_values({1, 2, 3}, Dims{3}, DType::f32),
                                std::vector<Ref>{Ref(from_values({1, 1, -1}, Dims{3}, DType::i64))},
                                from_values({10, 20, 30}, Dims{3}, DType::f32), false);
  EXPECT_EQ(values(put), (std::vector<double>{1, 20, 30}));
  put = op<"_index_put">(from_values({1, 2, 3}, Dims{3}, DType::f32),
                         std::vector<Ref>{Ref(from_values({1, 1, -1}, Dims{3}, DType::i64))},
                         from_values({10}, Dims{1}, DType::f32), true);
  EXPECT_EQ(values(put), (std::vector<double>{1, 22, 13}));
}

// In place, also where an argument is the written tensor itself, and where nothing must be written.
TEST(Index, InPlace) {
  install();
  auto in_place = [](const char* name, const Tensor& out, ArgList args) {
    Tensor t = out;
    KernelCall call{find_op(name), args, {&t, 1}, {}};
    run(call);
  };
  for (int how : {0, 1, 2}) {
    Tensor start = small_numbers(Dims{4, 5}, DType::i64), at = indices(Dims{4, 5}, 4),
           rows = indices(Dims{4}, 4);
    Tensor x = laid_out(start, how), src = laid_out(start, how);
    auto check = [&](const char* name, ArgList args, ArgList apart_args) {
      copy(x, start);
      Tensor want = KernelCaller().call(find_op(name), apart_args)[0].tensor();
      in_place(name, x, args);
      EXPECT_EQ(bits(x), bits(want)) << name << " layout " << how;
    };
    check("scatter.src", {Arg(x), Arg(0), Arg(at), Arg(x)},
          {Arg(start), Arg(0), Arg(at), Arg(src)});
    check("scatter_add", {Arg(x), Arg(0), Arg(at), Arg(x)},
          {Arg(start), Arg(0), Arg(at), Arg(src)});
    check("scatter_reduce.two", {Arg(x), Arg(0), Arg(at), Arg(x), Arg("mean"), Arg(true)},
          {Arg(start), Arg(0), Arg(at), Arg(src), Arg("mean"), Arg(true)});
    check("index_add", {Arg(x), Arg(0), Arg(rows), Arg(x), Arg(Scalar(1))},
          {Arg(start), Arg(0), Arg(rows), Arg(src), Arg(Scalar(1))});
    check("index_copy", {Arg(x), Arg(0), Arg(rows), Arg(x)},
          {Arg(start), Arg(0), Arg(rows), Arg(src)});
    check("_index_put", {Arg(x), Arg(std::vector<Ref>{Ref(rows)}), Arg(x), Arg(true)},
          {Arg(start), Arg(std::vector<Ref>{Ref(rows)}), Arg(src), Arg(true)});

    copy(x, start);
    Tensor bad = from_values({0, 4}, Dims{2}, DType::i64);
    EXPECT_THROW(in_place("index_add", x,
                          {Arg(x), Arg(0), Arg(bad), Arg(small_numbers(Dims{2, 5}, DType::i64)),
                           Arg(Scalar(1))}),
                 UserError);
    EXPECT_THROW(in_place("_index_put", x,
                          {Arg(x), Arg(std::vector<Ref>{Ref(bad)}),
                           Arg(small_numbers(Dims{}, DType::i64)), Arg(false)}),
                 UserError);
    EXPECT_EQ(bits(x), bits(start));
  }
  Tensor self = from_values({1, 0, 2}, Dims{3}, DType::i64);
  in_place("scatter.value", self, {Arg(self), Arg(0), Arg(self), Arg(Scalar(9))});
  EXPECT_EQ(values(self), std::vector<double>(3, 9));
}

TEST(Index, OutOfRange) {
  Tensor x = small_numbers(Dims{3, 4}, DType::f32), bad = from_values({0, 3}, Dims{2}, DType::i64),
         matrix = from_values({0, 3}, Dims{1, 2}, DType::i64),
         src = small_numbers(Dims{2, 4}, DType::f32);
  using E = std::pair<ErrorKind, std::string>;
  EXPECT_EQ(
      error_of([&] { op<"index_select">(x, 0, bad); }),
      (E{ErrorKind::index,
         "index out of range in self: index 3 is out of bounds for dimension 0 with size 3"}));
  EXPECT_EQ(error_of([&] { op<"gather">(x, 0, matrix); }),
            (E{ErrorKind::runtime, "index 3 is out of bounds for dimension 0 with size 3"}));
  EXPECT_EQ(error_of([&] { op<"scatter.value">(x, 0, matrix, Scalar(1)); }),
            (E{ErrorKind::runtime, "index 3 is out of bounds for dimension 0 with size 3"}));
  EXPECT_EQ(
      error_of([&] { op<"index_add">(x, 0, bad, src); }),
      (E{ErrorKind::index,
         "index out of range in self: index 3 is out of bounds for dimension 0 with size 3"}));
  EXPECT_EQ(
      error_of([&] { op<"index_copy">(x, 0, bad, src); }),
      (E{ErrorKind::index, "index_copy_(): index 3 is out of bounds for dimension 0 with size 3"}));
  EXPECT_EQ(error_of([&] { op<"_index">(x, std::vector<Ref>{Ref(bad)}); }),
            (E{ErrorKind::index, "index 3 is out of bounds for dimension 0 with size 3"}));
  Tensor low = from_values({-4}, Dims{1}, DType::i64);
  EXPECT_EQ(error_of([&] { op<"_index">(x, std::vector<Ref>{Ref(low)}); }),
            (E{ErrorKind::index, "index -4 is out of bounds for dimension 0 with size 3"}));
}

TEST(Index, ViewsWrittenThrough) {
  Tensor x = small_numbers(Dims{4, 6}, DType::f32);
  auto v = values(x);
  for (int how : {0, 1, 2}) {
    Tensor y = laid_out(x, how);
    auto want = v;
    for (size_t i = 0; i < 4; ++i) want[i * 6 + 4] = 9;
    EXPECT_EQ(
        values(op<"select_scatter">(y, from_values({9, 9, 9, 9}, Dims{4}, DType::f32), 1, -2)),
        want);
    want = v;
    for (size_t i = 0; i < 4; ++i) want[i * 6 + 1] = want[i * 6 + 3] = 9;
    EXPECT_EQ(values(op<"slice_scatter">(
                  y, from_values(std::vector<double>(8, 9), Dims{4, 2}, DType::f32), 1, 1, 5, 2)),
              want);
    want = v;
    for (size_t i = 0; i < 3; ++i) want[(i + 1) * 6 + i] = 9;
    EXPECT_EQ(
        values(op<"diagonal_scatter">(y, from_values({9, 9, 9}, Dims{3}, DType::f32), -1, 0, 1)),
        want);
  }
}

TEST(Library, SortAndTopk) {
  for (DType t : {DType::f32, DType::bf16, DType::i16, DType::u8})
    for (bool descending : {false, true})
      for (int how : {0, 1, 2}) {
        Tensor x = laid_out(small_numbers(Dims{5, 40}, t, 4), how);
        auto v = values(x);
        RefList sorted = KernelCaller().ops<"sort.stable">(x, true, 1, descending);
        auto s = values(sorted[0].tensor()), at = values(sorted[1].tensor());
        RefList top = KernelCaller().ops<"topk">(x, 7, 1, descending, true);
        auto best = values(top[0].tensor()), best_at = values(top[1].tensor());
        for (size_t row = 0; row < 5; ++row) {
          std::vector<size_t> order(40);
          std::iota(order.begin(), order.end(), 0);
          std::ranges::sort(order, [&](size_t a, size_t b) {
            const double x = v[row * 40 + a], y = v[row * 40 + b];
            return x == y ? a < b : (x > y) == descending;
          });
          for (size_t i = 0; i < 40; ++i) {
            ASSERT_EQ(at[row * 40 + i], order[i]);
            ASSERT_EQ(s[row * 40 + i], v[row * 40 + order[i]]);
            if (i < 7) {
              ASSERT_EQ(best_at[row * 7 + i], order[i]);
              ASSERT_EQ(best[row * 7 + i], s[row * 40 + i]);
            }
          }
        }
      }
  Tensor x = from_values({2, std::nan(""), -1}, Dims{3}, DType::f32);
  EXPECT_EQ(values(KernelCaller().ops<"sort.stable">(x, true, 0, false)[1].tensor()),
            (std::vector<double>{2, 0, 1}));
  EXPECT_EQ(values(KernelCaller().ops<"sort.stable">(x, true, 0, true)[1].tensor()),
            (std::vector<double>{1, 0, 2}));
}

TEST(Library, CumsumNonzeroOneHot) {
  for (DType t : kTypes)
    for (int how : {0, 1, 2}) {
      Tensor x = laid_out(small_numbers(Dims{3, 4, 5}, t), how);
      auto v = values(x), c = values(op<"cumsum">(x, 1));
      size_t n = 0;
      each_index(Dims{3, 4, 5}, [&](const Dims& i) {
        double sum = 0;
        for (int64_t k = 0; k <= i[1]; ++k) sum += v[static_cast<size_t>(i[0] * 20 + k * 5 + i[2])];
        ASSERT_EQ(c[n++], sum) << name(t);
      });
      std::vector<double> places;
      n = 0;
      each_index(Dims{3, 4, 5}, [&](const Dims& i) {
        if (v[n++] != 0) places.insert(places.end(), i.begin(), i.end());
      });
      EXPECT_EQ(values(op<"nonzero">(x)), places);
    }
  Tensor hot = op<"_one_hot_of_all">(from_values({0, 2}, Dims{2}, DType::i64));
  EXPECT_EQ(values(hot), (std::vector<double>{1, 0, 0, 0, 0, 1}));
  auto [kind, text] =
      error_of([] { op<"_one_hot_of_all">(from_values({0, -2}, Dims{2}, DType::i64)); });
  EXPECT_EQ(text, "Class values must be non-negative.");
}

TEST(Library, AsStridedStaysInside) {
  Tensor x = small_numbers(Dims{4}, DType::f32), src = small_numbers(Dims{2}, DType::f32);
  for (auto [stride, offset] : {std::pair(4, 0), std::pair(1, 3), std::pair(1, -5)}) {
    auto [kind, text] = error_of([&] {
      op<"as_strided_scatter">(x, src, IntList{Int(2)}, IntList{Int(stride)}, Int(offset));
    });
    EXPECT_NE(text, "no error") << stride << " " << offset;
  }
  Tensor y = op<"as_strided_scatter">(x, from_values({7, 8}, Dims{2}, DType::f32), IntList{Int(2)},
                                      IntList{Int(2)}, Int(1));
  auto v = values(x);
  EXPECT_EQ(values(y), (std::vector<double>{v[0], 7, v[2], 8}));
}

}  // namespace
}  // namespace frit::kernels::test
