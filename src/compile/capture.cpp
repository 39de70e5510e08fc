#include "compile/capture.h"

#include <algorithm>

#include "base/event.h"
#include "compile/run_entry.h"
#include "core/generator.h"
#include "eager/autograd_meta.h"
#include "eager/module_path.h"
#include "sym/parse.h"

namespace frit::compiler {

Capture::Capture(CaptureRequest request)
    : request_(std::move(request)),
      grad_mode_(t_state.word & (kGradEnabled | kInferenceMode)),
      default_type_(default_dtype()) {
  const auto& tensors = request_.args->tensors;
  for (size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].defined()) argument_index_.emplace(tensors[i].impl()->id(), static_cast<int>(i));
  if (request_.module) {
    slots_ = request_.module->named_slots();
    for (auto& [name, t] : slots_)
      if (t.defined()) module_paths_.emplace(t.impl()->id(), name);
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
        // An Int has no place of its own.
        recorder_->stop(
            {"data_dependent", e.message(), e.hint(), e.where() ? e.where() : last_where_, false});
      return seen;
    });
  }
  recorder_ = std::make_unique<trace::Recorder>(
      env_, *this,
      trace::Recorder::Options{request_.dynamic, replaying_ ? prefix_groups_ : grouped()});
  first_stretch_ = new_environment;
  entry_ = std::make_shared<Entry>();
  entry_->grad_mode = grad_mode_;
  entry_->default_type = default_type_;
  entry_->groups = {request_.grouped_storages.size(), request_.grouped_arguments.size(),
                    request_.grouped_results.size()};
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
  taped_.clear();
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
  struct Numbers {
    std::vector<std::pair<Int*, Int>> before;
    ~Numbers() {
      for (auto& [at, value] : before) *at = value;
    }
  } numbers;
  for (auto [number, at] : request_.args->ints) {
    if (std::ranges::find(request_.dynamic_numbers, number) == request_.dynamic_numbers.end())
      continue;
    numbers.before.emplace_back(at, *at);
    *at = symbol_for(number, "number " + std::to_string(number));
  }
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
  if (active()) refuse_left_state();
  if (active()) close_stretch({.end = Entry::End::returned, .results = &results});
  if (recorder_ && recorder_->stopped()) drop(*recorder_->stopped());
  if (!stop_) refuse_late_checks();
  if (!stop_) refuse_short_lived();
  clear_symbolic();
  // Symbols end with the capture: the caller gets numbers.
  for (Scalar& n : results.numbers)
    if (n.is_symbolic()) n = Scalar(n.to_int64());
}

Int Capture::use_number(int64_t value, const std::string& name) {
  if (!active()) return Int(value);
  return symbol_for(request_.args->numbers.size() - 1, name);
}

Int Capture::symbol_for(size_t number, const std::string& name) {
  const int64_t value = request_.args->numbers[number].to_int64();
  Int symbol = env_->new_symbol(value, 2, std::nullopt, name);
  number_symbols_.emplace_back(number, static_cast<int>(env_->symbols().size()) - 1);
  return symbol;
}

void Capture::abandon(trace::Stop why) {
  drop(std::move(why));
  clear_symbolic();
  eager::set_intercepting(false, false);
}

std::string Capture::why_stopped() const {
  if (stop_) return stop_->text;
  return recorder_ && recorder_->stopped() ? recorder_->stopped()->text : "";
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
  count_op(results);
  // What a backward pass has gone through, and sizes changed in place, cannot be repeated.
  if (request_.ops_per_stretch > 0 && std::ssize(log_) >= request_.ops_per_stretch &&
      !seen_backward_ && !changed_sizes_ && active()) {
    close_stretch({.end = Entry::End::op_count, .where = where});
    go_on();
  }
}

std::vector<uint64_t> Capture::grouped() const {
  const auto& r = request_;
  KnownGroups known{r.grouped_storages.size(), r.grouped_arguments.size(),
                    r.grouped_results.size()};
  if (stretches_.size() < r.groups.size()) known = r.groups[stretches_.size()];
  std::vector<uint64_t> found(r.grouped_storages.begin(),
                              r.grouped_storages.begin() + static_cast<ptrdiff_t>(known.storages));
  const auto& tensors = r.args->tensors;
  for (size_t k = 0; k < known.arguments; ++k) {
    const auto i = static_cast<size_t>(r.grouped_arguments[k]);
    if (i < tensors.size() && tensors[i].defined())
      found.push_back(tensors[i].impl()->storage->id());
  }
  for (auto [k, storage] : grouped_made_)
    if (k < known.results) found.push_back(storage);
  return found;
}

void Capture::count_op(std::span<const Tensor> results) {
  const int number = op_number_++;
  const auto& grouped = request_.grouped_results;
  for (const Tensor& t : results) {
    if (!t.defined()) continue;
    const uint64_t storage = t.impl()->storage->id();
    if (!storage_maker_.emplace(storage, number).second) continue;
    const auto at = std::find(grouped.begin(), grouped.end(), number);
    if (at != grouped.end())
      grouped_made_.emplace_back(static_cast<size_t>(at - grouped.begin()), storage);
  }
}

void Capture::go_on() {
  if (recorder_->stopped()) return;
  finished_ = std::ssize(stretches_) >= request_.most_stretches;
  // What is alive now is what the next stretch begins with.
  if (!finished_) begin_stretch(false);
}

// In a graph, what a tensor holds and where its gradient goes are one. They are not for what shares
// memory with a written tensor but not its place on the tape, as detach() gives it.
void Capture::follow_write(const OpRecord& record, std::span<const Arg> args,
                           SourceLocation where) {
  auto base_of = [&](const Tensor& t) -> const TensorImpl* {
    if (request_.finder)
      if (const TensorImpl* base = request_.finder->base_of(*t.impl())) return base;
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
      if (!p || (request_.finder && !request_.finder->is_visible(*p))) continue;
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

void Capture::taped(const eager::TapeNode& n) {
  if (active() && recorder_->noted()) taped_.emplace(n.sequence(), recorder_->noted());
}

void Capture::freed(const eager::TapeNode& n) {
  if (!active()) return;
  if (auto it = taped_.find(n.sequence()); it != taped_.end()) recorder_->free_history(it->second);
}

void Capture::reading_value(const Tensor& t, SourceLocation where) {
  if (t_state.word & kReplaying) {
    end_of_repeated_entry();
    return;
  }
  if (!active()) return;
  if (request_.finder) {
    recorder_->stop({"data_read", "a tensor's values are read on the host",
                     "read them after the compiled call", where ? where : last_where_, false});
    return;
  }
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
  close_stretch(
      {.end = Entry::End::value_read, .where = where, .value = &t, .read = read_value(t)});
  go_on();
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

std::vector<int> Capture::results_to_group() const {
  std::vector<int> found;
  for (uint64_t s : to_group_)
    if (auto maker = storage_maker_.find(s); maker != storage_maker_.end())
      found.push_back(maker->second);
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

void Capture::changing_state(const char* what, const char* hint, SourceLocation where) {
  if (!active()) return;
  trace::Stop why{"changed_state", std::string(what) + " ends the graph", hint,
                  where ? where : last_where_, false};
  // What was done before is worth keeping.
  if (!seen_backward_ && (!log_.empty() || !stretches_.empty()))
    rest_runs_eagerly(std::move(why));
  else
    recorder_->stop(std::move(why));
}

// What the callable leaves behind for its caller, a cached call would not.
void Capture::refuse_left_state() {
  if (request_.finder) return;  // a front end that sets it itself
  const uint32_t left = (t_state.word ^ grad_mode_) & (kGradEnabled | kInferenceMode);
  if (left)
    recorder_->stop({"changed_state",
                     left & kGradEnabled ? "the callable ends with gradients switched on or off"
                                         : "the callable ends in another inference mode",
                     "NoGrad or GradMode, which end with their scope", last_where_, false});
}

// Its entry would die before it could serve.
void Capture::refuse_short_lived() {
  for (const Stretch& s : stretches_)
    for (const auto* guards : {&s.entry->inputs, &s.entry->watched})
      for (const InputGuard& g : *guards) {
        if (g.source.kind != Source::Kind::captured || g.source.tensor.lock()) continue;
        SourceLocation where;  // of what reads it
        for (const ir::Value* v : s.graph->inputs())
          if (v->name().str() == g.name)
            for (const ir::Node* user : v->users())
              if (user && !where) where = user->provenance().place();
        drop({"short_lived",
              "a tensor that no op of the callable made (of memory or of a file, or the old one of "
              "a variable the callable assigns) is gone at its end",
              "make it outside of the callable; state that changes: write into it, or pass it and "
              "return it",
              where, false});
        return;
      }
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
  const unsigned sorts = eager::gradient_hooks(eager::meta_of(*leaf.impl()));
  if (request_.finder && sorts) {
    recorder_->stop({"gradient_hook", "a gradient's hook is a function of the program's",
                     "remove the hook, or call backward() after the compiled call", last_where_,
                     false});
    return;
  }
  recorder_->input(trace::handle_of(leaf));
  hook_leaves_.emplace(leaf.impl()->id(), sorts);
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
      trace::Stop why{"backward", "backward() goes through ops that are not part of this graph",
                      "compute the loss and its gradients in one compiled callable, or call "
                      "backward() outside of it",
                      where, false};
      // What was done before is worth keeping.
      if (!request_.finder && !seen_backward_ && (!log_.empty() || !stretches_.empty()))
        rest_runs_eagerly(std::move(why));
      else
        recorder_->stop(std::move(why));
      return false;
    }
  seen_backward_ = true;
  return true;
}

// --- inputs ---

Source Capture::source_of(const Handle& h, InputInfo& info) {
  Source s;
  std::string& name = info.name;
  if (auto it = argument_index_.find(h.identity); it != argument_index_.end()) {
    s.kind = Source::Kind::argument;
    s.index = it->second;
    name = "arg" + std::to_string(s.index);
  } else if (auto m = module_paths_.find(h.identity); m != module_paths_.end()) {
    s.kind = Source::Kind::module;
    s.path = m->second;
    s.tensor = WeakPtr<TensorImpl>(static_cast<TensorImpl*>(h.object));
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
  } else if (request_.finder) {
    std::optional<TensorFinder::Found> found = request_.finder->find(h.identity);
    if (!found) {
      recorder_->stop({"unknown_tensor", "a tensor is used that later calls could not find", "",
                       last_where_, false});
      found.emplace();
      found->argument = 0;
      found->name = "unknown";
    }
    s.kind = Source::Kind::argument;
    s.index = found->argument;
    name = std::move(found->name);
    info.dynamic = found->dynamic;
    info.marks = std::move(found->marks);
  } else {
    s.kind = Source::Kind::captured;
    s.tensor = WeakPtr<TensorImpl>(static_cast<TensorImpl*>(h.object));
    name = "captured" + std::to_string(sources_.size());
  }
  return s;
}

trace::Host::InputInfo Capture::describe_input(const Handle& h) {
  InputInfo info;
  Source s = source_of(h, info);
  // What the entries before left has the sizes they gave it: symbolic where it is marked so.
  info.dynamic = info.dynamic || (s.kind == Source::Kind::argument && !request_.finder) ||
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
  auto same = [](const IntList& a, const IntList& b) {
    return std::ranges::equal(a, b, [](Int x, Int y) { return x.same_as(y); });
  };
  if (t->symbolic && same(t->symbolic->sizes, sizes) && same(t->symbolic->strides, strides)) {
    t->symbolic->offset = offset;  // the program may hold what sizes() gave
    return;
  }
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

void Capture::host_call(SourceLocation where) {
  if (!active()) return;
  if (seen_backward_) {
    recorder_->stop({"host_call_after_backward",
                     "a host_call follows a backward pass of the same call",
                     "make it after the compiled call", where, false});
    return;
  }
  rest_runs_eagerly({"host_call", "a host_call ends the graph",
                     "host_call after the compiled call, or at the end of the callable", where,
                     false});
}

void Capture::rest_runs_eagerly(trace::Stop why) {
  close_stretch({.end = Entry::End::rest_is_eager, .where = why.where, .rest_why = std::move(why)});
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
  count_op(results);
  const Entry& entry = *request_.prefix.entries[replay_entry_];
  if (entry.end == Entry::End::op_count && replay_step_ == entry.replay.size())
    end_of_repeated_entry();
  return true;
}

void Capture::end_of_repeated_entry() {
  ++replay_entry_;
  replay_step_ = 0;
  if (replay_entry_ < request_.prefix.entries.size()) return;
  repeat_symbols(request_.prefix.symbols.size());
  replaying_ = false;
  eager::set_intercepting(true, false);
  begin_stretch(false);
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
