// A compiled callable without its types: its entries, and one call of it.
#pragma once
#include <frit/compile.h>

#include <mutex>

#include "compile/entry.h"
#include "compile/repeat.h"
#include "compile/run_entry.h"

namespace frit::compiler {

// What happened, for explain and the logs.
struct BreakRecord {
  trace::Stop stop;
  int times = 1;
};
struct RecompileRecord {
  std::string reason;  // the guard that failed, both values
  double ms = 0;
};

// Where values are read: one line of the program. Code is keyed by the value, so their number is
// bounded.
struct ValuePlace {
  SourceLocation where;
  std::vector<Scalar> values;
  int limit_break = -1;  // the BreakRecord that counts calls with still other values
};

// How far entries have carried a call.
struct Reached {
  Prefix prefix;
  EntryList* at = nullptr;  // where the next entry is looked up; null: the value is a new one
  std::shared_ptr<const Entries> seen;  // what was there, and did not fit
  std::shared_ptr<Entry> doubted;  // fits, if the callable does not hold the tensors it was made of
  Scalar value;                    // that the last entry read
  bool rest_is_eager = false;      // a check failed, or the last entry says so
};

// Captures that were dropped, of one sort of calls.
struct Dropped {
  size_t sort;
  int times;
};

struct CaptureRequest;
class Capture;

class Callable {
 public:
  Callable(nn::Module* module, CompileOptions options, std::string name, SourceLocation where);

  void call(const Leaves& args, Leaves& results, const Body& body);

  // --- for explain ---
  const std::string& name() const { return name_; }
  SourceLocation where() const { return where_; }
  const CompileOptions& options() const { return options_; }
  std::vector<std::shared_ptr<Entry>> all_entries() const;  // in the order they were made
  std::vector<BreakRecord> breaks() const;
  std::vector<RecompileRecord> recompiles() const;
  uint64_t calls() const { return calls_.load(); }
  uint64_t eager_calls() const { return eager_calls_.load(); }

 private:
  // Runs what is cached, from the beginning as far as entries reach. True: the call is done.
  bool run_cached(CallState& state, Leaves& results, Reached& reached);
  // False: entries were made meanwhile, and are to be looked through.
  bool capture(const CallState& state, Leaves& results, const Body& body, Reached& reached);
  // The recording is what `reached.doubted` has, so that it serves any arguments.
  static bool confirms(const Capture&, Entry& doubted);
  void run_eagerly(const Body& body, Leaves& results, Prefix prefix);
  std::vector<size_t> changing_numbers(const Leaves& args, const Prefix& prefix) const;
  CaptureRequest request_for(const CallState&, Prefix prefix) const;
  void give_back(const Entry& e, const Kept& kept, std::span<const int64_t> symbols,
                 Leaves& results);
  // Under the lock, all of these. Notes a break: once at its place, with a count.
  void note_break(const trace::Stop&);
  void note_end(Entry& e, bool by_condition);
  // Counts a call that finds no entry and may not make one; the first at its place is told.
  void at_limit(int& noted, const std::string& key, const std::function<trace::Stop()>& what);
  size_t sort_of(const Leaves&) const;
  // Counts a dropped capture. True: calls of its sort run eagerly from now on.
  bool drop(size_t sort);
  bool given_up(const Leaves&) const;
  // No entry may be made for this call.
  bool limited(const CallState&, const Reached&);
  // There may be code for what follows this value.
  bool admits(const Entry& e, const Scalar& value);
  // Where that code is looked up from now on.
  EntryList* follow(Entry& e, const Scalar& value);
  static EntryList* child(const Entry& e, const Scalar& value);
  void forget_dead();
  void add(EntryList& list, std::shared_ptr<Entry> entry);

  nn::Module* module_;
  CompileOptions options_;
  std::string name_;
  SourceLocation where_;
  EntryList root_;
  mutable std::mutex mutex_;  // captures one at a time; guards what follows
  std::vector<std::shared_ptr<Entry>> all_;
  std::vector<BreakRecord> breaks_;
  std::vector<RecompileRecord> recompiles_;
  std::vector<uint64_t> grouped_storages_;  // of tensors the callable holds
  std::vector<int> grouped_arguments_;      // the same, for what each call brings
  std::vector<int> grouped_results_;        // and for what its ops make
  std::vector<ValuePlace> places_;
  int full_break_ = -1;  // the BreakRecord of calls beyond kMostEntries
  int made_ = 0;         // entries ever made
  std::vector<Dropped> dropped_;
  bool eager_only_ = false;
  bool check_replay_ = false;  // FRIT_CHECK has "replay"
  std::atomic<uint64_t> calls_{0}, eager_calls_{0};
};

}  // namespace frit::compiler
