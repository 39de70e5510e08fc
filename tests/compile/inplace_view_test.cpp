// In-place views in compiled callables: those of tensors made there are part of the graph, those of
// tensors that come from outside are left to eager.
#include <frit/autograd.h>
#include <frit/compile.h>
#include <frit/ops.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "compile/callable.h"
#include "error_of.h"

namespace frit {
namespace {

using compiler::Callable;
using test::error_of;
using ::testing::HasSubstr;

uint64_t runs(const Callable& c) {
  uint64_t n = 0;
  for (const auto& e : c.all_entries()) n += e->runs.load();
  return n;
}
std::vector<int64_t> sizes_of(const Tensor& t) {
  return {t.impl()->sizes.begin(), t.impl()->sizes.end()};
}
Tensor matrix(int64_t rows, int64_t columns) {
  manual_seed(3);
  return frit::randn({Int(rows), Int(columns)});
}

TEST(InPlaceViews, OfATensorMadeInTheGraph) {
  auto fn = [](Tensor x) {
    Tensor y = x * 2;
    Tensor row = y.select(0, 0);
    y.t_();
    y.unsqueeze_(0);
    y.mul_(3);
    row.add_(1);  // the first column of what y is now
    return std::tuple(y, row);
  };
  auto f = compile(fn);
  for (auto [rows, columns] : {std::pair(2, 3), std::pair(2, 3), std::pair(4, 5)}) {
    Tensor x = matrix(rows, columns);
    auto [y, row] = f(x);
    auto [want, want_row] = fn(x);
    EXPECT_EQ(sizes_of(y), sizes_of(want));
    EXPECT_EQ(y.impl()->strides, want.impl()->strides);
    EXPECT_EQ(y.contiguous().to_vector<float>(), want.contiguous().to_vector<float>());
    EXPECT_EQ(row.to_vector<float>(), want_row.to_vector<float>());
    EXPECT_TRUE(row.shares_storage_with(y));
  }
  EXPECT_EQ(runs(*f.callable()), 2u);
}

TEST(InPlaceViews, WithGradients) {
  auto fn = [](Tensor x) {
    Tensor y = x.sin();
    y.unsqueeze_(1);
    y.transpose_(0, 2);
    y.squeeze_();
    return (y * y).exp();
  };
  auto f = compile(fn);
  for (int call = 0; call < 3; ++call) {
    Tensor a = matrix(3, 4).requires_grad_(), b = matrix(3, 4).requires_grad_();
    f(a).sum().backward();
    fn(b).sum().backward();
    EXPECT_EQ(a.grad().to_vector<float>(), b.grad().to_vector<float>());
  }
  EXPECT_EQ(runs(*f.callable()), 2u);
}

// exp() keeps its result, and an in-place view counts as a write to it: eager refuses to go back.
TEST(InPlaceViews, OfWhatIsKeptForBackward) {
  auto fn = [](Tensor x) {
    Tensor y = x.exp();
    y.t_();
    return y * 2;
  };
  auto refusal = [](Tensor y) { return error_of([&] { y.sum().backward(); }); };
  auto f = compile(fn);
  for (int call = 0; call < 3; ++call) {
    std::string said = refusal(f(matrix(3, 4).requires_grad_()));
    EXPECT_THAT(said, HasSubstr("[float32 [3, 4]], which is output 0 of ExpBackward, is at version "
                                "1; expected version 0 instead"));
    EXPECT_EQ(said, refusal(fn(matrix(3, 4).requires_grad_())));
  }
  EXPECT_EQ(runs(*f.callable()), 2u);
}

// Errors name the node that made a tensor as the tape has it.
TEST(InPlaceViews, OfWhatWasWritten) {
  auto through_a_view = [](Tensor x) {
    Tensor y = x.exp() * 2;
    Tensor v = y.view({-1});
    v.add_(1);
    Tensor z = v * y.flatten();
    y.t_();
    return z;
  };
  auto unseen = [](Tensor x) {
    Tensor y = x.exp() * 2;
    {
      NoGrad off;
      y.mul_(3);
    }
    Tensor z = y.cos();
    y.unsqueeze_(0);
    return z;
  };
  auto same_refusal = [](auto fn, const char* maker) {
    auto refusal = [](Tensor y) { return error_of([&] { y.sum().backward(); }); };
    auto f = compile(fn);
    for (int call = 0; call < 2; ++call) {
      std::string said = refusal(f(matrix(3, 4).requires_grad_()));
      EXPECT_THAT(said, HasSubstr(maker));
      EXPECT_EQ(said, refusal(fn(matrix(3, 4).requires_grad_())));
    }
  };
  same_refusal(through_a_view, "[float32 [12]], which is output 0 of ViewBackward");
  same_refusal(unseen, "[float32 [1, 3, 4]], which is output 0 of MulBackward");
}

TEST(InPlaceViews, OfATensorFromOutside) {
  auto f = compile([](Tensor x) {
    x.unsqueeze_(0);
    return x + 1;
  });
  for (int call = 0; call < 2; ++call) {
    Tensor x = matrix(2, 3);
    Tensor y = f(x);
    EXPECT_EQ(sizes_of(x), (std::vector<int64_t>{1, 2, 3}));
    EXPECT_EQ(sizes_of(y), (std::vector<int64_t>{1, 2, 3}));
  }
  ASSERT_EQ(f.callable()->breaks().size(), 1u);
  EXPECT_EQ(f.callable()->breaks()[0].stop.text,
            "[unsqueeze_] changes the sizes of a tensor that comes from outside, which is no "
            "graph's to do");
}

TEST(InPlaceViews, BeforeAValueIsRead) {
  auto fn = [](Tensor x) {
    Tensor y = x * 2;
    y.t_();
    return y.sum().item<float>() > 0 ? y + 1 : y - 1;
  };
  auto f = compile(fn);
  for (int call = 0; call < 3; ++call) {
    Tensor x = matrix(2, 3);
    EXPECT_EQ(f(x).contiguous().to_vector<float>(), fn(x).contiguous().to_vector<float>());
  }
}

TEST(Bernoulli, BadProbabilitiesOfALaterCall) {
  auto f = compile([](Tensor p) { return p.bernoulli(); });
  const std::vector<int64_t> three{3};
  Tensor good = tensor_from<float>(std::vector<float>{0, 1, 1}, three);
  Tensor bad = tensor_from<float>(std::vector<float>{0, 1.5, 1}, three);
  for (int call = 0; call < 2; ++call)
    EXPECT_EQ(f(good).to_vector<float>(), (std::vector<float>{0, 1, 1}));
  EXPECT_EQ(runs(*f.callable()), 1u);
  EXPECT_THROW(f(bad), UserError);
}

TEST(Sizes, TooLargeToCount) {
  auto f = compile([](Tensor x) {
    Int n = x.size(0) * x.size(0);
    return frit::zeros({n * n, n * n}).sum(0, false);
  });
  f(frit::zeros({Int(2)}));
  f(frit::zeros({Int(3)}));
  Tensor x = frit::zeros({Int(1)}).expand({Int(int64_t{1} << 20)});
  EXPECT_THROW(f(x), UserError);
}

}  // namespace
}  // namespace frit
