// Entries: what a compiled call looks up. An entry is one recorded stretch of the callable: guards,
// a compiled graph, and how it ends. It refers to captured tensors weakly and dies with them.
#pragma once
#include <frit/compile.h>
#include <frit/nn.h>

#include <atomic>
#include <mutex>

#include "compile/driver.h"
#include "core/handle.h"
#include "ops/interceptor.h"
#include "sym/program.h"
#include "trace/recorder.h"

namespace frit::compiler {

// No callable has more entries: programs that read other values at every call would fill memory.
constexpr int kMostEntries = 256;

// Where a tensor of an entry comes from on a call.
struct Source {
  enum class Kind : uint8_t {
    argument,  // tensor argument `index`
    captured,  // a tensor the callable holds: by identity
    module,    // a parameter or buffer of the module: by `path`
    prefix,    // live tensor `index` of the entries before
    grad,      // the .grad of input `index`
    whole,     // a flat view of the whole storage of input `index` (set once that input is known)
  };
  Kind kind = Kind::argument;
  int index = -1;
  std::string path;
  WeakPtr<TensorImpl> tensor;  // captured, module: which one it was
  bool is_fixed() const { return kind == Kind::captured || kind == Kind::module; }
};

// How one dimension's size or stride must come out.
struct DimGuard {
  enum class Kind : uint8_t { constant, binds, equals } kind = Kind::constant;
  int64_t value = 0;     // constant
  int symbol = -1;       // binds: this is where the symbol's value comes from
  sym::Program program;  // equals
};

struct InputGuard {
  Source source;
  std::string name;
  TensorDescription seen;
  std::vector<DimGuard> sizes, strides;
  bool fixed_offset = false;
  bool exact_strides = false;
  uint32_t replaced = 0;  // captured: how often another tensor had taken its place in a module
};

// What the module has under a name besides the entry's own sources.
struct SlotGuard {
  enum class Is : uint8_t { undefined, input, watched } is = Is::undefined;
  int index = -1;  // the same tensor as this input or watched tensor
  std::string path;
};
// An argument that is the module's tensor of that name.
struct ArgumentSlot {
  int argument;
  std::string path;
};

// Do two inputs share a storage, as they did when the entry was recorded?
struct SharingGuard {
  int a, b;
  bool shared;
  int64_t offset_difference;
};

// A view as the program made it; argument 0 is what it is of.
struct ViewCall {
  const OpRecord* record;
  ArgList args;
};

// What the callable gives back, or what the next entry begins with.
struct TensorResult {
  enum class Kind : uint8_t {
    undefined,
    fresh,
    input,
    view_of_input,
    view_of_output
  } kind = Kind::undefined;
  int index = -1;  // fresh: among the run's fresh outputs; input, view_of_input: the input;
                   // view_of_output: result's base output
  std::vector<sym::Program> sizes, strides;
  sym::Program offset;
  bool requires_grad = false;
  bool without_grad = false;    // a view that was made with gradients off,
  bool in_inference = false;    // or in InferenceMode
  bool inference = false;       // fresh: made in InferenceMode
  std::vector<ViewCall> views;  // view_of_input, with a gradient: from the input on
};

struct NumberResult {
  Scalar constant;
  bool symbolic = false;
  sym::Program program;
};

// A numeric argument: equal to the constant, or any integer, which is the symbol.
struct NumberGuard {
  Scalar constant;
  int symbol = -1;
};

struct GradEffect {
  int leaf = -1;    // input
  int output = -1;  // index in `kept`; -1: None
};

struct FlagGuard {
  std::shared_ptr<const bool> flag;
  bool value;
  const char* what;  // "the training flag"
};
struct GradGuard {
  int leaf;
  bool defined;
};
// Hooks on a leaf's gradient run within backward(): the same sorts must be there.
struct HookGuard {
  int leaf;
  unsigned sorts;  // eager::gradient_hooks
};
struct FormGuard {
  std::shared_ptr<const ModuleForm> form;
  ModuleForm seen;
  std::string module;
};

// How an op of the stretch is answered when the callable is run again with this entry's results.
struct ReplayStep {
  const OpRecord* record = nullptr;
  struct Result {
    int live = -1;                  // index among the live tensors
    int argument = -1;              // the very tensor that was this argument (in-place forms)
    TensorDescription description;  // else: a tensor without data
    IntList sizes, strides;         // symbolic, of the entry's environment
    Int offset = 0;
    int item_symbol = -1;  // item_int() reads it: the symbol whose value it has
  };
  std::vector<Result> results;
  size_t symbols_after = 0;  // symbols of the environment once the op had run
};

struct Entry;

using Entries = std::vector<std::shared_ptr<Entry>>;

// Entries tried in order at one place of the program: a list that is replaced, never changed. Its
// lock is held for the copy of a pointer only (std::atomic<std::shared_ptr> would say the same, but
// libstdc++ 12 does not order a load before the store that follows it).
class EntryList {
 public:
  std::shared_ptr<const Entries> load() const {
    std::lock_guard lock(mutex_);
    return entries_;
  }
  void store(std::shared_ptr<const Entries> entries) {
    std::lock_guard lock(mutex_);
    entries_.swap(entries);
  }
  int limit_break = -1;  // the BreakRecord that counts calls it has no room for

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Entries> entries_ = std::make_shared<const Entries>();
};

// How much a callable knew, when a graph was recorded, of which storages are to be taken as one.
struct KnownGroups {
  size_t storages = 0, arguments = 0, results = 0;
};

struct Entry {
  // --- guards ---
  std::vector<InputGuard> inputs;     // of the graph, in its order
  std::vector<InputGuard> watched;    // tensors whose metadata alone was read
  std::vector<size_t> open_inputs;    // those whose layout may be another at each call
  std::vector<bool> constant_layout;  // by input: no size or stride of it is a symbol
  std::vector<int> watched_argument;  // by tensor argument: among `watched`, or -1
  bool has_fixed = false;             // some are captured or the module's
  std::vector<SharingGuard> sharing;
  std::vector<FlagGuard> flags;
  std::vector<GradGuard> grads;
  std::vector<HookGuard> hooks;
  std::vector<FormGuard> forms;  // these four are looked at when some module changed
  std::vector<SlotGuard> slots;
  std::vector<ArgumentSlot> argument_slots;
  std::vector<int> fixed_storages;  // by input: the first of fixed identity in that memory, or -1
  std::vector<NumberGuard> numbers;
  std::vector<sym::Program> conditions;        // over symbols: all that the run's environment knows
  std::vector<const sym::Expr*> condition_of;  // the same, as they are written for people
  int symbol_count = 0;
  uint32_t grad_mode = 0;  // as the call began, and so the default dtype
  DType default_type = DType::f32;
  // The tensors it was recorded with. The callable may hold one of them itself, which cannot be
  // told from its being an argument as long as it lives.
  std::vector<WeakPtr<TensorImpl>> arguments_were;
  enum class Serves : uint8_t {
    unknown,  // those, until a call with others has recorded the same, or they are gone
    any,
    those,
  };
  std::atomic<Serves> serves{Serves::unknown};
  std::vector<int>
      argument_identity;  // by tensor argument: the first argument that is the same object
  std::vector<bool> argument_shared;  // by tensor argument: others are the same object

  // --- what runs ---
  std::shared_ptr<Compilation> compilation;

  // --- how it ends ---
  enum class End : uint8_t {
    returned,
    value_read,
    op_count,      // as ops_per_graph says; the next entry follows, whatever was computed
    rest_is_eager  // the rest of the callable runs eagerly: see rest_why
  } end = End::returned;
  // Does another entry follow?
  bool goes_on() const { return end == End::value_read || end == End::op_count; }
  std::optional<trace::Stop> rest_why;
  std::vector<TensorResult> kept;  // results, live tensors, then gradients
  std::vector<int> returned;       // by result tensor: index into kept, -1 undefined
  std::vector<NumberResult> result_numbers;
  std::vector<int> live;  // by live tensor: index into kept
  std::vector<GradEffect> grad_effects;
  std::vector<std::pair<int, int>> writes;        // input, by how many versions it rises
  std::vector<std::pair<int, int>> fresh_writes;  // fresh output of the run, its version
  bool uses_rng = false;
  sym::Program rng_blocks;
  bool rng_after = false;  // it draws as much as data says: known once it has run
  int value = -1;          // index into kept of the tensor whose value is read
  std::vector<std::pair<Scalar, std::shared_ptr<EntryList>>>
      next;        // by value (op_count: one, of Scalar()); under the callable's lock
  int place = -1;  // where the value is read: among the callable's places
  std::vector<ReplayStep> replay;

  KnownGroups groups;

  // --- for people ---
  std::string name;
  SourceLocation ended_at;
  std::shared_ptr<const sym::ShapeEnv> env;  // says what the conditions are, when asked
  std::string condition_text(size_t i) const { return env->source_text(condition_of[i]); }
  std::string guards_text() const {
    return env ? env->guards_text(compilation->guards) : std::string();
  }
  std::atomic<uint64_t> runs{0};
  std::atomic<bool> dead{false};

  // Captured and module tensors as last resolved, valid for these epochs.
  std::mutex resolve_mutex;
  std::atomic<uint64_t> resolved_structure{0}, resolved_metadata{0};
  std::atomic<uint64_t> unfit_structure{0};  // modules did not fit the entry then
  // By input; only of those reached from the module. Weak: a replaced one dies as in eager.
  std::vector<WeakPtr<TensorImpl>> resolved, resolved_watched;
  std::vector<Tensor> resolved_arguments;  // by argument slot
};

}  // namespace frit::compiler
