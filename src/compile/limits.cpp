// What a callable tells of its breaks, and how far it may grow.
#include <fmt/format.h>

#include <algorithm>

#include "base/config.h"
#include "compile/callable.h"
#include "compile/texts.h"

namespace frit::compiler {
namespace {

const char* hint_for(bool condition) {
  return condition ? "frit::where() selects without a branch"
                   : "bool(condition) for a branch, item_int() for a size, frit::where() for a "
                     "select";
}

}  // namespace

std::string scalar_text(const Scalar& s) {
  if (s.is_bool()) return s.to_bool() ? "true" : "false";
  return s.is_real() ? fmt::format("{}", s.to_double()) : s.as_int().str();
}

std::string read_text(const Entry& e, bool condition) {
  std::string text = condition ? "a condition" : "item()";
  if (e.ended_at) text += " at " + e.ended_at.short_text();
  return text;
}

void log(Channel channel, const char* name, std::string text, SourceLocation where, double ms) {
  if (!log_enabled(channel)) return;
  Event e;
  e.channel = channel;
  e.name = name;
  e.text = std::move(text);
  e.where = where;
  e.ms = ms;
  emit(e);
}

void Callable::note_break(const trace::Stop& stop) {
  for (BreakRecord& b : breaks_)
    if (b.stop.kind == stop.kind && b.stop.text == stop.text && b.stop.where == stop.where) {
      ++b.times;
      return;
    }
  breaks_.push_back({stop, 1});
  log(Channel::graph_breaks, "break",
      fmt::format("{}: {}{}", name_, stop.text, stop.hint.empty() ? "" : "\n  try: " + stop.hint),
      stop.where);
}

void Callable::note_end(Entry& e, bool by_condition) {
  if (e.rest_why) note_break(*e.rest_why);
  if (e.end == Entry::End::op_count)
    note_break({"op_count",
                fmt::format("graphs end where ops_per_graph = {} says", options_.ops_per_graph),
                "ops_per_graph = 0",
                {},
                false});
  if (e.end != Entry::End::value_read) return;
  note_break({"value_read",
              by_condition ? "a condition on a tensor's value ends the graph"
                           : "item() ends the graph: the program reads a tensor's value",
              hint_for(by_condition), e.ended_at, false});
  auto at = std::find_if(places_.begin(), places_.end(),
                         [&](const ValuePlace& p) { return p.where == e.ended_at; });
  e.place = static_cast<int>(at - places_.begin());
  if (at == places_.end()) places_.push_back({e.ended_at, {}, -1});
}

void Callable::at_limit(int& noted, const std::string& key,
                        const std::function<trace::Stop()>& what) {
  if (noted >= 0) {
    ++breaks_[static_cast<size_t>(noted)].times;
    return;
  }
  trace::Stop stop = what();
  noted = static_cast<int>(breaks_.size());
  note_break(stop);
  notice_once(key, "[compile] " + stop.text + ". try: " + stop.hint);
}

bool Callable::limited(const CallState& state, const Reached& reached) {
  if (given_up(state.args)) return true;
  if (all_.size() >= kMostEntries) forget_dead();
  if (all_.size() >= kMostEntries) {
    at_limit(full_break_, "entry_limit:" + name_, [&] {
      return trace::Stop{
          "entry_limit",
          fmt::format("{} has {} graphs; it runs eagerly where none fits", name_, all_.size()),
          "pass what changes as a tensor, and frit::where() for conditions", where_, false};
    });
    return true;
  }
  if (!reached.at) return !admits(*reached.prefix.entries.back(), reached.value);
  auto known = reached.at->load();
  auto alive = std::count_if(known->begin(), known->end(), [](auto& e) { return !e->dead; });
  if (alive < options_.recompile_limit) return false;
  at_limit(reached.at->limit_break, "recompile_limit:" + name_, [&] {
    return trace::Stop{
        "recompile_limit",
        fmt::format("{} was compiled {} times at one place and a guard failed again: {}; it runs "
                    "eagerly where no entry fits",
                    name_, alive, why_none(*known, state)),
        "CompileOptions::recompile_limit, or pass what changes as a tensor", where_, false};
  });
  return true;
}

bool Callable::admits(const Entry& e, const Scalar& value) {
  if (value.is_bool() || e.end != Entry::End::value_read) return true;  // two at most, or one
  ValuePlace& place = places_[static_cast<size_t>(e.place)];
  if (static_cast<int>(place.values.size()) < options_.recompile_limit ||
      std::any_of(place.values.begin(), place.values.end(),
                  [&](const Scalar& v) { return v.same_as(value); }))
    return true;
  at_limit(place.limit_break, fmt::format("value_limit:{}:{}", name_, e.ended_at.text()), [&] {
    return trace::Stop{
        "value_limit",
        fmt::format("{} has given {} more than {} different values: what the program does with "
                    "a number is not seen, so each value has graphs of its own, and after further "
                    "values it runs eagerly",
                    read_text(e, false), name_, place.values.size()),
        hint_for(false), e.ended_at, false};
  });
  return false;
}

EntryList* Callable::follow(Entry& e, const Scalar& value) {
  if (EntryList* known = child(e, value)) return known;
  if (e.end == Entry::End::value_read) {
    std::vector<Scalar>& values = places_[static_cast<size_t>(e.place)].values;
    if (std::none_of(values.begin(), values.end(),
                     [&](const Scalar& v) { return v.same_as(value); }))
      values.push_back(value);
  }
  auto list = std::make_shared<EntryList>();
  e.next.emplace_back(value, list);
  return list.get();
}

// Entries whose tensors are gone, and what can only be reached through them.
void Callable::forget_dead() {
  if (std::none_of(all_.begin(), all_.end(), [](auto& e) { return e->dead.load(); })) return;
  std::vector<const Entry*> reached;
  auto visit = [&](auto& self, EntryList& list) -> void {
    auto alive = std::make_shared<Entries>();
    for (const auto& e : *list.load())
      if (!e->dead) alive->push_back(e);
    for (const auto& e : *alive) {
      reached.push_back(e.get());
      for (auto& [value, next] : e->next) self(self, *next);
    }
    list.store(std::move(alive));
  };
  visit(visit, root_);
  std::erase_if(all_, [&](const auto& e) {
    return std::find(reached.begin(), reached.end(), e.get()) == reached.end();
  });
}

}  // namespace frit::compiler
