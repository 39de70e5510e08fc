#include "adapters/torch/entry.h"

#include "adapters/graph_entry.h"
#include "adapters/torch/gradients.h"
#include "adapters/torch/recording.h"
#include "compile/run_entry.h"
#include "core/layout.h"

namespace frit::torch {
namespace {

using compiler::Gathered;
using compiler::Leaves;
using compiler::TensorResult;
using python::checked;

// Does an entry look at storages as wholes, or at where in them a tensor begins?
bool looks_at_storages(const compiler::Entry& e) {
  if (!e.sharing.empty()) return true;
  for (const compiler::InputGuard& g : e.inputs)
    if (g.fixed_offset || g.source.kind == compiler::Source::Kind::whole) return true;
  return false;
}

class TorchEntry final : public python::GraphEntry {
 public:
  TorchEntry(const Api& api, std::shared_ptr<const Program> program, uint32_t mode_at_end)
      : GraphEntry(program->entry),
        api_(api),
        program_(std::move(program)),
        mode_at_end_(mode_at_end),
        with_storages_(looks_at_storages(*entry_)) {}

  Outcome run(const std::vector<PyObject*>& tensors, const std::vector<PyObject*>& numbers,
              std::vector<Ref>& tensor_results, std::vector<Ref>& number_results) override {
    const StateScope state(api_);
    if (!plain_state(api_)) return Outcome::refused;
    Leaves args;
    if (!leaves(tensors, numbers, args)) return Outcome::refused;
    Gathered g;
    if (!compiler::gather(*entry_, {args, nullptr, {}, {}}, g)) return Outcome::refused;
    std::vector<int64_t> symbols(g.symbols.begin(), g.symbols.end());
    for (const compiler::NumberResult& n : entry_->result_numbers) {
      int64_t value = 0;
      if (n.symbolic && !n.program.try_run(symbols, &value)) return Outcome::refused;
    }
    if (!entry_->compilation->forward->sizes_hold(symbols)) return Outcome::failed;
    try {
      std::vector<Ref> objects = inputs_of(tensors);
      Run run{api_,
              program_,
              {},
              std::move(objects),
              {g.inputs.begin(), g.inputs.end()},
              std::move(symbols)};
      if (!run_forward(run)) {
        PyErr_Clear();
        return Outcome::failed;
      }
      finish(run, tensor_results);
      for (const compiler::NumberResult& n : entry_->result_numbers)
        number_results.push_back(Ref::take(
            PyLong_FromLongLong(n.symbolic ? n.program.run(run.symbols) : n.constant.to_int64())));
    } catch (const std::exception&) {
      PyErr_Clear();
      return Outcome::failed;  // memory: eager says it at its own line
    }
    entry_->runs.fetch_add(1, std::memory_order_relaxed);
    return Outcome::done;
  }

  std::string why_not(const std::vector<PyObject*>& tensors,
                      const std::vector<PyObject*>& numbers) override {
    const StateScope state(api_);
    Leaves args;
    if (!leaves(tensors, numbers, args)) return "a tensor is of another kind";
    return compiler::why_not(*entry_, {args, nullptr, {}, {}});
  }

 private:
  bool leaves(const std::vector<PyObject*>& tensors, const std::vector<PyObject*>& numbers,
              Leaves& args) const {
    Storages storages;
    for (PyObject* t : tensors) {
      if (!is_tensor(api_, t)) return false;
      Tensor twin;
      if (!describe(api_, t, twin)) return false;
      if (with_storages_) twin = describe(api_, t, storages);
      // The same object is one tensor.
      for (size_t i = 0; i < args.tensors.size(); ++i)
        if (tensors[i] == t) twin = args.tensors[i];
      args.tensors.push_back(std::move(twin));
    }
    return numbers_of(numbers, args);
  }

  // Of the graph's inputs.
  std::vector<Ref> inputs_of(const std::vector<PyObject*>& tensors) const {
    std::vector<Ref> objects;
    for (const compiler::InputGuard& g : entry_->inputs)
      objects.push_back(g.source.kind == compiler::Source::Kind::argument
                            ? Ref::share(tensors[static_cast<size_t>(g.source.index)])
                            : Ref());
    return objects;
  }

  void finish(Run& run, std::vector<Ref>& tensor_results) const {
    const compiler::Entry& e = *entry_;
    std::vector<Ref> kept(e.kept.size());
    for (size_t i = 0; i < e.kept.size(); ++i) {
      const TensorResult& r = e.kept[i];
      if (r.kind == TensorResult::Kind::fresh) kept[i] = run.fresh[static_cast<size_t>(r.index)];
      if (r.kind == TensorResult::Kind::input) kept[i] = run.objects[static_cast<size_t>(r.index)];
    }
    for (size_t i = 0; i < e.kept.size(); ++i) {
      const TensorResult& r = e.kept[i];
      if (r.kind == TensorResult::Kind::view_of_input)
        kept[i] = view(run.objects[static_cast<size_t>(r.index)], r, run.symbols);
      if (r.kind == TensorResult::Kind::view_of_output)
        kept[i] = view(kept[static_cast<size_t>(r.index)], r, run.symbols);
    }
    for (int k : e.returned)
      tensor_results.push_back(k < 0 ? Ref::share(Py_None) : kept[static_cast<size_t>(k)]);
    if (mode_at_end_ != e.grad_mode) set_grad_enabled(api_, mode_at_end_ & kGradEnabled);
  }

  // By torch's own call, so that later writes through it are seen.
  Ref view(const Ref& base, const TensorResult& r, std::span<const int64_t> symbols) const {
    static PyObject* const n_as_strided = walk::name_of("as_strided");
    static PyObject* const n_offset = walk::name_of("storage_offset");
    auto tuple = [&](const std::vector<sym::Program>& programs) {
      Ref t = Ref::take(checked(PyTuple_New(static_cast<Py_ssize_t>(programs.size()))));
      for (size_t i = 0; i < programs.size(); ++i)
        PyTuple_SET_ITEM(t.get(), static_cast<Py_ssize_t>(i),
                         checked(PyLong_FromLongLong(programs[i].run(symbols))));
      return t;
    };
    // A view without a history of what has one is detached.
    static PyObject* const n_detach = walk::name_of("detach");
    const bool detached =
        !r.without_grad && !r.requires_grad && flag(base.get(), requires_grad_name());
    const Ref from =
        detached ? Ref::take(checked(PyObject_CallMethodNoArgs(base.get(), n_detach))) : base;
    Tensor shown;
    if (detached && describe(api_, from.get(), shown)) {
      // As a whole, it is what detach() gives.
      const TensorImpl& i = *shown.impl();
      bool whole = r.offset.run(symbols) == 0 && i.sizes.size() == r.sizes.size();
      for (size_t d = 0; whole && d < r.sizes.size(); ++d)
        whole = r.sizes[d].run(symbols) == i.sizes[d] && r.strides[d].run(symbols) == i.strides[d];
      if (whole) return from;
    }
    Ref own = Ref::take(checked(PyObject_CallMethodNoArgs(base.get(), n_offset)));
    Ref sizes = tuple(r.sizes), strides = tuple(r.strides),
        offset = Ref::take(PyLong_FromLongLong(integer(own.get()) + r.offset.run(symbols)));
    const GradScope mode(
        api_, !r.without_grad && (r.requires_grad || (entry_->grad_mode & kGradEnabled)));
    return Ref::take(checked(PyObject_CallMethodObjArgs(from.get(), n_as_strided, sizes.get(),
                                                        strides.get(), offset.get(), nullptr)));
  }

  const Api& api_;
  std::shared_ptr<const Program> program_;
  uint32_t mode_at_end_;
  bool with_storages_;
};

}  // namespace

std::unique_ptr<walk::TensorEntry> make_entry(const Api& api,
                                              std::shared_ptr<const Program> program,
                                              uint32_t mode_at_end) {
  return std::make_unique<TorchEntry>(api, std::move(program), mode_at_end);
}

}  // namespace frit::torch
