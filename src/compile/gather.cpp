// Guards of an entry, and its inputs.
#include <fmt/format.h>
#include <frit/autograd.h>

#include <algorithm>
#include <unordered_map>

#include "base/fault.h"
#include "compile/run_entry.h"
#include "core/layout.h"
#include "eager/autograd_meta.h"

namespace frit::compiler {
namespace {

// Where the caller wants to know why, all guards are looked at that can be once one has failed.
class Checker {
 public:
  Checker(Entry& e, const CallState& state, Gathered& out, Misfit* why)
      : e_(e), state_(state), out_(out), why_(why), epoch_(metadata_epoch()) {
    rest_settled_ = !why && state.settled && state.settled->metadata == epoch_;
    if (!rest_settled_) return;
    settled_.assign(state.settled->tensors.size(), true);
    for (int i : state.settled->live) settled_[static_cast<size_t>(i)] = false;
  }

  bool run() {
    return numbers() && identities() && process() && tensors() && dims() && conditions() &&
           sharing();
  }

 private:
  // Whether the next guards are to be looked at all the same.
  template <class... A>
  bool fail(fmt::format_string<A...> text, A&&... a) {
    if (!why_) return false;
    if (!why_->guards++) why_->first = fmt::format(text, std::forward<A>(a)...);
    return true;
  }
  // What the next guards look at is not there.
  template <class... A>
  bool stop(fmt::format_string<A...> text, A&&... a) {
    if (!why_) return false;
    fail(text, std::forward<A>(a)...);
    why_->guards += kUnlike;
    return false;
  }
  static constexpr int kUnlike = 1000;
  bool failed() const { return why_ && why_->guards; }

  bool numbers() {
    const auto& given = state_.args.numbers;
    if (given.size() != e_.numbers.size()) return stop("the number of numeric arguments changed");
    for (size_t i = 0; i < given.size(); ++i) {
      if (e_.numbers[i].symbol >= 0 && given[i].is_integer()) continue;
      if (given[i].same_as(e_.numbers[i].constant)) continue;
      const double was = e_.numbers[i].constant.to_double(), now = given[i].to_double();
      if (e_.numbers[i].symbol >= 0) return stop("number {} was {}, now {}", i, was, now);
      if (!fail("number {} was {}, now {}", i, was, now)) return false;
    }
    return true;
  }

  size_t argument_count() const {
    return state_.settled ? state_.settled->tensors.size() : state_.args.tensors.size();
  }
  const Tensor& argument(size_t i) const {
    return state_.settled ? *state_.settled->tensors[i] : state_.args.tensors[i];
  }

  bool identities() {
    const size_t n = argument_count();
    if (n != e_.argument_identity.size()) return stop("the number of tensor arguments changed");
    if (rest_settled_) return live_identities();
    // Of very many (a front end's parameters are arguments) each is not compared with each.
    if (n > kManyArguments && !why_ && !same_objects()) return false;
    const bool pairs = n <= kManyArguments || why_;
    for (size_t i = 0; i < n; ++i) {
      int seen = e_.argument_identity[i];
      if ((seen < 0) != !argument(i).defined())
        return stop("arg{} was {}, now {}", i, seen < 0 ? "undefined" : "a tensor",
                    seen < 0 ? "a tensor" : "undefined");
      if (seen < 0 || !pairs) continue;
      for (size_t j = 0; j < i; ++j)
        if (!same_pair(j, i)) return false;
    }
    return true;
  }

  bool same_pair(size_t j, size_t i) {
    if (!argument(j).defined()) return true;
    bool same = argument(j).is_same(argument(i)),
         was = e_.argument_identity[j] == e_.argument_identity[i];
    return same == was || fault(Fault::guard_identity) ||
           fail("arg{} and arg{} {} one object", j, i, was ? "are no longer" : "have become");
  }

  // The rest is as it was among itself.
  bool live_identities() {
    const auto live = state_.settled->live;
    for (size_t k = 0; k < live.size(); ++k) {
      const auto i = static_cast<size_t>(live[k]);
      const int seen = e_.argument_identity[i];
      if ((seen < 0) != !argument(i).defined()) return false;
      if (seen < 0) continue;
      for (size_t l = 0; l < k; ++l)
        if (!same_pair(static_cast<size_t>(live[l]), i)) return false;
      // Those that are settled are marked: only such a one can be one of them.
      const bool marked = argument(i).impl()->watched.load(std::memory_order_relaxed);
      const bool was_shared = e_.argument_shared[i];
      if (!marked && !was_shared) continue;
      for (size_t j = 0; j < argument_count(); ++j)
        if (j != i && !same_pair(j, i)) return false;
    }
    return true;
  }

  static constexpr size_t kManyArguments = 24;

  // Those that were one object are, and no others.
  bool same_objects() {
    std::vector<const TensorImpl*> different;
    for (size_t i = 0; i < argument_count(); ++i) {
      const int seen = e_.argument_identity[i];
      if (seen < 0 || !argument(i).defined()) continue;
      if (static_cast<size_t>(seen) == i)
        different.push_back(argument(i).impl());
      else if (!argument(i).is_same(argument(static_cast<size_t>(seen))))
        return false;
    }
    std::sort(different.begin(), different.end());
    return std::adjacent_find(different.begin(), different.end()) == different.end();
  }

  static const char* on_off(bool on) { return on ? "on" : "off"; }

  bool process() {
    uint32_t mode = t_state.word & (kGradEnabled | kInferenceMode);
    if (mode != e_.grad_mode && !fault(Fault::guard_grad_mode))
      return (mode ^ e_.grad_mode) & kInferenceMode
                 ? fail("inference mode was {}, now {}", on_off(e_.grad_mode & kInferenceMode),
                        on_off(mode & kInferenceMode))
                 : fail("gradients were {}, now {}", on_off(e_.grad_mode & kGradEnabled),
                        on_off(mode & kGradEnabled));
    if (default_dtype() != e_.default_type)
      return fail("the default dtype was {}, now {}", name(e_.default_type), name(default_dtype()));
    return true;
  }

  // Parameters by name and modules' flags, looked at again only when some module changed.
  bool resolve_module() {
    uint64_t structure = nn::structure_epoch();
    if (e_.resolved_structure.load(std::memory_order_acquire) == structure) return true;
    if (!why_ && e_.unfit_structure.load(std::memory_order_acquire) == structure) return false;
    std::lock_guard lock(e_.resolve_mutex);
    if (e_.resolved_structure.load(std::memory_order_acquire) == structure) return true;
    if (!flags() || !forms() || !slots() || failed()) {
      e_.unfit_structure.store(structure, std::memory_order_release);
      return false;
    }
    e_.resolved_metadata.store(0, std::memory_order_release);
    e_.resolved_structure.store(structure, std::memory_order_release);
    return true;
  }

  bool flags() {
    for (const FlagGuard& f : e_.flags)
      if (*f.flag != f.value) return fail("{} was {}, now {}", f.what, f.value, !f.value);
    return true;
  }

  bool forms() {
    for (const FormGuard& f : e_.forms) {
      const size_t was = f.seen.hooks.size(), now = f.form->hooks.size();
      if (f.seen != *f.form)
        return fail("{} had {} forward hooks, now {}", f.module.empty() ? "the module" : f.module,
                    was, now == was ? "others" : std::to_string(now));
    }
    return true;
  }

  bool slots() {
    // What was captured from a module that has another tensor there now is not what the callable
    // reads, though it lives. It never comes back.
    for (const auto* guards : {&e_.inputs, &e_.watched})
      for (const InputGuard& g : *guards) {
        if (g.source.kind != Source::Kind::captured) continue;
        const Ptr<TensorImpl> t = g.source.tensor.lock();
        const eager::AutogradMeta* meta = t ? eager::meta_of(*t) : nullptr;
        if (!meta || meta->replaced.load(std::memory_order_relaxed) == g.replaced) continue;
        e_.dead = true;
        return stop("{} was replaced in its module", g.name);
      }
    if (state_.module) {
      std::unordered_map<std::string, Tensor> by_name;
      for (auto& [name, t] : state_.module->named_slots()) by_name.emplace(name, t);
      auto resolve = [&](std::vector<InputGuard>& guards, std::vector<WeakPtr<TensorImpl>>& into) {
        into.resize(guards.size());
        for (size_t i = 0; i < guards.size(); ++i) {
          if (guards[i].source.kind != Source::Kind::module) continue;
          Source& source = guards[i].source;
          auto it = by_name.find(source.path);
          if (it == by_name.end() || !it->second.defined()) return stop("{} is gone", source.path);
          // Whoever keeps the old tensor may be the callable (its optimizer, a captured variable).
          const Ptr<TensorImpl> was = source.tensor.lock();
          if (was && was.get() != it->second.impl())
            return stop("{} was replaced in its module, and the old tensor lives on", source.path);
          it->second.impl()->watched.store(true, std::memory_order_relaxed);
          put(source.tensor, it->second);
          put(into[i], it->second);
        }
        return true;
      };
      if (!resolve(e_.inputs, e_.resolved) || !resolve(e_.watched, e_.resolved_watched))
        return false;
      for (const SlotGuard& s : e_.slots)
        if (!slot(s, by_name[s.path])) return false;
      e_.resolved_arguments.resize(e_.argument_slots.size());
      for (size_t i = 0; i < e_.argument_slots.size(); ++i)
        put(e_.resolved_arguments[i], by_name[e_.argument_slots[i].path]);
    }
    return fixed_differ() && fixed_storages();
  }

  // Other threads may be reading what other modules' changes leave as it is.
  static void put(Tensor& into, const Tensor& t) {
    if (!into.is_same(t)) into = t;
  }
  static void put(WeakPtr<TensorImpl>& into, const Tensor& t) {
    if (into.lock().get() != t.impl()) into = WeakPtr<TensorImpl>(t.impl());
  }
  static Tensor alive(const WeakPtr<TensorImpl>& w) {
    Ptr<TensorImpl> p = w.lock();
    return p ? Tensor(std::move(p)) : Tensor();
  }

  bool slot(const SlotGuard& s, const Tensor& now) {
    auto index = static_cast<size_t>(s.index);
    switch (s.is) {
      case SlotGuard::Is::undefined:
        return !now.defined() || fail("{} was undefined, now a tensor", s.path);
      case SlotGuard::Is::input:
        return now.is_same(alive(e_.resolved[index])) ||
               fail("{} and {} are no longer one tensor", e_.inputs[index].name, s.path);
      case SlotGuard::Is::watched:
        return now.is_same(alive(e_.resolved_watched[index])) ||
               fail("{} and {} are no longer one tensor", e_.watched[index].name, s.path);
    }
    return true;
  }

  // The tensor of fixed identity, as resolved; none where it is gone.
  static Tensor fixed(const InputGuard& g, size_t i,
                      const std::vector<WeakPtr<TensorImpl>>& resolved) {
    return alive(g.source.kind == Source::Kind::module ? resolved[i] : g.source.tensor);
  }

  // fn(guard, index, tensor) for those inputs and watched tensors; while it says true.
  template <class F>
  bool each_fixed(F&& fn) const {
    for (size_t i = 0; i < e_.inputs.size(); ++i)
      if (e_.inputs[i].source.is_fixed() &&
          !fn(e_.inputs[i], i, fixed(e_.inputs[i], i, e_.resolved)))
        return false;
    for (size_t i = 0; i < e_.watched.size(); ++i)
      if (e_.watched[i].source.is_fixed() &&
          !fn(e_.watched[i], i, fixed(e_.watched[i], i, e_.resolved_watched)))
        return false;
    return true;
  }

  // They were different tensors, each with a gradient of its own.
  bool fixed_differ() {
    std::unordered_map<const TensorImpl*, const InputGuard*> seen;
    return each_fixed([&](const InputGuard& g, size_t, const Tensor& t) {
      if (!t.defined()) return true;
      auto [it, fresh] = seen.emplace(t.impl(), &g);
      return fresh || fail("{} and {} have become one tensor", it->second->name, g.name);
    });
  }

  bool fixed_storages() {
    if (e_.fixed_storages.empty()) return true;
    std::unordered_map<const Storage*, int> first;
    for (size_t i = 0; i < e_.inputs.size(); ++i) {
      if (e_.fixed_storages[i] < 0) continue;
      const Tensor t = fixed(e_.inputs[i], i, e_.resolved);
      if (!t.defined()) return true;  // tensors() says so
      int now = first.emplace(t.impl()->storage.get(), static_cast<int>(i)).first->second;
      if (now == e_.fixed_storages[i]) continue;
      return fail(
          "{} and {} {} memory", e_.inputs[i].name,
          e_.inputs[static_cast<size_t>(now == static_cast<int>(i) ? e_.fixed_storages[i] : now)]
              .name,
          now == static_cast<int>(i) ? "no longer share the same" : "now share");
    }
    return true;
  }

  // Arguments that were a tensor of the module's, and none else was of fixed identity.
  bool arguments_differ() {
    if (!e_.has_fixed && !state_.module) return true;
    for (size_t i = 0; i < e_.argument_slots.size(); ++i) {
      const ArgumentSlot& s = e_.argument_slots[i];
      if (!argument(static_cast<size_t>(s.argument)).is_same(e_.resolved_arguments[i]))
        return fail("arg{} was {}, now another tensor", s.argument, s.path);
    }
    for (size_t a = 0; a < argument_count(); ++a) {
      const Tensor& given = argument(a);
      if (!given.defined() || !given.impl()->watched.load(std::memory_order_relaxed)) continue;
      if (!each_fixed([&](const InputGuard& g, size_t, const Tensor& t) {
            return !t.is_same(given) || fail("arg{} has become {}", a, g.name);
          }))
        return false;
    }
    return true;
  }

  // Tensors of which only metadata was read.
  bool watched() {
    auto argument_holds = [&](int w) { return w < 0 || watched_one(static_cast<size_t>(w)); };
    if (rest_settled_) {
      for (int a : state_.settled->live)
        if (!argument_holds(e_.watched_argument[static_cast<size_t>(a)])) return false;
    } else if (!std::ranges::all_of(e_.watched_argument, argument_holds)) {
      return false;
    }
    if (fixed_known_ || !e_.has_fixed) return true;
    for (size_t i = 0; i < e_.watched.size(); ++i)
      if (e_.watched[i].source.is_fixed() && !watched_one(i)) return false;
    return true;
  }

  bool watched_one(size_t i) {
    const InputGuard& g = e_.watched[i];
    const bool is_argument = g.source.kind == Source::Kind::argument;
    Tensor t = is_argument ? argument(static_cast<size_t>(g.source.index))
                           : fixed(g, i, e_.resolved_watched);
    if (!t.defined()) {
      if (is_argument) return stop("{} is gone", g.name);
      e_.dead = true;
      return stop("{} is gone: the tensor the callable had captured was destroyed", g.name);
    }
    if (!describes(g, t)) return false;
    for (size_t d = 0; d < g.strides.size(); ++d)
      if (t.impl()->sizes[d] > 1 && t.impl()->strides[d] != g.strides[d].value)
        return fail("{}.stride({}) was {}, now {}", g.name, d, g.strides[d].value,
                    t.impl()->strides[d]);
    return true;
  }

  bool tensors() {
    if (!resolve_module() || !arguments_differ()) return false;
    // Tensors whose identity is fixed have been looked at, unless some tensor's metadata changed
    // since.
    fixed_known_ = !why_ && e_.resolved_metadata.load(std::memory_order_acquire) == epoch_;
    out_.inputs.resize(e_.inputs.size());
    out_.symbols.resize(static_cast<size_t>(e_.symbol_count), 0);
    std::copy_n(state_.symbols.begin(), std::min(state_.symbols.size(), out_.symbols.size()),
                out_.symbols.begin());
    for (size_t i = 0; i < e_.numbers.size(); ++i)
      if (const int symbol = e_.numbers[i].symbol; symbol >= 0)
        out_.symbols[static_cast<size_t>(symbol)] = state_.args.numbers[i].to_int64();
    for (size_t i = 0; i < e_.inputs.size(); ++i) {
      const InputGuard& g = e_.inputs[i];
      Tensor& t = out_.inputs[i];
      bool fixed = false;
      switch (g.source.kind) {
        case Source::Kind::argument:
          t = argument(static_cast<size_t>(g.source.index));
          fixed = is_settled(g);
          break;
        case Source::Kind::prefix:
          t = state_.prefix[static_cast<size_t>(g.source.index)];
          break;
        case Source::Kind::module:
          t = alive(e_.resolved[i]);
          if (!t.defined()) return stop("{} is gone", g.source.path);
          fixed = true;
          break;
        case Source::Kind::captured: {
          Ptr<TensorImpl> p = g.source.tensor.lock();
          if (!p) {
            e_.dead = true;
            return stop("{} is gone: the tensor the callable had captured was destroyed", g.name);
          }
          t = Tensor(std::move(p));
          fixed = true;
          break;
        }
        case Source::Kind::grad: {
          const auto* meta =
              eager::meta_of(*out_.inputs[static_cast<size_t>(g.source.index)].impl());
          if (!meta || !meta->grad.defined()) return stop("{} was a tensor, now None", g.name);
          t = meta->grad;
          break;
        }
        case Source::Kind::whole:
          continue;  // below
      }
      if (fixed && is_settled(g)) bind(g, *t.impl());
      if (fixed && (fixed_known_ || is_settled(g))) continue;
      if (!describes(g, t)) return false;
    }
    for (size_t i = 0; i < e_.inputs.size(); ++i) {
      const InputGuard& g = e_.inputs[i];
      if (g.source.kind != Source::Kind::whole) continue;
      const TensorImpl& member = *out_.inputs[static_cast<size_t>(g.source.index)].impl();
      int64_t n = static_cast<int64_t>(member.storage->bytes()) / size_of(member.dtype), one = 1;
      out_.inputs[i] =
          Tensor(make_ptr<TensorImpl>(member.storage, member.dtype, std::span<const int64_t>(&n, 1),
                                      std::span<const int64_t>(&one, 1), 0));
      if (!describes(g, out_.inputs[i])) return false;
    }
    for (const HookGuard& h : e_.hooks) {
      const InputGuard& g = e_.inputs[static_cast<size_t>(h.leaf)];
      if ((g.source.is_fixed() && fixed_known_) || is_settled(g)) continue;
      unsigned now =
          eager::gradient_hooks(eager::meta_of(*out_.inputs[static_cast<size_t>(h.leaf)].impl()));
      if (now != h.sorts)
        return fail("the gradient of {} had {}, now {}", g.name, hooks_text(h.sorts),
                    hooks_text(now));
    }
    if (!watched()) return false;
    for (const GradGuard& g : e_.grads) {
      const auto* meta = eager::meta_of(*out_.inputs[static_cast<size_t>(g.leaf)].impl());
      bool defined = meta && meta->grad.defined();
      if (defined != g.defined)
        return fail("{}.grad was {}, now {}", e_.inputs[static_cast<size_t>(g.leaf)].name,
                    g.defined ? "a tensor" : "None", defined ? "a tensor" : "None");
    }
    return true;
  }

  static const char* hooks_text(unsigned sorts) {
    constexpr const char* kText[] = {"no hooks", "hooks", "hooks that follow its accumulation",
                                     "hooks and such that follow its accumulation"};
    return kText[sorts];
  }

  // An argument that is as it was looked at.
  bool is_settled(const InputGuard& g) const {
    return rest_settled_ && g.source.kind == Source::Kind::argument &&
           settled_[static_cast<size_t>(g.source.index)];
  }

  void bind(const InputGuard& g, const TensorImpl& t) {
    for (size_t d = 0; d < g.sizes.size(); ++d)
      if (g.sizes[d].kind == DimGuard::Kind::binds)
        out_.symbols[static_cast<size_t>(g.sizes[d].symbol)] = t.sizes[d];
  }

  bool describes(const InputGuard& g, const Tensor& tensor) {
    const TensorImpl& t = *tensor.impl();
    if (t.dtype != g.seen.dtype && !fault(Fault::guard_dtype) &&
        !fail("{}'s dtype was {}, now {}", g.name, name(g.seen.dtype), name(t.dtype)))
      return false;
    if (t.sizes.size() != g.sizes.size())
      return stop("{} had {} dimensions, now {}", g.name, g.sizes.size(), t.sizes.size());
    if (eager::requires_grad(t) != g.seen.requires_grad && !fault(Fault::guard_requires_grad) &&
        !fail("{}.requires_grad was {}, now {}", g.name, g.seen.requires_grad,
              !g.seen.requires_grad))
      return false;
    if (t.storage->is_inference() != g.seen.inference &&
        !fail("{}.is_inference() was {}, now {}", g.name, g.seen.inference, !g.seen.inference))
      return false;
    if (!t.storage->has_data()) return stop("{} has no data", g.name);
    if (g.fixed_offset && t.offset != g.seen.offset &&
        !fail("{}.storage_offset() was {}, now {}", g.name, g.seen.offset, t.offset))
      return false;
    for (size_t d = 0; d < g.sizes.size(); ++d) {
      const DimGuard& s = g.sizes[d];
      if (s.kind == DimGuard::Kind::binds)
        out_.symbols[static_cast<size_t>(s.symbol)] = t.sizes[d];
      else if (s.kind == DimGuard::Kind::constant && t.sizes[d] != s.value &&
               !fault(Fault::guard_size) &&
               !fail("{}.size({}) was {}, now {}", g.name, d, s.value, t.sizes[d]))
        return false;
    }
    return true;
  }

  bool dims() {
    if (fixed_known_)
      return std::ranges::all_of(e_.open_inputs, [&](size_t i) { return dims_of(i); });
    for (size_t i = 0; i < e_.inputs.size(); ++i) {
      if (is_settled(e_.inputs[i]) && e_.constant_layout[i]) continue;
      if (!dims_of(i)) return false;
    }
    if (rest_settled_ || failed()) return true;
    e_.resolved_metadata.store(epoch_, std::memory_order_release);
    return true;
  }

  bool dims_of(size_t i) {
    const InputGuard& g = e_.inputs[i];
    const TensorImpl& t = *out_.inputs[i].impl();
    for (size_t d = 0; d < g.sizes.size(); ++d) {
      int64_t wanted = 0;
      if (g.sizes[d].kind == DimGuard::Kind::equals &&
          (!g.sizes[d].program.try_run(out_.symbols, &wanted) || wanted != t.sizes[d]))
        return fail("{}.size({}) is {}, expected {}", g.name, d, t.sizes[d], wanted);
      if (t.sizes[d] <= 1 && !g.exact_strides) continue;  // its stride addresses nothing
      const DimGuard& s = g.strides[d];
      wanted = s.value;
      bool known = s.kind != DimGuard::Kind::equals || s.program.try_run(out_.symbols, &wanted);
      if (!known || (wanted != t.strides[d] && !fault(Fault::guard_stride)))
        return fail("{}.stride({}) was {}, now {}", g.name, d, wanted, t.strides[d]);
    }
    return true;
  }

  bool conditions() {
    if (fault(Fault::guard_condition)) return true;
    for (size_t i = 0; i < e_.conditions.size(); ++i) {
      int64_t holds = 0;
      if (!e_.conditions[i].try_run(out_.symbols, &holds) || !holds)
        return fail("{} does not hold", e_.condition_text(i));
    }
    return true;
  }

  // A storage goes by the name of the tensor it was reached from.
  const std::string& shown(int input) const {
    const InputGuard& g = e_.inputs[static_cast<size_t>(input)];
    return g.source.kind == Source::Kind::whole
               ? e_.inputs[static_cast<size_t>(g.source.index)].name
               : g.name;
  }

  bool sharing() {
    if (fault(Fault::guard_sharing)) return true;
    for (const SharingGuard& s : e_.sharing) {
      const TensorImpl &a = *out_.inputs[static_cast<size_t>(s.a)].impl(),
                       &b = *out_.inputs[static_cast<size_t>(s.b)].impl();
      bool shared = a.storage == b.storage && (s.shared || may_overlap(a, b));
      if (shared != s.shared || (shared && b.offset - a.offset != s.offset_difference))
        return fail("{} and {} {} memory", shown(s.a), shown(s.b),
                    s.shared ? "no longer share the same" : "now share");
    }
    return true;
  }

  Entry& e_;
  const CallState& state_;
  Gathered& out_;
  Misfit* why_;
  const uint64_t epoch_;       // of all tensors' metadata, as the call began
  bool rest_settled_ = false;  // but for live arguments, they have been looked at in that epoch
  std::vector<bool> settled_;  // by argument
  bool fixed_known_ = false;   // tensors of fixed identity have been looked at in that epoch
};

}  // namespace

bool gather(Entry& e, const CallState& state, Gathered& out) {
  return Checker(e, state, out, nullptr).run();
}

Misfit misfit(Entry& e, const CallState& state) {
  Misfit why;
  Gathered g;
  Checker(e, state, g, &why).run();
  return why;
}

std::string why_not(Entry& e, const CallState& state) { return misfit(e, state).first; }

std::string why_none(std::span<const std::shared_ptr<Entry>> entries, const CallState& state) {
  Misfit nearest;
  for (const auto& e : entries)
    if (Misfit m = misfit(*e, state); m.guards && (!nearest.guards || m.guards <= nearest.guards))
      nearest = std::move(m);
  return nearest.first;
}

}  // namespace frit::compiler
