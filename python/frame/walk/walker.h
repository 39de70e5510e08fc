// The walk: an interpreter that runs a frame for real, on real objects, and remembers where every
// value came from. What the program used becomes guards, what it changed becomes effects.
//
// Nothing is undone: at every instruction the state is the one plain Python would have. Where
// something cannot be followed, the walk halts before the instruction that does it, or, in the
// middle of one, goes on without recording (`plain`).
//
// Functions that give a Value give an empty one where a Python exception is set, or where the walk
// halts (halted()).
#pragma once
#include <algorithm>
#include <memory>
#include <optional>

#include "frame/abi/frame.h"
#include "frame/tensor_library.h"
#include "frame/walk/code.h"
#include "frame/walk/effects.h"
#include "frame/walk/guards.h"

namespace frit::walk {

struct Frame {
  PyCodeObject* code = nullptr;
  PyFunctionObject* function = nullptr;
  Value function_value;
  PyObject *globals = nullptr, *builtins = nullptr;
  const Code* decoded = nullptr;
  std::vector<Value> locals, stack;
  int at = 0;  // the instruction, by its number
  PyObject* keyword_names = nullptr;
  Frame* back = nullptr;
  frame::FrameRun* run = nullptr;
  bool yielded = false;  // a generator's: it has, and goes on later
  bool real = false;     // CPython has the same frame, and adds it to tracebacks
  Ref seen;              // the frame object that stands for it in tracebacks
  int raised_at = 0;     // the unit at which what is raised again was raised

  const Instruction& instruction() const { return decoded->instructions[static_cast<size_t>(at)]; }
  int line() const { return PyCode_Addr2Line(code, instruction().unit * 2); }
};

// A generator that the walk runs. CPython has one that has not begun: what began here ends here.
struct Generator {
  std::unique_ptr<Frame> frame;
  bool started = false, done = false;
  Value returned;
};

// Why a recording ended before the program did.
struct WalkStop {
  std::string kind, text, hint;
  std::string where;  // file:line in function
  std::vector<std::string> stack;
};

class Walker {
 public:
  explicit Walker(TensorLibrary& library) : library_(library) {}

  // The frame's locals, and `depth` values of its stack, as sources.
  void enter(Frame& frame, PyObject* const* slots, int depth);
  // Runs the frame until it returns, raises (empty) or halts (empty, halted()).
  Value walk(Frame& frame);

  bool recording() const { return !plain_; }
  bool halted() const { return halted_; }
  // An exception left the real frame that its traceback has an entry for already.
  bool left_by_reraise() const { return left_by_reraise_; }
  const std::optional<WalkStop>& stopped() const { return stop_; }
  // Numbers of the caller's that are to be symbols, by their source's text.
  std::unordered_set<std::string> dynamic_numbers;

  SourceTable sources;
  GuardList guards;
  Effects effects;
  // By number of use_external() and use_number().
  std::vector<Source*> external_tensors, external_numbers;
  int opcodes = 0;

  // --- uses (uses.cpp): what the program depends on becomes a guard ---
  Value constant(PyObject* borrowed) { return {Ref::share(borrowed), &constant_}; }
  Value taken(PyObject* owned) { return owned ? Value(Ref::take(owned), &constant_) : Value(); }
  Value fixed(PyObject* borrowed);
  Value boolean(bool b) { return constant(b ? Py_True : Py_False); }
  Value none() { return constant(Py_None); }
  // An object made in this run, its parts to be filled in.
  Value fresh(PyObject* owned);
  Fresh& parts(Value& v) { return *v.shadow->fresh; }
  // What a path led to.
  Value read(SourceKind kind, Source* parent, PyObject* key, Py_ssize_t index, PyObject* found);
  // Where the object of the value is found; null: it was made in this run.
  Source* source_of(Value& v);
  void canonical(Value& v);
  void use_identity(Value& v);
  void use_same(Value& a, Value& b);  // that they are one object
  void use_type(Value& v);
  bool use_value(Value& v, int depth = 0);  // false: as for errors
  void use_length(Value& v);
  bool use_keys(Value& v);
  bool use_tensor(Value& v);
  // As a dict's key: by its value, or by identity where that is how it is found. False: neither.
  bool is_key(Value& v);
  bool use_key(Value& v);
  // 1, 0, or -1 as for errors.
  int truth(Value v);
  // True: the walk halts here, give an empty value. False: go on, in plain mode.
  bool stop(const char* kind, std::string text, const char* hint = "");
  // The recording is of no use any more: what happened cannot be said.
  void lose(const char* kind, std::string text, const char* hint = "");
  Value known_or_constant(PyObject* owned);  // the result of pure code on guarded values
  // What was stored in a part of a fresh object.
  Value part(const Part& p, PyObject* found);
  static Part as_part(const Value& v) {
    if (v && v.is(ShadowKind::fresh)) v.shadow->fresh->stored = true;
    return {v.get(), v.shadow};
  }
  void keep(PyObject* o) { kept_.push_back(Ref::share(o)); }
  // The exception that is being handled, where the walk has changed it; null: as it was at entry.
  const Value* handled() const { return handled_changed_ ? &handled_ : nullptr; }
  // What was handled at entry, wherever it is now.
  bool is_handled_at_entry(const Value& v) const { return v.shadow == &handled_at_entry_; }
  // At the end: objects that were changed are not others that were read.
  void guard_identities();
  // The frames that a halt has left, innermost first; the outermost is the caller's.
  std::vector<std::unique_ptr<Frame>> halted_frames;

  // --- attributes ---
  Value load_attribute(Value o, PyObject* name, bool* method = nullptr);
  Value generic_attribute(Value& o, PyObject* name, bool* method, bool without_getattr);
  bool store_attribute(Value o, PyObject* name, Value* value);
  bool store_generic(Value& o, PyObject* name, Value* value);
  Value special(Value& o, PyObject* name);  // a method of the type, bound; no error where none
  // --- calls ---
  Value call(Value f, Args& args);
  Value call_with(Value f, std::initializer_list<Value> args);
  Value call_plain(PyObject* f, Args& args);
  Value run_function(PyFunctionObject* f, Value& value, Args& args);
  // --- containers ---
  Value subscript(Value o, Value key);
  bool store_subscript(Value o, Value key, Value* value);
  // As dict and OrderedDict do themselves, whatever the type's own methods are.
  bool store_entry(Value& dict, Value& key, Value* value);
  Value item_at(Value& o, Py_ssize_t i);  // of a list or tuple, in range
  Value item_of_tuple(Value& o, Py_ssize_t i);
  Value entry_of(Value& dict, PyObject* key, PyObject* found);
  void use_absent(Value& dict, PyObject* key);
  // A read-only view of a dict, made in this run: the dict.
  Value& under_proxy(Value& v);
  Value make_tuple(std::vector<Value> v);
  Value make_list(std::vector<Value> v);
  Value with_items(PyObject* owned, const std::vector<Value>& items);  // a sequence made for real
  bool has_own_order(PyTypeObject* dict_type);
  // `raw`: no method of the dict's own stores.
  bool dict_update(Value& dict, Args& args, size_t from, bool raw = false);
  bool list_extend(Value& list, Value& with);
  // All items of a list that is about to be changed.
  Fresh* list_parts(Value& list) {
    return list.is(ShadowKind::fresh) ? &parts(list) : touch_list(list, true);
  }
  bool list_append(Value& list, const Value& v);
  // --- iteration ---
  Value iterator_of(Value o);
  // The next value; empty without an error at the end.
  Value next_of(Value& iterator);
  bool drain(Value o, std::vector<Value>& into);
  // --- operators ---
  Value unary(int kind, Value& v);
  Value binary(int op, Value& a, Value& b);
  Value compare(int op, Value& a, Value& b);
  int contains(Value& container, Value& v);
  Value format(Value& v, int conversion, Value* spec);

  TensorLibrary& library() { return library_; }
  bool is_tensor(PyObject* o) const { return library_.is_tensor(o); }
  // A Python function that the type has under this name; null: none, or one of C's.
  PyObject* python_method(PyTypeObject* type, PyObject* name);
  // A tensor that an op has given, or a tuple or list of them.
  Value tensor_result(PyObject* owned);
  // An operator on tensors, by its method's name.
  PyObject* compute(PyObject* name, std::initializer_list<PyObject*> args,
                    const std::function<PyObject*()>& run) {
    return library_.compute({nullptr, name, args, nullptr}, run);
  }
  Value tensor_call(PyObject* callable, TensorCall kind, Args& args);
  Value literal(PyObject* callable, Args& args);  // of kind `literal`
  Value of_changing_float(Value& v, const Value& dtype);
  static bool asks_for_gradient(const Args& args);  // requires_grad=True
  bool stop_at_leaf(PyObject* callable);
  // A float that changes from call to call, as a tensor for an op with `beside`; none: it is not.
  Ref changing_float(Value& v, PyObject* beside);
  // The object as ops are to be given it: ints that are expressions carry them.
  Ref for_op(Value& v, bool& ok);
  Value number(PyObject* owned, Int value);
  std::string where() const;
  Frame* current() { return current_; }
  // The walk of this thread, or null.
  static Walker* active() { return active_; }
  class Active {
   public:
    explicit Active(Walker& w) : before_(active_) { active_ = &w; }
    ~Active() { active_ = before_; }
    Active(const Active&) = delete;
    Active& operator=(const Active&) = delete;

   private:
    Walker* before_;
  };

  // Inside, a halt is not possible: something of the instruction has been done.
  class Committed {
   public:
    explicit Committed(Walker& w) : w_(w) { ++w_.committed_; }
    ~Committed() { --w_.committed_; }
    Committed(const Committed&) = delete;
    Committed& operator=(const Committed&) = delete;

   private:
    Walker& w_;
  };

 private:
  friend struct Binder;
  // One instruction. Its operands leave the stack once it is done: where it halts, and where it is
  // run again without recording, they are still there. False: as for errors.
  bool step(Frame& f, const Instruction& i, int& next);
  bool step_call(Frame& f, const Instruction& i);
  bool leave_to_python(const Instruction& i);
  bool step_exception(Frame& f, const Instruction& i);
  bool step_build(Frame& f, const Instruction& i);
  bool step_collection(Frame& f, const Instruction& i);
  bool step_closure(Frame& f, const Instruction& i);
  bool step_jump(Frame& f, const Instruction& i, int& next);
  bool handle_exception(Frame& f, bool trace);
  Value call_type(Value& f, Args& args);
  bool give_frame(PyObject* f, Args& args, Value& result);
  Value call_c(PyObject* f, void* key, Args& args, bool bound);
  Value load_super(Value& o, PyObject* name, bool* method);
  Value load_module_attribute(Value& o, PyObject* name);
  Value load_type_attribute(Value& o, PyObject* name);
  Value bind(PyObject* descriptor, Value& o, PyTypeObject* type, PyObject* name, bool* method);
  Value instance_attribute(Value& o, PyObject* name);
  Value class_value(PyTypeObject* type, PyObject* d);
  Value tensor_attribute(Value& o, PyObject* name, TensorCall kind);
  Value bound_method(PyObject* f, Value& self);
  Fresh* touch_list(Value& list, bool length);
  void touch_dict(Source& dict);
  Value next_of_combined(Fresh& f);
  void end_strictly(Fresh& f, size_t ended);
  Value make_generator(std::unique_ptr<Frame> frame, PyObject* owned);
  Value next_of_generator(Value& it, Generator& g);
  bool is_on_a_stack(PyObject* o) const;
  bool goes_over(PyObject* it, PyObject* o) const;
  bool suspended() const;
  bool step_generator(Frame& f, const Instruction& i, int& next);
  Shadow* shadow_of_next(Fresh& f, PyObject* found);
  void write_source(Source& s, const Value* v);
  WalkStop stop_of(const char* kind, std::string text, const char* hint) const;

  static thread_local Walker* active_;
  TensorLibrary& library_;
  Shadow constant_, handled_at_entry_;
  Value handled_;
  bool handled_changed_ = false;
  std::unordered_map<PyObject*, Shadow*> identity_;  // of objects that are not shared
  std::vector<Ref> kept_;                            // so that no address is reused
  Frame* current_ = nullptr;
  std::unordered_map<PyObject*, std::unique_ptr<Generator>> generators_;
  int committed_ = 0;
  bool plain_ = false, halted_ = false, reraised_ = false, left_by_reraise_ = false;
  std::optional<WalkStop> stop_;
};

// Are values of this type told apart by identity alone: immutable, or functions and classes?
bool is_shared(PyObject* o);
// Plain immutable values all through, which C code can use without running Python code.
bool is_plain(PyObject* o, const TensorLibrary& library, int depth = 0);
// A member of an enum that is a str, an int or a float, and compares as one.
bool is_enum_of_plain(PyObject* o);
// A tuple, a list, or a library's tuple of sizes: what it holds is all there is to it.
extern std::vector<PyTypeObject*> g_size_types;
inline bool is_size_type(PyTypeObject* type) {
  return std::find(g_size_types.begin(), g_size_types.end(), type) != g_size_types.end();
}
inline bool is_sequence(PyObject* o) {
  return PyTuple_CheckExact(o) || PyList_CheckExact(o) || is_size_type(Py_TYPE(o));
}

}  // namespace frit::walk
