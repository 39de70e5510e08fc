#include "compile/capture.h"

#include <algorithm>

#include "base/event.h"
#include "core/generator.h"
#include "eager/autograd_meta.h"
#include "eager/module_path.h"
#include "sym/parse.h"

namespace frit::compiler {
namespace {

sym::Program program_of(const sym::ShapeEnv& env, Int v) { return env.compile(v); }

}  // namespace

Capture::Capture(CaptureRequest request) : request_(std::move(request)) {
  const auto& tensors = request_.args->tensors;
  for (size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].defined()) argument_index_.emplace(tensors[i].impl()->id(), static_cast<int>(i));
  if (request_.module) {
    for (auto& [name, t] : request_.module->named_parameters())
      module_paths_.emplace(t.impl()->id(), name);
    for (auto& [name, t] : request_.module->named_buffers())
      module_paths_.emplace(t.impl()->id(), name);
  }
  for (const auto& live : request_.prefix.live)
    for (const Tensor& t : live) {
      prefix_index_.emplace(t.defined() ? t.impl()->id() : 0,
                            static_cast<int>(prefix_tensors_.size()));
      prefix_tensors_.push_back(t);
    }
  // What the prefix took for one storage is one here, too: symbols are numbered alike.
  for (const auto& entry : request_.prefix.entries)
    for (const InputGuard& g : entry->inputs) {
      if (g.source.kind != Source::Kind::whole) continue;
      const Source& member = entry->inputs[static_cast<size_t>(g.source.index)].source;
      if (member.kind == Source::Kind::argument)
        prefix_groups_.push_back(tensors[static_cast<size_t>(member.index)].impl()->storage->id());
    }
  for (int i : request_.grouped_arguments)
    if (static_cast<size_t>(i) < tensors.size() && tensors[static_cast<size_t>(i)].defined())
      request_.grouped_storages.push_back(tensors[static_cast<size_t>(i)].impl()->storage->id());
}

Capture::~Capture() { clear_symbolic(); }

void Capture::clear_symbolic() {
  for (const WeakPtr<TensorImpl>& w : with_symbols_)
    if (Ptr<TensorImpl> t = w.lock()) t->symbolic.reset();
  with_symbols_.clear();
}

void Capture::begin_stretch(bool new_environment) {
  // Sizes that the program read before go on standing for the same: one environment for a run.
  if (new_environment) {
    clear_symbolic();
    env_ = std::make_shared<sym::ShapeEnv>();
    env_->set_location_source([] { return SourceLocation(); });
    env_->set_on_data_dependent([this](const sym::DataDependentError& e, std::optional<bool> seen) {
      // Eager knows the value: the call goes on, but no graph can.
      if (seen && active())
        recorder_->stop({"data_dependent", e.message(), e.hint(), e.where(), false});
      return seen;
    });
  }
  recorder_ = std::make_unique<trace::Recorder>(
      env_, *this,
      trace::Recorder::Options{request_.dynamic,
                               replaying_ ? prefix_groups_ : request_.grouped_storages});
  first_stretch_ = new_environment;
  entry_ = std::make_shared<Entry>();
  entry_->grad_mode = t_state.word & (kGradEnabled | kInferenceMode);
  entry_->default_type = default_dtype();
  sequence_at_start_ = eager::latest_sequence();
  rng_at_start_ = default_generator()->state();
  made_.clear();
  aliases_.clear();
  parted_.reset();
  sources_.clear();
  whole_of_.clear();
  grads_.clear();
  grad_sources_.clear();
  grad_guard_leaves_.clear();
  hook_leaves_.clear();
  forms_.clear();
  log_.clear();
  item_symbols_.clear();
  seen_backward_ = false;
  written_at_.clear();
  // Arguments first, in order, so that a tensor that is both is known as an argument.
  const auto& tensors = request_.args->tensors;
  binding_arguments_ = true;
  for (const Tensor& t : tensors)
    if (t.defined()) recorder_->input(trace::handle_of(t));
  binding_arguments_ = false;
}

void Capture::run(const Body& body, Leaves& results) {
  bool replay = !request_.prefix.entries.empty();
  eager::InterceptorScope scope(*this, replay);
  struct Unhook {
    Capture& c;
    ~Unhook() { c.env_->set_on_data_dependent({}); }
  } unhook{*this};
  replaying_ = replay;
  begin_stretch(true);
  eager::set_intercepting(!replay, replay);
  try {
    body(results);
  } catch (...) {
    recorder_.reset();
    throw;
  }
  eager::set_intercepting(false, false);
  if (replaying_) {
    // The program ended inside the prefix: it did not repeat itself.
    drop({"not_repeated",
          "the callable ended before it had repeated what it did at its first run",
          "",
          {},
          false});
    return;
  }
  if (active()) close_stretch(nullptr, Scalar(), &results, {});
  if (recorder_ && recorder_->stopped()) drop(*recorder_->stopped());
  clear_symbolic();
  // Symbols end with the capture: the caller gets numbers.
  for (Scalar& n : results.numbers)
    if (n.is_symbolic()) n = Scalar(n.to_int64());
}

void Capture::drop(trace::Stop stop) {
  if (recorder_)
    for (uint64_t s : recorder_->storages_to_group()) to_group_.push_back(s);
  if (!stop_) stop_ = std::move(stop);
}

ir::Provenance Capture::provenance(SourceLocation where) const {
  ir::Provenance p;
  if (where) p.where.push_back(where);
  p.module_path = eager::current_module_path();
  switch (eager::current_stage()) {
    case eager::Stage::forward:
      p.stage = ir::Stage::forward;
      break;
    case eager::Stage::backward:
      p.stage = ir::Stage::backward;
      break;
    case eager::Stage::optimizer:
      p.stage = ir::Stage::optimizer;
      break;
  }
  p.grad = (t_state.word & kGradEnabled) != 0;
  return p;
}

// --- what the program does ---

void Capture::note(const OpRecord& record, std::span<const Arg> args,
                   std::span<const Tensor> results, PhiloxState, SourceLocation where) {
  if (!active()) return;
  if (where) last_where_ = where;
  if (record.has_effect) {
    recorder_->stop({"effect", "[" + record.full_name + "] has an effect no graph can hold",
                     "frit::host_call keeps it outside of graphs", where, false});
    return;
  }
  for (const Arg& a : args)
    if (a.is<std::shared_ptr<Generator>>() &&
        a.as<std::shared_ptr<Generator>>().get() != default_generator().get()) {
      recorder_->stop({"generator", "[" + record.full_name + "] draws from a generator of its own",
                       "leave the generator out: the default one is part of the graph, and "
                       "frit::manual_seed seeds it",
                       where, false});
      return;
    }
  if (record.form == Form::inplace && record.kind == Kind::view) changed_sizes_ = true;
  trace::HandleArgs handles(args);
  std::vector<Handle> given;
  LoggedOp logged{&record, {}, 0};
  for (const Tensor& t : results) {
    if (!t.defined()) {
      recorder_->stop({"undefined_result", "[" + record.full_name + "] gave an undefined tensor",
                       "", where, true});
      return;
    }
    given.push_back(trace::handle_of(t));
    int argument = -1, index = 0;
    for (const Arg& a : args) {
      if (a.is_ref() && a.ref().tensor().is_same(t)) argument = index;
      ++index;
    }
    logged.results.push_back({t.impl()->id(), argument, given.back().description, {}, {}, 0});
    made_.push_back(WeakPtr<TensorImpl>(t.impl()));
    if (argument < 0) aliases_[given.back().storage].push_back(made_.back());
  }
  if (record.writes()) follow_write(record, args, where);
  recorder_->note(record, handles.args(), given, provenance(where));
  for (size_t i = 0; i < results.size(); ++i)
    if (const auto& symbolic = results[i].impl()->symbolic) {
      LoggedResult& r = logged.results[i];
      r.sizes = symbolic->sizes;
      r.strides = symbolic->strides;
      r.offset = symbolic->offset;
    }
  logged.symbols_after = env_->symbols().size();
  log_.push_back(std::move(logged));
}

// In a graph, what a tensor holds and where its gradient goes are one. They are not for what shares
// memory with a written tensor but not its place on the tape, as detach() gives it.
void Capture::follow_write(const OpRecord& record, std::span<const Arg> args,
                           SourceLocation where) {
  auto base_of = [](const Tensor& t) {
    const eager::AutogradMeta* m = eager::meta_of(*t.impl());
    return m && m->view ? m->view->base.impl() : t.impl();
  };
  for (size_t i = 0; i < record.schema.args.size(); ++i) {
    if (!record.schema.args[i].is_written || !args[i].is_ref()) continue;
    const Tensor& written = args[i].ref().tensor();
    written_at_[written.impl()->storage->id()] = where;
    auto others = aliases_.find(written.impl()->storage->id());
    if (others == aliases_.end()) continue;
    bool any = false;
    for (const WeakPtr<TensorImpl>& w : others->second) {
      Ptr<TensorImpl> p = w.lock();
      if (!p) continue;
      Tensor other(p);
      any = any || (base_of(other) != base_of(written) &&
                    (eager::requires_grad(other) || eager::requires_grad(written)));
    }
    if (any && !parted_)
      parted_ = trace::Stop{"written_with_gradient",
                            "[" + record.full_name +
                                "] writes a tensor whose memory another one with a gradient has, "
                                "and gradients of the result are wanted",
                            "write to a clone()", where, false};
  }
}

void Capture::aliased(const Tensor& known, const Tensor& fresh) {
  if (!active() || !recorder_->knows(known.impl()->id())) return;
  recorder_->add_alias(trace::handle_of(known), trace::handle_of(fresh));
}

void Capture::reading_value(const Tensor& t, SourceLocation where) {
  if (t_state.word & kReplaying) {
    // The end of a stretch of the prefix.
    ++replay_entry_;
    replay_step_ = 0;
    if (replay_entry_ == request_.prefix.entries.size()) {
      repeat_symbols(request_.prefix.symbols.size());
      replaying_ = false;
      eager::set_intercepting(true, false);
      begin_stretch(false);
    }
    return;
  }
  if (!active()) return;
  // `if (tensor)` has no place of its own, an operator cannot take one: that of the op which made
  // it.
  if (!where) {
    if (recorder_->knows(t.impl()->id()))
      if (const ir::Node* n = recorder_->value_of(trace::handle_of(t))->producer();
          n && !n->provenance().where.empty())
        where = n->provenance().where.front();
  }
  if (t.impl()->numel() != 1) {
    recorder_->stop({"data_read", "a tensor's values are read on the host (to_vector, str, data)",
                     "read them after the compiled call, or one number with item()",
                     where ? where : last_where_, false});
    return;
  }
  if (changed_sizes_) {
    recorder_->stop({"value_after_inplace_view",
                     "a tensor's value is read after another's sizes were changed in place",
                     "the form that gives a new view, or read it after the compiled call", where,
                     false});
    return;
  }
  if (seen_backward_) {
    recorder_->stop({"value_after_backward",
                     "a tensor's value is read after a backward pass of the same call",
                     "read it after the compiled call", where, false});
    return;
  }
  WordScope quiet(0, kRecording | kReplaying);
  Scalar value = is_floating(t.dtype()) ? Scalar(t.item<double>())
                 : is_bool(t.dtype())   ? Scalar(t.item<bool>())
                                        : Scalar(t.item<int64_t>());
  close_stretch(&t, value, nullptr, where);
  if (recorder_->stopped()) return;
  if (static_cast<int>(stretches_.size()) >= request_.most_stretches) {
    finished_ = true;
    return;
  }
  // What is alive now is what the next stretch begins with.
  begin_stretch(false);
}

std::vector<int> Capture::arguments_to_group() const {
  std::vector<int> found;
  const auto& tensors = request_.args->tensors;
  for (size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].defined() && std::find(to_group_.begin(), to_group_.end(),
                                          tensors[i].impl()->storage->id()) != to_group_.end())
      found.push_back(static_cast<int>(i));
  return found;
}

std::optional<Int> Capture::symbol_for(const Tensor& t, int64_t value, SourceLocation where) {
  if (replaying_) {
    size_t index = env_->symbols().size();
    if (index >= request_.prefix.symbols.size()) return Int(value);
    repeat_symbols(index + 1);
    return env_->find_symbol(env_->symbols()[index].name);
  }
  if (!active()) return std::nullopt;
  try {
    Int symbol = recorder_->define_symbol(trace::handle_of(t), value, provenance(where));
    item_symbols_.emplace(t.impl()->id(), static_cast<int>(env_->symbols().size()) - 1);
    return symbol;
  } catch (const std::exception& e) {
    recorder_->stop({"item_int", e.what(), "", where, true});
    return std::nullopt;
  }
}

void Capture::reading_metadata(const TensorImpl& t) {
  if (!active() || recorder_->knows(t.id())) return;
  if (t.symbolic) return;
  recorder_->input(trace::handle_of(Tensor(Ptr<TensorImpl>(const_cast<TensorImpl*>(&t)))));
}

void Capture::unsupported(const TensorImpl&, const char* what, const char* hint,
                          SourceLocation where) {
  if (!active()) return;
  recorder_->stop({"unsupported", std::string(what) + " cannot be part of a graph", hint,
                   where ? where : last_where_, false});
}

void Capture::failed(const OpRecord& record, const std::string& text, SourceLocation where) {
  if (active())
    recorder_->stop(
        {"symbolic_size",
         "[" + record.full_name + "] cannot be recorded for sizes that may change: " + text,
         "sizes that do not depend on data, or CompileOptions::dynamic = Dynamic::off", where,
         false});
  clear_symbolic();  // from here on sizes are numbers
}

void Capture::reading_flag(const std::shared_ptr<const bool>& flag, const char* what) {
  if (!active()) return;
  for (const FlagGuard& g : entry_->flags)
    if (g.flag == flag) return;
  entry_->flags.push_back({flag, *flag, what});
}

void Capture::reading_form(const std::shared_ptr<const ModuleForm>& form, Symbol path) {
  if (!active() || !forms_.insert(form.get()).second) return;
  entry_->forms.push_back({form, *form, std::string(path.str())});
}

void Capture::gradient_hooks_read(const Tensor& leaf) {
  if (!active()) return;
  recorder_->input(trace::handle_of(leaf));
  hook_leaves_.emplace(leaf.impl()->id(), eager::gradient_hooks(eager::meta_of(*leaf.impl())));
}

void Capture::grad_changed(const Tensor& leaf, const Tensor& grad) {
  if (!active()) return;
  seen_backward_ = true;
  recorder_->input(trace::handle_of(leaf));
  grads_[leaf.impl()->id()] = {leaf, grad};
}

void Capture::grad_read(const Tensor& leaf) {
  if (!active() || grads_.count(leaf.impl()->id())) return;
  for (auto& [id, defined] : grad_guard_leaves_)
    if (id == leaf.impl()->id()) return;
  recorder_->input(trace::handle_of(leaf));
  const eager::AutogradMeta* meta = eager::meta_of(*leaf.impl());
  Tensor grad = meta ? meta->grad : Tensor();
  grad_guard_leaves_.emplace_back(leaf.impl()->id(), grad.defined());
  if (grad.defined()) grad_sources_[grad.impl()->id()] = {leaf.impl()->id(), grad};
}

bool Capture::backward_begins(std::span<const Tensor> roots, SourceLocation where) {
  if (!active()) return false;
  for (const Tensor& t : roots)
    if (!eager::made_since(t, sequence_at_start_)) {
      recorder_->stop({"backward", "backward() goes through ops that are not part of this graph",
                       "compute the loss and its gradients in one compiled callable, or call "
                       "backward() outside of it",
                       where, false});
      return false;
    }
  seen_backward_ = true;
  return true;
}

// --- inputs ---

Source Capture::source_of(const Handle& h, std::string& name) {
  Source s;
  if (auto it = argument_index_.find(h.identity); it != argument_index_.end()) {
    s.kind = Source::Kind::argument;
    s.index = it->second;
    name = "arg" + std::to_string(s.index);
  } else if (auto m = module_paths_.find(h.identity); m != module_paths_.end()) {
    s.kind = Source::Kind::module;
    s.path = m->second;
    name = s.path;
  } else if (auto p = prefix_index_.find(h.identity); p != prefix_index_.end()) {
    s.kind = Source::Kind::prefix;
    s.index = p->second;
    name = "live" + std::to_string(s.index);
  } else if (auto g = grad_sources_.find(h.identity); g != grad_sources_.end()) {
    s.kind = Source::Kind::grad;
    Tensor leaf_grad = g->second.second;
    for (size_t i = 0; i < recorder_->inputs().size(); ++i)
      if (recorder_->inputs()[i].handle.identity == g->second.first) s.index = static_cast<int>(i);
    name = recorder_->inputs()[static_cast<size_t>(s.index)].name + ".grad";
  } else if (auto w = whole_of_.find(h.identity); w != whole_of_.end()) {
    s.kind = Source::Kind::whole;
    s.index = w->second;
    name = "storage" + std::to_string(whole_of_.size() - 1);
  } else {
    s.kind = Source::Kind::captured;
    s.tensor = WeakPtr<TensorImpl>(static_cast<TensorImpl*>(h.object));
    name = "captured" + std::to_string(sources_.size());
  }
  return s;
}

trace::Host::InputInfo Capture::describe_input(const Handle& h) {
  InputInfo info;
  Source s = source_of(h, info.name);
  // What the entries before left has the sizes they gave it: symbolic where it is marked so.
  info.dynamic = s.kind == Source::Kind::argument ||
                 (s.kind == Source::Kind::whole && binding_arguments_ && first_stretch_);
  // A storage that its member fills has as many elements as the member.
  if (s.kind == Source::Kind::whole && !first_stretch_)
    if (const TensorImpl& m = *whole_member_.impl();
        m.symbolic && m.numel() == h.description.sizes[0])
      info.known = {IntList{numel_of<Int>(m.symbolic->sizes)}, IntList{Int(1)}};
  if (const auto* t = static_cast<TensorImpl*>(h.object); t->symbolic)
    info.known = {t->symbolic->sizes, t->symbolic->strides};
  sources_.push_back(std::move(s));
  return info;
}

void Capture::set_symbolic(const Handle& h, const IntList& sizes, const IntList& strides,
                           Int offset) {
  bool any = false;
  for (Int i : sizes) any = any || i.is_symbolic();
  for (Int i : strides) any = any || i.is_symbolic();
  if (!any) return;
  auto* t = static_cast<TensorImpl*>(h.object);
  t->symbolic = std::make_unique<SymbolicMeta>(SymbolicMeta{sizes, strides, offset});
  with_symbols_.push_back(WeakPtr<TensorImpl>(t));
}

Handle Capture::whole_storage(const Handle& h) {
  auto* t = static_cast<TensorImpl*>(h.object);
  int64_t n = static_cast<int64_t>(t->storage->bytes()) / size_of(t->dtype), one = 1;
  Tensor flat;
  whole_member_ = Tensor(Ptr<TensorImpl>(t));
  for (const Tensor& known : whole_)
    if (known.impl()->storage == t->storage && known.dtype() == t->dtype) flat = known;
  if (!flat.defined()) {
    flat = Tensor(make_ptr<TensorImpl>(t->storage, t->dtype, std::span<const int64_t>(&n, 1),
                                       std::span<const int64_t>(&one, 1), 0));
    whole_.push_back(flat);
  }
  // The member that asked is the next input but one.
  whole_of_[flat.impl()->id()] = static_cast<int>(recorder_->inputs().size()) + 1;
  return trace::handle_of(flat);
}

// --- the end of a stretch ---

void Capture::close_stretch(const Tensor* value, Scalar read, const Leaves* results,
                            SourceLocation where) {
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
    e.ends_by_value = value != nullptr;
    e.ends_by_host_call = !value && !results;
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
      for (Int i : l) p.push_back(program_of(*env_, i));
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
          break;
        case ir::Output::Kind::view_of_output:
          r.kind = TensorResult::Kind::view_of_output;
          r.index = o.of;
          break;
      }
      if (o.kind == ir::Output::Kind::view_of_input || o.kind == ir::Output::Kind::view_of_output) {
        if (i < kept.size())
          if (const eager::AutogradMeta* m = eager::meta_of(*kept[i].impl()))
            r.without_grad = m->view && m->view->made == eager::ViewInfo::Made::without_grad;
        r.sizes = programs(o.sizes);
        r.strides = programs(o.strides);
        r.offset = program_of(*env_, o.offset);
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
          r.program = program_of(*env_, n.as_int());
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
    s.graph = std::move(graph);
    s.env = env_;
    s.entry = entry_;
    if (value) s.value = read;
    stretches_.push_back(std::move(s));
    if (value) {
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

// Tensors of fixed identity that the graph never reads leave it: they are looked at again only when
// some metadata changed. Returns, for each input left, its number in the recording.
std::vector<int> Capture::drop_inputs(Entry& e, ir::Graph& graph) {
  std::vector<bool> must(sources_.size(), false);
  for (size_t i = 0; i < sources_.size(); ++i) {
    const Source& s = sources_[i];
    must[i] = must[i] || (s.kind != Source::Kind::captured && s.kind != Source::Kind::module);
    if (s.kind == Source::Kind::grad || s.kind == Source::Kind::whole)
      must[static_cast<size_t>(s.index)] = true;
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
  for (const sym::Expr* c : env_->entry_conditions()) {
    if (c->has_unbacked()) continue;
    e.conditions.push_back(env_->compile(c));
    e.condition_text.push_back(env_->source_text(c));
  }
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
  const auto& tensors = request_.args->tensors;
  for (size_t i = 0; i < tensors.size(); ++i) {
    int first = -1;
    if (tensors[i].defined()) {
      first = static_cast<int>(i);
      for (size_t j = 0; j < i; ++j)
        if (tensors[j].defined() && tensors[j].is_same(tensors[i])) {
          first = static_cast<int>(j);
          break;
        }
    }
    e.argument_identity.push_back(first);
  }
  for (const Scalar& n : request_.args->numbers) {
    NumberResult r;
    r.constant = n;
    e.numbers.push_back(r);
  }
  e.guard_text.push_back(env_->guards_text());
}

void Capture::host_call(SourceLocation where) {
  if (!active()) return;
  if (seen_backward_) {
    recorder_->stop({"host_call_after_backward",
                     "a host_call follows a backward pass of the same call",
                     "make it after the compiled call", where, false});
    return;
  }
  close_stretch(nullptr, Scalar(), nullptr, where);
  finished_ = true;
}

// --- repeating the prefix ---

bool Capture::answer(const OpRecord& record, std::span<const Arg> args, std::span<Tensor> results,
                     SourceLocation where) {
  if (replay_entry_ >= request_.prefix.entries.size()) return false;
  const ReplayStep& step =
      next_step(*request_.prefix.entries[replay_entry_], replay_step_, record, where);
  repeat_symbols(step.symbols_after);
  for (size_t i = 0; i < step.results.size() && i < results.size(); ++i) {
    const ReplayStep::Result& r = step.results[i];
    IntList sizes, strides;
    for (Int n : r.sizes) sizes.push_back(repeated(n));
    for (Int n : r.strides) strides.push_back(repeated(n));
    TensorDescription d = r.description;
    for (size_t k = 0; k < sizes.size(); ++k) {
      d.sizes[k] = sizes[k].hint();
      d.strides[k] = strides[k].hint();
    }
    Int offset = repeated(r.offset);
    if (!sizes.empty()) d.offset = offset.hint();
    results[i] =
        result_of(r, d, args, request_.prefix.live[replay_entry_], request_.prefix.symbols);
    bool is_argument = r.argument >= 0 && args[static_cast<size_t>(r.argument)].is_ref();
    if (!sizes.empty() && !is_argument)
      set_symbolic(trace::handle_of(results[i]), sizes, strides, offset);
  }
  return true;
}

void Capture::repeat_symbols(size_t count) {
  // Every entry of the prefix is of one run: the last one's environment has the symbols of all.
  const sym::ShapeEnv& before = *request_.prefix.entries.back()->compilation->recorded->env();
  count = std::min(count, request_.prefix.symbols.size());
  for (size_t i = 0; i < std::min(count, env_->symbols().size()); ++i)
    FRIT_INVARIANT(env_->symbols()[i].name == before.symbols()[i].name,
                   "a repeated run numbers its symbols in another way");
  for (size_t i = env_->symbols().size(); i < count; ++i) {
    const sym::Symbol& s = before.symbols()[i];
    FRIT_INVARIANT(s.unbacked, "a size of an argument is met late in a repeated run");
    env_->new_unbacked(s.source, s.where, s.declared.lo, s.declared.hi, request_.prefix.symbols[i]);
  }
}

Int Capture::repeated(Int of_prefix) {
  // A symbol that was found to be a number is one here.
  return of_prefix.is_constant() ? Int(of_prefix.constant()) : sym::parse(*env_, of_prefix.str());
}

}  // namespace frit::compiler
