// Decompositions give what their rules say, and vjps gradients of the arguments' sizes; on symbolic
// sizes, without asking anything of them: one compile serves every size.
#include "rules.h"

namespace frit {
namespace {
using namespace test;

template <class... A>
std::string fault(std::string_view op, A&&... a) {
  ArgList list;
  (list.emplace_back(std::forward<A>(a)), ...);
  return decomposition_fault(op, std::move(list));
}
template <class... A>
std::string gradients(std::string_view op, A&&... a) {
  ArgList list;
  (list.emplace_back(std::forward<A>(a)), ...);
  return gradients_of(op, std::move(list));
}
Tensor bf16(Dims sizes) { return make(DType::bf16, std::move(sizes)); }

TEST(Parts, Softmax) {
  for (const char* op : {"_softmax", "_log_softmax"}) {
    EXPECT_EQ(fault(op, f32({5, 7}), 1, false), "");
    EXPECT_EQ(fault(op, f32({9, 5}, Dims{1, 9}), 0, false), "");
    EXPECT_EQ(fault(op, make(DType::bf16, {9, 5}, Dims{1, 9}), 1, false), "");
    EXPECT_EQ(fault(op, bf16({5, 7}), -1, false), "");
    EXPECT_EQ(fault(op, f32({}), 0, false), "");
    std::string back = std::string(op) + "_backward_data";
    EXPECT_EQ(fault(back, f32({5, 7}), f32({5, 7}), 1, DType::f32), "");
    EXPECT_EQ(fault(back, bf16({5, 7}), bf16({5, 7}), 1, DType::bf16), "");
    EXPECT_EQ(gradients(op, f32({5, 7}), 1, false), "f32[5, 7]");
    EXPECT_EQ(gradients(back, f32({5, 7}), f32({5, 7}), 1, DType::f32), "f32[5, 7]; f32[5, 7]");
  }
}

TEST(Parts, LayerNorm) {
  EXPECT_EQ(fault("native_layer_norm", f32({5, 7}), IntList{7}, f32({7}), f32({7}), 1e-5), "");
  EXPECT_EQ(fault("native_layer_norm", f32({7}), IntList{7}, Arg(), Arg(), 1e-5), "");
  EXPECT_EQ(fault("native_layer_norm", bf16({5, 7}), IntList{7}, f32({7}), Arg(), 1e-5), "");
  EXPECT_EQ(fault("native_layer_norm", bf16({5, 7}), IntList{7}, bf16({7}), bf16({7}), 1e-5), "");
}

TEST(Parts, LayerNormOverSeveralDims) {
  Tensor x = f32({5, 7, 7}), w = f32({7, 7}), s = f32({5, 1, 1});
  EXPECT_EQ(fault("native_layer_norm", x, IntList{7, 7}, w, w, 1e-5), "");
  EXPECT_EQ(fault("native_layer_norm_backward", x, x, IntList{7, 7}, s, s, w, w, IntList{1, 1, 1}),
            "");
}

TEST(Parts, LayerNormOfATransposedInput) {
  Tensor x = f32({5, 7}, Dims{1, 5}), s = f32({5, 1}), w = f32({7});
  EXPECT_EQ(fault("native_layer_norm", x, IntList{7}, w, w, 1e-5), "");
  EXPECT_EQ(fault("native_layer_norm_backward", x, x, IntList{7}, s, s, w, w, IntList{1, 1, 1}),
            "");
}

TEST(Parts, LayerNormBackward) {
  Tensor x = f32({5, 7}), s = f32({5, 1}), w = f32({7});
  IntList all{1, 1, 1}, one{1, 0, 0};
  EXPECT_EQ(fault("native_layer_norm_backward", x, x, IntList{7}, s, s, w, w, all), "");
  EXPECT_EQ(fault("native_layer_norm_backward", x, x, IntList{7}, s, s, Arg(), Arg(), one), "");
  EXPECT_EQ(gradients("native_layer_norm", x, IntList{7}, w, w, 1e-5), "f32[5, 7]; f32[7]; f32[7]");
}

TEST(Parts, Nll) {
  for (int64_t reduction : {0, 1, 2}) {
    EXPECT_EQ(fault("nll_loss_forward", f32({5, 7}), i64({5}), Arg(), reduction, Int(-100)), "");
    EXPECT_EQ(fault("nll_loss_forward", bf16({5, 7}), i64({5}), bf16({7}), reduction, Int(-100)),
              "");
    EXPECT_EQ(fault("nll_loss_forward", f32({7}), i64({}), Arg(), reduction, Int(-100)), "");
    Tensor g = reduction == 0 ? f32({5}) : f32({});
    EXPECT_EQ(fault("nll_loss_backward", g, f32({5, 7}), i64({5}), f32({7}), reduction, Int(-100),
                    f32({})),
              "");
    EXPECT_EQ(gradients("nll_loss_forward", f32({5, 7}), i64({5}), Arg(), reduction, Int(-100)),
              "f32[5, 7]");
  }
}

TEST(Parts, Indexing) {
  EXPECT_EQ(fault("embedding", f32({9, 4}), i64({2, 3})), "");
  EXPECT_EQ(fault("embedding_dense_backward", f32({2, 3, 4}), i64({2, 3}), 9, 0, true), "");
  EXPECT_EQ(fault("masked_scatter", f32({5, 7}), make(DType::boolean, {5, 7}), f32({9})), "");
  EXPECT_EQ(gradients("embedding", f32({9, 4}), i64({2, 3})), "f32[9, 4]");
  EXPECT_EQ(gradients("index_select", f32({9, 4}), 0, i64({3})), "f32[9, 4]");
  EXPECT_EQ(gradients("masked_scatter", f32({5, 7}), make(DType::boolean, {5, 7}), f32({9})),
            "f32[5, 7]; f32[9]");
  EXPECT_EQ(gradients("_index", f32({5, 7}), Arg(std::vector<Ref>{Ref(), Ref(i64({3}))})),
            "f32[5, 7]");
  std::vector<Ref> list{Ref(i64({3}))};
  EXPECT_EQ(gradients("_index_put", f32({5, 7}), Arg(list), f32({7}), false), "f32[5, 7]; f32[7]");
  EXPECT_EQ(gradients("_index_put", f32({5, 7}), Arg(list), f32({}), true), "f32[5, 7]; f32[]");
}

TEST(Parts, IndexingAlongADimension) {
  EXPECT_EQ(gradients("gather", f32({5, 7}), 1, i64({5, 3})), "f32[5, 7]");
  EXPECT_EQ(gradients("scatter.src", f32({5, 7}), 1, i64({5, 3}), f32({5, 3})),
            "f32[5, 7]; f32[5, 3]");
  EXPECT_EQ(gradients("scatter.src", f32({5, 7}), 1, i64({5, 7}), f32({5, 7})),
            "f32[5, 7]; f32[5, 7]");
  EXPECT_EQ(gradients("scatter_add", f32({5, 7}), 1, i64({5, 3}), f32({5, 3})),
            "f32[5, 7]; f32[5, 3]");
  EXPECT_EQ(gradients("index_add", f32({5, 7}), 0, i64({3}), f32({3, 7})), "f32[5, 7]; f32[3, 7]");
  EXPECT_EQ(gradients("index_copy", f32({5, 7}), 0, i64({3}), f32({3, 7})), "f32[5, 7]; f32[3, 7]");
  // A src that reaches beyond the index: a condition on the sizes.
  EXPECT_EQ(gradients("scatter.src", f32({5, 7}), 1, i64({5, 3}), f32({5, 4})).substr(0, 20),
            "f32[5, 7]; f32[5, 4]");
  for (const char* how : {"sum", "prod", "mean", "amax", "amin"})
    for (bool include : {false, true})
      EXPECT_EQ(
          gradients("scatter_reduce.two", f32({5, 7}), 1, i64({5, 3}), f32({5, 3}), how, include),
          "f32[5, 7]; f32[5, 3]")
          << how;
}

TEST(Parts, CopiesAndOrder) {
  EXPECT_EQ(gradients("clone", f32({5, 7})), "f32[5, 7]");
  EXPECT_EQ(gradients("_to_copy", bf16({5, 7}), DType::f32), "bf16[5, 7]");
  EXPECT_EQ(gradients("flip", f32({5, 7}), IntList{0}), "f32[5, 7]");
  EXPECT_EQ(gradients("roll", f32({5, 7}), IntList{2}, IntList{0}), "f32[5, 7]");
  EXPECT_EQ(gradients("sort.stable", f32({5, 7}), false, 1), "f32[5, 7]");
  EXPECT_EQ(gradients("cat", Arg(std::vector<Ref>{Ref(f32({5, 7})), Ref(bf16({5, 3}))}), 1),
            "f32[5, 7] [10, 1]; bf16[5, 3]");
}

TEST(Parts, StridedViews) {
  EXPECT_EQ(fault("unfold_backward", f32({7, 7, 7}), IntList{7, 13}, 1, 7, 1), "");
  EXPECT_EQ(fault("unfold_backward", make(DType::i32, {1}), IntList{}, -1, 1, 1), "");
  EXPECT_EQ(fault("as_strided_backward", f32({7, 7}), IntList{9, 8}, IntList{8, 1}, IntList{7, 7},
                  IntList{1, 1}, Arg()),
            "");
  EXPECT_EQ(fault("as_strided_backward", f32({7, 7}), IntList{9, 8}, IntList{8, 1}, IntList{7, 7},
                  IntList{1, 1}, Int(-2)),
            "");
}

}  // namespace
}  // namespace frit
