#include "compile/callable.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/config.h"
#include "base/event.h"
#include "base/hash.h"
#include "compile/capture.h"
#include "compile/check.h"
#include "compile/options.h"
#include "compile/texts.h"

namespace frit::compiler {
namespace {

// How often a capture may be dropped before calls of its sort are left alone.
constexpr int kMostDropped = 3;

// Do the arguments stand for nothing but arguments?
bool serves(Entry& e, const Leaves& args) {
  if (e.serves.load(std::memory_order_relaxed) == Entry::Serves::any) return true;
  bool alive = false, others = false;
  for (size_t i = 0; i < e.arguments_were.size(); ++i) {
    const Ptr<TensorImpl> was = e.arguments_were[i].lock();
    alive = alive || was;
    others = others || (was && !(args.tensors[i].defined() && args.tensors[i].impl() == was.get()));
  }
  if (alive) return !others;
  if (e.serves.load() == Entry::Serves::those) {
    e.dead = true;
    return false;
  }
  e.serves = Entry::Serves::any;
  return true;
}

}  // namespace

}  // namespace frit::compiler

namespace frit {

void host_call(const std::function<void()>& effect, std::source_location where) {
  if (recording()) {
    if (auto* capture = dynamic_cast<compiler::Capture*>(interceptor()))
      capture->host_call(SourceLocation(where));
    else if (auto* repeat = dynamic_cast<compiler::Repeat*>(interceptor()))
      repeat->host_call();
  }
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

void raise_empty(std::source_location where) {
  throw UserError(ErrorKind::value, "compile",
                  "the callable is an empty std::function or a null pointer",
                  "a callable that holds a function by the time it is compiled", where);
}

void call(Callable& c, const Leaves& args, Leaves& results, Body body) {
  c.call(args, results, body);
}

Callable::Callable(nn::Module* module, CompileOptions options, std::string name,
                   SourceLocation where)
    : module_(module), options_(std::move(options)), name_(std::move(name)), where_(where) {
  if (env_flag("FRIT_DISABLE_COMPILE")) eager_only_ = true;
  if (options_.ops_per_graph == 0)
    options_.ops_per_graph = static_cast<int>(env_int("FRIT_OPS_PER_GRAPH").value_or(0));
  check_options(options_, where_);
  check_replay_ = check_enabled("replay");
}

void Callable::call(const Leaves& args, Leaves& results, const Body& body) {
  calls_.fetch_add(1, std::memory_order_relaxed);
  // Inside another recording the callable is just code; one that is switched off too.
  if (recording() || eager_only_) {
    eager_calls_.fetch_add(1, std::memory_order_relaxed);
    body(results);
    return;
  }
  CallState state{args, module_, {}, {}};
  Reached reached;
  reached.at = &root_;
  if (check_replay_) {
    Snapshot before(args, module_, all_entries());
    Leaves compiled;
    if (run_cached(state, compiled, reached)) {
      before.restore();
      CaptureRequest request = request_for(CallState{args, module_, {}, {}}, {});
      for (const auto& e : reached.prefix.entries) request.groups.push_back(e->groups);
      Capture again(std::move(request));
      again.run(body, results);
      check_same(name_, reached.prefix.entries, compiled, again, results, where_);
      return;
    }
  } else if (run_cached(state, results, reached)) {
    return;
  }
  do {
    reached.prefix.symbols.assign(state.symbols.begin(), state.symbols.end());
    // A check failed: eager raises the user's exception at its own line. Or a host_call is next.
    if (reached.rest_is_eager) return run_eagerly(body, results, std::move(reached.prefix));
    if (capture(state, results, body, reached)) return;
  } while (!run_cached(state, results, reached));
}

bool Callable::run_cached(CallState& state, Leaves& results, Reached& reached) {
  Kept kept;
  while (reached.at) {
    auto entries = reached.at->load();
    const std::shared_ptr<Entry>* found = nullptr;
    Gathered g;
    reached.doubted = nullptr;
    for (const auto& e : *entries) {
      if (e->dead.load(std::memory_order_relaxed) || !gather(*e, state, g)) continue;
      if (check_replay_ || serves(*e, state.args)) {
        found = &e;
        break;
      }
      if (!reached.doubted && e->serves.load() == Entry::Serves::unknown) reached.doubted = e;
    }
    if (!found) {
      reached.seen = std::move(entries);
      return false;
    }
    const std::shared_ptr<Entry>& hit = *found;
    if (!run_entry(*hit, g, kept)) {
      reached.rest_is_eager = true;
      return false;
    }
    hit->runs.fetch_add(1, std::memory_order_relaxed);
    if (hit->end == Entry::End::returned) {
      give_back(*hit, kept, {g.symbols.data(), g.symbols.size()}, results);
      if (check_replay_) reached.prefix.entries.push_back(hit);
      return true;
    }
    std::vector<Tensor> alive;
    for (int k : hit->live) {
      alive.push_back(kept[static_cast<size_t>(k)]);
      state.prefix.push_back(alive.back());
    }
    state.symbols = g.symbols;
    if (!hit->goes_on()) {
      reached.rest_is_eager = true;
    } else {
      reached.value = hit->end == Entry::End::value_read
                          ? read_value(kept[static_cast<size_t>(hit->value)])
                          : Scalar();
      std::lock_guard lock(mutex_);
      reached.at = child(*hit, reached.value);
    }
    reached.prefix.entries.push_back(hit);
    reached.prefix.live.push_back(std::move(alive));
    if (reached.rest_is_eager) return false;
  }
  reached.seen = nullptr;
  return false;
}

void Callable::give_back(const Entry& e, const Kept& kept, std::span<const int64_t> symbols,
                         Leaves& results) {
  for (int k : e.returned)
    results.tensors.push_back(k < 0 ? Tensor() : kept[static_cast<size_t>(k)]);
  for (const NumberResult& n : e.result_numbers)
    results.numbers.push_back(n.symbolic ? Scalar(n.program.run(symbols)) : n.constant);
}

EntryList* Callable::child(const Entry& e, const Scalar& value) {
  for (const auto& [v, list] : e.next)
    if (v.same_as(value)) return list.get();
  return nullptr;
}

void Callable::add(EntryList& list, std::shared_ptr<Entry> entry) {
  auto entries = std::make_shared<Entries>(*list.load());
  entries->push_back(entry);
  list.store(std::move(entries));
  all_.push_back(std::move(entry));
}

bool Callable::confirms(const Capture& capture, Entry& doubted) {
  Entry* e = &doubted;
  bool confirmed = false;
  for (const Stretch& s : capture.stretches()) {
    if (!e || !same_recording(*e, s)) break;
    e->serves = Entry::Serves::any;
    confirmed = true;
    if (!e->goes_on()) break;
    const EntryList* next = child(*e, s.value.value_or(Scalar()));
    e = nullptr;
    if (next)
      for (const auto& n : *next->load())
        if (!e && n->serves.load() == Entry::Serves::unknown) e = n.get();
  }
  return confirmed;
}

void Callable::run_eagerly(const Body& body, Leaves& results, Prefix prefix) {
  eager_calls_.fetch_add(1, std::memory_order_relaxed);
  if (prefix.entries.empty())
    body(results);
  else  // what the entries did is done: their ops are answered, the rest runs
    Repeat(std::move(prefix)).run(body, results);
}

// What decides how a call is recorded, but for values and the sizes that become symbols: captures
// of one sort may be dropped, those of another may not.
size_t Callable::sort_of(const Leaves& args) const {
  size_t sort = t_state.word & (kGradEnabled | kInferenceMode);
  for (const Tensor& t : args.tensors) {
    sort = hash_combine(sort, size_t{t.defined()});
    if (!t.defined()) continue;
    sort = hash_combine(sort, static_cast<size_t>(t.dtype()) << 1 | size_t{t.requires_grad()});
    sort = hash_combine(sort, t.impl()->sizes.size());
    for (int64_t n : t.impl()->sizes)
      sort =
          hash_combine(sort, options_.dynamic == Dynamic::automatic ? std::min<int64_t>(n, 2) : n);
  }
  for (const Scalar& s : args.numbers) sort = hash_combine(sort, s.to_double());
  return sort;
}

bool Callable::drop(size_t sort) {
  auto at = std::ranges::find(dropped_, sort, &Dropped::sort);
  if (at == dropped_.end()) at = dropped_.insert(at, {sort, 0});
  return ++at->times >= kMostDropped;
}

bool Callable::given_up(const Leaves& args) const {
  if (dropped_.empty()) return false;
  auto at = std::ranges::find(dropped_, sort_of(args), &Dropped::sort);
  if (at != dropped_.end()) return at->times >= kMostDropped;
  return static_cast<int>(dropped_.size()) >= options_.recompile_limit;
}

// Those that were others at another call; what runs again has the symbols that it had.
std::vector<size_t> Callable::changing_numbers(const Leaves& args, const Prefix& prefix) const {
  std::vector<size_t> found;
  for (auto [number, at] : args.ints) {
    const Scalar& now = args.numbers[number];
    auto is_symbol = [&, i = number](const std::shared_ptr<Entry>& e) {
      return i < e->numbers.size() && e->numbers[i].symbol >= 0;
    };
    auto differs = [&, i = number](const std::shared_ptr<Entry>& e) {
      return i < e->numbers.size() && !now.same_as(e->numbers[i].constant);
    };
    if (!prefix.entries.empty() ? is_symbol(prefix.entries[0])
                                : now.to_int64() >= 2 && std::ranges::any_of(all_, differs))
      found.push_back(number);
  }
  return found;
}

CaptureRequest Callable::request_for(const CallState& state, Prefix prefix) const {
  CaptureRequest request;
  request.args = &state.args;
  request.module = module_;
  request.dynamic = options_.dynamic == Dynamic::automatic;
  if (request.dynamic) request.dynamic_numbers = changing_numbers(state.args, prefix);
  request.grouped_storages = grouped_storages_;
  request.grouped_arguments = grouped_arguments_;
  request.grouped_results = grouped_results_;
  request.ops_per_stretch = options_.ops_per_graph;
  request.prefix = std::move(prefix);
  return request;
}

bool Callable::capture(const CallState& state, Leaves& results, const Body& body,
                       Reached& reached) {
  // One thread compiles; others run eager meanwhile, or wait where entries have already run.
  std::unique_lock lock(mutex_, std::defer_lock);
  if (reached.prefix.entries.empty() ? !lock.try_lock() : (lock.lock(), false)) {
    eager_calls_.fetch_add(1, std::memory_order_relaxed);
    body(results);
    return true;
  }
  std::shared_ptr<Entry> before;
  if (!reached.prefix.entries.empty()) before = reached.prefix.entries.back();
  if (!reached.at) reached.at = child(*before, reached.value);
  // Another thread has made entries since this one looked: one of them may fit. (A replay compares
  // with what it found before the call.)
  if (!check_replay_ && reached.at && reached.at->load() != reached.seen) return false;
  if (!reached.doubted && limited(state, reached)) {
    lock.unlock();
    run_eagerly(body, results, std::move(reached.prefix));
    return true;
  }
  std::string reason;
  if (reached.at) {
    reason = why_none(*reached.at->load(), state);
  } else if (before->end == Entry::End::value_read) {
    reason = fmt::format("{} was {}, which is new", read_text(*before, reached.value.is_bool()),
                         scalar_text(reached.value));
  }
  forget_dead();
  const size_t sort = sort_of(state.args);
  CaptureRequest request = request_for(state, std::move(reached.prefix));
  request.most_stretches = kMostEntries - static_cast<int>(all_.size());
  Capture capture(std::move(request));
  try {
    capture.run(body, results);
  } catch (...) {
    throw;  // the callable's own: nothing is kept
  }
  for (uint64_t s : capture.storages_to_group()) grouped_storages_.push_back(s);
  for (int a : capture.arguments_to_group()) grouped_arguments_.push_back(a);
  for (int r : capture.results_to_group()) grouped_results_.push_back(r);
  if (capture.stopped()) {
    const trace::Stop& stop = *capture.stopped();
    eager_calls_.fetch_add(1, std::memory_order_relaxed);
    note_break(stop);
    if (stop.kind != "aliased_inputs" && drop(sort)) {
      notice_once("compile_dropped:" + name_,
                  fmt::format("[compile] {} runs eagerly from now on{}: {}{}{}", name_,
                              all_.empty() ? "" : " where no graph fits", stop.text,
                              stop.where ? "\n  at " + stop.where.text() : "",
                              stop.hint.empty() ? "" : "\n  try: " + stop.hint));
    }
    if (options_.fullgraph && !stop.internal && stop.kind != "aliased_inputs")
      throw UserError(ErrorKind::runtime, "compile", "fullgraph: " + stop.text, stop.hint,
                      stop.where);
    return true;
  }
  if (reached.doubted) {
    if (confirms(capture, *reached.doubted)) {
      eager_calls_.fetch_add(1, std::memory_order_relaxed);
      return true;
    }
    reached.doubted->serves = Entry::Serves::those;
    reason = "an argument was a tensor that the callable holds itself";
  }
  if (options_.fullgraph && capture.stretches().size() > 1)
    throw UserError(
        ErrorKind::runtime, "compile", "fullgraph: a tensor's value is read on the host",
        "item_int(), where(), or fullgraph = false", capture.stretches()[0].entry->ended_at);
  if (const auto& why = capture.stretches()[0].entry->rest_why; options_.fullgraph && why)
    throw UserError(ErrorKind::runtime, "compile", "fullgraph: " + why->text,
                    why->hint + ", or fullgraph = false", why->where);
  for (Stretch& s : capture.stretches()) {
    CompileSettings settings;
    settings.backend = options_.backend;
    settings.fuse = options_.fuse;
    settings.disabled_passes = options_.disabled_passes;
    settings.name = name_;
    settings.needs_grad = s.needs_grad;
    settings.differentiated = s.differentiated;
    s.entry->name = fmt::format("{}/{}", name_, made_++);
    try {
      s.entry->compilation = compile_graph(std::move(s.graph), settings);
    } catch (const std::exception& e) {
      // A derivative rule raises what eager raises in backward(): the program's error, not ours.
      const auto* user = dynamic_cast<const UserError*>(&e);
      trace::Stop stop{"compile", user ? user->message() : e.what(), user ? user->hint() : "",
                       where_, !user};
      eager_calls_.fetch_add(1, std::memory_order_relaxed);
      note_break(stop);
      drop(sort);
      notice_once("compile_failed:" + name_,
                  "[compile] " + name_ +
                      " could not be compiled and runs eagerly: " + std::string(e.what()));
      return true;
    }
  }
  fill_conditions(capture.stretches());
  EntryList* list = reached.at ? reached.at : follow(*before, reached.value);
  for (Stretch& s : capture.stretches()) {
    if (!reason.empty()) {
      recompiles_.push_back({reason, s.entry->compilation->ms});
      log(Channel::recompiles, "recompile",
          fmt::format("recompile {} of {}: guard failed\n  {}", recompiles_.size(), name_, reason),
          where_, s.entry->compilation->ms);
      reason.clear();
    }
    if (log_enabled(Channel::guards))
      log(Channel::guards, "guards",
          fmt::format("guards of {}:\n{}", s.entry->name, s.entry->guards_text()), where_);
    std::shared_ptr<Entry> entry = s.entry;
    add(*list, entry);
    note_end(*entry, s.value && s.value->is_bool());
    if (!entry->goes_on() || (s.value && !admits(*entry, *s.value))) break;
    list = follow(*entry, s.value.value_or(Scalar()));
  }
  return true;
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
