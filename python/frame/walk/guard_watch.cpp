// Checks of guards that do not grow with what they look at: see watch.h.
#include <algorithm>

#include "frame/walk/guard_watches.h"
#include "frame/walk/no_collection.h"

namespace frit::walk {
namespace {

bool g_verify = false;
uint64_t g_generations = 0;

// Programs whose objects are others again and again are compared instead, ever longer.
constexpr int kLongestWait = 255;
constexpr int kHitsToTrust = 16;

bool is_atom(PyObject* o) {
  return o == Py_None || PyBool_Check(o) || PyLong_CheckExact(o) || PyFloat_CheckExact(o) ||
         PyUnicode_CheckExact(o) || PyBytes_CheckExact(o);
}

}  // namespace

GuardProgram::GuardProgram() = default;
GuardProgram::GuardProgram(GuardProgram&&) noexcept = default;
GuardProgram& GuardProgram::operator=(GuardProgram&&) noexcept = default;
GuardProgram::~GuardProgram() = default;

void GuardProgram::verify(bool on) {
  g_verify = on;
  verified() = {};
}
GuardProgram::Verified& GuardProgram::verified() {
  static Verified v;
  return v;
}

bool GuardProgram::check(PyObject* const* locals) {
  failed_ = nullptr;
  failed_type_ = nullptr;
  if (watches_ && watches_->valid) {
    const Fast found = fast(locals);
    if (g_verify) [[unlikely]] {
      Verified& v = verified();
      const std::vector<PyObject*> slots = slots_, tensors = tensors_;
      const Step* failed = failed_;
      const TypeGuard* failed_type = failed_type_;
      const bool holds = full(locals);
      slots_ = slots;
      tensors_ = tensors;
      failed_ = failed;
      failed_type_ = failed_type;
      ++v.checks;
      v.held += holds;
      v.fast += found != Fast::unknown;
      v.missed += found == Fast::holds && !holds;
      v.needless += found == Fast::fails && holds;
    }
    if (found != Fast::unknown) return found == Fast::holds;
    Watches& w = *watches_;
    w.valid = false;  // what slots hold may be gone
    generation_ = 0;
    w.hits = 0;
    w.wait = w.penalty;
    w.penalty = std::min(2 * w.penalty + 1, kLongestWait);
    failed_ = nullptr;
    failed_type_ = nullptr;
  }
  const NoCollection quiet;
  if (!full(locals)) return false;
  if (watch_mode() == WatchMode::none) return true;
  if (!watches_) watches_ = std::make_unique<Watches>();
  if (watches_->wait > 0)
    --watches_->wait;
  else
    watch_all();
  return true;
}

// --- a check ---

GuardProgram::Fast GuardProgram::fast(PyObject* const* locals) {
  Watches& w = *watches_;
  locals_ = locals;
  states_.clear();
  if (!w.set.quiet()) {
    if (w.set.all) return Fast::unknown;
    while (!w.set.pending.empty()) {
      WatchGroup& g = *w.set.pending.back();
      if (const Fast r = recheck(g); r != Fast::holds) return r;
      w.set.pending.pop_back();
      g.dirty = false;
    }
    w.set.settle();
  }
  if (w.compare_types && !types_hold()) return Fast::fails;
  if (const Fast r = run_unwatched(); r != Fast::holds) {
    if (PyErr_Occurred()) PyErr_Clear();
    return r;
  }
  for (int i : live_tensors_)
    tensors_[static_cast<size_t>(i)] = object(tensor_slots_[static_cast<size_t>(i)]);
  if (w.hits < kHitsToTrust && ++w.hits == kHitsToTrust) w.penalty = 0;
  return Fast::holds;
}

GuardProgram::Fast GuardProgram::run_live(int step) {
  const Step& s = steps_[static_cast<size_t>(step)];
  const auto slot = static_cast<size_t>(s.slot);
  if (!run(s)) {
    failed_ = &s;
    return Fast::fails;
  }
  if (!s.is_load() || watches_->holds[slot] != Hold::root) return Fast::holds;
  return watches_->is_pinned(slot, slots_[slot]) ? Fast::holds : Fast::unknown;
}

GuardProgram::Fast GuardProgram::run_unwatched() {
  Watches& w = *watches_;
  if (watch_mode() == WatchMode::tags) {
    const uint64_t now = dict_changes();
    if (now != w.changes) {
      // Holders before what they hold: a tag is read where its dict is known to be alive.
      for (const Watches::Item& item : w.order) {
        if (!item.group) {
          if (const Fast r = run_live(item.step); r != Fast::holds) return r;
        } else if (const uint64_t tag = dict_tag(item.group->box); tag != item.group->tag) {
          if (const Fast r = recheck(*item.group); r != Fast::holds) return r;
          item.group->tag = tag;
        }
      }
      w.changes = now;
      return Fast::holds;
    }
  }
  for (int i : w.always)
    if (const Fast r = run_live(i); r != Fast::holds) return r;
  return Fast::holds;
}

// What was reported, compared.
GuardProgram::Fast GuardProgram::recheck(WatchGroup& g) {
  Watches& w = *watches_;
  if (g.kind == WatchKind::type) {
    if (!types_hold()) return Fast::fails;
    if (!watch(g)) w.compare_types = true;  // it tells once: it is asked again
    return Fast::holds;
  }
  for (int i : g.steps) {
    const Step& s = steps_[static_cast<size_t>(i)];
    const auto slot = static_cast<size_t>(s.slot);
    if (g.kind == WatchKind::function || !s.is_load()) {
      if (g.kind == WatchKind::function ? run(s) : run_on_dict(s, g.box)) continue;
      failed_ = &s;
      PyErr_Clear();
      return Fast::fails;
    }
    // What was there may be gone: its address alone is compared.
    PyObject* now = PyDict_GetItemWithError(g.box, s.object);
    if (!now) {
      PyErr_Clear();
      failed_ = &s;
      return Fast::fails;
    }
    WatchGroup::Key* key = g.find(s.object);
    if (!w.simple[slot] || !is_atom(now)) {
      // Another object may have its address.
      const bool same = now == slots_[slot] &&
                        (watch_mode() == WatchMode::tags ? w.is_pinned(slot, now) || w.has_tag(now)
                                                         : !g.lost && !key->changed);
      if (same) continue;
      return Fast::unknown;
    }
    // Compared even where it is the one of last time, which may have been wrong then, too.
    slots_[slot] = now;
    key->wanted = now;
    key->changed = false;
    for (int c = w.first_check[slot]; c < w.first_check[slot + 1]; ++c) {
      const Step& check = steps_[static_cast<size_t>(w.checks[static_cast<size_t>(c)])];
      if (run(check)) continue;
      failed_ = &check;
      PyErr_Clear();
      return Fast::fails;
    }
  }
  g.lost = false;
  return Fast::holds;
}

// --- watching what a full check has found ---

void GuardProgram::prepare_watches() {
  Watches& w = *watches_;
  const size_t slots = slots_.size();
  w.roots.resize(slots);
  w.worth.assign(slots, false);
  w.first_check.assign(slots + 1, 0);
  for (const Step& s : steps_) {
    if (s.is_load()) {
      if (s.parent >= 0) w.worth[static_cast<size_t>(s.parent)] = true;
      continue;
    }
    if (s.op == Op::absent_attribute || s.op == Op::absent_slot)
      w.worth[static_cast<size_t>(s.slot)] = true;
    ++w.first_check[static_cast<size_t>(s.slot) + 1];
  }
  for (size_t i = 1; i <= slots; ++i) w.first_check[i] += w.first_check[i - 1];
  w.checks.resize(static_cast<size_t>(w.first_check[slots]));
  std::vector<int> next = w.first_check;
  for (size_t i = 0; i < steps_.size(); ++i)
    if (!steps_[i].is_load())
      w.checks[static_cast<size_t>(next[static_cast<size_t>(steps_[i].slot)]++)] =
          static_cast<int>(i);
}

void GuardProgram::watch_all() {
  Watches& w = *watches_;
  if (w.first_check.empty()) prepare_watches();
  ++w.round;
  w.set.pending.clear();
  w.set.settle();
  w.always.clear();
  w.order.clear();
  w.swaps_seen.clear();
  w.compare_types = false;
  w.holds.assign(slots_.size(), Hold::known);
  w.simple.assign(slots_.size(), false);
  for (const TypeGuard& t : types_) {
    auto& place = w.groups[static_cast<int>(WatchKind::type)][t.type.get()];
    if (!place) place = std::make_unique<Watches::Node>();
    place->set = &w.set;
    place->kind = WatchKind::type;
    place->box = t.type.get();
    place->round = w.round;
    place->dirty = false;
    if (!watch(*place)) w.compare_types = true;
  }
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Step& s = steps_[i];
    const auto slot = static_cast<size_t>(s.slot);
    if (watch_step(static_cast<int>(i))) {
      if (!s.is_load()) continue;
      // Of plain values another may stand there, which the guards on it say.
      bool simple = is_atom(slots_[slot]) && !w.worth[slot];
      for (int c = w.first_check[slot]; simple && c < w.first_check[slot + 1]; ++c) {
        const Op op = steps_[static_cast<size_t>(w.checks[static_cast<size_t>(c)])].op;
        simple = op == Op::is || op == Op::is_not || op == Op::type || op == Op::equals;
      }
      w.simple[slot] = simple;
      if (!simple && watch_mode() == WatchMode::tags) w.pin(slot, slots_[slot]);
      continue;
    }
    w.always.push_back(static_cast<int>(i));
    w.order.push_back({static_cast<int>(i), nullptr});
    if (!s.is_load()) continue;
    w.holds[slot] = Hold::live;
    PyObject* o = slots_[slot];
    if (!w.worth[slot]) continue;
    if (w.pin(slot, o)) w.holds[slot] = Hold::root;
  }
  for (auto& kind : w.groups)
    std::erase_if(kind, [&](auto& item) {
      if (item.second->round == w.round) return false;
      unwatch(*item.second);
      return true;
    });
  live_tensors_.clear();
  for (size_t i = 0; i < tensor_slots_.size(); ++i)
    if (w.holds[static_cast<size_t>(tensor_slots_[i])] == Hold::live ||
        w.simple[static_cast<size_t>(tensor_slots_[i])])
      live_tensors_.push_back(static_cast<int>(i));
  generation_ = ++g_generations;
  if (watch_mode() == WatchMode::tags) {
    // Giving dicts their own tables has changed them.
    for (Watches::Item& item : w.order)
      if (item.group) item.group->tag = dict_tag(item.group->box);
    w.changes = dict_changes();
  }
  w.set.pending.clear();
  for (auto& kind : w.groups)
    for (auto& [box, g] : kind) g->dirty = false;
  w.set.settle();
  w.valid = true;
}

bool GuardProgram::watch_dict(PyObject* dict, int step, PyObject* key, PyObject* wanted,
                              bool exact) {
  Watches& w = *watches_;
  auto& place = w.groups[static_cast<int>(WatchKind::dict)][dict];
  if (!place) place = std::make_unique<Watches::Node>();
  Watches::Node& g = *place;
  if (g.round != w.round) {
    g.round = w.round;
    g.set = &w.set;
    g.box = dict;
    g.dirty = g.whole = false;
    g.clear_keys();
    g.steps.clear();
    g.ok = watch(g);
    if (g.ok) w.order.push_back({-1, &g});
  }
  if (!g.ok) return false;
  if (key)
    g.add_key(key, wanted, exact);
  else
    g.whole = true;
  g.steps.push_back(step);
  return true;
}

// Neither its class nor which dict it has changes unseen.
bool GuardProgram::watch_object(PyObject* o) {
  Watches& w = *watches_;
  PyTypeObject* type = Py_TYPE(o);
  auto [it, is_new] = w.swaps_seen.emplace(type, false);
  if (is_new) it->second = dict_swaps_are_seen(type) || !dict_of(o);
  if (!it->second) return false;
  auto& place = w.groups[static_cast<int>(WatchKind::object)][o];
  if (!place) place = std::make_unique<Watches::Node>();
  Watches::Node& g = *place;
  if (g.round == w.round) return g.ok;
  g.round = w.round;
  g.set = &w.set;
  g.kind = WatchKind::object;
  g.box = o;
  g.dirty = false;
  g.ok = watch(g);
  return g.ok;
}

// True where the step need not be run again until something is reported.
bool GuardProgram::watch_step(int step) {
  Watches& w = *watches_;
  const Step& s = steps_[static_cast<size_t>(step)];
  PyObject* o = slots_[static_cast<size_t>(s.slot)];
  PyObject* p = s.parent >= 0 ? slots_[static_cast<size_t>(s.parent)] : nullptr;
  const bool known = w.holds[static_cast<size_t>(s.slot)] != Hold::live;
  const bool from_known = s.parent >= 0 && w.holds[static_cast<size_t>(s.parent)] != Hold::live;
  switch (s.op) {
    case Op::load_local:
    case Op::load_slot:
    case Op::load_cell:
    case Op::load_state:
      return false;
    case Op::load_attribute:
      return from_known && watch_object(p) && watch_dict(dict_of(p), step, s.object, o, true);
    case Op::load_dict:
      return from_known && watch_object(p);
    case Op::load_item:
      return from_known && PyTuple_Check(p);
    case Op::load_key:
      return from_known && watch_dict(p, step, s.object, o, true);
    case Op::load_self:
    case Op::load_function:
      return from_known;
    case Op::is:
    case Op::is_not:
    case Op::equals:
      return known;
    case Op::type:
      return known && (!class_may_change(Py_TYPE(o)) || watch_object(o));
    case Op::same:
    case Op::not_same:
      return known && from_known;
    case Op::length:
    case Op::truth:
      return known &&
             (PyTuple_Check(o) || (PyDict_Check(o) && watch_dict(o, step, nullptr, nullptr, true)));
    case Op::keys:
      // The order of an OrderedDict is its own, and changes unseen.
      return known && (PyDict_CheckExact(o) || PyDict_GET_SIZE(o) <= 1) &&
             watch_dict(o, step, nullptr, nullptr, true);
    case Op::absent_attribute: {
      if (!known || !watch_object(o)) return false;
      PyObject* d = dict_of(o);
      // Where it has none yet, it may get one.
      return d ? watch_dict(d, step, s.object, nullptr, true) : !_PyObject_GetDictPtr(o);
    }
    case Op::absent_key:
      return known && PyDict_Check(o) && watch_dict(o, step, s.object, nullptr, true);
    case Op::present_key:
      return known && PyDict_Check(o) && watch_dict(o, step, s.object, nullptr, false);
    case Op::absent_slot:
      return false;
    case Op::function: {
      if (!known) return false;
      auto& place = w.groups[static_cast<int>(WatchKind::function)][o];
      if (!place) place = std::make_unique<Watches::Node>();
      Watches::Node& g = *place;
      if (g.round != w.round) {
        g.round = w.round;
        g.set = &w.set;
        g.kind = WatchKind::function;
        g.box = o;
        g.dirty = false;
        g.steps.clear();
        g.ok = watch(g);
      }
      if (g.ok) g.steps.push_back(step);
      return g.ok;
    }
  }
  return false;
}

}  // namespace frit::walk
