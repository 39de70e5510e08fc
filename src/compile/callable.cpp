#include "compile/callable.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/config.h"
#include "base/event.h"
#include "compile/capture.h"
#include "compile/check.h"

namespace frit::compiler {
namespace {

// How often a capture may be dropped before the callable is left alone.
constexpr int kMostDropped = 3;

void log(Channel channel, const char* name, std::string text, SourceLocation where, double ms = 0) {
  if (!log_enabled(channel)) return;
  Event e;
  e.channel = channel;
  e.name = name;
  e.text = std::move(text);
  e.where = where;
  e.ms = ms;
  emit(e);
}

}  // namespace

}  // namespace frit::compiler

namespace frit {

void host_call(const std::function<void()>& effect, std::source_location where) {
  if (recording())
    if (auto* capture = dynamic_cast<compiler::Capture*>(interceptor()))
      capture->host_call(SourceLocation(where));
  // Nothing of the effect is noted or answered, and nothing it throws is ours.
  eager::UnrecordedScope plain;
  effect();
}

}  // namespace frit

namespace frit::compiler {

std::shared_ptr<Callable> make_callable(nn::Module* module, CompileOptions options,
                                        std::string name, std::source_location where) {
  SourceLocation place(where);
  if (name.empty()) name = place.short_text();
  return std::make_shared<Callable>(module, std::move(options), std::move(name), place);
}

void call(Callable& c, const Leaves& args, Leaves& results, Body body) {
  c.call(args, results, body);
}

Callable::Callable(nn::Module* module, CompileOptions options, std::string name,
                   SourceLocation where)
    : module_(module), options_(std::move(options)), name_(std::move(name)), where_(where) {
  root_.entries.store(std::make_shared<const std::vector<std::shared_ptr<Entry>>>());
  if (env_flag("FRIT_DISABLE_COMPILE")) eager_only_ = true;
  check_replay_ = check_enabled("replay");
}

void Callable::call(const Leaves& args, Leaves& results, const Body& body) {
  calls_.fetch_add(1, std::memory_order_relaxed);
  // Inside another recording the callable is just code; one that is switched off too.
  if (recording() || eager_only_.load(std::memory_order_relaxed)) {
    eager_calls_.fetch_add(1, std::memory_order_relaxed);
    body(results);
    return;
  }
  CallState state{args, module_, {}};
  std::vector<std::shared_ptr<Entry>> prefix;
  std::vector<std::vector<Tensor>> live;
  EntryList* at = &root_;
  bool rest_is_eager = false;
  if (check_replay_) {
    Snapshot before(args, module_, all_entries());
    Leaves compiled;
    if (run_cached(state, compiled, prefix, live, at, rest_is_eager)) {
      before.restore();
      Capture again(request_for({args, module_, {}, {}}, {}, {}));
      again.run(body, results);
      check_same(name_, prefix, compiled, again, results, where_);
      return;
    }
  } else if (run_cached(state, results, prefix, live, at, rest_is_eager)) {
    return;
  }
  if (rest_is_eager) {
    // A check failed: eager raises the user's exception at its own line. Or a host_call is next.
    run_eagerly(body, results, state, std::move(prefix), std::move(live));
    return;
  }
  capture(state, results, body, std::move(prefix), std::move(live), at);
}

bool Callable::run_cached(CallState& state, Leaves& results,
                          std::vector<std::shared_ptr<Entry>>& prefix,
                          std::vector<std::vector<Tensor>>& live, EntryList*& at,
                          bool& rest_is_eager) {
  std::vector<Tensor> kept;
  while (at) {
    auto entries = at->load();
    std::shared_ptr<Entry> hit;
    Gathered g;
    for (const auto& e : *entries)
      if (!e->dead.load(std::memory_order_relaxed) && gather(*e, state, g)) {
        hit = e;
        break;
      }
    if (!hit) return false;
    if (!run_entry(hit, g, kept)) {
      rest_is_eager = true;
      return false;
    }
    hit->runs.fetch_add(1, std::memory_order_relaxed);
    if (check_replay_ && !hit->ends_by_value && !hit->ends_by_host_call) prefix.push_back(hit);
    if (!hit->ends_by_value && !hit->ends_by_host_call) {
      give_back(*hit, kept, {g.symbols.data(), g.symbols.size()}, results);
      return true;
    }
    std::vector<Tensor> alive;
    for (int k : hit->live) {
      alive.push_back(kept[static_cast<size_t>(k)]);
      state.prefix.push_back(alive.back());
    }
    state.symbols = g.symbols;
    if (hit->ends_by_host_call) {
      prefix.push_back(std::move(hit));
      live.push_back(std::move(alive));
      rest_is_eager = true;
      return false;
    }
    const Tensor& t = kept[static_cast<size_t>(hit->value)];
    Scalar value = is_floating(t.dtype()) ? Scalar(t.item<double>())
                   : is_bool(t.dtype())   ? Scalar(t.item<bool>())
                                          : Scalar(t.item<int64_t>());
    {
      std::lock_guard lock(mutex_);
      at = child(*hit, value, true);
    }
    prefix.push_back(std::move(hit));
    live.push_back(std::move(alive));
    if (at->load()->empty()) return false;
  }
  return false;
}

void Callable::give_back(const Entry& e, const std::vector<Tensor>& kept,
                         std::span<const int64_t> symbols, Leaves& results) {
  for (int k : e.returned)
    results.tensors.push_back(k < 0 ? Tensor() : kept[static_cast<size_t>(k)]);
  for (const NumberResult& n : e.result_numbers)
    results.numbers.push_back(n.symbolic ? Scalar(n.program.run(symbols)) : n.constant);
}

EntryList* Callable::child(Entry& e, const Scalar& value, bool make) {
  for (auto& [v, list] : e.next)
    if (v.same_as(value)) return list.get();
  if (!make) return nullptr;
  auto list = std::make_shared<EntryList>();
  list->entries.store(std::make_shared<const std::vector<std::shared_ptr<Entry>>>());
  e.next.emplace_back(value, list);
  return list.get();
}

void Callable::add(EntryList& list, std::shared_ptr<Entry> entry) {
  auto entries = std::make_shared<std::vector<std::shared_ptr<Entry>>>();
  for (const auto& e : *list.load())
    if (!e->dead) entries->push_back(e);
  entries->push_back(entry);
  list.entries.store(std::move(entries), std::memory_order_release);
  all_.push_back(std::move(entry));
}

void Callable::run_eagerly(const Body& body, Leaves& results, const CallState& state,
                           std::vector<std::shared_ptr<Entry>> prefix,
                           std::vector<std::vector<Tensor>> live) {
  eager_calls_.fetch_add(1, std::memory_order_relaxed);
  if (prefix.empty()) {
    body(results);
    return;
  }
  // What the entries did is done: their ops are answered, the rest runs.
  Capture capture(request_for(state, std::move(prefix), std::move(live)));
  capture.run(body, results);
}

CaptureRequest Callable::request_for(const CallState& state,
                                     std::vector<std::shared_ptr<Entry>> prefix,
                                     std::vector<std::vector<Tensor>> live) const {
  CaptureRequest request;
  request.args = &state.args;
  request.module = module_;
  request.dynamic = options_.dynamic == Dynamic::automatic;
  request.grouped_storages = grouped_storages_;
  request.grouped_arguments = grouped_arguments_;
  request.prefix = std::move(prefix);
  request.prefix_live = std::move(live);
  request.prefix_symbols.assign(state.symbols.begin(), state.symbols.end());
  return request;
}

void Callable::capture(const CallState& state, Leaves& results, const Body& body,
                       std::vector<std::shared_ptr<Entry>> prefix,
                       std::vector<std::vector<Tensor>> live, EntryList* at) {
  // One thread compiles; others run eager meanwhile, or wait where entries have already run.
  std::unique_lock lock(mutex_, std::defer_lock);
  if (prefix.empty() ? !lock.try_lock() : (lock.lock(), false)) {
    eager_calls_.fetch_add(1, std::memory_order_relaxed);
    body(results);
    return;
  }
  auto known = at->load();
  auto alive = std::count_if(known->begin(), known->end(), [](auto& e) { return !e->dead; });
  if (alive >= options_.recompile_limit) {
    trace::Stop stop{
        "recompile_limit",
        fmt::format("{} was compiled {} times at one place and a guard failed again: {}", name_,
                    alive, why_not(*known->back(), state)),
        "CompileOptions::recompile_limit, or pass what changes as a tensor", where_, false};
    note_break(stop);
    notice_once(
        "recompile_limit:" + name_,
        "[compile] " + stop.text + "; it runs eagerly where no entry fits. try: " + stop.hint);
    lock.unlock();
    run_eagerly(body, results, state, std::move(prefix), std::move(live));
    return;
  }
  std::string reason;
  for (const auto& e : *known)
    if (std::string why = why_not(*e, state); !why.empty()) reason = why;
  CaptureRequest request = request_for(state, prefix, std::move(live));
  Capture capture(std::move(request));
  try {
    capture.run(body, results);
  } catch (...) {
    throw;  // the callable's own: nothing is kept
  }
  for (uint64_t s : capture.storages_to_group()) grouped_storages_.push_back(s);
  for (int a : capture.arguments_to_group()) grouped_arguments_.push_back(a);
  if (capture.stopped()) {
    const trace::Stop& stop = *capture.stopped();
    note_break(stop);
    if (stop.kind != "aliased_inputs" && ++dropped_ >= kMostDropped) {
      eager_only_ = true;
      notice_once("compile_dropped:" + name_,
                  fmt::format("[compile] {} runs eagerly from now on: {}{}{}", name_, stop.text,
                              stop.where ? "\n  at " + stop.where.text() : "",
                              stop.hint.empty() ? "" : "\n  try: " + stop.hint));
    }
    if (options_.fullgraph && !stop.internal && stop.kind != "aliased_inputs")
      throw UserError(ErrorKind::runtime, "compile", "fullgraph: " + stop.text, stop.hint,
                      stop.where);
    return;
  }
  if (options_.fullgraph && capture.stretches().size() > 1)
    throw UserError(
        ErrorKind::runtime, "compile", "fullgraph: a tensor's value is read on the host",
        "item_int(), where(), or fullgraph = false", capture.stretches()[0].entry->ended_at);
  if (options_.fullgraph && capture.stretches()[0].entry->ends_by_host_call)
    throw UserError(ErrorKind::runtime, "compile", "fullgraph: a host_call ends the graph",
                    "host_call after the compiled call, or fullgraph = false",
                    capture.stretches()[0].entry->ended_at);
  EntryList* list = at;
  for (Stretch& s : capture.stretches()) {
    CompileSettings settings;
    settings.backend = options_.backend;
    settings.fuse = options_.fuse;
    settings.disabled_passes = options_.disabled_passes;
    settings.name = name_;
    settings.needs_grad = s.needs_grad;
    settings.differentiated = s.differentiated;
    s.entry->name = fmt::format("{}/{}", name_, all_.size());
    try {
      s.entry->compilation = compile_graph(std::move(s.graph), settings);
    } catch (const std::exception& e) {
      // A derivative rule raises what eager raises in backward(): the program's error, not ours.
      const auto* user = dynamic_cast<const UserError*>(&e);
      trace::Stop stop{"compile", user ? user->message() : e.what(), user ? user->hint() : "",
                       where_, !user};
      note_break(stop);
      if (++dropped_ >= kMostDropped) eager_only_ = true;
      notice_once("compile_failed:" + name_,
                  "[compile] " + name_ +
                      " could not be compiled and runs eagerly: " + std::string(e.what()));
      return;
    }
    if (!reason.empty()) {
      recompiles_.push_back({reason, s.entry->compilation->ms});
      log(Channel::recompiles, "recompile",
          fmt::format("recompile {} of {}: guard failed\n  {}", recompiles_.size(), name_, reason),
          where_, s.entry->compilation->ms);
      reason.clear();
    }
    log(Channel::guards, "guards",
        fmt::format("guards of {}:\n{}", s.entry->name,
                    s.entry->guard_text.empty() ? "" : s.entry->guard_text[0]),
        where_);
    if (s.value)
      log(Channel::graph_breaks, "break",
          fmt::format("{} ends where a value is read at {}", s.entry->name,
                      s.entry->ended_at.text()),
          s.entry->ended_at);
    std::shared_ptr<Entry> entry = s.entry;
    add(*list, entry);
    if (!s.value) break;
    list = child(*entry, *s.value, true);
  }
}

void Callable::note_break(const trace::Stop& stop) {
  for (BreakRecord& b : breaks_)
    if (b.stop.kind == stop.kind && b.stop.text == stop.text) {
      ++b.times;
      return;
    }
  breaks_.push_back({stop, 1});
  log(Channel::graph_breaks, "break",
      fmt::format("{}: {}{}", name_, stop.text, stop.hint.empty() ? "" : "\n  try: " + stop.hint),
      stop.where);
}

std::vector<std::shared_ptr<Entry>> Callable::all_entries() const {
  std::lock_guard lock(mutex_);
  return all_;
}
std::vector<BreakRecord> Callable::breaks() const {
  std::lock_guard lock(mutex_);
  return breaks_;
}
std::vector<RecompileRecord> Callable::recompiles() const {
  std::lock_guard lock(mutex_);
  return recompiles_;
}

}  // namespace frit::compiler
