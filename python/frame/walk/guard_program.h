// Guards as a flat program. Run in full it reads every path and compares; what is found then is
// watched from there on (watch.h), so that later checks run only what nothing can watch: what the
// frame's locals hold, items of lists, cells, slots, states.
#pragma once
#include <deque>
#include <memory>

#include "frame/walk/guards.h"
#include "frame/walk/watch.h"

namespace frit::walk {

class GuardProgram {
 public:
  GuardProgram();
  // `needed`: sources whose objects are wanted besides those the guards look at; `tensors` among
  // them are compared by others, who need not look again at those that are settled.
  GuardProgram(const SourceTable&, const GuardList&, std::vector<TypeGuard> types,
               const std::vector<const Source*>& needed, const std::vector<Source*>& tensors);
  GuardProgram(GuardProgram&&) noexcept;
  GuardProgram& operator=(GuardProgram&&) noexcept;
  ~GuardProgram();

  // Runs no code of the program's. Objects are read into slots: borrowed until any such code runs.
  bool check(PyObject* const* locals);
  // After a check that failed: which guard, in the user's words, with both values.
  std::string why() const;
  // What would spare the recompile.
  std::string hint() const;
  // The sources whose numbers were others, where that is why it failed.
  std::vector<std::string> changed_numbers(PyObject* const* locals);
  PyObject* object(int slot) const { return slots_[static_cast<size_t>(slot)]; }
  int slot_of(const Source& s) const { return slot_by_source_[static_cast<size_t>(s.id)]; }
  size_t size() const { return steps_.size(); }
  std::vector<std::string> texts() const;

  // The tensors, in order, as of the last check.
  const std::vector<PyObject*>& tensors() const { return tensors_; }
  // Those that may be others at each call; the rest are the same as long as this number is.
  const std::vector<int>& live_tensors() const { return live_tensors_; }
  uint64_t generation() const { return generation_; }

  // --- for tests ---
  // Each check is done in full as well, and the two are compared.
  struct Verified {
    uint64_t checks = 0, held = 0, fast = 0, missed = 0, needless = 0;
  };
  static void verify(bool on);
  static Verified& verified();

 private:
  enum class Op : uint8_t {
    load_local,
    load_attribute,
    load_slot,
    load_dict,
    load_item,
    load_key,
    load_cell,
    load_self,
    load_function,
    load_state,
    is,
    is_not,
    type,
    equals,
    length,
    keys,
    absent_attribute,
    absent_slot,
    absent_key,
    present_key,
    truth,
    same,
    not_same,
    function
  };
  struct Step {
    Op op;
    int slot = 0, parent = -1;
    PyObject* object = nullptr;  // owned through held_
    Py_ssize_t n = 0;
    PyObject *second = nullptr, *third = nullptr;
    bool is_load() const { return op < Op::is; }
  };
  // How the object of a slot is known between checks.
  enum class Hold : uint8_t {
    live,   // not at all
    root,   // read at each check, and must be the one it was
    known,  // watched, or held by what is
  };
  enum class Fast : uint8_t { holds, fails, unknown };

  void load(const Source&);
  PyObject* hold(const Ref& r) {
    if (r) held_.push_back(r);
    return r.get();
  }
  bool full(PyObject* const* locals);
  bool is_changed_number(const Step&) const;
  bool run(const Step&);
  static bool run_on_dict(const Step&, PyObject* dict);
  bool types_hold();
  Source& source(int slot, std::deque<Source>& made) const;
  std::string slot_text(int slot) const;
  Guard guard(const Step&, std::deque<Source>& made) const;

  // --- guard_watch.cpp ---
  struct Watches;
  Fast fast(PyObject* const* locals);
  Fast recheck(WatchGroup&);
  Fast run_live(int step);
  Fast run_unwatched();
  void watch_all();
  bool watch_step(int step);
  bool watch_dict(PyObject* dict, int step, PyObject* key, PyObject* wanted, bool exact);
  bool watch_object(PyObject* o);
  void prepare_watches();

  std::vector<Step> steps_;
  std::vector<int> loads_;      // of the steps
  std::vector<int> only_read_;  // slots that no guard is about
  std::vector<PyObject*> slots_;
  std::vector<int> slot_by_source_;
  std::vector<int> tensor_slots_;
  std::vector<PyObject*> tensors_;
  std::vector<int> live_tensors_;
  std::vector<Ref> held_;
  std::vector<Ref> states_;  // what state reads gave at the last check
  std::vector<TypeGuard> types_;
  PyObject* const* locals_ = nullptr;
  const Step* failed_ = nullptr;
  const TypeGuard* failed_type_ = nullptr;

  // What is known since the last full check that held.
  std::unique_ptr<Watches> watches_;
  uint64_t generation_ = 0;  // 0: nothing is known of the one before
};

// The instance dict; null: it has none.
PyObject* dict_of(PyObject* o);

}  // namespace frit::walk
