// PyTorch's samples through compiled code: what a compiled call gives is what the same call gives
// eagerly. Samples of one op with the same numbers go through one compiled callable one after the
// other, so that guards and symbolic sizes are tried as well; each runs until compiled code served
// it. Eager against PyTorch is eager_test.cpp's affair.
#include <frit/autograd.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "compile/callable.h"
#include "core/generator.h"
#include "eager/dispatch.h"
#include "op_samples/compare.h"

namespace frit::test {
namespace {

using compiler::Callable;
using compiler::Leaves;

// What a caller sees of a tensor.
struct Seen {
  Tensor tensor;
  std::string layout;
  int alias_of = -1;  // the first input, else output (counted on), that shares its memory
  bool same_object = false, requires_grad = false;
  std::vector<std::byte> bytes;
};
struct Observation {
  std::vector<Seen> outputs, inputs, grads;
  std::vector<uint64_t> versions;  // by how much each input's rose
  PhiloxState rng;
  std::string error, backward_error;
};

// One call of an op, made again and again on fresh inputs.
class SampleCall {
 public:
  SampleCall(const op_samples::Sample& s, bool gradients) : s_(s), gradients_(gradients) {}

  // False where Frit has no such op.
  bool prepare() {
    inputs_ = make_inputs(s_);
    if (!gradients_)
      for (Tensor& t : inputs_) t = t.detach();
    SampleArgs args(s_);
    args.inputs = inputs_;
    std::optional<Call> call = args.call();
    if (!call) return false;
    call_ = std::move(*call);
    return true;
  }
  // The op and everything of the arguments that is not a tensor's.
  std::string key() const {
    std::ostringstream text;
    text << call_.record->full_name;
    for (const op_samples::Argument& a : s_.arguments) {
      text << " " << a.name;
      print(text, a.value);
    }
    return text.str();
  }

  // A written tensor that wants a gradient is cloned, and the clone written.
  void body(Leaves& results) const {
    eager::EagerCaller caller;
    ArgList args = call_.args;
    const OpRecord& r = *call_.record;
    for (size_t i = 0; i < r.schema.args.size(); ++i)
      if (r.schema.args[i].is_written && args[i].is_ref() && args[i].ref().tensor().requires_grad())
        args[i] = Arg(caller.op<"clone">(args[i]));
    for (const Ref& out : caller.call(r, args)) results.tensors.push_back(out.tensor());
  }

  // All elements 0, or 1, so that what depends on values does not raise.
  void fill(int value) {
    NoGrad no_grad;
    for (Tensor& t : inputs_) t.fill_(Scalar(static_cast<int64_t>(value)));
  }

  template <class Run>
  Observation observe(Run run) {
    Observation o;
    default_generator()->manual_seed(7);
    prepare();
    std::vector<uint64_t> before;
    for (const Tensor& t : inputs_) before.push_back(t.impl()->storage->version());
    Leaves in, out;
    for (const Tensor& t : inputs_) in.tensors.push_back(t);
    try {
      run(in, out);
    } catch (const UserError& e) {
      o.error = e.message();
    }
    o.rng = default_generator()->state();
    for (size_t i = 0; i < inputs_.size(); ++i)
      o.versions.push_back(inputs_[i].impl()->storage->version() - before[i]);
    std::vector<Tensor> all(inputs_);
    for (const Tensor& t : inputs_) o.inputs.push_back(seen(t, {}));
    for (const Tensor& t : out.tensors) {
      o.outputs.push_back(seen(t, all));
      all.push_back(t);
    }
    if (gradients_ && o.error.empty()) differentiate(o, out);
    return o;
  }

 private:
  static void print(std::ostream& out, const op_samples::Value& v) {
    out << ' ' << static_cast<int>(v.kind) << ':' << v.boolean << ' ' << v.integer << ' ' << v.real
        << v.text << ' ' << static_cast<int>(v.dtype) << ' ' << v.tensor;
    for (int64_t i : v.integers) out << ',' << i;
    for (const op_samples::Value& e : v.list) print(out, e);
  }

  static Seen seen(const Tensor& t, const std::vector<Tensor>& before) {
    Seen s;
    s.tensor = t;
    if (!t.defined()) {
      s.layout = "undefined";
      return s;
    }
    const TensorImpl& i = *t.impl();
    s.layout = layout(i.dtype, i.sizes, i.strides) + " offset " + std::to_string(i.offset);
    s.requires_grad = t.requires_grad();
    for (size_t k = 0; k < before.size() && s.alias_of < 0; ++k)
      if (before[k].defined() && before[k].impl()->storage == i.storage) {
        s.alias_of = static_cast<int>(k);
        s.same_object = before[k].is_same(t);
      }
    s.bytes = values_by_row(i);
    return s;
  }

  void differentiate(Observation& o, const Leaves& out) const {
    TensorList of, with, wanted;
    for (const Tensor& t : out.tensors) {
      if (!t.defined() || !t.requires_grad()) continue;
      of.push_back(t);
      Tensor g = empty_cpu(t.impl()->sizes, t.dtype());
      // Quarters between -1.25 and 1.25.
      NoGrad no_grad;
      eager::EagerCaller c;
      IntList sizes(g.impl()->sizes.begin(), g.impl()->sizes.end());
      Ref n = c.op<"reshape">(c.op<"arange">(Scalar(g.numel())), sizes);
      n = c.op<"sub.Scalar">(c.op<"remainder.Scalar">(n, Scalar(int64_t{11})), Scalar(int64_t{5}));
      g.copy_(c.op<"div.Scalar">(n, Scalar(int64_t{4})).tensor());
      with.push_back(g);
    }
    for (const Tensor& t : inputs_)
      if (t.requires_grad()) wanted.push_back(t);
    if (of.empty() || wanted.empty()) return;
    try {
      for (const Tensor& g : autograd::grad(of, wanted, with, false, false, true))
        o.grads.push_back(seen(g, {}));
    } catch (const UserError& e) {
      o.backward_error = e.message();
    }
  }

  const op_samples::Sample& s_;
  bool gradients_;
  std::vector<Tensor> inputs_;
  Call call_;
};

bool same_sizes(const Tensor& a, const Tensor& b) {
  if (!a.defined() || !b.defined()) return a.defined() == b.defined();
  return a.dtype() == b.dtype() && a.impl()->sizes == b.impl()->sizes;
}

std::string differs(const std::string& what, const std::vector<Seen>& eager,
                    const std::vector<Seen>& compiled, bool values_only) {
  if (eager.size() != compiled.size()) return what + ": another number";
  for (size_t i = 0; i < eager.size(); ++i) {
    const Seen &e = eager[i], &c = compiled[i];
    std::string which = what + " " + std::to_string(i) + ": ";
    // Gradients have the input's sizes; their layout is the library's own affair.
    if (what == "gradient" ? !same_sizes(e.tensor, c.tensor) : e.layout != c.layout)
      return which + c.layout + ", eager " + e.layout;
    if (!values_only && e.alias_of != c.alias_of)
      return which + "shares the memory of " + std::to_string(c.alias_of) + ", eager " +
             std::to_string(e.alias_of);
    if (!values_only && e.same_object != c.same_object) return which + "another object";
    if (!values_only && e.requires_grad != c.requires_grad)
      return which + (c.requires_grad ? "requires grad" : "does not require grad");
    if (e.tensor.defined())
      if (std::string d = difference(c.tensor, e.bytes, "eager"); !d.empty()) return which + d;
  }
  return {};
}

std::string differs(const Observation& eager, const Observation& compiled, bool has_values) {
  if (eager.error != compiled.error)
    return "error \"" + compiled.error + "\", eager \"" + eager.error + "\"";
  if (!has_values) return {};
  if (std::string d = differs("output", eager.outputs, compiled.outputs, false); !d.empty())
    return d;
  if (std::string d = differs("input", eager.inputs, compiled.inputs, true); !d.empty()) return d;
  if (eager.versions != compiled.versions) return "versions rise by another number";
  if (!(eager.rng == compiled.rng)) return "the generator moves by another number";
  if (eager.backward_error != compiled.backward_error)
    return "error of the backward pass \"" + compiled.backward_error + "\", eager \"" +
           eager.backward_error + "\"";
  return differs("gradient", eager.grads, compiled.grads, true);
}

class CompiledRun {
 public:
  // What is wrong with the sample, or nothing.
  std::string fault(const op_samples::Sample& s, bool gradients, bool& known, bool& served) {
    SampleCall call(s, gradients);
    known = served = true;
    try {
      if (!call.prepare()) return known = false, std::string();
    } catch (const UserError&) {
      return {};  // the arguments alone are refused
    }
    if (call.key() != key_) {
      key_ = call.key();
      CompileOptions options;
      options.recompile_limit = 1000;
      callable_ = compiler::make_callable(nullptr, options, key_, std::source_location::current());
    }
    auto run = [&](const Leaves& in, Leaves& out) {
      auto body = [&](Leaves& results) { call.body(results); };
      compiler::call(*callable_, in, out, compiler::Body(body));
    };
    Observation eager = call.observe([&](const Leaves&, Leaves& out) { call.body(out); });
    if (s.error)  // compiled on values that raise nothing, then run on those that do
      for (int value : {0, 1}) {
        call.observe([&](const Leaves& in, Leaves& out) {
          call.fill(value);
          run(in, out);
        });
      }
    for (int attempt = 0; attempt < 5; ++attempt) {
      uint64_t runs = runs_of_entries();
      Observation compiled = call.observe(run);
      if (std::string d = differs(eager, compiled, s.has_values || eager.error.size()); !d.empty())
        return (runs_of_entries() > runs ? "" : "(while recording) ") + d;
      if (runs_of_entries() > runs || !eager.error.empty()) return {};
      for (const auto& b : callable_->breaks())
        if (b.stop.internal) return "break: " + b.stop.text;
    }
    served = !callable_->breaks().empty();  // left to eager, for a reason that is told
    return {};
  }

 private:
  uint64_t runs_of_entries() const {
    uint64_t n = 0;
    for (const auto& e : callable_->all_entries()) n += e->runs.load();
    return n;
  }
  std::string key_;
  std::shared_ptr<Callable> callable_;
};

// With FRIT_TEST_ALL, all samples; else some of every op.
constexpr size_t kOfEachOp = 5;

TEST(CompiledSamples, CompiledEqualsEager) {
  const char* only = std::getenv("FRIT_TEST_OP");
  const bool all = std::getenv("FRIT_TEST_ALL") || only;
  std::map<std::string, std::pair<int, std::string>> faults;
  std::vector<LeftOut> table_of = left_out_table("left_out_compiled.txt");
  int total = 0, passed = 0;
  for (const auto& path : op_samples::files(kFolder / "data")) {
    if (only && path.filename().string() != std::string(only) + ".bin.zst") continue;
    auto file = op_samples::File::load(path);
    std::map<std::string_view, std::vector<const op_samples::Sample*>> by_op;
    for (const op_samples::Sample& s : file.samples())
      if (s.op != "aten::item") by_op[s.op].push_back(&s);
    for (const auto& [op, samples] : by_op) {
      CompiledRun run;
      const size_t step = all ? 1 : std::max<size_t>(samples.size() / kOfEachOp, 1);
      for (size_t i = 0; i < samples.size(); i += step) {
        const op_samples::Sample& s = *samples[i];
        for (bool gradients : {false, true}) {
          if (gradients && s.grads.empty()) continue;
          if (!all && !s.grads.empty() && gradients != (i / step % 2 == 0)) continue;
          ++total;
          if (only) std::cout << s.op << " " << s.source << std::endl;
          bool known = true, served = true;
          std::string fault;
          try {
            fault = run.fault(s, gradients, known, served);
          } catch (const std::exception& e) {
            fault = std::string("throws ") + e.what();
          }
          if (!known) continue;
          if (fault.empty() && served) {
            ++passed;
            continue;
          }
          if (left_out(table_of, s)) continue;
          if (!served) fault = "compiled code never serves it, and nobody says why";
          auto& [count, first] = faults[std::string(op) + (gradients ? " gradients" : "")];
          if (only) std::cout << "FAULT " << fault << "\n";
          if (count++ == 0) first = std::string(s.source) + ": " + fault;
        }
      }
    }
  }
  for (const LeftOut& e : table_of)
    EXPECT_LE(e.found, e.allowed) << e.op << " (" << e.source
                                  << "): more samples fail than are left out";
  std::ostringstream text;
  for (const auto& [op, f] : faults) text << f.first << "  " << op << "  " << f.second << "\n";
  std::cout << passed << " of " << total << " compiled calls equal eager's\n";
  EXPECT_TRUE(text.str().empty()) << text.str();
}

TEST(CompiledSamples, TheTableOfThoseLeftOutDoesNotGrow) {
  int allowed = 0;
  for (const LeftOut& e : left_out_table("left_out_compiled.txt")) {
    EXPECT_FALSE(e.reason.empty()) << e.op;
    allowed += e.allowed;
  }
  EXPECT_LE(allowed, 32);
}

}  // namespace
}  // namespace frit::test
