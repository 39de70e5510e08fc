// The entry that a stretch of a recording becomes: what it gives back, its effects and its guards.
#include <algorithm>

#include "compile/capture.h"
#include "eager/autograd_meta.h"

namespace frit::compiler {

void Capture::close_stretch(const Closing& closing) {
  const auto [end, where, value, read, results, rest_why] = closing;
  if (recorder_->stopped()) return;
  try {
    Entry& e = *entry_;
    // Everything the caller can still reach: results, or (where the program goes on) what is alive.
    std::vector<Tensor> kept;
    auto keep = [&](const Tensor& t) {
      for (size_t i = 0; i < kept.size(); ++i)
        if (kept[i].is_same(t)) return static_cast<int>(i);
      kept.push_back(t);
      return static_cast<int>(kept.size()) - 1;
    };
    if (results)
      for (const Tensor& t : results->tensors) e.returned.push_back(t.defined() ? keep(t) : -1);
    e.end = end;
    e.rest_why = rest_why;
    if (value) e.value = keep(*value);
    if (!results) {
      std::vector<uint64_t> seen;
      for (const WeakPtr<TensorImpl>& w : made_) {
        Ptr<TensorImpl> p = w.lock();
        if (!p || std::find(seen.begin(), seen.end(), p->id()) != seen.end()) continue;
        seen.push_back(p->id());
        if (argument_index_.count(p->id()) || prefix_index_.count(p->id())) continue;
        e.live.push_back(keep(Tensor(p)));
      }
    }
    for (auto& [id, change] : grads_) {
      auto& [leaf, grad] = change;
      GradEffect g;
      g.leaf = recorder_->input(trace::handle_of(leaf));
      if (g.leaf < 0) {
        recorder_->stop({"grad_of_local", "the gradient of a tensor made in the callable is kept",
                         "parameters and arguments keep gradients", where, false});
        return;
      }
      g.output = grad.defined() ? keep(grad) : -1;
      e.grad_effects.push_back(g);
    }
    std::vector<Handle> handles;
    for (const Tensor& t : kept) handles.push_back(trace::handle_of(t));
    for (const Handle& h : handles)
      if (!recorder_->knows(h.identity)) recorder_->input(h);
    std::unique_ptr<ir::Graph> graph = recorder_->finish(handles);
    const auto& inputs = recorder_->inputs();
    for (auto& [id, defined] : grad_guard_leaves_)
      for (size_t i = 0; i < inputs.size(); ++i)
        if (inputs[i].handle.identity == id) e.grads.push_back({static_cast<int>(i), defined});
    for (size_t i = 0; i < inputs.size(); ++i)
      if (auto h = hook_leaves_.find(inputs[i].handle.identity); h != hook_leaves_.end())
        e.hooks.push_back({static_cast<int>(i), h->second});
    std::vector<int> graph_inputs = drop_inputs(e, *graph);

    // How each kept tensor is made from the run.
    int fresh = 0;
    std::vector<int> fresh_index;
    for (const ir::Output& o : graph->outputs)
      fresh_index.push_back(o.kind == ir::Output::Kind::fresh ? fresh++ : -1);
    auto programs = [&](const IntList& l) {
      std::vector<sym::Program> p;
      for (Int i : l) p.push_back(env_->compile(i));
      return p;
    };
    Stretch s;
    for (size_t i = 0; i < graph->outputs.size(); ++i) {
      const ir::Output& o = graph->outputs[i];
      TensorResult r;
      r.requires_grad = o.requires_grad;
      switch (o.kind) {
        case ir::Output::Kind::fresh:
          r.kind = TensorResult::Kind::fresh;
          r.index = fresh_index[i];
          r.inference = i < kept.size() && kept[i].impl()->storage->is_inference();
          if (o.bumps) e.fresh_writes.emplace_back(r.index, o.bumps);
          if (o.requires_grad && std::find(s.differentiated.begin(), s.differentiated.end(),
                                           static_cast<int>(i)) == s.differentiated.end())
            s.differentiated.push_back(static_cast<int>(i));
          break;
        case ir::Output::Kind::input:
          r.kind = TensorResult::Kind::input;
          r.index = o.of;
          break;
        case ir::Output::Kind::view_of_input:
          r.kind = TensorResult::Kind::view_of_input;
          r.index = o.of;
          if (o.requires_grad && i < handles.size())
            for (const auto& v : recorder_->views_of(handles[i]))
              r.views.push_back({v.record, v.args});
          break;
        case ir::Output::Kind::view_of_output:
          r.kind = TensorResult::Kind::view_of_output;
          r.index = o.of;
          break;
      }
      if (o.kind == ir::Output::Kind::view_of_input || o.kind == ir::Output::Kind::view_of_output) {
        if (i < kept.size())
          if (const eager::AutogradMeta* m = eager::meta_of(*kept[i].impl()); m && m->view) {
            r.without_grad = m->view->made == eager::ViewInfo::Made::without_grad;
            r.in_inference = m->view->made == eager::ViewInfo::Made::in_inference;
          }
        r.sizes = programs(o.sizes);
        r.strides = programs(o.strides);
        r.offset = env_->compile(o.offset);
        if (o.requires_grad && o.kind == ir::Output::Kind::view_of_output) {
          ir::Output& base = graph->outputs[static_cast<size_t>(o.of)];
          base.requires_grad = true;
          if (std::find(s.differentiated.begin(), s.differentiated.end(), o.of) ==
              s.differentiated.end())
            s.differentiated.push_back(o.of);
          if (static_cast<size_t>(o.of) < e.kept.size())
            e.kept[static_cast<size_t>(o.of)].requires_grad = true;
        }
      }
      if (o.kind == ir::Output::Kind::fresh && o.requires_grad) r.requires_grad = true;
      e.kept.push_back(std::move(r));
    }
    for (int d : s.differentiated) e.kept[static_cast<size_t>(d)].requires_grad = true;
    s.needs_grad = !s.differentiated.empty();
    for (const ir::Output& o : graph->outputs) {
      // An alias of an input with a history of its own.
      if (o.kind != ir::Output::Kind::view_of_input || !o.requires_grad) continue;
      const auto& in = inputs[static_cast<size_t>(graph_inputs[static_cast<size_t>(o.of)])];
      if (in.handle.description.requires_grad && !in.written) continue;
      recorder_->stop({"written_with_gradient",
                       "an alias of " + in.name + " is written with values that require a gradient",
                       "write to a clone()", written_at_[in.handle.storage], false});
      return;
    }
    if (s.needs_grad && parted_) {
      recorder_->stop(*parted_);
      return;
    }
    for (const auto& in : inputs) {
      // Its value is a view of the whole storage here, which has no history.
      if (!s.needs_grad || in.of_group < 0 || !in.handle.description.requires_grad) continue;
      recorder_->stop({"written_with_gradient",
                       in.name + " requires a gradient and shares memory with a tensor that is "
                                 "written, and gradients of the result are wanted",
                       "write to a clone()", where, false});
      return;
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      const auto& in = inputs[i];
      if (!in.written) continue;
      bool new_history = false;
      std::string differentiated;  // of the inputs in that memory
      for (size_t k = 0; k < inputs.size(); ++k) {
        if (inputs[k].handle.storage != in.handle.storage) continue;
        new_history = new_history || got_history(sources_[k], inputs[k].handle);
        if (inputs[k].handle.description.requires_grad) differentiated = inputs[k].name;
      }
      if (!new_history && !(s.needs_grad && !differentiated.empty())) continue;
      recorder_->stop({"written_with_gradient",
                       new_history
                           ? in.name + " is written with values that require a gradient"
                           : differentiated + " requires a gradient, is written, and gradients of "
                                              "the result are wanted",
                       new_history ? "write under NoGrad, or make a new tensor"
                                   : "write it before or after the compiled call, or return "
                                     "detach()ed results where no gradient is needed",
                       written_at_[in.handle.storage], false});
      return;
    }
    if (results)
      for (const Scalar& n : results->numbers) {
        NumberResult r;
        r.constant = n;
        if (n.is_symbolic()) {
          r.symbolic = true;
          r.program = env_->compile(n.as_int());
        }
        e.result_numbers.push_back(std::move(r));
      }
    // The answers for a later replay.
    if (!results)
      for (const LoggedOp& op : log_) {
        ReplayStep step;
        step.record = op.record;
        step.symbols_after = op.symbols_after;
        for (const LoggedResult& lr : op.results) {
          ReplayStep::Result r;
          r.argument = lr.argument;
          r.description = lr.description;
          r.sizes = lr.sizes;
          r.strides = lr.strides;
          r.offset = lr.offset;
          if (auto it = item_symbols_.find(lr.identity); it != item_symbols_.end())
            r.item_symbol = it->second;
          for (size_t k = 0; k < e.live.size(); ++k)
            if (kept[static_cast<size_t>(e.live[k])].impl()->id() == lr.identity)
              r.live = static_cast<int>(k);
          step.results.push_back(std::move(r));
        }
        e.replay.push_back(std::move(step));
      }
    e.ended_at = where;
    fill_guards(e, *graph, graph_inputs);
    for (const ir::Effect& effect : graph->effects) {
      if (effect.kind == ir::Effect::Kind::write_input)
        e.writes.emplace_back(effect.input, effect.bumps);
      if (effect.kind == ir::Effect::Kind::advance_rng) {
        e.uses_rng = true;
        e.rng_blocks = env_->compile(effect.blocks);
        const sym::Expr* blocks = effect.blocks.expr();
        e.rng_after = blocks && blocks->has_unbacked();
      }
    }
    s.data_sizes = data_sizes_in(*graph);
    s.asserts = env_->runtime_asserts().size();
    s.graph = std::move(graph);
    s.env = env_;
    s.entry = entry_;
    if (value) s.value = read;
    stretches_.push_back(std::move(s));
    if (e.goes_on()) {
      // Live tensors are the next stretch's inputs.
      for (int k : stretches_.back().entry->live) {
        const Tensor& t = kept[static_cast<size_t>(k)];
        prefix_index_.emplace(t.impl()->id(), static_cast<int>(prefix_tensors_.size()));
        prefix_tensors_.push_back(t);
      }
    }
  } catch (const std::exception& e) {
    recorder_->stop({"not_recorded", e.what(), "", where, true});
  }
  if (recorder_->stopped()) drop(*recorder_->stopped());
}

// Was the input given a place on the tape by an op of this stretch?
bool Capture::got_history(const Source& s, const Handle& h) const {
  auto* object = static_cast<TensorImpl*>(h.object);
  // What was captured may be gone, and its history with it.
  Ptr<TensorImpl> t = s.kind == Source::Kind::captured ? s.tensor.lock() : Ptr<TensorImpl>(object);
  Ptr<eager::TapeNode> maker = t ? eager::grad_fn(Tensor(t)) : nullptr;
  return maker && maker->sequence() > sequence_at_start_;
}

// Tensors of fixed identity that the graph never reads leave it, and so do arguments of a front end
// that finds them itself: they are looked at again only when some metadata changed. Returns, for
// each input left, its number in the recording.
std::vector<int> Capture::drop_inputs(Entry& e, ir::Graph& graph) {
  std::vector<bool> must(sources_.size(), false);
  for (size_t i = 0; i < sources_.size(); ++i) {
    const Source& s = sources_[i];
    const bool may_go = s.is_fixed() || (request_.finder && s.kind == Source::Kind::argument &&
                                         std::ranges::all_of(recorder_->inputs()[i].symbols,
                                                             [](int n) { return n < 0; }));
    must[i] = must[i] || !may_go;
    if (s.kind == Source::Kind::grad || s.kind == Source::Kind::whole)
      must[static_cast<size_t>(s.index)] = true;
    // Reached by way of the whole: it is looked at whether it still lies there.
    must[i] = must[i] || recorder_->inputs()[i].of_group >= 0;
  }
  for (const GradEffect& g : e.grad_effects) must[static_cast<size_t>(g.leaf)] = true;
  for (const GradGuard& g : e.grads) must[static_cast<size_t>(g.leaf)] = true;
  for (const HookGuard& h : e.hooks) must[static_cast<size_t>(h.leaf)] = true;
  std::vector<int> kept =
      graph.drop_unused_inputs([&](ir::Value* v) { return must[static_cast<size_t>(v->index())]; });
  std::vector<int> number(sources_.size(), -1);
  for (size_t i = 0; i < kept.size(); ++i)
    number[static_cast<size_t>(kept[i])] = static_cast<int>(i);
  for (GradEffect& g : e.grad_effects) g.leaf = number[static_cast<size_t>(g.leaf)];
  for (GradGuard& g : e.grads) g.leaf = number[static_cast<size_t>(g.leaf)];
  for (HookGuard& h : e.hooks) h.leaf = number[static_cast<size_t>(h.leaf)];
  for (Source& s : sources_)
    if (s.kind == Source::Kind::grad || s.kind == Source::Kind::whole)
      s.index = number[static_cast<size_t>(s.index)];
  return kept;
}

void Capture::fill_guards(Entry& e, const ir::Graph& graph, const std::vector<int>& kept) {
  const auto& inputs = recorder_->inputs();
  auto guard_of = [&](Int n, int symbol) {
    DimGuard d;
    if (symbol >= 0) {
      // What it must be is among the conditions.
      d.kind = DimGuard::Kind::binds;
      d.symbol = symbol;
      return d;
    }
    if (n.is_constant()) {
      d.value = n.constant();
      return d;
    }
    d.kind = DimGuard::Kind::equals;
    d.program = env_->compile(n);
    return d;
  };
  auto described = [&](size_t i) {
    const auto& in = inputs[i];
    InputGuard g;
    g.source = sources_[i];
    g.name = in.name;
    g.seen = in.handle.description;
    g.fixed_offset = in.fixed_offset;
    g.exact_strides = in.exact_strides;
    if (g.source.kind == Source::Kind::captured)
      if (const auto* meta = eager::meta_of(*static_cast<const TensorImpl*>(in.handle.object)))
        g.replaced = meta->replaced;
    return g;
  };
  std::vector<bool> in_graph(inputs.size(), false);
  for (size_t i = 0; i < kept.size(); ++i) {
    in_graph[static_cast<size_t>(kept[i])] = true;
    InputGuard g = described(static_cast<size_t>(kept[i]));
    const ir::Value& v = *graph.inputs()[i];
    for (size_t d = 0; d < v.sizes().size(); ++d)
      g.sizes.push_back(guard_of(v.sizes()[d], inputs[static_cast<size_t>(kept[i])].symbols[d]));
    for (Int n : v.strides()) g.strides.push_back(guard_of(n, -1));
    e.inputs.push_back(std::move(g));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (in_graph[i]) continue;
    InputGuard g = described(i);
    for (int64_t n : g.seen.sizes) g.sizes.push_back(DimGuard{DimGuard::Kind::constant, n, -1, {}});
    for (int64_t n : g.seen.strides)
      g.strides.push_back(DimGuard{DimGuard::Kind::constant, n, -1, {}});
    e.watched.push_back(std::move(g));
  }
  for (size_t i = 0; i < inputs.size(); ++i)
    if (sources_[i].kind == Source::Kind::captured || sources_[i].kind == Source::Kind::module)
      static_cast<TensorImpl*>(inputs[i].handle.object)
          ->watched.store(true, std::memory_order_relaxed);
  e.symbol_count = static_cast<int>(env_->symbols().size());
  // Storages: what is written or given back as an alias must share with the same others as it did,
  // and so must what was taken as one storage, with those that were read through it.
  auto whole = [&](size_t input) { return sources_[input].kind == Source::Kind::whole; };
  auto matters = [&](size_t input) {
    return inputs[input].written || inputs[input].aliased || whole(input);
  };
  for (size_t i = 0; i < kept.size(); ++i) {
    auto a = static_cast<size_t>(kept[i]);
    if (!matters(a)) continue;
    for (size_t j = 0; j < kept.size(); ++j) {
      auto b = static_cast<size_t>(kept[j]);
      if (a == b || (b < a && matters(b))) continue;
      auto changeable = [&](const Source& s) {
        return s.kind == Source::Kind::argument || s.kind == Source::Kind::prefix ||
               s.kind == Source::Kind::grad || s.kind == Source::Kind::whole;
      };
      bool shared = inputs[a].handle.storage == inputs[b].handle.storage;
      if (!shared && !changeable(sources_[a]) && !changeable(sources_[b])) continue;
      e.sharing.push_back(
          {static_cast<int>(i), static_cast<int>(j), shared,
           inputs[b].handle.description.offset - inputs[a].handle.description.offset});
    }
  }
  guard_slots(e);
  guard_fixed_storages(e, kept);
  const auto& tensors = request_.args->tensors;
  std::unordered_map<const TensorImpl*, int> firsts;
  e.argument_shared.assign(tensors.size(), false);
  for (size_t i = 0; i < tensors.size(); ++i) {
    const int first = tensors[i].defined()
                          ? firsts.emplace(tensors[i].impl(), static_cast<int>(i)).first->second
                          : -1;
    if (first >= 0 && static_cast<size_t>(first) != i)
      e.argument_shared[i] = e.argument_shared[static_cast<size_t>(first)] = true;
    e.argument_identity.push_back(first);
    e.arguments_were.push_back(first < 0 ? WeakPtr<TensorImpl>()
                                         : WeakPtr<TensorImpl>(tensors[i].impl()));
  }
  e.watched_argument.assign(tensors.size(), -1);
  for (size_t i = 0; i < e.watched.size(); ++i)
    if (e.watched[i].source.kind == Source::Kind::argument)
      e.watched_argument[static_cast<size_t>(e.watched[i].source.index)] = static_cast<int>(i);
  for (const auto* guards : {&e.inputs, &e.watched})
    for (const InputGuard& g : *guards) e.has_fixed = e.has_fixed || g.source.is_fixed();
  for (const Scalar& n : request_.args->numbers) e.numbers.push_back({n, -1});
  for (auto [number, symbol] : number_symbols_) e.numbers[number].symbol = symbol;
}

// A tensor that the module has under several names is read through all of them.
void Capture::guard_slots(Entry& e) const {
  std::unordered_map<std::string, std::pair<SlotGuard::Is, int>> by_path;
  auto note = [&](const std::vector<InputGuard>& guards, SlotGuard::Is is) {
    for (size_t i = 0; i < guards.size(); ++i)
      if (guards[i].source.kind == Source::Kind::module)
        by_path.emplace(guards[i].source.path, std::pair(is, static_cast<int>(i)));
  };
  note(e.inputs, SlotGuard::Is::input);
  note(e.watched, SlotGuard::Is::watched);
  for (auto& [path, t] : slots_) {
    if (!t.defined()) {
      e.slots.push_back({SlotGuard::Is::undefined, -1, path});
    } else if (auto a = argument_index_.find(t.impl()->id()); a != argument_index_.end()) {
      e.argument_slots.push_back({a->second, path});
    } else {
      const std::string& first = module_paths_.at(t.impl()->id());
      auto known = by_path.find(first);
      if (known != by_path.end() && path != first)
        e.slots.push_back({known->second.first, known->second.second, path});
    }
  }
}

// Pairs of fixed identity that share no memory have no guard of their own: there may be very many.
void Capture::guard_fixed_storages(Entry& e, const std::vector<int>& kept) const {
  const auto& inputs = recorder_->inputs();
  std::unordered_map<uint64_t, int> first;
  bool matters = false;
  for (size_t i = 0; i < kept.size(); ++i) {
    auto n = static_cast<size_t>(kept[i]);
    if (!e.inputs[i].source.is_fixed()) {
      e.fixed_storages.push_back(-1);
      continue;
    }
    matters = matters || inputs[n].written || inputs[n].aliased;
    e.fixed_storages.push_back(
        first.emplace(inputs[n].handle.storage, static_cast<int>(i)).first->second);
  }
  if (!matters) e.fixed_storages.clear();
}

}  // namespace frit::compiler
