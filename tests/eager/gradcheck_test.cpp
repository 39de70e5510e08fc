// The gradient checker, and it over every op with a vjp.
#include "gradcheck.h"

#include <frit/autograd.h>

#include <set>

#include "common.h"
#include "gradcheck_cases.h"

namespace frit {
namespace {
using namespace test;

TEST(Gradcheck, FindsAWrongGradient) {
  struct Wrong : autograd::Function<Wrong> {
    static Tensor forward(autograd::Context&, const Tensor& x) { return x * 2.0; }
    static TensorList backward(autograd::Context&, const TensorList& g) { return {g[0] * 2.5}; }
  };
  std::string text = gradcheck([](const TensorList& in) { return TensorList{Wrong::apply(in[0])}; },
                               {leaf({1, 2})});
  EXPECT_THAT(text, HasSubstr("d output 0[0] / d input 0[0]: 2.5 by the tape, 2 by differences"));
}

TEST(Gradcheck, FirstAndSecond) {
  GradFunction f = [](const TensorList& in) {
    return TensorList{op<"exp">(in[0] * in[1]) * in[0]};
  };
  TensorList in{leaf({0.3, -0.2}), leaf({0.5, 0.7})};
  EXPECT_EQ(gradcheck(f, in), "");
  EXPECT_EQ(gradgradcheck(f, in), "");
}

TEST(Gradcheck, ThroughWritesToViews) {
  GradFunction f = [](const TensorList& in) {
    Tensor base = in[0] * in[0];
    Tensor row = base[0];
    row *= in[1];
    op<"copy_">(base[1].index({indexing::Slice{0, 1}}), in[1].index({indexing::Slice{1, 2}}));
    return TensorList{base * in[1], op<"t">(base)};
  };
  TensorList in{leaf({0.3, -0.2, 0.8, 0.4}, {2, 2}), leaf({0.5, 0.7})};
  EXPECT_EQ(gradcheck(f, in), "");
  EXPECT_EQ(gradgradcheck(f, in), "");
}

// Arguments for a schema: small float64 tensors away from corners, and whatever numbers fit.
class MadeUp {
 public:
  explicit MadeUp(bool square) : square_(square) {}

  std::optional<ArgList> arguments(const OpRecord& r) {
    ArgList args;
    for (const SchemaArg& a : r.schema.args) {
      if (a.has_default && a.type != ArgType::tensor) {
        args.push_back(a.default_value);
        continue;
      }
      switch (a.type) {
        case ArgType::tensor:
          args.push_back(Arg(tensor()));
          if (r.not_differentiable_args >> (args.size() - 1) & 1)
            args.back() = Arg(args.back().ref().tensor().detach());
          break;
        case ArgType::tensor_list:
          args.push_back(Arg(TensorList{tensor(), tensor()}));
          break;
        case ArgType::scalar:
          args.push_back(Arg(Scalar(0.4 + 0.1 * ++numbers_)));
          break;
        case ArgType::real:
          args.push_back(Arg(0.4 + 0.1 * ++numbers_));
          break;
        case ArgType::integer:
          args.push_back(Arg(a.name == "dim1" ? 1 : 0));
          break;
        case ArgType::boolean:
          args.push_back(Arg(false));
          break;
        case ArgType::integer_list:
          if (a.name != "dim" && a.name != "dims") return std::nullopt;
          args.push_back(Arg(IntList{1, 0}));
          break;
        case ArgType::string:
          return std::nullopt;
        default:
          if (!a.optional) return std::nullopt;
          args.push_back(Arg());
      }
    }
    return args;
  }

 private:
  Tensor tensor() {
    std::vector<double> v;
    for (int i = 0; i < (square_ ? 4 : 6); ++i) {
      state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
      v.push_back(0.1 + 0.8 * static_cast<double>(state_ >> 40) / (1 << 24));
    }
    return make(v, square_ ? std::vector<int64_t>{2, 2} : std::vector<int64_t>{2, 3})
        .requires_grad_();
  }
  bool square_;
  int numbers_ = 0;
  uint64_t state_ = 99;
};

// Does the op take these arguments, and does a gradient come of it?
bool takes(const RecordCall& call) {
  try {
    for (const Tensor& t : call.fn(call.inputs))
      if (t.requires_grad()) return true;
  } catch (const UserError&) {
  }
  return false;
}

void check(const OpRecord& r, const RecordCall& call) {
  try {
    EXPECT_EQ(gradcheck(call.fn, call.inputs), "") << r.full_name;
    EXPECT_EQ(
        gradgradcheck(call.fn, call.inputs, {.step = 1e-5, .relative = 1e-3, .absolute = 1e-5}), "")
        << r.full_name;
  } catch (const std::exception& e) {
    ADD_FAILURE() << r.full_name << ": " << e.what();
  }
}

TEST(Gradcheck, EveryOpWithAVjp) {
  const std::set<std::string> refused{"floor_divide", "floor_divide.Scalar"};
  auto cases = gradcheck_cases();
  std::string missed;
  for (const OpRecord* r : registry().all()) {
    if (r->form != Form::functional || !r->vjp || r->words || !r->differentiable) continue;
    if (r->of_graphs || refused.contains(r->full_name)) continue;
    if (auto given = cases.find(r->full_name); given != cases.end()) {
      for (const ArgList& args : given->second) {
        RecordCall call = as_function(*r, args);
        EXPECT_TRUE(takes(call)) << r->full_name;
        check(*r, call);
      }
      cases.erase(given);
      continue;
    }
    bool ran = false;
    for (bool square : {false, true}) {
      std::optional<ArgList> args = MadeUp(square).arguments(*r);
      if (!args || ran) continue;
      RecordCall call = as_function(*r, *args);
      if (!takes(call)) continue;
      check(*r, call);
      ran = true;
    }
    if (!ran) missed += " " + r->full_name;
  }
  EXPECT_EQ(missed, "");
  for (const auto& [name, args] : cases) ADD_FAILURE() << "no differentiable op " << name;
}

}  // namespace
}  // namespace frit
