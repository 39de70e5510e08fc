#include "frame/walk/region.h"

#include <fmt/format.h>

#include <optional>
#include <tuple>

#include "base/config.h"
#include "base/event.h"
#include "frame/abi/availability.h"
#include "frame/walk/made_once.h"
#include "frame/walk/no_collection.h"

namespace frit::walk {
namespace {

constexpr int kMostDropped = 3;
constexpr size_t kMostEntries = 256;
// After so many stretches without an op in a row, CPython runs the rest.
constexpr int kMostEmpty = 16;

// An exception that is raised again gets no second entry for the frame in its traceback.
void drop_last_entry(PyCodeObject* code) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  Ref tb = Ref::take(traceback ? traceback : PyException_GetTraceback(value));
  Ref next = Ref::take(tb ? PyObject_GetAttrString(tb.get(), "tb_next") : nullptr);
  Ref frame = Ref::take(
      next && next.get() != Py_None ? PyObject_GetAttrString(next.get(), "tb_frame") : nullptr);
  Ref of = Ref::take(frame ? PyObject_GetAttrString(frame.get(), "f_code") : nullptr);
  PyErr_Clear();
  if (of.get() == reinterpret_cast<PyObject*>(code)) tb = next;
  if (tb) PyException_SetTraceback(value, tb.get());
  PyErr_Restore(type, value, tb.release());
}

// What would spare the recompile that a tensor was the reason of.
std::string tensor_hint(const std::string& reason) {
  auto has = [&](const char* text) { return reason.find(text) != std::string::npos; };
  const size_t at = reason.find(".size("), end = reason.find(')', at);
  if (at != std::string::npos && end != std::string::npos && has(" was "))
    return fmt::format("frit.compiler.mark_dynamic({}, {})", reason.substr(0, at),
                       reason.substr(at + 6, end - at - 6));
  if (has("dtype was")) return "tensors of one dtype at each call";
  if (has("requires_grad was")) return "tensors that require gradients at each call, or at none";
  if (has("gradients were") || has("inference mode")) return "one gradient mode at each call";
  if (has("dimensions")) return "tensors of as many dimensions at each call";
  if (has("does not hold")) return "no branch on sizes";
  if (has("one object") || has("memory")) return "clone() what shares memory";
  return "";
}

// The guard of the entry that does not hold, and what would spare it.
std::pair<std::string, std::string> why_not(Entry& e, frame::FrameRun& frame) {
  if (!e.guards.check(frame.slots())) return {e.guards.why(), e.guards.hint()};
  std::vector<PyObject*> numbers;
  for (int s : e.external_numbers) numbers.push_back(e.guards.object(s));
  std::string reason = e.tensors->why_not(e.guards.tensors(), numbers);
  std::string hint = tensor_hint(reason);
  return {std::move(reason), std::move(hint)};
}

std::string where_of(frame::FrameRun& frame) {
  return fmt::format("{}:{} in {}", text_of(frame.code()->co_filename),
                     PyCode_Addr2Line(frame.code(), frame.instruction() * 2),
                     text_of(frame.code()->co_qualname));
}

thread_local bool t_capturing = false;
// One thread captures at a time, under the GIL: meanwhile others serve what there is, and run the
// rest as plain Python.
bool g_capturing = false;
Stance g_stance = Stance::capturing;
// Below a function that is not to be compiled.
thread_local bool t_disabled = false;

bool is_disabled(PyFunctionObject* f) {
  static PyObject* const name = name_of("__frit_disabled__");
  return f && f->func_dict && PyDict_GetItemWithError(f->func_dict, name);
}

std::vector<const char*>& packages() {
  static std::vector<const char*> names;
  return names;
}

// Where an imported module's file is, with the slash.
std::string folder_of(const char* module) {
  PendingError keep;
  Ref m = Ref::take(PyImport_GetModule(Ref::take(name_of(module)).get()));
  Ref path = Ref::take(m ? PyObject_GetAttrString(m.get(), "__file__") : nullptr);
  PyErr_Clear();
  const std::string text = path ? text_of(path.get()) : "";
  return text.substr(0, text.rfind('/') + 1);
}

// The standard library's code is walked into, but of no use by itself; so is a tensor library's,
// but for its modules.
bool is_of_library(const std::string& file) {
  if (file.starts_with("<frozen ")) return true;
  const std::string& home = made_once([] { return folder_of("os"); });
  if (!home.empty() && file.starts_with(home) &&
      file.find("-packages/", home.size()) == std::string::npos)
    return true;
  for (const char* name : packages()) {
    const std::string package = folder_of(name);
    if (!package.empty() && file.starts_with(package) && !file.starts_with(package + "nn/"))
      return true;
  }
  return false;
}

// The next frame that is made real begins with the instruction that was not followed.
thread_local bool t_step_first = false;

}  // namespace

Region::Region(Chooser chooser, CompileOptions options, std::string name)
    : chooser_(std::move(chooser)), options_(std::move(options)), name_(std::move(name)) {
  if (env_flag("FRIT_DISABLE_COMPILE")) g_stance = Stance::plain;
}

void Region::add_package(const char* name) { packages().push_back(name); }

void Region::set_stance(Stance stance) { g_stance = stance; }

void Region::reset() {
  // Emptied before anything of it dies: what runs then, here and on other threads, may fill it.
  const auto places = std::exchange(places_, {});
  const auto wanted = std::exchange(wanted_, {});
  const auto codes = std::exchange(codes_, {});
  const auto breaks = std::exchange(breaks_, {});
  const auto recompiles = std::exchange(recompiles_, {});
  plain_calls_ = 0;
}

std::vector<const Entry*> Region::entries() const {
  std::vector<const Entry*> all;
  for (const auto& [at, place] : places_)
    for (const auto& e : place->entries) all.push_back(e.get());
  return all;
}

std::shared_ptr<Place> Region::place_of(frame::FrameRun& frame) {
  const std::pair key(frame.code(), frame.instruction());
  auto it = places_.find(key);
  if (it != places_.end()) return it->second;
  codes_.push_back(Ref::share(reinterpret_cast<PyObject*>(frame.code())));
  return places_[key] = std::make_shared<Place>();
}

void Region::note_break(const WalkStop& stop) {
  for (BreakNote& b : breaks_)
    if (b.stop.where == stop.where && b.stop.text == stop.text) {
      ++b.times;
      return;
    }
  breaks_.push_back({stop});
  if (log_enabled(Channel::graph_breaks)) {
    std::string text = fmt::format("{}: {}\n  at {}", name_, stop.text, stop.where);
    for (size_t i = 1; i < stop.stack.size(); ++i) text += "\n  called at " + stop.stack[i];
    if (!stop.hint.empty()) text += "\n  try: " + stop.hint;
    emit({.channel = Channel::graph_breaks, .name = "break", .text = text});
  }
}

void Region::drop(Place& place, const WalkStop& stop) {
  note_break(stop);
  if (++place.dropped >= kMostDropped) place.plain = true;
}

bool Region::wants_frames() const { return g_stance != Stance::plain && !t_disabled; }

bool Region::wants(PyCodeObject* code, PyFunctionObject* function) {
  if (t_capturing || g_stance == Stance::plain || t_disabled || !is_walkable(code)) return false;
  return (is_of_program(code) || is_disabled(function)) &&
         !frame::why_observed(PyThreadState_Get(), code);
}

bool Region::is_of_program(PyCodeObject* code) {
  auto [it, is_new] = wanted_.emplace(code, false);
  if (is_new) {
    codes_.push_back(Ref::share(reinterpret_cast<PyObject*>(code)));
    it->second = !is_of_library(text_of(code->co_filename));
  }
  return it->second;
}

PyObject* Region::run(frame::FrameRun& frame) {
  PyObject* result = nullptr;
  struct Disabled {
    bool before;
    ~Disabled() { t_disabled = before; }
  } disabled{std::exchange(t_disabled, is_disabled(frame.function()))};
  if (t_disabled) return frame.finish();
  // The walk of another compiled function, or of this one, is on: here it is just code.
  if (t_capturing || g_stance == Stance::plain || !is_walkable(frame.code())) {
    ++plain_calls_;
    return frame.finish();
  }
  int empty = 0;
  bool step = std::exchange(t_step_first, false);
  // A library's own code, left in its middle, is of no more use than called from there.
  if (frame.instruction() > frame.code()->_co_firsttraceable && !is_of_program(frame.code()))
    return frame.finish();
  for (;;) {
    if (step) {
      if (frame.step() == frame::FrameRun::Outcome::kDone) return frame.take_result();
      step = false;
      // It may have begun to trace or to profile.
      if (frame::why_observed(PyThreadState_Get(), frame.code())) {
        ++plain_calls_;
        return frame.finish();
      }
    }
    // Held: reset() may be called by what runs below.
    const std::shared_ptr<Place> held = place_of(frame);
    Place& place = *held;
    // What is plain because there were too many entries refuses another one like them.
    const bool refuses = g_stance == Stance::no_recompiling && !place.entries.empty();
    if ((place.plain && !refuses) || empty > kMostEmpty) {
      ++plain_calls_;
      return frame.finish();
    }
    if (place.halts) {
      step = true;
      ++empty;
      continue;
    }
    bool served = false;
    if (serve_one(frame, place, result, step, served) == Next::done) return result;
    empty = served ? 0 : empty + 1;
  }
}

Region::Next Region::serve_one(frame::FrameRun& frame, Place& place, PyObject*& result, bool& step,
                               bool& served) {
  // Others may add entries while one runs.
  for (size_t i = 0; i < place.entries.size(); ++i) {
    const std::shared_ptr<Entry> e = place.entries[i];
    std::vector<frame::FrameState> callees;
    PyObject* returned = nullptr;
    switch (serve(*e, frame, returned, callees)) {
      case Served::no:
        continue;
      case Served::failed:
        ++plain_calls_;
        result = frame.finish();  // eager raises at its own line
        return Next::done;
      case Served::returned:
        result = frame.finish_returning(returned);
        return Next::done;
      case Served::raised:
        result = frame.finish_raising();
        return Next::done;
      case Served::left:
        served = e->tensors->ops() > 0;
        return leave(frame, std::move(callees), result, step);
    }
  }
  if (g_capturing || g_stance == Stance::serving) {
    ++plain_calls_;
    result = frame.finish();
    return Next::done;
  }
  if (g_stance == Stance::no_recompiling && !place.entries.empty() &&
      chooser_(frame).steps_aside().empty())
    return refuse(frame, place, result);
  if (place.plain) {
    ++plain_calls_;
    result = frame.finish();
    return Next::done;
  }
  if (place.entries.size() >= static_cast<size_t>(options_.recompile_limit) ||
      entries().size() >= kMostEntries) {
    place.plain = true;
    WalkStop limit{"recompile_limit",
                   fmt::format("{} entries were made here: it runs as plain Python from now on",
                               place.entries.size()),
                   "recompile_limit, or what the guards that failed say",
                   "",
                   {}};
    limit.where = where_of(frame);
    note_break(limit);
    notice_once("recompile_limit:" + limit.where,
                "[compile] " + name_ + " " + limit.where + ": " + limit.text);
    ++plain_calls_;
    result = frame.finish();
    return Next::done;
  }
  return capture(frame, place, result, step);
}

Region::Next Region::refuse(frame::FrameRun& frame, const Place& place, PyObject*& result) const {
  std::string text =
      fmt::format("[compile] fail_on_recompile: none of the entries of {} fits\n  at {}", name_,
                  where_of(frame));
  const std::vector<std::shared_ptr<Entry>> others = place.entries;  // as in capture()
  for (auto& e : others) {
    const auto [reason, hint] = why_not(*e, frame);
    text += fmt::format("\n  {}: {}", e->name, reason);
    if (!hint.empty()) text += "\n    try: " + hint;
  }
  PyErr_SetString(PyExc_RuntimeError, text.c_str());
  result = frame.finish_raising();
  return Next::done;
}

// A frame that an entry or a walk has left at an instruction which CPython runs.
Region::Next Region::leave(frame::FrameRun& frame, std::vector<frame::FrameState> callees,
                           PyObject*& result, bool& step) {
  step = callees.empty();
  if (step) return Next::go_on;
  t_step_first = true;
  Ref returned = Ref::take(frame::materialise(callees, *this));
  t_step_first = false;
  if (!returned) {
    if (frame.raise_step() == frame::FrameRun::Outcome::kStopped) return Next::go_on;
    result = frame.take_result();
    return Next::done;
  }
  // The call is done: its result is on the stack, and the next instruction is next.
  frame.push(returned.release());
  frame.set_instruction(frame.info().call_of(frame.instruction()).next);
  return Next::go_on;
}

Region::Next Region::capture(frame::FrameRun& frame, Place& place, PyObject*& result, bool& step) {
  TensorLibrary& library = chooser_(frame);
  if (const std::string why = library.steps_aside(); !why.empty()) {
    note_break({"stepped_aside", why, "", fmt::format("{} as a whole", name_), {}});
    notice_once("stepped_aside:" + why, "[compile] " + name_ + " runs as plain Python: " + why);
    ++plain_calls_;
    result = frame.finish();
    return Next::done;
  }
  std::string reason, hint;
  // A copy: guards may run code of the program's, which may add entries.
  const std::vector<std::shared_ptr<Entry>> others = place.entries;
  for (auto& e : others) {
    std::tie(reason, hint) = why_not(*e, frame);
    for (std::string& n : e->guards.changed_numbers(frame.slots()))
      place.dynamic.insert(std::move(n));
  }
  Walker walker(library);
  walker.dynamic_numbers = place.dynamic;
  Frame root;
  root.code = frame.code();
  root.function = frame.function();
  root.function_value = walker.constant(reinterpret_cast<PyObject*>(frame.function()));
  root.globals = frame.globals();
  root.builtins = frame.builtins();
  root.real = true;
  root.run = &frame;
  std::unique_ptr<Entry> entry;
  struct Forget {
    TensorLibrary& library;
    ~Forget() { library.forget(); }
  };
  std::optional<Forget> recorded(std::in_place, library);
  Value returned;
  bool raised = false;
  std::string why;
  const int began = frame.instruction();
  {
    NoCollection quiet;
    const Walker::Active active(walker);
    t_capturing = g_capturing = true;
    struct Done {
      ~Done() { t_capturing = g_capturing = false; }
    } done;
    auto body = [&](TensorResults& results) {
      walker.enter(root, frame.slots(), frame.depth());
      root.at = root.decoded->at[static_cast<size_t>(began)];
      returned = walker.walk(root);
      raised = !returned && !walker.halted();
      if (raised || !walker.recording()) {
        library.abandon(walker.stopped() ? walker.stopped()->text : "an exception leaves it");
        return;
      }
      PendingError keep;
      entry = describe(walker, root, returned, results, why);
      if (entry) {
        entry->globals = root.globals;
        if (root.decoded->at[static_cast<size_t>(began)] == 0) entry->function = root.function;
        codes_.push_back(Ref::share(reinterpret_cast<PyObject*>(root.function)));
      }
      if (!entry) library.abandon(why);
    };
    try {
      library.record(options_.dynamic == Dynamic::automatic, body);
    } catch (const std::exception& e) {
      // The program has run; nothing comes of the recording.
      entry.reset();
      why = e.what();
    }
  }
  const bool no_progress =
      walker.halted() && walker.halted_frames.empty() && unit_of(root) == began;
  if (no_progress) place.halts = true;
  if (walker.stopped()) note_break(*walker.stopped());
  if (options_.fullgraph && walker.stopped()) {
    const WalkStop& s = *walker.stopped();
    PyErr_Format(PyExc_RuntimeError, "[compile] fullgraph: %s\n  at %s\n  try: %s", s.text.c_str(),
                 s.where.c_str(), s.hint.empty() ? "fullgraph=False" : s.hint.c_str());
    result = frame.finish_raising();
    return Next::done;
  }
  if (entry && !no_progress) {
    RecordingStop stop;
    entry->name = fmt::format("{}/{}", name_, made_++);
    PendingError keep;
    entry->tensors = library.compile(options_, entry->name, stop);
    if (entry->tensors) {
      if (!reason.empty()) {
        recompiles_.push_back({reason, walker.where(), hint});
        if (log_enabled(Channel::recompiles))
          emit({.channel = Channel::recompiles,
                .name = "recompile",
                .text = fmt::format("recompile {} of {}: guard failed\n  {}{}", recompiles_.size(),
                                    name_, reason, hint.empty() ? "" : "\n  try: " + hint)});
      }
      if (log_enabled(Channel::guards)) {
        std::string text = "guards of " + entry->name + ":";
        for (const std::string& t : entry->guards.texts()) text += "\n  " + t;
        text += "\n" + entry->tensors->guards_text();
        emit({.channel = Channel::guards, .name = "guards", .text = text});
      }
      // Ints that were looked at: the second value of one makes it a symbol.
      for (const Guard& g : walker.guards.all()) {
        if (g.kind != GuardKind::equals ||
            !(PyLong_CheckExact(g.object.get()) || PyFloat_CheckExact(g.object.get())))
          continue;
        auto [it, is_new] = place.numbers.emplace(source_text(*g.source), g.object);
        if (!is_new && PyObject_RichCompareBool(it->second.get(), g.object.get(), Py_NE) == 1)
          place.dynamic.insert(it->first);
      }
      place.entries.push_back(std::move(entry));
    } else {
      drop(place, {stop.kind, stop.text, stop.hint, "", {}});
    }
  } else if (!no_progress) {
    WalkStop s = walker.stopped() ? *walker.stopped()
                                  : WalkStop{"raised", "an exception leaves it", "", "", {}};
    if (!why.empty()) s = {"not_rebuilt", why, "", s.where, s.stack};
    drop(place, s);
  }
  // Before the program goes on, which may be captured in its turn.
  recorded.reset();
  if (returned) {
    result = frame.finish_returning(returned.object.release());
    return Next::done;
  }
  // The real frame takes over what the walked one holds.
  auto own = [](std::vector<Value>& values, size_t n) {
    std::vector<PyObject*> o;
    for (size_t i = 0; i < n; ++i) o.push_back(values[i].object.release());
    return o;
  };
  if (raised) {
    PendingError keep;
    for (size_t i = 0; i < root.locals.size(); ++i)
      frame.set_local(static_cast<int>(i), root.locals[i].object.release());
    frame.drop_stack(0);
    frame.set_instruction(unit_of(root));
  }
  if (raised) {
    result = frame.finish_raising();
    if (walker.left_by_reraise()) drop_last_entry(root.code);
    return Next::done;
  }
  std::vector<frame::FrameState> callees;
  const bool in_call = !walker.halted_frames.empty();
  for (size_t i = 0; i < root.locals.size(); ++i)
    frame.set_local(static_cast<int>(i), root.locals[i].object.release());
  std::vector<PyObject*> stack =
      own(root.stack, root.stack.size() - (in_call ? static_cast<size_t>(call_operands(root)) : 0));
  frame.set_stack(stack);
  frame.set_instruction(in_call ? root.instruction().start : unit_of(root));
  for (size_t i = walker.halted_frames.size(); i-- > 0;) {
    Frame& f = *walker.halted_frames[i];
    frame::FrameState s;
    s.function = reinterpret_cast<PyFunctionObject*>(f.function_value.object.release());
    s.locals = own(f.locals, f.locals.size());
    s.stack = own(f.stack, f.stack.size() - (i > 0 ? static_cast<size_t>(call_operands(f)) : 0));
    s.instruction = i > 0 ? f.instruction().start : unit_of(f);
    callees.push_back(std::move(s));
  }
  return leave(frame, std::move(callees), result, step);
}

}  // namespace frit::walk
