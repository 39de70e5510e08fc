// Calling ops: results, in-place and out forms, overlap, versions, places of errors.
#include <sys/wait.h>
#include <unistd.h>

#include "base/location.h"
#include "common.h"

namespace frit {
namespace {
using namespace test;

TEST(Dispatch, RunsAnOp) {
  Tensor y = vec({1, 2, 3}) * vec({4, 5, 6}) + 1.0;
  EXPECT_THAT(values(y), ElementsAre(5, 11, 19));
  EXPECT_FALSE(y.requires_grad());
}

TEST(Dispatch, Broadcasts) {
  Tensor y = make({1, 2}, {2, 1}) + vec({10, 20, 30});
  EXPECT_EQ(y.impl()->sizes, (Dims{2, 3}));
  EXPECT_THAT(values(y), ElementsAre(11, 21, 31, 12, 22, 32));
}

TEST(Dispatch, ViewsShareTheStorage) {
  Tensor x = make({1, 2, 3, 4}, {2, 2});
  Tensor row = x[1];
  EXPECT_TRUE(row.shares_storage_with(x));
  EXPECT_THAT(values(row), ElementsAre(3, 4));
}

TEST(Dispatch, InPlaceGivesTheTensorBackAndRaisesTheVersionOnce) {
  Tensor x = vec({1, 2});
  uint64_t before = x.version();
  Tensor y = op<"mul_.Tensor">(x, vec({3, 4}));
  EXPECT_TRUE(y.is_same(x));
  EXPECT_EQ(x.version(), before + 1);
  EXPECT_THAT(values(x), ElementsAre(3, 8));
}

TEST(Dispatch, InPlaceOnANonContiguousView) {
  Tensor x = make({1, 2, 3, 4, 5, 6}, {2, 3});
  op<"add_.Scalar">(op<"t">(x), Scalar(10), Scalar(1));
  EXPECT_THAT(values(x), ElementsAre(11, 12, 13, 14, 15, 16));
}

TEST(Dispatch, InPlaceKeepsTheDtypeOfWhatIsWritten) {
  Tensor x = tensor_from<float>(std::vector<float>{1, 2}, std::vector<int64_t>{2});
  op<"add_.Tensor">(x, vec({0.5, 0.25}));
  EXPECT_EQ(x.dtype(), kFloat32);
  EXPECT_THAT(x.to_vector<float>(), ElementsAre(1.5f, 2.25f));
}

TEST(Dispatch, InPlaceThatWouldLoseTheCategory) {
  Tensor x = tensor_from<int64_t>(std::vector<int64_t>{1}, std::vector<int64_t>{1});
  EXPECT_THAT(error_of([&] { op<"add_.Tensor">(x, vec({0.5})); }),
              HasSubstr("result type Double can't be cast to the desired output type Long"));
}

TEST(Dispatch, InPlaceThatWouldGrow) {
  EXPECT_THAT(error_of([&] { op<"add_.Tensor">(vec({1, 2}), make({1, 2, 3, 4}, {2, 2})); }),
              HasSubstr("output with shape [2] doesn't match the broadcast shape [2, 2]"));
}

TEST(Dispatch, WritingAnExpandedTensor) {
  Tensor x = op<"expand">(make({1}, {1}), Arg(IntList{3}));
  EXPECT_THAT(
      error_of([&] { op<"add_.Scalar">(x, Scalar(1), Scalar(1)); }),
      HasSubstr("unsupported operation: more than one element of the written-to tensor refers "
                "to a single memory location"));
}

TEST(Dispatch, WritingAnExpandedTensorOfNoElements) {
  Tensor x = op<"expand">(make({1}, {1}), Arg(IntList{0, 4}));
  op<"add_.Scalar">(x, Scalar(1), Scalar(1));
  EXPECT_EQ(x.numel(), Int(0));
}

TEST(Dispatch, PartialOverlap) {
  Tensor x = vec({1, 2, 3, 4});
  Tensor a = x.index({indexing::Slice{1, std::nullopt}}), b = x.index({indexing::Slice{0, 3}});
  EXPECT_THAT(
      error_of([&] { op<"add_.Tensor">(a, b); }),
      HasSubstr("unsupported operation: some elements of the input tensor and the written-to "
                "tensor refer to a single memory location"));
}

TEST(Dispatch, ExoticOverlapReadsBeforeItWrites) {
  Tensor x = make({1, 2, 3, 4, 5, 6}, {2, 3});
  Tensor left = x.index({indexing::Slice{}, indexing::Slice{0, 2}});
  Tensor right = x.index({indexing::Slice{}, indexing::Slice{1, 3}});
  op<"add_.Tensor">(right, left);  // neither view is dense: PyTorch lets this through
  EXPECT_THAT(values(x), ElementsAre(1, 3, 5, 4, 9, 11));
}

TEST(Dispatch, TheSameTensorTwice) {
  Tensor x = vec({1, 2, 3});
  op<"add_.Tensor">(x, x);
  EXPECT_THAT(values(x), ElementsAre(2, 4, 6));
}

TEST(Dispatch, OutIsWrittenAndReturned) {
  Tensor out = vec({0, 0});
  Tensor y = op<"add.out">(vec({1, 2}), vec({3, 4}), Scalar(1), out);
  EXPECT_TRUE(y.is_same(out));
  EXPECT_THAT(values(out), ElementsAre(4, 6));
  EXPECT_EQ(out.version(), 1u);
}

TEST(Dispatch, AnEmptyOutIsResized) {
  Tensor out = vec({});
  op<"add.out">(vec({1, 2}), vec({3, 4}), Scalar(1), out);
  EXPECT_THAT(values(out), ElementsAre(4, 6));
}

TEST(Dispatch, OutAndGradients) {
  Tensor out = vec({0, 0});
  EXPECT_THAT(error_of([&] { op<"add.out">(leaf({1, 2}), vec({3, 4}), Scalar(1), out); }),
              HasSubstr("add(): functions with out=... arguments don't support automatic "
                        "differentiation, but one of the arguments requires grad."));
}

TEST(Dispatch, ErrorsNameThePlaceOfTheOperator) {
  std::string text = error_of([] { (void)(vec({1, 2}) + vec({1, 2, 3})); });
  EXPECT_THAT(text, StartsWith("[add] "));
  EXPECT_THAT(text, HasSubstr("at dispatch_test.cpp:"));
}

TEST(Dispatch, LibraryCodeGivesItsCallersPlace) {
  SourceLocation user{std::source_location::current()};
  user.line = 7;
  LocationScope outer(user);
  LocationScope inner(std::source_location::current());
  EXPECT_THAT(error_of([] { (void)(vec({1, 2}) + vec({1, 2, 3})); }),
              HasSubstr("at dispatch_test.cpp:7"));
}

// In a fresh process; says whether the first op, a small one, told of the bad number.
TEST(Dispatch, DISABLED_ExitWithABadNumberOfThreads) {
  const std::string text = error_of([] { (void)(vec({1}) + vec({2})); });
  _exit(text.starts_with("[FRIT_NUM_THREADS] is \"abc\", expected a whole number.") ? 7 : 8);
}

TEST(Dispatch, ABadNumberOfThreadsIsToldByTheFirstOp) {
  const pid_t child = fork();
  if (child == 0) {
    close(1);
    setenv("FRIT_NUM_THREADS", "abc", 1);
    execl("/proc/self/exe", "test_eager",
          "--gtest_filter=Dispatch.DISABLED_ExitWithABadNumberOfThreads",
          "--gtest_also_run_disabled_tests", static_cast<char*>(nullptr));
    _exit(255);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
}

TEST(Dispatch, UndefinedTensors) {
  EXPECT_THAT(error_of([] { (void)(Tensor() + vec({1})); }), HasSubstr("[add]"));
}

}  // namespace
}  // namespace frit
