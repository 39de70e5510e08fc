// One recording of a callable: the Interceptor that sees its ops, and the Host of its Recorders. A
// run that reads tensor values is cut into stretches there; each becomes an entry.
#pragma once
#include <unordered_set>

#include "compile/entry.h"
#include "compile/repeat.h"
#include "eager/intercept.h"
#include "eager/tape.h"
#include "trace/frit_tensors.h"

namespace frit::compiler {

// A stretch of the run, closed.
struct Stretch {
  std::unique_ptr<ir::Graph> graph;
  std::shared_ptr<sym::ShapeEnv> env;
  std::shared_ptr<Entry> entry;
  std::vector<int> differentiated;  // fresh outputs of the graph
  bool needs_grad = false;
  std::optional<Scalar> value;  // what was read at its end
  std::vector<int> data_sizes;  // symbols of data that the graph computes with
  size_t asserts = 0;           // those of the environment at its end
};

// The conditions of a run's entries, once all are compiled. What was asked anywhere in the run, by
// the program or by a pass, is known to the code of every entry of it.
void fill_conditions(std::span<Stretch> run);

// A front end whose tensors are found as they are used, and not given at the beginning. It appends
// each to the arguments when it is first used.
class TensorFinder {
 public:
  virtual ~TensorFinder() = default;
  struct Found {
    int argument = -1;  // among the arguments' tensors
    std::string name;
    bool dynamic = false;
    std::vector<int8_t>
        marks;  // by dimension: 1 its size is a symbol, -1 it is not, 0 as `dynamic`
  };
  // None: it came from nowhere that later calls could find.
  virtual std::optional<Found> find(uint64_t identity) = 0;
  // What the tensor is a view of on the tape of its library; null: of nothing, or Frit's tape
  // knows.
  virtual const TensorImpl* base_of(const TensorImpl&) { return nullptr; }
  // Can the program come by it? The library's own code has tensors, too.
  virtual bool is_visible(const TensorImpl&) { return true; }
};

struct CaptureRequest {
  const Leaves* args = nullptr;
  nn::Module* module = nullptr;
  bool dynamic = true;
  std::vector<size_t> dynamic_numbers;  // numeric arguments that are symbols
  std::vector<uint64_t> grouped_storages;
  std::vector<int> grouped_arguments;  // whose storages are grouped, too
  std::vector<int> grouped_results;    // and of results, by the number of their op in the run
  std::vector<KnownGroups> groups;     // by stretch: so much of those; after them, all
  Prefix prefix;                       // what has run already: the callable repeats its ops
  int most_stretches = kMostEntries;   // after those the rest runs unseen
  int ops_per_stretch = 0;             // at most, unless it is 0
  // There is one stretch then: the front end ends the recording before values are read.
  TensorFinder* finder = nullptr;
};

class Capture final : public Interceptor, public trace::Host, public eager::TapeObserver {
 public:
  explicit Capture(CaptureRequest request);
  ~Capture() override;

  // Runs the callable, watched. An exception of the callable's own passes through and nothing is
  // kept.
  void run(const Body& body, Leaves& results);

  // A number of the front end's that is a symbol from here on: it was the last of the arguments.
  Int use_number(int64_t value, const std::string& name);
  // Nothing from here on is noted, and no entry comes of it.
  void abandon(trace::Stop why);
  // Why nothing more is recorded; empty while it is.
  std::string why_stopped() const;

  // A host_call is about to run: it ends the stretch, and nothing after it is recorded.
  void host_call(SourceLocation where);

  std::vector<Stretch>& stretches() { return stretches_; }
  const std::vector<Stretch>& stretches() const { return stretches_; }
  const std::optional<trace::Stop>& stopped() const { return stop_; }
  std::vector<uint64_t> storages_to_group() const { return to_group_; }
  std::vector<int> arguments_to_group() const;
  std::vector<int> results_to_group() const;

  // --- Interceptor ---
  void note(const OpRecord&, std::span<const Arg> args, std::span<const Tensor> results,
            PhiloxState rng_before, SourceLocation where) override;
  bool answer(const OpRecord&, std::span<const Arg> args, std::span<Tensor> results,
              SourceLocation where) override;
  void reading_value(const Tensor& t, SourceLocation where) override;
  void grad_changed(const Tensor& leaf, const Tensor& grad) override;
  void grad_read(const Tensor& leaf) override;
  bool backward_begins(std::span<const Tensor> roots, SourceLocation where) override;
  void failed(const OpRecord&, const std::string& text, SourceLocation where) override;
  void reading_flag(const std::shared_ptr<const bool>& flag, const char* what) override;
  void reading_form(const std::shared_ptr<const ModuleForm>& form, Symbol path) override;
  void gradient_hooks_read(const Tensor& leaf) override;
  std::optional<Int> symbol_for(const Tensor& t, int64_t value, SourceLocation where) override;
  void reading_metadata(const TensorImpl&) override;
  void unsupported(const TensorImpl&, const char* what, const char* hint,
                   SourceLocation where) override;
  void changing_state(const char* what, const char* hint, SourceLocation where) override;
  // --- TapeObserver ---
  void aliased(const Tensor& known, const Tensor& fresh) override;
  void taped(const eager::TapeNode&) override;
  void freed(const eager::TapeNode&) override;
  // --- trace::Host ---
  InputInfo describe_input(const Handle&) override;
  void set_symbolic(const Handle&, const IntList& sizes, const IntList& strides,
                    Int offset) override;
  Handle whole_storage(const Handle&) override;

 private:
  // On a new shape environment, or going on with that of the stretch before.
  void begin_stretch(bool new_environment);
  // Replaying: the symbols the prefix had made before there were `count`, made again.
  void repeat_symbols(size_t count);
  Int repeated(Int of_prefix);
  struct Closing {
    Entry::End end;
    SourceLocation where = {};
    const Tensor* value = nullptr;  // value_read: the tensor, and what was read
    Scalar read = {};
    const Leaves* results = nullptr;           // returned
    std::optional<trace::Stop> rest_why = {};  // rest_is_eager
  };
  void close_stretch(const Closing&);
  void rest_runs_eagerly(trace::Stop why);
  std::vector<int> data_sizes_in(const ir::Graph&) const;
  void refuse_late_checks();
  void refuse_left_state();
  void refuse_short_lived();
  void go_on();  // with the next stretch, if there may be one
  void end_of_repeated_entry();
  // Storages that the next stretch takes as one.
  std::vector<uint64_t> grouped() const;
  // The storage of results of the run's next op is known by the op's number.
  void count_op(std::span<const Tensor> results);
  void drop(trace::Stop stop);
  bool active() const {
    return recorder_ && !replaying_ && !finished_ && !stop_ && !recorder_->stopped();
  }
  ir::Provenance provenance(SourceLocation where) const;
  Source source_of(const Handle&, InputInfo& info);
  // Notes where a write parts the history of an alias from its contents.
  void follow_write(const OpRecord&, std::span<const Arg> args, SourceLocation where);
  bool got_history(const Source&, const Handle&) const;
  std::vector<int> drop_inputs(Entry&, ir::Graph&);
  void fill_guards(Entry&, const ir::Graph&, const std::vector<int>& kept);
  void guard_slots(Entry&) const;
  void guard_fixed_storages(Entry&, const std::vector<int>& kept) const;
  void clear_symbolic();
  Int symbol_for(size_t number, const std::string& name);  // of the arguments

  CaptureRequest request_;
  uint32_t grad_mode_;
  DType default_type_;
  std::unordered_map<uint64_t, int> argument_index_;        // tensor identity to argument
  nn::NamedTensors slots_;                                  // of the module
  std::unordered_map<uint64_t, std::string> module_paths_;  // identity to its first path
  std::unordered_map<uint64_t, int> prefix_index_;  // identity to live tensor, all entries together
  std::vector<Tensor> prefix_tensors_;              // kept while the capture lives

  std::shared_ptr<sym::ShapeEnv> env_;
  std::unique_ptr<trace::Recorder> recorder_;
  std::shared_ptr<Entry> entry_;
  uint64_t sequence_at_start_ = 0;
  PhiloxState rng_at_start_;
  std::vector<WeakPtr<TensorImpl>> made_;  // results of this stretch's ops
  std::unordered_map<uint64_t, std::vector<WeakPtr<TensorImpl>>> aliases_;  // by storage: of made_
  std::optional<trace::Stop> parted_;  // matters where gradients of results are wanted
  SourceLocation last_where_;          // of the last op: for what has no place of its own
  std::vector<WeakPtr<TensorImpl>> with_symbols_;
  std::vector<Source> sources_;          // by recorder input
  std::vector<Tensor> whole_;            // flat views of grouped storages
  Tensor whole_member_;                  // which tensor asked for one last
  std::vector<uint64_t> prefix_groups_;  // storages the prefix took as one
  std::unordered_map<uint64_t, int> whole_of_;
  std::unordered_map<uint64_t, std::pair<Tensor, Tensor>>
      grads_;  // leaf identity: leaf, its grad now
  std::unordered_map<uint64_t, std::pair<uint64_t, Tensor>>
      grad_sources_;  // grad identity: leaf identity
  std::vector<std::pair<uint64_t, bool>> grad_guard_leaves_;
  std::unordered_map<uint64_t, unsigned> hook_leaves_;  // leaf identity: sorts of hooks it had
  std::unordered_set<const ModuleForm*> forms_;         // those the entry depends on
  struct LoggedResult {
    uint64_t identity;
    int argument;
    TensorDescription description;
    IntList sizes, strides;
    Int offset;
  };
  struct LoggedOp {
    const OpRecord* record;
    std::vector<LoggedResult> results;
    size_t symbols_after;
  };
  std::vector<LoggedOp> log_;
  std::unordered_map<uint64_t, ir::Node*> taped_;       // by sequence number of the tape's node
  std::unordered_map<uint64_t, int> item_symbols_;      // tensor identity: symbol of its item_int()
  bool seen_backward_ = false;                          // in this stretch
  std::vector<std::pair<size_t, int>> number_symbols_;  // numeric argument, symbol
  std::unordered_map<uint64_t, SourceLocation> written_at_;  // by storage, where last
  bool changed_sizes_ = false;                               // of a tensor, in place

  std::vector<Stretch> stretches_;
  std::optional<trace::Stop> stop_;
  std::vector<uint64_t> to_group_;
  int op_number_ = 0;                                      // of the run
  std::unordered_map<uint64_t, int> storage_maker_;        // storage: the op that made it
  std::vector<std::pair<size_t, uint64_t>> grouped_made_;  // which of the grouped results, storage

  // Replaying the prefix.
  bool replaying_ = false;
  bool binding_arguments_ = false;
  bool first_stretch_ = true;
  bool finished_ = false;  // the rest is not recorded
  size_t replay_entry_ = 0, replay_step_ = 0;
};

}  // namespace frit::compiler
