// Every stored sample of PyTorch's, through eager: values, dtypes, sizes, strides, aliasing,
// written arguments, gradients, errors, and the out= form of what has one. What is left out is in
// left_out.txt, a reason each.
#include <frit/autograd.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <iostream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "eager/dispatch.h"
#include "op_samples/compare.h"

namespace frit::test {
namespace {

std::string unlike(const Tensor& given, const op_samples::TensorData& wanted) {
  return difference(given, op_samples::values_by_row(wanted), "PyTorch");
}

const char* type_of(ErrorKind k) {
  switch (k) {
    case ErrorKind::runtime:
      return "RuntimeError";
    case ErrorKind::type:
      return "TypeError";
    case ErrorKind::value:
      return "ValueError";
    case ErrorKind::index:
      return "IndexError";
    case ErrorKind::not_implemented:
      return "NotImplementedError";
  }
  return "";
}

std::string error_difference(const UserError& e, const op_samples::Error& wanted) {
  std::string type(wanted.type);
  if (type == "ZeroDivisionError") type = "RuntimeError";
  if (type_of(e.kind()) != type)
    return std::string(type_of(e.kind())) + " (" + e.message() + "), in PyTorch " + type + " (" +
           std::string(wanted.message) + ")";
  // PyTorch's words without its Python names.
  std::string text(wanted.message);
  text = std::regex_replace(text, std::regex("torch\\.FloatTensor"), "float32");
  text = std::regex_replace(text, std::regex("^torch\\.\\w+\\(\\): "), "");
  if (e.message().find(text) != std::string::npos) return {};
  if (!wanted.regex.empty()) try {
      if (std::regex_search(e.message(), std::regex(wanted.regex.begin(), wanted.regex.end())))
        return {};
    } catch (const std::regex_error&) {
    }
  return "error \"" + e.message() + "\", in PyTorch \"" + std::string(wanted.message) + "\"";
}

// A sample run: what is wrong with it, or nothing; `known` is false where Frit has no such op.
class SampleRun {
 public:
  explicit SampleRun(const op_samples::Sample& s) : s_(s) {}
  bool known = true;
  int operators = 0;  // calls that were made by an operator, too

  std::string fault() {
    try {
      inputs_ = make_inputs(s_);
      if (s_.op == "aten::item") return number();
      SampleArgs sample(s_);
      sample.inputs = inputs_;
      std::optional<Call> call = sample.call();
      if (!call) return known = false, std::string();
      call_ = std::move(*call);
      return run();
    } catch (const UserError& e) {
      if (s_.error) return error_difference(e, *s_.error);
      return std::string("raises ") + e.what();
    } catch (const std::exception& e) {
      return std::string("throws ") + e.what();
    }
  }

  // Are the values PyTorch's, and are the indices, where they are not, those of equal elements?
  bool differs_in_ties_only() {
    inputs_ = make_inputs(s_);
    SampleArgs sample(s_);
    sample.inputs = inputs_;
    call_ = *sample.call();
    NoGrad no_grad;
    const Tensor self = call_.args[0].ref().tensor();
    const Arg dim = call_.args[static_cast<size_t>(call_.record->schema.find("dim"))];
    RefList outs = caller_.call(*call_.record, call_.args);
    bool other_indices = false;
    for (size_t i = 0; i < outs.size(); ++i) {
      const Tensor given = outs[i].tensor();
      const op_samples::TensorData& wanted = *s_.outputs[i].tensor;
      if (unlike(given, wanted).empty()) continue;
      if (given.dtype() != DType::i64) return false;
      other_indices = true;
      Tensor theirs = empty_cpu(given.impl()->sizes, DType::i64);
      const std::vector<std::byte> bytes = op_samples::values_by_row(wanted);
      std::memcpy(theirs.impl()->data(), bytes.data(), bytes.size());
      const Tensor a = caller_.op<"gather">(self, dim, given).tensor(),
                   b = caller_.op<"gather">(self, dim, theirs).tensor();
      if (values_by_row(*a.impl()) != values_by_row(*b.impl())) return false;
    }
    return other_indices;
  }

 private:
  std::string number() {
    const Scalar v = Scalar(inputs_[0].item<double>());
    if (s_.error) return "raises nothing, PyTorch " + std::string(s_.error->message);
    const op_samples::Value& w = s_.outputs[0].number;
    const double want = w.kind == op_samples::Value::Kind::real ? w.real
                        : w.kind == op_samples::Value::Kind::integer
                            ? static_cast<double>(w.integer)
                            : w.boolean;
    return v.to_double() == want || (std::isnan(want) && std::isnan(v.to_double()))
               ? ""
               : "another number";
  }

  // A written leaf is cloned, and the clone written.
  void clone_written() {
    const OpRecord& r = *call_.record;
    for (size_t i = 0; i < r.schema.args.size(); ++i) {
      if (!r.schema.args[i].is_written || !call_.args[i].is_ref()) continue;
      Tensor given = call_.args[i].ref().tensor();
      if (!given.requires_grad()) continue;
      Tensor clone = caller_.op<"clone">(given).tensor();
      for (size_t k = 0; k < inputs_.size(); ++k)
        if (inputs_[k].is_same(given)) written_[k] = clone;
      call_.args[i] = Arg(clone);
    }
  }
  const Tensor& as_given(size_t k) const {
    auto it = written_.find(k);
    return it == written_.end() ? inputs_[k] : it->second;
  }

  // Does the call write a tensor that wants a gradient? Then what PyTorch gave is of two calls: one
  // on the tensor itself, without gradients, and one on a clone.
  bool writes_leaf() const {
    const OpRecord& r = *call_.record;
    for (size_t i = 0; i < r.schema.args.size(); ++i)
      if (r.schema.args[i].is_written && call_.args[i].is_ref() &&
          call_.args[i].ref().tensor().requires_grad())
        return true;
    return false;
  }

  std::string run() {
    if (writes_leaf()) {
      if (s_.error) {
        clone_written();
        return run_once(true, true);
      }
      {
        NoGrad no_grad;
        if (std::string f = run_once(true, false); !f.empty()) return f;
      }
      // A view in place may reach beyond a clone: then there is no second call in PyTorch, either.
      if (call_.record->kind == Kind::view && s_.grads.empty()) return {};
      inputs_ = make_inputs(s_);
      SampleArgs sample(s_);
      sample.inputs = inputs_;
      call_ = *sample.call();
      clone_written();
      return run_once(false, true);
    }
    return run_once(true, true);
  }

  std::string run_once(bool layouts, bool gradients_too) {
    RefList refs = caller_.call(*call_.record, call_.args);
    if (s_.error) return "raises nothing, PyTorch: " + std::string(s_.error->message);
    std::vector<Tensor> outs;
    const int mask = call_.record->schema.find("output_mask");
    IntList flags;
    if (mask >= 0) flags = call_.args[static_cast<size_t>(mask)].to_ints();
    for (size_t i = 0; i < refs.size(); ++i)
      if (mask < 0 || flags[i].hint()) outs.push_back(refs[i].tensor());
    if (outs.size() != s_.outputs.size())
      return std::to_string(outs.size()) + " outputs, in PyTorch " +
             std::to_string(s_.outputs.size());
    for (size_t i = 0; layouts && i < outs.size(); ++i)
      if (std::string f = output(outs[i], s_.outputs[i]); !f.empty())
        return "output " + std::to_string(i) + ": " + f;
    if (std::string f = left_number(); !f.empty()) return f;
    // A clone has no gaps for an in-place view to show.
    const bool as_stored = layouts || call_.record->kind != Kind::view;
    for (const op_samples::Indexed& m : s_.mutated)
      if (m.tensor && s_.has_values && as_stored)
        if (std::string f = unlike(as_given(m.index), *m.tensor); !f.empty())
          return "written input " + std::to_string(m.index) + ": " + f;
    if (gradients_too)
      if (std::string f = gradients(outs); !f.empty()) return f;
    return out_form(outs);
  }

  // A number for the first operand: a program writes an operator.
  std::string left_number() {
    using Value = op_samples::Value;
    const Value *number = s_.argument("self"), *other = s_.argument("other");
    if (s_.arguments.size() != 2 || !number || !other || other->kind != Value::Kind::tensor ||
        s_.outputs.size() != 1)
      return {};
    Scalar a;
    if (number->kind == Value::Kind::boolean)
      a = Scalar(number->boolean);
    else if (number->kind == Value::Kind::integer)
      a = Scalar(number->integer);
    else if (number->kind == Value::Kind::real)
      a = Scalar(number->real);
    else
      return {};
    const Tensor b = inputs_[other->tensor];
    const std::string_view op = call_.record->schema.name;
    Tensor result;
    if (op == "add") result = a + b;
    if (op == "sub") result = a - b;
    if (op == "mul") result = a * b;
    if (op == "div" || op == "true_divide") result = a / b;
    if (!result.defined()) return {};
    ++operators;
    std::string f = output(result, s_.outputs[0]);
    return f.empty() ? f : "as an operator: " + f;
  }

  std::string output(const Tensor& given, const op_samples::Output& o) {
    if (!o.tensor) return {};
    if (!given.defined()) return "undefined";
    const TensorImpl& t = *given.impl();
    const std::string have = layout(t.dtype, t.sizes, t.strides),
                      want = layout(dtype_of(o.tensor->dtype), o.tensor->sizes, o.tensor->strides);
    if (have != want) return have + ", in PyTorch " + want;
    int alias = -1;
    for (size_t k = 0; k < inputs_.size() && alias < 0; ++k)
      if (as_given(k).impl()->storage == t.storage) alias = static_cast<int>(k);
    if (alias != o.alias_of)
      return "shares the memory of input " + std::to_string(alias) + ", in PyTorch " +
             std::to_string(o.alias_of);
    if (o.same_object && !given.is_same(as_given(static_cast<size_t>(o.alias_of))))
      return "is not the input itself";
    if (o.alias_of >= 0 && t.offset != o.tensor->offset) return "another offset";
    // What does not require grad where PyTorch's does has a gradient of 0: see gradients().
    if (given.requires_grad() && !o.same_object && !o.requires_grad && s_.has_values &&
        s_.outputs.size() == 1)
      return "requires grad";
    return s_.has_values && o.tensor->has_values ? unlike(given, *o.tensor) : std::string();
  }

  std::string gradients(const std::vector<Tensor>& outs) {
    if (s_.grad_outputs.empty() || s_.grads.empty()) return {};
    TensorList of, with, wanted;
    for (const op_samples::Indexed& g : s_.grad_outputs) {
      if (!g.tensor || !outs[g.index].requires_grad()) continue;
      of.push_back(outs[g.index]);
      Tensor t = empty_strided_cpu(g.tensor->sizes, contiguous_strides<int64_t>(g.tensor->sizes),
                                   dtype_of(g.tensor->dtype));
      const std::vector<std::byte> bytes = op_samples::values_by_row(*g.tensor);
      if (!bytes.empty()) std::memcpy(t.impl()->data(), bytes.data(), bytes.size());
      with.push_back(t);
    }
    for (const op_samples::Indexed& g : s_.grads) wanted.push_back(inputs_[g.index]);
    TensorList given(wanted.size());
    if (!of.empty()) given = autograd::grad(of, wanted, with, false, false, true);
    for (size_t i = 0; i < given.size(); ++i) {
      const op_samples::Indexed& g = s_.grads[i];
      const std::string which = "gradient of input " + std::to_string(g.index) + ": ";
      Tensor t = given[i];
      if (!t.defined()) t = caller_.op<"zeros_like">(wanted[i]).tensor();
      if (!g.tensor) {
        bool zero = true;
        each_element(*t.impl(), [&](int64_t, const std::byte* p) {
          zero = zero && value_at(p, t.dtype()) == 0;
        });
        if (!zero) return which + "defined, in PyTorch it is not";
        continue;
      }
      if (t.impl()->dtype != dtype_of(g.tensor->dtype) ||
          !std::ranges::equal(t.impl()->sizes, g.tensor->sizes))
        return which + "of another dtype or other sizes";
      if (std::string f = unlike(t, *g.tensor); !f.empty()) return which + f;
    }
    return {};
  }

  // The same call into given tensors gives the same bits.
  std::string out_form(const std::vector<Tensor>& outs) {
    const OpRecord& r = *call_.record;
    if (r.form != Form::functional || !r.out || !s_.has_values) return {};
    NoGrad no_grad;
    ArgList args = call_.args;
    std::vector<Tensor> into;
    for (const Tensor& t : outs) {
      into.push_back(empty_strided_cpu(t.impl()->sizes, t.impl()->strides, t.dtype()));
      args.push_back(Arg(into.back()));
    }
    RefList refs;
    try {
      refs = caller_.call(*r.out, args);
    } catch (const std::exception& e) {
      return std::string("out form: ") + e.what();
    }
    for (size_t i = 0; i < into.size(); ++i) {
      if (!refs[i].tensor().is_same(into[i])) return "the out form returns another tensor";
      if (values_by_row(*outs[i].impl()) != values_by_row(*into[i].impl()))
        return "the out form gives other values";
    }
    return {};
  }

  const op_samples::Sample& s_;
  std::vector<Tensor> inputs_;
  std::map<size_t, Tensor> written_;
  Call call_;
  eager::EagerCaller caller_;
};

TEST(EagerSamples, AllPassButThoseLeftOut) {
  std::vector<LeftOut> table_of = left_out_table("left_out.txt");
  struct Fault {
    int count = 0;
    std::string first;
  };
  std::map<std::string, Fault> faults;
  std::map<std::string, int> unknown;
  int passed = 0, total = 0, operators = 0;
  const char* only = std::getenv("FRIT_TEST_OP");
  for (const auto& path : op_samples::files(kFolder / "data")) {
    if (only && path.filename().string() != std::string(only) + ".bin.zst") continue;
    auto file = op_samples::File::load(path);
    for (const op_samples::Sample& s : file.samples()) {
      ++total;
      if (only) std::cout << s.op << " " << s.source << std::endl;
      SampleRun run(s);
      std::string fault = run.fault();
      operators += run.operators;
      if (run.known && fault.empty()) {
        ++passed;
        continue;
      }
      if (const LeftOut* e = left_out(table_of, s)) {
        if (only) std::cout << "left out: " << fault << "\n";
        if (e->reason.starts_with("ties:"))
          EXPECT_TRUE(run.differs_in_ties_only()) << s.op << " " << s.source << ": " << fault;
        continue;
      }
      if (!run.known) {
        ++unknown[std::string(s.op)];
        continue;
      }
      Fault& f = faults[std::string(s.op)];
      if (only) std::cout << s.source << ": " << fault << "\n";
      if (f.count++ == 0) f.first = std::string(s.source) + ": " + fault;
    }
  }
  for (const LeftOut& e : table_of)
    EXPECT_LE(e.found, e.allowed) << e.op << " (" << e.source
                                  << "): more samples fail than are left out";
  std::ostringstream table;
  for (const auto& [op, f] : faults) table << f.count << "  " << op << "  " << f.first << "\n";
  for (const auto& [op, n] : unknown) table << n << "  " << op << "  no such op\n";
  std::cout << passed << " of " << total << " samples pass, " << operators
            << " with a number on the left as operators too\n";
  EXPECT_TRUE(table.str().empty()) << table.str();
}

// The table only shrinks: whoever makes it longer has to change this number too, and say why.
TEST(EagerSamples, TheTableOfThoseLeftOutDoesNotGrow) {
  int allowed = 0;
  for (const LeftOut& e : left_out_table("left_out.txt")) {
    EXPECT_FALSE(e.reason.empty()) << e.op;
    allowed += e.allowed;
  }
  EXPECT_LE(allowed, 111);
}

}  // namespace
}  // namespace frit::test
