// A compiled callable without its types: its entries, and one call of it.
#pragma once
#include <frit/compile.h>

#include <mutex>

#include "compile/entry.h"
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

struct CaptureRequest;

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
  bool run_cached(CallState& state, Leaves& results, std::vector<std::shared_ptr<Entry>>& prefix,
                  std::vector<std::vector<Tensor>>& live, EntryList*& at, bool& rest_is_eager);
  void capture(const CallState& state, Leaves& results, const Body& body,
               std::vector<std::shared_ptr<Entry>> prefix, std::vector<std::vector<Tensor>> live,
               EntryList* at);
  void run_eagerly(const Body& body, Leaves& results, const CallState& state,
                   std::vector<std::shared_ptr<Entry>> prefix,
                   std::vector<std::vector<Tensor>> live);
  CaptureRequest request_for(const CallState&, std::vector<std::shared_ptr<Entry>> prefix,
                             std::vector<std::vector<Tensor>> live) const;
  void give_back(const Entry& e, const std::vector<Tensor>& kept, std::span<const int64_t> symbols,
                 Leaves& results);
  void note_break(const trace::Stop&);
  static EntryList* child(Entry& e, const Scalar& value, bool make);
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
  int dropped_ = 0;
  std::atomic<bool> eager_only_{false};
  bool check_replay_ = false;  // FRIT_CHECK has "replay"
  std::atomic<uint64_t> calls_{0}, eager_calls_{0};
};

}  // namespace frit::compiler
