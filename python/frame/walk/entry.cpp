#include "frame/walk/entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "frame/walk/fault.h"
#include "frame/walk/members.h"

namespace frit::walk {
int unit_of(const Frame& f) {
  // Neither names nor the preparation of a call are parted from it.
  const auto& all = f.decoded->instructions;
  size_t at = static_cast<size_t>(f.at);
  if (all[at].op != Op::call) return all[at].start;
  while (at > 0 && (all[at - 1].op == Op::kw_names || all[at - 1].prepares_call)) --at;
  return all[at].start;
}

// How many operands the call that the frame is in has on its stack.
int call_operands(const Frame& f) {
  const Instruction& i = f.instruction();
  if (i.op == Op::call_function_ex) return 3 + (i.arg & 1);
  return i.arg + 2 + (i.op == Op::call_kw ? 1 : 0);
}

std::unique_ptr<Entry> describe(Walker& w, Frame& root, const Value& result, TensorResults& results,
                                std::string& why) {
  auto e = std::make_unique<Entry>();
  RecipeBook book(w);
  auto frame_recipe = [&](const Frame& f, bool in_call) {
    FrameRecipe r;
    for (const Value& v : f.locals) r.locals.push_back(book.add(v));
    const size_t depth = f.stack.size() - (in_call ? static_cast<size_t>(call_operands(f)) : 0);
    for (size_t i = 0; i < depth; ++i) r.stack.push_back(book.add(f.stack[i]));
    r.unit = in_call ? f.instruction().start : unit_of(f);
    return r;
  };
  e->returns = static_cast<bool>(result);
  if (e->returns) {
    e->result = book.add(result);
  } else {
    e->frames.push_back(frame_recipe(root, !w.halted_frames.empty()));
    for (size_t i = w.halted_frames.size(); i-- > 0;) {
      FrameRecipe r = frame_recipe(*w.halted_frames[i], i > 0);
      r.function = book.add(w.halted_frames[i]->function_value);
      e->frames.push_back(std::move(r));
    }
    e->stop = w.stopped();
  }
  for (const Effect& effect : w.effects)
    e->effects.push_back(
        {effect.kind, book.add(effect.target), book.add(effect.key), book.add(effect.value)});
  if (const Value* handled = w.handled()) {
    e->changes_handled = true;
    e->handled = book.add(*handled);
  }
  why = book.refused();
  if (!why.empty()) return nullptr;
  w.guard_identities();
  results.tensors = book.computed.tensors;
  results.numbers = book.computed.numbers;
  e->builds = std::move(book.builds);
  e->opcodes = w.opcodes;
  std::vector<const Source*> needed = book.sources;
  for (Source* s : w.external_tensors) needed.push_back(s);
  for (Source* s : w.external_numbers) needed.push_back(s);
  e->guards = GuardProgram(w.sources, w.guards, w.guards.types(), needed, w.external_tensors);
  auto slot = [&](const Source* s) { return e->guards.slot_of(*s); };
  for (Source* s : w.external_numbers) e->external_numbers.push_back(slot(s));
  for (const Source* s : book.sources) e->read.push_back(slot(s));
  std::sort(e->read.begin(), e->read.end());
  e->read.erase(std::unique(e->read.begin(), e->read.end()), e->read.end());
  auto settle = [&](Recipe& r) {
    if (r.kind == Recipe::Kind::source)
      r.index = static_cast<int>(std::lower_bound(e->read.begin(), e->read.end(), slot(r.source)) -
                                 e->read.begin());
    r.source = nullptr;
  };
  settle(e->result);
  settle(e->handled);
  for (FrameRecipe& f : e->frames) {
    settle(f.function);
    for (Recipe& r : f.locals) settle(r);
    for (Recipe& r : f.stack) settle(r);
  }
  for (EffectRecipe& f : e->effects) settle(f.target), settle(f.key), settle(f.value);
  for (Build& b : e->builds) {
    for (Recipe& r : b.parts) settle(r);
    for (auto& [k, r] : b.entries) settle(r);
    for (auto& [k, r] : b.held) settle(r);
  }
  return e;
}

const char* effect_name(Effect::Kind k) {
  switch (k) {
    case Effect::Kind::set_attribute:
      return "set_attribute";
    case Effect::Kind::delete_attribute:
      return "delete_attribute";
    case Effect::Kind::set_item:
      return "set_item";
    case Effect::Kind::delete_item:
      return "delete_item";
    case Effect::Kind::append:
      return "append";
    case Effect::Kind::replace_list:
      return "replace_list";
    case Effect::Kind::set_cell:
      return "set_cell";
    case Effect::Kind::set_add:
      return "set_add";
    case Effect::Kind::set_discard:
      return "set_discard";
  }
  return "";
}

// --- serving ---

namespace {

// By C's own ways: no method of the program's is asked.
bool apply(const EffectRecipe& e, PyObject* target, PyObject* key, PyObject* value) {
  switch (e.kind) {
    case Effect::Kind::set_attribute:
    case Effect::Kind::delete_attribute:
      return PyObject_GenericSetAttr(target, key, value) == 0;
    case Effect::Kind::set_item:
    case Effect::Kind::delete_item:
      if (PyDict_Check(target)) return store_in_dict(target, key, value);
      return (value ? PyObject_SetItem(target, key, value) : PyObject_DelItem(target, key)) == 0;
    case Effect::Kind::append:
      return PyList_Append(target, value) == 0;
    case Effect::Kind::replace_list:
      return PyList_SetSlice(target, 0, PyList_GET_SIZE(target), value) == 0;
    case Effect::Kind::set_cell:
      return PyCell_Set(target, value) == 0;
    case Effect::Kind::set_add:
      return PySet_Add(target, value) == 0;
    case Effect::Kind::set_discard:
      return PySet_Discard(target, value) >= 0;
  }
  return false;
}

struct MadeFrame {
  Ref function;
  std::vector<Ref> locals, stack;
};

// The frame as the entry leaves it; callees that are to be made real above it.
void leave(const Entry& e, frame::FrameRun& frame, std::vector<MadeFrame>& made,
           std::vector<frame::FrameState>& callees) {
  auto owned = [](std::vector<Ref>& refs) {
    std::vector<PyObject*> o;
    for (Ref& r : refs) o.push_back(r.release());
    return o;
  };
  if (fault(Fault::exit_stack)) std::reverse(made[0].stack.begin(), made[0].stack.end());
  if (fault(Fault::exit_local) && !made[0].locals.empty()) made[0].locals.pop_back();
  for (size_t i = 0; i < made[0].locals.size(); ++i)
    frame.set_local(static_cast<int>(i), made[0].locals[i].release());
  std::vector<PyObject*> stack = owned(made[0].stack);
  frame.set_stack(stack);
  frame.set_instruction(e.frames[0].unit);
  for (size_t i = 1; i < made.size(); ++i) {
    frame::FrameState s;
    s.function = reinterpret_cast<PyFunctionObject*>(made[i].function.release());
    s.locals = owned(made[i].locals);
    s.stack = owned(made[i].stack);
    s.instruction = e.frames[i].unit;
    callees.push_back(std::move(s));
  }
}

}  // namespace

Served serve(Entry& e, frame::FrameRun& frame, PyObject*& returned,
             std::vector<frame::FrameState>& callees) {
  if (frame.globals() != e.globals || (e.function && frame.function() != e.function))
    return Served::no;
  if (!e.guards.check(frame.slots())) return Served::no;
  std::vector<PyObject*> numbers;
  for (int s : e.external_numbers) numbers.push_back(e.guards.object(s));
  std::vector<Ref> read;
  // Held while the graph runs, which may let other threads go on.
  for (int s : e.read) read.push_back(Ref::share(e.guards.object(s)));
  std::vector<Ref> tensor_results, number_results;
  switch (e.tensors->run_on({e.guards.tensors(), e.guards.live_tensors(), e.guards.generation()},
                            numbers, tensor_results, number_results)) {
    case TensorEntry::Outcome::refused:
      return Served::no;
    case TensorEntry::Outcome::failed:
      return Served::failed;
    case TensorEntry::Outcome::done:
      break;
  }
  ++e.runs;
  if (fault(Fault::tensor_order) && tensor_results.size() > 1)
    std::swap(tensor_results[0], tensor_results[1]);
  Maker maker(e.builds, read, std::move(tensor_results), std::move(number_results));
  // Everything is made before anything is changed: what is changed is read from the slots.
  bool ok = true;
  auto make = [&](const Recipe& r) {
    Ref made = Ref::take(ok ? maker.make(r) : nullptr);
    ok = ok && (made || r.kind == Recipe::Kind::nothing);
    return made;
  };
  Ref result = e.returns ? make(e.result) : Ref();
  Ref handled = e.changes_handled ? make(e.handled) : Ref();
  std::vector<MadeFrame> frames(e.frames.size());
  for (size_t i = 0; i < frames.size(); ++i) {
    frames[i].function = make(e.frames[i].function);
    for (const Recipe& r : e.frames[i].locals) frames[i].locals.push_back(make(r));
    for (const Recipe& r : e.frames[i].stack) frames[i].stack.push_back(make(r));
  }
  std::vector<std::array<Ref, 3>> effects;
  std::vector<size_t> order;
  for (const EffectRecipe& f : e.effects) {
    order.push_back(effects.size());
    effects.push_back({make(f.target), make(f.key), make(f.value)});
  }
  if (!ok) return Served::raised;
  if (fault(Fault::effect_order)) std::reverse(order.begin(), order.end());
  if (fault(Fault::effect_lost) && !order.empty()) order.pop_back();
  if (fault(Fault::effect_twice) && !order.empty()) order.push_back(order[0]);
  for (size_t i : order)
    if (!apply(e.effects[i], effects[i][0].get(), effects[i][1].get(), effects[i][2].get()))
      return Served::raised;
  if (e.changes_handled)
    frame.set_handled_exception(handled.get() == Py_None ? nullptr : handled.release());
  if (e.returns) {
    returned = result.release();
    return Served::returned;
  }
  leave(e, frame, frames, callees);
  return Served::left;
}

}  // namespace frit::walk
