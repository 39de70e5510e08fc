#include "adapters/frit/recording.h"

#include <frit/ops.h>

#include "adapters/graph_entry.h"
#include "bindings/symbolic_int.h"
#include "bindings/tensor_object.h"
#include "compile/run_entry.h"
#include "core/state.h"

namespace frit::python {
namespace {

using compiler::CallState;
using compiler::Gathered;
using compiler::Leaves;
using PyRef = walk::Ref;  // frit::Ref is a tensor's

constexpr uint32_t kModes = kGradEnabled | kInferenceMode;
const std::vector<int> kNone;

class FritEntry final : public GraphEntry {
 public:
  FritEntry(std::shared_ptr<compiler::Entry> entry, uint32_t mode_at_end,
            const std::vector<int>& floats)
      : GraphEntry(std::move(entry)), mode_at_end_(mode_at_end) {
    for (int i : floats) floats_[static_cast<size_t>(i)];
  }

  Outcome run(const std::vector<PyObject*>& tensors, const std::vector<PyObject*>& numbers,
              std::vector<PyRef>& tensor_results, std::vector<PyRef>& number_results) override {
    return run_on({tensors, kNone, 0}, numbers, tensor_results, number_results);
  }

  Outcome run_on(const walk::TensorInputs& tensors, const std::vector<PyObject*>& numbers,
                 std::vector<PyRef>& tensor_results, std::vector<PyRef>& number_results) override {
    Leaves args;
    if (!point_to(tensors) || !numbers_of(numbers, args)) return Outcome::refused;
    const uint64_t epoch = metadata_epoch();
    const bool settled = tensors.generation && tensors.generation == generation_;
    const compiler::SettledArguments given{{arguments_.data(), arguments_.size()},
                                           {tensors.live.data(), tensors.live.size()},
                                           settled ? metadata_ : 0};
    CallState state{args, nullptr, {}, {}};
    state.settled = &given;
    Gathered g;
    if (!compiler::gather(*entry_, state, g)) return Outcome::refused;
    if (tensors.generation && (!settled || metadata_ != epoch)) settle(tensors, epoch);
    // Python's ints have no end; those of sizes do.
    for (const compiler::NumberResult& n : entry_->result_numbers) {
      int64_t value = 0;
      if (n.symbolic && !n.program.try_run({g.symbols.data(), g.symbols.size()}, &value))
        return Outcome::refused;
    }
    compiler::Kept kept;
    // What comes out has the modes that hold then.
    const uint32_t before = t_state.word & kModes;
    auto modes = [](uint32_t m) { t_state.word = (t_state.word & ~kModes) | m; };
    modes(mode_at_end_);
    try {
      if (!compiler::run_entry(*entry_, g, kept)) {
        modes(before);
        return Outcome::failed;
      }
    } catch (const std::exception&) {
      modes(before);
      return Outcome::failed;  // memory, sizes: eager says it at its own line
    }
    entry_->runs.fetch_add(1, std::memory_order_relaxed);
    for (int k : entry_->returned)
      tensor_results.push_back(PyRef::take(wrap(k < 0 ? Tensor() : kept[static_cast<size_t>(k)])));
    for (const compiler::NumberResult& n : entry_->result_numbers)
      number_results.push_back(PyRef::take(
          PyLong_FromLongLong(n.symbolic ? n.program.run({g.symbols.data(), g.symbols.size()})
                                         : n.constant.to_int64())));
    return Outcome::done;
  }

  std::string why_not(const std::vector<PyObject*>& tensors,
                      const std::vector<PyObject*>& numbers) override {
    Leaves args;
    if (!leaves(tensors, numbers, args)) return "a tensor is none any more";
    return compiler::why_not(*entry_, CallState{args, nullptr, {}, {}});
  }

 private:
  // Whether all are tensors. What is settled is where it was.
  bool point_to(const walk::TensorInputs& tensors) {
    auto point = [&](size_t i) {
      if (auto it = floats_.find(i); it != floats_.end() && PyFloat_CheckExact(tensors.all[i])) {
        it->second = scalar_of(tensors.all[i]);
        arguments_[i] = &it->second;
        return true;
      }
      if (!is_tensor(tensors.all[i])) return false;
      arguments_[i] = &tensor_of(tensors.all[i]);
      return true;
    };
    if (tensors.generation && tensors.generation == generation_) {
      for (int i : tensors.live)
        if (!point(static_cast<size_t>(i))) return false;
      return true;
    }
    generation_ = 0;
    arguments_.resize(tensors.all.size());
    for (size_t i = 0; i < arguments_.size(); ++i)
      if (!point(i)) return false;
    return true;
  }

  // All but the live ones have been looked at. They are marked, so that what becomes of them is
  // told, and so that one that is given as a live one, too, is noticed.
  void settle(const walk::TensorInputs& tensors, uint64_t epoch) {
    generation_ = tensors.generation;
    metadata_ = epoch;
    std::vector<bool> live(arguments_.size(), false);
    for (int i : tensors.live) live[static_cast<size_t>(i)] = true;
    for (size_t i = 0; i < arguments_.size(); ++i)
      if (!live[i]) arguments_[i]->impl()->watched.store(true, std::memory_order_relaxed);
  }

  bool leaves(const std::vector<PyObject*>& tensors, const std::vector<PyObject*>& numbers,
              Leaves& args) const {
    for (size_t i = 0; i < tensors.size(); ++i) {
      PyObject* t = tensors[i];
      if (floats_.count(i) && PyFloat_CheckExact(t)) {
        args.tensors.push_back(scalar_of(t));
        continue;
      }
      if (!is_tensor(t)) return false;
      args.tensors.push_back(tensor_of(t));
    }
    return numbers_of(numbers, args);
  }

  uint32_t mode_at_end_;
  std::vector<const Tensor*> arguments_;       // of the last run
  std::unordered_map<size_t, Tensor> floats_;  // by argument: of the last run
  uint64_t generation_ = 0, metadata_ = 0;
};

compiler::CaptureRequest request(const Leaves& args, bool dynamic, compiler::TensorFinder& finder) {
  compiler::CaptureRequest r;
  r.args = &args;
  r.dynamic = dynamic;
  r.finder = &finder;
  return r;
}

}  // namespace

Tensor scalar_of(PyObject* number) {
  const WordScope unseen(0, kRecording | kReplaying | kGradEnabled);
  return scalar_tensor(Scalar(PyFloat_AS_DOUBLE(number)), DType::f64);
}

Recording::Recording(bool dynamic) : capture_(request(args_, dynamic, *this)) {}

void Recording::run(const std::function<void(walk::TensorResults&)>& body) {
  auto run_body = [&](Leaves& results) {
    walk::TensorResults wanted;
    body(wanted);
    mode_at_end_ = t_state.word & kModes;
    if (abandoned_) return;
    for (PyObject* t : wanted.tensors) results.tensors.push_back(tensor_of(t));
    for (Int n : wanted.numbers) results.numbers.push_back(Scalar(n));
  };
  Leaves results;
  capture_.run(compiler::Body(run_body), results);
  forget_symbolic_ints();
}

std::unique_ptr<walk::TensorEntry> Recording::compile(const CompileOptions& options,
                                                      const std::string& name,
                                                      walk::RecordingStop& stop) {
  if (capture_.stopped()) {
    const trace::Stop& s = *capture_.stopped();
    stop = {s.kind, s.text, s.hint};
    return nullptr;
  }
  if (abandoned_ || capture_.stretches().empty()) {
    stop = {"abandoned", why_, ""};
    return nullptr;
  }
  auto entry = compile_entry(capture_, options, options.backend, name, stop);
  if (!entry) return nullptr;
  return std::make_unique<FritEntry>(std::move(entry), mode_at_end_, floats_);
}

int Recording::use_external(const Tensor& t, const std::string& name, bool dynamic,
                            std::vector<int8_t> marks) {
  if (abandoned_ || capture_.stopped()) return -1;
  const int index = static_cast<int>(args_.tensors.size());
  args_.tensors.push_back(t);
  found_[t.impl()->id()] = {index, name, dynamic, std::move(marks)};
  // Known from here on: its sizes may be read before an op is.
  capture_.reading_metadata(*t.impl());
  return index;
}

Int Recording::use_number(int64_t value, const std::string& name) {
  args_.numbers.push_back(Scalar(value));
  return capture_.use_number(value, name);
}

void Recording::abandon(const std::string& why) {
  if (abandoned_) return;
  abandoned_ = true;
  why_ = why;
  capture_.abandon({"abandoned", why, "", {}, false});
}

std::string Recording::stopped() const {
  if (abandoned_) return why_.empty() ? "abandoned" : why_;
  return capture_.why_stopped();
}

std::optional<compiler::TensorFinder::Found> Recording::find(uint64_t identity) {
  auto it = found_.find(identity);
  if (it == found_.end()) return std::nullopt;
  return it->second;
}

}  // namespace frit::python
