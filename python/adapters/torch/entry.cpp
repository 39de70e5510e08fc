#include "adapters/torch/entry.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

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

// By tensor argument: does the entry look at its storage as a whole, or at where in it it begins?
// Empty where it does at none.
std::vector<bool> looks_at_storages(const compiler::Entry& e) {
  std::vector<bool> found;
  auto note = [&](int input) {
    const compiler::InputGuard* g = &e.inputs[static_cast<size_t>(input)];
    if (g->source.kind == compiler::Source::Kind::whole)
      g = &e.inputs[static_cast<size_t>(g->source.index)];
    if (g->source.kind != compiler::Source::Kind::argument) return;
    found.resize(e.argument_identity.size(), false);
    const auto i = static_cast<size_t>(g->source.index);
    found[static_cast<size_t>(e.argument_identity[i])] = true;
  };
  for (const compiler::SharingGuard& s : e.sharing) note(s.a), note(s.b);
  for (size_t i = 0; i < e.inputs.size(); ++i)
    if (e.inputs[i].fixed_offset || e.inputs[i].source.kind == compiler::Source::Kind::whole)
      note(static_cast<int>(i));
  return found;
}

// The tensors of one call, its own.
struct HeldTensors {
  explicit HeldTensors(std::vector<PyObject*> tensors) : all(std::move(tensors)) {
    for (PyObject* t : all) Py_INCREF(t);
  }
  ~HeldTensors() {
    for (PyObject* t : all) Py_DECREF(t);
  }
  HeldTensors(const HeldTensors&) = delete;
  HeldTensors& operator=(const HeldTensors&) = delete;
  std::vector<PyObject*> all;
};

// Where a tensor lies.
struct Place {
  int64_t storage = 0, data = 0, bytes = 0, offset = 0;
  bool operator==(const Place&) const = default;
};

// What an entry's last call has found, so that the next makes and compares only what is another.
struct Known {
  std::vector<PyObject*> objects;  // addresses only
  std::vector<Tensor> twins;
  std::vector<const Tensor*> pointers;  // the same
  std::vector<Place> places;            // by tensor whose storage is looked at
  std::vector<int> changed;             // twins that are not those of the last call
  uint64_t metadata = 0;                // the epoch in which guards on them held; 0: they did not
};

class TorchEntry final : public python::GraphEntry {
 public:
  TorchEntry(const Api& api, std::shared_ptr<const Program> program, uint32_t mode_at_end,
             std::vector<int> floats)
      : GraphEntry(program->entry),
        api_(api),
        program_(std::move(program)),
        mode_at_end_(mode_at_end),
        floats_(std::move(floats)),
        with_storages_(looks_at_storages(*entry_)) {}

  Outcome run(const std::vector<PyObject*>& given, const std::vector<PyObject*>& numbers,
              std::vector<Ref>& tensor_results, std::vector<Ref>& number_results) override {
    Leaves args;
    if (!numbers_of(numbers, args)) return Outcome::refused;
    // Torch lets others run even while a tensor is asked for its bits, and their checks of the same
    // guards read other tensors.
    HeldTensors held(given);
    const std::vector<PyObject*>& tensors = held.all;
    const StateScope state(api_);
    if (!plain_state(api_)) return Outcome::refused;
    stand_in(held);
    // Taken out: others may run the entry while torch lets them.
    std::unique_ptr<Known> known = std::move(known_);
    if (!known) known = std::make_unique<Known>();
    if (!find(tensors, *known)) return Outcome::refused;
    const uint64_t epoch = metadata_epoch();
    const compiler::SettledArguments settled{known->pointers, known->changed, known->metadata};
    compiler::CallState call{args, nullptr, {}, {}};
    call.settled = &settled;
    Gathered g;
    const bool holds = compiler::gather(*entry_, call, g);
    known->metadata = holds ? epoch : 0;
    known_ = std::move(known);
    if (!holds) return Outcome::refused;
    std::vector<int64_t> symbols(g.symbols.begin(), g.symbols.end());
    for (const compiler::NumberResult& n : entry_->result_numbers) {
      int64_t value = 0;
      if (n.symbolic && !n.program.try_run(symbols, &value)) return Outcome::refused;
    }
    if (!entry_->compilation->forward->sizes_hold(symbols)) return Outcome::failed;
    // Views are made by as_strided, whose gradient is another where elements share a place.
    for (const TensorResult& r : entry_->kept) {
      if (r.kind != TensorResult::Kind::view_of_input || !r.requires_grad) continue;
      const TensorImpl& base = *g.inputs[static_cast<size_t>(r.index)].impl();
      if (may_overlap_itself(base.sizes, base.strides)) return Outcome::failed;
    }
    try {
      std::vector<Ref> objects = inputs_of(tensors);
      Run run{api_,
              program_,
              {},
              std::move(objects),
              {std::make_move_iterator(g.inputs.begin()), std::make_move_iterator(g.inputs.end())},
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

  std::vector<std::string> checks() const override {
    std::vector<std::string> found = GraphEntry::checks();
    found.insert(found.begin(),
                 {"autocast is off", "no torch function mode is on", "no torch dispatch mode is on",
                  "no transform of torch.func is on"});
    found.push_back(
        "of each tensor: the type is Tensor or Parameter, the device is cpu, the negation bit is "
        "off");
    return found;
  }

  std::string why_not(const std::vector<PyObject*>& tensors,
                      const std::vector<PyObject*>& numbers) override {
    Leaves args;
    if (!numbers_of(numbers, args)) return "a number is of another kind";
    HeldTensors held(tensors);
    const StateScope state(api_);
    stand_in(held);
    if (!leaves(held.all, args)) return "a tensor is of another kind";
    return compiler::why_not(*entry_, {args, nullptr, {}, {}});
  }

 private:
  // A float is given as the tensor that stands for it.
  void stand_in(HeldTensors& held) const {
    for (int i : floats_) {
      PyObject*& o = held.all[static_cast<size_t>(i)];
      if (!PyFloat_CheckExact(o)) continue;
      PyObject* number = std::exchange(o, float_tensor(api_, o).release());
      Py_DECREF(number);
    }
  }

  // All of them anew, with their storages.
  bool leaves(const std::vector<PyObject*>& tensors, Leaves& args) const {
    Storages storages;
    std::unordered_map<PyObject*, Tensor> twins;  // the same object is one tensor
    for (PyObject* t : tensors) {
      Tensor& twin = twins[t];
      if (!twin.defined()) {
        if (!is_tensor(api_, t) || !describe(api_, t, twin)) return false;
        if (!with_storages_.empty()) twin = describe(api_, t, storages);
      }
      args.tensors.push_back(twin);
    }
    return true;
  }

  // Those that were one object are, and no others. `moved`: those that are other objects than at
  // the last call, of which it holds.
  bool same_objects(const std::vector<PyObject*>& tensors, const std::vector<int>& moved) const {
    const std::vector<int>& first = entry_->argument_identity;
    constexpr size_t kFew = 8;
    if (moved.size() <= kFew) {
      for (int m : moved)
        for (size_t i = 0; i < tensors.size(); ++i)
          if ((tensors[i] == tensors[static_cast<size_t>(m)]) !=
              (first[i] == first[static_cast<size_t>(m)]))
            return false;
      return true;
    }
    std::vector<PyObject*> different;
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (static_cast<size_t>(first[i]) == i)
        different.push_back(tensors[i]);
      else if (tensors[i] != tensors[static_cast<size_t>(first[i])])
        return false;
    }
    std::sort(different.begin(), different.end());
    return std::adjacent_find(different.begin(), different.end()) == different.end();
  }

  // Twins of the call's tensors: those of the last call that show them still, and new ones.
  bool find(const std::vector<PyObject*>& tensors, Known& k) const {
    const size_t n = tensors.size();
    const std::vector<int>& first = entry_->argument_identity;
    if (n != first.size()) return false;
    k.objects.resize(n);
    k.twins.resize(n);
    k.pointers.resize(n);
    k.changed.clear();
    std::vector<int> moved;
    for (size_t i = 0; i < n; ++i)
      if (k.objects[i] != tensors[i]) moved.push_back(static_cast<int>(i));
    if (!moved.empty()) {
      const bool same = same_objects(tensors, moved);
      k.objects = tensors;
      if (!same) return false;
    }
    for (size_t i = 0; i < n; ++i) {
      PyObject* t = tensors[i];
      const auto one = static_cast<size_t>(first[i]);
      if (one != i) {
        k.pointers[i] = &k.twins[one];
        if (std::ranges::find(k.changed, first[i]) != k.changed.end())
          k.changed.push_back(static_cast<int>(i));
        continue;
      }
      Seen seen;
      if (!is_tensor(api_, t) || !look(api_, t, seen)) return false;
      k.pointers[i] = &k.twins[i];
      if (shows(k.twins[i], seen)) continue;
      k.twins[i] = twin_of(seen);
      k.changed.push_back(static_cast<int>(i));
    }
    if (!with_storages_.empty()) find_storages(tensors, k);
    return true;
  }

  void find_storages(const std::vector<PyObject*>& tensors, Known& k) const {
    const size_t n = tensors.size();
    k.places.resize(n);
    bool same = true;
    for (size_t i = 0; i < n; ++i) {
      if (!with_storages_[i]) continue;
      const Ref s = api_.untyped_storage(tensors[i]);
      auto number = [&](const Reader& r) { return integer(r(s.get()).get()); };
      const Place now{number(api_.storage_address), number(api_.storage_data),
                      number(api_.storage_bytes), integer(api_.storage_offset(tensors[i]).get())};
      same = same && now == k.places[i];
      k.places[i] = now;
    }
    for (int i : k.changed) same = same && !with_storages_[static_cast<size_t>(i)];
    if (same) return;
    std::unordered_map<int64_t, Ptr<Storage>> storages;
    for (size_t i = 0; i < n; ++i) {
      if (!with_storages_[i]) continue;
      const Place& p = k.places[i];
      Ptr<Storage>& s = storages[p.storage];
      if (!s)
        s = make_ptr<Storage>(reinterpret_cast<void*>(p.data), static_cast<size_t>(p.bytes),
                              std::function<void()>());
      const TensorImpl& t = *k.twins[i].impl();
      Tensor twin(make_ptr<TensorImpl>(s, t.dtype, t.sizes, t.strides, p.offset));
      set_requires_grad(twin, t.requires_grad());
      k.twins[i] = std::move(twin);
    }
    k.changed.clear();
    k.metadata = 0;  // all are compared
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
        !r.without_grad && !r.requires_grad && api_.requires_grad.is_true(base.get());
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
  std::vector<int> floats_;  // among the tensors
  std::vector<bool> with_storages_;
  std::unique_ptr<Known> known_;
};

}  // namespace

std::unique_ptr<walk::TensorEntry> make_entry(const Api& api,
                                              std::shared_ptr<const Program> program,
                                              uint32_t mode_at_end, std::vector<int> floats) {
  return std::make_unique<TorchEntry>(api, std::move(program), mode_at_end, std::move(floats));
}

}  // namespace frit::torch
