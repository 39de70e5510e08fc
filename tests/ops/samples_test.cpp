// Shape rules, decompositions and vjps against what PyTorch gave for its own samples: dtypes,
// sizes, strides, aliasing and errors, without any data.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "sample_args.h"

namespace frit::test {
namespace {

const std::filesystem::path kData = std::string(FRIT_SOURCE_DIR) + "/tests/op_samples/data";

// Faults by op, the first of each in full.
class Faults {
 public:
  void add(std::string_view op, std::string text) {
    auto& f = by_op_[std::string(op)];
    if (f.count++ == 0) f.first = std::move(text);
  }
  void ok() { ++checked_; }
  void expect_none() const {
    std::string all;
    for (const auto& [op, f] : by_op_)
      all += op + " (" + std::to_string(f.count) + "): " + f.first + "\n";
    EXPECT_TRUE(by_op_.empty()) << all;
    EXPECT_GT(checked_, 0);
  }
  int checked() const { return checked_; }

 private:
  struct Fault {
    int count = 0;
    std::string first;
  };
  std::map<std::string, Fault> by_op_;
  int checked_ = 0;
};

template <class F>
void for_each_sample(F&& f) {
  for (const auto& path : op_samples::files(kData)) {
    auto file = op_samples::File::load(path);
    for (const op_samples::Sample& s : file.samples()) f(s);
  }
}

// Raised by parts of a composite whose sizes depend on values.
bool needs_data(const std::exception& e) {
  return std::string_view(e.what()).find("needs data") != std::string_view::npos;
}
bool needs_data(const Call& c) {
  return c.record->data_dependent || c.record->functional->data_dependent;
}

// Strides of no elements at all: in a half type Frit truncates a quotient in a second op, whose
// layout forgets that a number took part.
bool excused(const op_samples::Sample& s) {
  return s.source == "op_db div/trunc_rounding bfloat16 reference_inputs[42]";
}

std::string wanted(const op_samples::TensorData& t) {
  return text(dtype_of(t.dtype), t.sizes, t.strides, t.offset);
}

TEST(Samples, OutputsHaveTheLayoutPyTorchGives) {
  Faults faults;
  for_each_sample([&](const op_samples::Sample& s) {
    if (s.error) return;
    SampleArgs sample(s);
    auto call = sample.call();
    if (!call || needs_data(*call)) return;
    MetaCaller caller;
    RefList outs;
    try {
      outs = caller.call(*call->record, call->args);
    } catch (const std::exception& e) {
      if (!needs_data(e)) faults.add(s.op, std::string(s.source) + ": " + e.what());
      return;
    }
    // A sample lists only the outputs that were asked for.
    if (int mask = call->record->schema.find("output_mask"); mask >= 0) {
      RefList asked;
      IntList flags = call->args[static_cast<size_t>(mask)].to_ints();
      for (size_t i = 0; i < outs.size(); ++i)
        if (flags[i].constant()) asked.push_back(outs[i]);
      outs = asked;
    }
    if (outs.size() != s.outputs.size()) {
      faults.add(s.op, std::string(s.source) + ": " + std::to_string(outs.size()) +
                           " outputs, in PyTorch " + std::to_string(s.outputs.size()));
      return;
    }
    for (size_t i = 0; i < outs.size(); ++i) {
      const op_samples::Output& o = s.outputs[i];
      if (!o.tensor || !outs[i].defined()) continue;
      const TensorImpl& t = *outs[i].tensor().impl();
      // Fresh memory may begin where it likes.
      int64_t offset = o.alias_of < 0 ? 0 : t.offset;
      std::string given = text(t.dtype, t.sizes, t.strides, offset);
      std::string wanted_text = text(dtype_of(o.tensor->dtype), o.tensor->sizes, o.tensor->strides,
                                     o.alias_of < 0 ? 0 : o.tensor->offset);
      if (given != wanted_text && !excused(s)) {
        std::string inputs;
        for (const auto& in : s.inputs) inputs += " " + wanted(in);
        faults.add(s.op, std::string(s.source) + ": given " + given + ", PyTorch " +
                             wanted(*o.tensor) + ", of" + inputs);
        return;
      }
      int alias = -1;
      for (size_t k = 0; k < call->inputs.size() && alias < 0; ++k)
        if (call->inputs[k].impl()->storage == t.storage) alias = static_cast<int>(k);
      if (alias != o.alias_of) {
        faults.add(s.op, std::string(s.source) + ": aliases input " + std::to_string(alias) +
                             ", in PyTorch " + std::to_string(o.alias_of));
        return;
      }
    }
    faults.ok();
  });
  faults.expect_none();
  RecordProperty("checked", faults.checked());
}

TEST(Samples, GradientsHaveTheirInputsSizesAndDtype) {
  Faults faults;
  for_each_sample([&](const op_samples::Sample& s) {
    if (s.error || s.grads.empty()) return;
    SampleArgs sample(s);
    auto call = sample.call();
    if (!call || needs_data(*call)) return;
    const OpRecord& r = *call->record->functional;
    if (!r.vjp) return;
    MetaCaller caller;
    try {
      ArgList args(call->args.begin(),
                   call->args.begin() + static_cast<long>(r.schema.args.size()));
      RefList outs = caller.call(r, args);
      std::vector<Ref> grads(outs.size());
      for (const auto& g : s.grad_outputs)
        if (g.tensor)
          grads[g.index] =
              shape_only(g.tensor->sizes, g.tensor->strides, dtype_of(g.tensor->dtype));
      std::vector<TensorMeta<Int>> arg_metas(args.size()), out_metas;
      std::vector<std::vector<TensorMeta<Int>>> list_metas(args.size());
      std::vector<char> wanted_args(args.size(), 0);
      ArgList saved = args;
      auto wants = [&](const Ref& ref) {
        for (const auto& g : s.grads)
          if (call->inputs[g.index].is_same(ref.tensor())) return true;
        return false;
      };
      for (size_t i = 0; i < args.size(); ++i) {
        if (args[i].is_ref()) {
          arg_metas[i] = meta(args[i].ref());
          wanted_args[i] = wants(args[i].ref());
          if (!(r.saves_args >> i & 1)) saved[i] = Arg();
        } else if (args[i].is_ref_list()) {
          for (const Ref& ref : args[i].refs()) {
            list_metas[i].push_back(ref.defined() ? meta(ref) : TensorMeta<Int>());
            wanted_args[i] = static_cast<char>(wanted_args[i] || (ref.defined() && wants(ref)));
          }
          if (!(r.saves_args >> i & 1)) saved[i] = Arg();
        }
      }
      RefList saved_outs(outs.size());
      for (size_t i = 0; i < outs.size(); ++i) {
        out_metas.push_back(meta(outs[i]));
        if (r.saves_outs >> i & 1) saved_outs[i] = outs[i];
      }
      auto flags = std::make_unique<bool[]>(args.size());
      for (size_t i = 0; i < args.size(); ++i) flags[i] = wanted_args[i];
      VjpCtx ctx{caller,    r,          grads,
                 saved,     saved_outs, arg_metas,
                 out_metas, list_metas, {flags.get(), args.size()}};
      GradList given = r.vjp(ctx);
      if (given.size() > args.size())
        return faults.add(s.op, "gives more gradients than it has arguments");
      for (size_t i = 0; i < given.size(); ++i) {
        if (!args[i].is_ref() || !wanted_args[i]) continue;
        if (given[i].is_none()) continue;  // undefined: zeros
        const TensorImpl& g = *given[i].ref().tensor().impl();
        const TensorImpl& in = *args[i].ref().tensor().impl();
        if (g.dtype != in.dtype || !(g.sizes == in.sizes))
          return faults.add(s.op, std::string(s.source) + ": the gradient of " +
                                      r.schema.args[i].name + " is " +
                                      text(g.dtype, g.sizes, g.strides, 0) + ", it is " +
                                      text(in.dtype, in.sizes, in.strides, 0));
      }
    } catch (const std::exception& e) {
      return faults.add(s.op, std::string(s.source) + ": " + e.what());
    }
    faults.ok();
  });
  faults.expect_none();
}

// PyTorch's words without the names of its Python functions and types.
std::string plain(std::string text) {
  for (auto [theirs, ours] : {std::pair{"torch.cat(): ", ""}, {"torch.FloatTensor", "float32"}})
    if (size_t at = text.find(theirs); at != text.npos)
      text.replace(at, std::string_view(theirs).size(), ours);
  return text;
}

// Where PyTorch raised, the shape rule raises: with its words where they say something of the call.
TEST(Samples, ErrorsAreRaised) {
  Faults silent, words;
  for_each_sample([&](const op_samples::Sample& s) {
    if (!s.error) return;
    SampleArgs sample(s);
    std::optional<Call> call;
    MetaCaller caller;
    try {
      call = sample.call();
      if (!call || needs_data(*call)) return;
      caller.call(*call->record, call->args);
    } catch (const UserError& e) {
      const std::string theirs = plain(std::string(s.error->message));
      if (e.message().find(theirs) == std::string::npos)
        words.add(s.op, "\n   ours:   " + e.message() + "\n   theirs: " + theirs);
      silent.ok();
      words.ok();
      return;
    } catch (const std::exception& e) {
      if (needs_data(e)) return;
      silent.add(s.op, std::string(s.source) + ": " + e.what());
      return;
    }
    // What depends on values is the kernel's to raise.
    if (may_raise(*call->record->functional, call->args)) return;
    if (call->record->schema.name == "bernoulli")
      return;  // the probabilities are the tensor's values
    silent.add(s.op, std::string(s.source) + ": " + std::string(s.error->message));
  });
  silent.expect_none();
  words.expect_none();
}

}  // namespace
}  // namespace frit::test
