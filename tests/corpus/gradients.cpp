// Gradients of results; grad modes; gradients of gradients; functions with a backward of their own.
#include "corpus/program.h"

namespace frit::corpus {
namespace {

constexpr Traits kSums{.tolerance = 1e-5, .because = "matmul and sums"};

const bool simple = program(
    "gradients", "gradients_of_inputs",
    [](World&) { return [](Tensor x, Tensor w) { return frit::relu(frit::mm(x, w)).square(); }; },
    {
        [](World&) { return std::tuple(leaf({4, 3}), leaf({3, 5})); },
        [](World&) { return std::tuple(randn({6, 3}), leaf({3, 5})); },
        [](World&) { return std::tuple(randn({6, 3}), randn({3, 5})); },
    },
    kSums);

const bool several = program(
    "gradients", "several_outputs",
    [](World&) {
      return [](Tensor x) {
        Tensor y = x.sin();
        return std::tuple(y, y.detach(), y.cos() * 2, x.sum());
      };
    },
    {
        [](World&) { return std::tuple(leaf({4, 3})); },
        [](World&) { return std::tuple(leaf({7, 2})); },
    },
    kSums);

// Backward through the result a second time: what eager keeps for it is gone.
const bool used_up = program(
    "gradients", "history_used_up",
    [](World& w) {
      Tensor weight = w.watch("weight", leaf({3}));
      return [weight](Tensor x) {
        Tensor y = weight * x;
        Tensor loss = (y * y).sum();
        loss.backward();
        return loss;
      };
    },
    {
        [](World&) { return std::tuple(randn({4, 3})); },
        [](World&) { return std::tuple(randn({6, 3})); },
    },
    kSums);

const bool partly_used_up = program(
    "gradients", "history_used_up_in_part",
    [](World& w) {
      Tensor weight = w.watch("weight", leaf({3}));
      return [weight](Tensor x) {
        Tensor shared = weight.exp();
        Tensor a = (shared * x).sum(), b = shared.sin().sum();
        a.backward();
        return std::tuple(b, a.detach(), weight.cos().sum());
      };
    },
    {
        [](World&) { return std::tuple(randn({4, 3})); },
    },
    kSums);

const bool kept_history = program(
    "gradients", "history_retained",
    [](World& w) {
      Tensor weight = w.watch("weight", leaf({3}));
      return [weight](Tensor x) {
        Tensor loss = (weight * x).square().sum();
        loss.backward({}, true);
        return loss;
      };
    },
    {
        [](World&) { return std::tuple(randn({4, 3})); },
    },
    kSums);

const bool written_history = program(
    "gradients", "history_of_writes_used_up",
    [](World& w) {
      Tensor weight = w.watch("weight", leaf({3}));
      return [weight](Tensor x) {
        Tensor y = x * 1;
        y.select(0, 0).mul_(weight);
        y.add_(weight);
        autograd::grad({y.exp().sum()}, {weight});
        return y;
      };
    },
    {
        [](World&) { return std::tuple(randn({4, 3})); },
    },
    kSums);

const bool nothing_kept = program(
    "gradients", "history_without_values",
    [](World& w) {
      Tensor weight = w.watch("weight", leaf({3}));
      return [weight](Tensor x) {
        Tensor loss = (weight + x).sum();
        loss.backward();
        return loss;
      };
    },
    {
        [](World&) { return std::tuple(randn({4, 3})); },
    },
    kSums);

const bool not_leaf = program(
    "gradients", "input_with_a_history",
    [](World& w) {
      Tensor base = w.watch("base", leaf({3, 4}));
      return [](Tensor x) { return x.exp() + x.t().t(); };
    },
    {
        [](World& w) { return std::tuple(w.watched()[0].second * 2); },
    },
    kSums);

const bool no_grad = program(
    "gradients", "part_without_gradients",
    [](World&) {
      return [](Tensor x) {
        Tensor scale;
        {
          NoGrad quiet;
          scale = x.abs().amax();
        }
        return x / scale;
      };
    },
    {
        [](World&) { return std::tuple(leaf({4, 3})); },
        [](World&) { return std::tuple(leaf({6, 2})); },
    },
    kSums);

const bool mode_outside = program(
    "gradients", "mode_around_the_call",
    [](World&) { return [](Tensor x) { return x.tanh() * 3; }; },
    {
        [](World&) {
          set_grad_enabled(true);
          return std::tuple(leaf({4, 3}));
        },
        [](World&) {
          Tensor t = leaf({4, 3});
          set_grad_enabled(false);
          return std::tuple(t);
        },
        [](World&) {
          set_grad_enabled(true);
          return std::tuple(leaf({5, 3}));
        },
    },
    kSums);

const bool inside = program(
    "gradients", "gradient_inside",
    [](World&) {
      return [](Tensor x) {
        Tensor y = x.square().sum();
        return autograd::grad({y}, {x})[0] + 1;
      };
    },
    {
        [](World&) { return std::tuple(leaf({4, 3})); },
        [](World&) { return std::tuple(leaf({5})); },
    },
    kSums);

const bool penalty = program(
    "gradients", "gradient_penalty",
    [](World&) {
      return [](Tensor x) {
        Tensor y = (x * x * x).sum();
        Tensor g = autograd::grad({y}, {x}, {}, true, true)[0];
        return g.square().sum();
      };
    },
    {
        [](World&) { return std::tuple(leaf({4, 3})); },
        [](World&) { return std::tuple(leaf({5})); },
    },
    kSums);

const bool twice = program(
    "gradients", "double_backward_of_a_compiled_call",
    [](World& w) {
      Tensor w0 = w.watch("w", leaf({3}));
      return [](Tensor x) { return (x.sin() * x).sum(); };
    },
    {
        [](World&) { return std::tuple(leaf({3})); },
    },
    kSums);

const bool write_local = program(
    "gradients", "written_local_is_differentiated",
    [](World&) {
      return [](Tensor x) {
        Tensor y = x * 2;
        y.select(0, 0).mul_(3);
        y.add_(x);
        return y.exp();
      };
    },
    {
        [](World&) { return std::tuple(leaf({3, 2})); },
        [](World&) { return std::tuple(leaf({5, 2})); },
    },
    kSums);

struct Clip : autograd::Function<Clip> {
  static Tensor forward(autograd::Context& ctx, const Tensor& x, double limit) {
    ctx.save_for_backward({x});
    return x.clamp(-limit, limit);
  }
  static TensorList backward(autograd::Context& ctx, const TensorList& grads) {
    return {grads[0] * ctx.saved()[0].sign()};
  }
};
const bool function = program(
    "gradients", "function_with_its_own_backward",
    [](World&) { return [](Tensor x) { return Clip::apply(x * 2, 1.0) + x; }; },
    {
        [](World&) { return std::tuple(leaf({6})); },
        [](World&) { return std::tuple(leaf({9})); },
    },
    kSums);

const bool hook = program(
    "gradients", "hook_on_an_input",
    [](World&) {
      return [](Tensor x) {
        Tensor y = x * 2;
        if (y.requires_grad()) y.register_hook([](const Tensor& g) { return g * 10; });
        return y.sin();
      };
    },
    {
        [](World&) { return std::tuple(leaf({6})); },
    },
    kSums);

const bool leaf_made = program(
    "gradients", "leaf_made_inside",
    [](World&) {
      return [](Tensor x) {
        Tensor a = (x * 2).detach().requires_grad_();
        (a * a).sum().backward();
        return a.grad() + x;
      };
    },
    {
        [](World&) { return std::tuple(randn({6})); },
        [](World&) { return std::tuple(randn({4})); },
    },
    kSums);

// A write that the tape does not see leaves the history as it was.
const bool quiet_write = program("gradients", "writes_without_gradients",
                                 [](World&) {
                                   return [](Tensor x) {
                                     Tensor y = x * 2, rows = y.select(0, 0);
                                     {
                                       NoGrad quiet;
                                       y.mul_(3);
                                       rows.add_(1);
                                     }
                                     return std::tuple(y * y, rows * x.select(0, 1));
                                   };
                                 },
                                 {
                                     [](World&) { return std::tuple(leaf({3, 4})); },
                                     [](World&) { return std::tuple(leaf({5, 2})); },
                                     [](World&) { return std::tuple(randn({3, 4})); },
                                 });

const bool quiet_read = program("gradients", "view_read_without_gradients",
                                [](World&) {
                                  return [](Tensor x) {
                                    Tensor y = x * 2, row = y.select(0, 0);
                                    y.add_(1);
                                    Tensor seen;
                                    {
                                      NoGrad quiet;
                                      seen = row * 2;
                                    }
                                    return row * seen;
                                  };
                                },
                                {
                                    [](World&) { return std::tuple(leaf({3, 4})); },
                                    [](World&) { return std::tuple(leaf({5, 2})); },
                                });

const bool flat_write = program("gradients", "comparisons_in_place",
                                [](World&) {
                                  return [](Tensor x, Tensor z) {
                                    Tensor y = x * 2, u = x.detach() + 1;
                                    y.select(0, 0).gt_(z);
                                    return std::tuple(y, u.le_(z));
                                  };
                                },
                                {
                                    [](World&) { return std::tuple(leaf({3, 4}), leaf({4})); },
                                    [](World&) { return std::tuple(leaf({5, 2}), randn({2})); },
                                    [](World&) { return std::tuple(randn({3, 4}), leaf({4})); },
                                });

const bool logic_write = program("gradients", "logic_in_place",
                                 [](World&) {
                                   return [](Tensor x) {
                                     Tensor y = x * 2;
                                     y.logical_not_();
                                     return y * x;
                                   };
                                 },
                                 {
                                     [](World&) { return std::tuple(leaf({3, 4})); },
                                     [](World&) { return std::tuple(leaf({5, 2})); },
                                 });

// A leaf in the memory of what is written.
const bool shared_with_a_leaf = program("gradients", "write_to_the_memory_of_a_leaf",
                                        [](World&) {
                                          return [](Tensor x, Tensor same) {
                                            same.lt_(0.5);
                                            return frit::fmin(x, x * 2);
                                          };
                                        },
                                        {
                                            [](World&) {
                                              Tensor x = leaf({4});
                                              return std::tuple(x, x.detach().view({1, 4}));
                                            },
                                            [](World&) {
                                              Tensor x = leaf({6});
                                              return std::tuple(x, x.detach().view({1, 6}));
                                            },
                                        },
                                        {.native = false});

// The tape knows nothing of the dtype that the sums are made in.
const bool sums_in_another_dtype = program("gradients", "written_in_another_dtype",
                                           [](World&) {
                                             return [](Tensor x) {
                                               Tensor a = x * 2, b = x * 3, c = x * 4;
                                               a.cumsum_(0, DType::boolean);
                                               b.cumsum_(1, DType::i64);
                                               c.cumsum_(1, DType::f64);
                                               return std::tuple(a * x, b, c * c);
                                             };
                                           },
                                           {
                                               [](World&) { return std::tuple(leaf({3, 4})); },
                                               [](World&) { return std::tuple(leaf({5, 2})); },
                                               [](World&) { return std::tuple(randn({5, 2})); },
                                           },
                                           {.tolerance = 1e-6, .because = "sums"});

const bool products_in_another_dtype =
    program("gradients", "written_in_another_dtype_and_kept",
            [](World&) {
              return [](Tensor x) {
                Tensor a = x * 2;
                a.cumprod_(0, DType::f64);
                return a;
              };
            },
            {
                [](World&) { return std::tuple(leaf({3, 4})); },
                [](World&) { return std::tuple(randn({5, 2})); },
            },
            {.tolerance = 1e-6, .because = "sums", .native = false});

}  // namespace
}  // namespace frit::corpus
