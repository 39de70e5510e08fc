#include "compile/driver.h"

#include <algorithm>
#include <chrono>

#include "base/config.h"
#include "base/event.h"
#include "compile/artifacts.h"
#include "compile/check.h"
#include "compile/native.h"
#include "kernels/cpu/kernels.h"
#include "passes/interpret.h"

namespace frit::compiler {
namespace {

double now_ms() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// What is written where anything is: printing costs as much as a capture.
void write(const Artifacts& artifacts, std::string_view file, const ir::Graph& g) {
  if (artifacts.enabled()) artifacts.write(file, ir::print(g));
}

void log_graph(Channel channel, const char* name, const ir::Graph& g) {
  if (!log_enabled(channel)) return;
  Event e;
  e.channel = channel;
  e.name = name;
  e.text = ir::print(g);
  emit(e);
}

passes::PassOptions pass_options(const CompileSettings& settings) {
  passes::PassOptions options;
  options.disabled = settings.disabled_passes;
#ifdef NDEBUG
  options.verify = check_enabled("verify");
#endif
  return options;
}

// Forward and backward in one graph, decomposed so that the cut sees piece by piece what is cheap
// to compute again.
grad::Joint joint_graph(const ir::Graph& forward, const CompileSettings& settings,
                        std::span<const int> outputs, const passes::PassOptions& options,
                        std::vector<passes::PassTime>& times) {
  grad::Joint joint = grad::differentiate(forward, outputs);
  if (settings.backend == Backend::aot_eager) return joint;
  auto spent = passes::run_passes(*joint.graph, passes::before_lowering(), options);
  times.insert(times.end(), spent.begin(), spent.end());
  return joint;
}

}  // namespace

// --- the driver: record -> passes -> grad -> passes -> native code ---

std::shared_ptr<Compilation> compile_graph(std::unique_ptr<ir::Graph> recorded,
                                           const CompileSettings& settings) {
  double start = now_ms();
  auto c = std::make_shared<Compilation>();
  c->settings = settings;
  Artifacts artifacts(settings.name);
  c->debug_folder = artifacts.folder();
  const passes::PassOptions options = pass_options(settings);
  auto add_times = [&](std::vector<passes::PassTime> t) {
    c->times.insert(c->times.end(), t.begin(), t.end());
  };

  log_graph(Channel::graph, "captured", *recorded);
  write(artifacts, "captured.txt", *recorded);
  c->recorded = ir::clone(*recorded);

  std::unique_ptr<ir::Graph> forward = std::move(recorded);
  if (settings.needs_grad && settings.backend != Backend::eager) {
    add_times(passes::run_passes(*forward, passes::before_grad(), options));
    if (settings.differentiated.size() > 1) c->differentiable_ = ir::clone(*forward);
    grad::Joint joint = joint_graph(*forward, settings, settings.differentiated, options, c->times);
    log_graph(Channel::aot_graphs, "joint", *joint.graph);
    write(artifacts, "joint.txt", *joint.graph);
    c->partition_ = grad::partition(joint);
    c->needs_grad = true;
    forward = std::move(c->partition_.forward);
    log_graph(Channel::aot_graphs, "forward", *forward);
    if (const ir::Graph* backward = c->partition_.backward.graph.get()) {
      log_graph(Channel::aot_graphs, "backward", *backward);
      write(artifacts, "backward.txt", *backward);
    }
    std::vector<bool> all(settings.differentiated.size(), true);
    c->backwards_[all].pass = std::move(c->partition_.backward);
    c->whole_pass_ = &c->backwards_[all].pass;
    for (const grad::Keeper& k : c->whole_pass_->keepers)
      if (k.freed) c->freed_.push_back(k.node);
    std::ranges::sort(c->freed_);
  } else {
    c->needs_grad = settings.needs_grad;
  }
  if (settings.backend == Backend::aot_eager_decomp || settings.backend == Backend::frit)
    add_times(passes::run_passes(*forward, passes::before_lowering(), options));
  write(artifacts, "forward.txt", *forward);
  std::shared_ptr<runtime::CompiledGraph> code;
  if (settings.backend == Backend::frit)
    code = native_code(*forward, settings, artifacts, "forward");
  c->forward =
      std::make_unique<Runnable>(std::move(forward), std::move(code),
                                 settings.backend == Backend::eager && settings.needs_grad);
  if (c->whole_pass_) c->watch_outputs();
  c->ms = now_ms() - start;
  return c;
}

bool CompiledBackward::holds(std::span<const int64_t> symbols) const {
  return std::ranges::all_of(conditions, [&](const sym::Program& p) {
    int64_t value = 0;
    return p.try_run(symbols, &value) && value;
  });
}

void Compilation::watch_outputs() {
  watched_numbers_.assign(forward->graph().outputs.size(), -1);
  auto watch = [&](const ir::Kept& k) {
    if (k.input >= 0 || k.output < 0) return;
    const auto output = static_cast<size_t>(k.output);
    const int fresh = forward->fresh_number(output);
    if (fresh < 0 || watched_numbers_[output] >= 0) return;
    watched_numbers_[output] = static_cast<int>(watched_outputs_.size());
    watched_outputs_.push_back(fresh);
  };
  for (const grad::Watch& w : whole_pass_->watches) watch(w.kept);
  // The ops that a pass of fewer outputs comes to may read more.
  if (differentiable_)
    for (const auto& n : differentiable_->nodes())
      for (const ir::Kept& k : n->kept()) watch(k);
}

const CompiledBackward& Compilation::backward(std::span<const bool> received) const {
  const bool whole = std::ranges::all_of(received, std::identity{});
  if (whole)
    if (const CompiledBackward* b = whole_.load(std::memory_order_acquire)) return *b;
  std::lock_guard lock(mutex_);
  CompiledBackward& b = backwards_[{received.begin(), received.end()}];
  if (b.run || grad::used_up(b.pass.keepers)) return b;
  // Other entries of the same run may be at work on their sizes in other threads.
  sym::ShapeEnv::Turn turn(*recorded->env());
  if (!b.pass.graph) {
    std::vector<int> outputs;
    for (size_t k = 0; k < received.size(); ++k)
      if (received[k]) outputs.push_back(settings.differentiated[k]);
    std::vector<passes::PassTime> unused;
    grad::Joint joint =
        joint_graph(*differentiable_, settings, outputs, pass_options(settings), unused);
    b.pass = grad::backward_of(joint, partition_);
    if (!b.pass.graph) return b;
    log_graph(Channel::aot_graphs, "backward", *b.pass.graph);
  }
  Artifacts artifacts(settings.name, debug_folder);
  std::shared_ptr<runtime::CompiledGraph> code;
  if (settings.backend == Backend::frit)
    code = native_code(*b.pass.graph, settings, artifacts, "backward");
  b.run = std::make_unique<Runnable>(std::move(b.pass.graph), std::move(code));
  for (const sym::Guard& g : recorded->env()->guards().subspan(guards))
    b.conditions.push_back(recorded->env()->compile(g.condition));
  if (whole) whole_.store(&b, std::memory_order_release);
  return b;
}

const Runnable* Compilation::backward_if_ready() const {
  std::lock_guard lock(mutex_);
  for (auto& [received, b] : backwards_)
    if (b.run) return b.run.get();
  return nullptr;
}

// --- running ---

Runnable::Runnable(std::unique_ptr<ir::Graph> graph, std::shared_ptr<runtime::CompiledGraph> code,
                   bool taped)
    : graph_(std::move(graph)), code_(std::move(code)), taped_(taped) {
  for (const ir::Output& o : graph_->outputs)
    fresh_numbers_.push_back(o.kind == ir::Output::Kind::fresh ? fresh_++ : -1);
  if (!code_) return;
  for (const runtime::SymbolSource& s : code_->plan().symbols) {
    auto symbols = graph_->env()->symbols();
    int slot = -1;
    for (size_t i = 0; i < symbols.size(); ++i)
      if (symbols[i].name == s.name) slot = static_cast<int>(i);
    FRIT_INVARIANT(slot >= 0, "the plan names a symbol the environment has not: " + s.name);
    symbol_slots_.push_back(slot);
  }
}

namespace {

// A value as the fresh output that eager would have given: its own memory, in the recorded layout.
Tensor as_fresh(const Tensor& value, const ir::Output& o, const ir::Graph& g,
                std::span<const int64_t> symbols, std::span<const Tensor> inputs,
                std::span<const Tensor> earlier) {
  auto number = [&](Int i) { return g.env()->evaluate(i, symbols); };
  Dims sizes, strides;
  for (Int i : o.value->sizes()) sizes.push_back(number(i));
  for (Int i : o.value->strides()) strides.push_back(number(i));
  bool own =
      value.impl()->sizes == sizes && value.impl()->strides == strides && value.impl()->offset == 0;
  for (const Tensor& t : inputs) own = own && !(t.defined() && t.shares_storage_with(value));
  for (const Tensor& t : earlier) own = own && !(t.defined() && t.shares_storage_with(value));
  if (own) return value;
  Tensor copy = empty_strided_cpu(sizes, strides, value.dtype());
  // Along a stride of 0 (the gradient of a sum) there is one element to store.
  Dims distinct = sizes, from = value.impl()->strides;
  for (size_t d = 0; d < sizes.size(); ++d)
    if (strides[d] == 0) distinct[d] = std::min<int64_t>(sizes[d], 1);
  kernels::copy(alias_view(copy, distinct, strides, 0),
                alias_view(value, distinct, from, value.impl()->offset));
  return copy;
}

}  // namespace

bool Runnable::sizes_hold(std::span<const int64_t> symbols) const {
  if (!code_) return true;
  const runtime::GraphPlan& plan = code_->plan();
  const int64_t small = plan.small;
  bool large = false;
  for (int slot : symbol_slots_) {
    const int64_t v = symbols[static_cast<size_t>(slot)];
    large = large || v > small || v < -small;
  }
  if (!large) [[likely]]
    return true;
  return std::ranges::all_of(plan.bytes, [&](const sym::Program& p) {
    int64_t bytes = 0;
    return p.try_run(symbols, &bytes);
  });
}

int Runnable::run(std::span<const Tensor> inputs, std::span<int64_t> symbols, PhiloxState rng,
                  std::span<Tensor> outputs) const {
  if (code_) {
    int64_t small[16];
    std::vector<int64_t> large;
    std::span<int64_t> values(small, symbol_slots_.size());
    if (symbol_slots_.size() > 16) {
      large.resize(symbol_slots_.size());
      values = large;
    }
    for (size_t i = 0; i < symbol_slots_.size(); ++i)
      values[i] = symbols[static_cast<size_t>(symbol_slots_[i])];
    int failed = code_->run(inputs, values, rng, outputs);
    for (size_t i = 0; i < symbol_slots_.size(); ++i)
      symbols[static_cast<size_t>(symbol_slots_[i])] = values[i];
    return failed;
  }
  WordScope plain(0, kRecording | kReplaying | (taped_ ? 0u : uint32_t{kGradEnabled}));
  passes::Interpreted r;
  try {
    r = passes::interpret(*graph_, inputs, rng, {symbols.begin(), symbols.end()}, taped_);
  } catch (const UserError&) {
    return 0;  // eager raises it again at its own line
  }
  std::copy(r.symbols.begin(),
            r.symbols.begin() + static_cast<ptrdiff_t>(std::min(symbols.size(), r.symbols.size())),
            symbols.begin());
  size_t next = 0;
  for (size_t i = 0; i < graph_->outputs.size(); ++i) {
    const ir::Output& o = graph_->outputs[i];
    if (o.kind != ir::Output::Kind::fresh) continue;
    outputs[next] = as_fresh(r.outputs[i], o, *graph_, symbols, inputs, outputs.subspan(0, next));
    ++next;
  }
  for (size_t i = 0; i < graph_->effects.size(); ++i) {
    const ir::Effect& e = graph_->effects[i];
    if (e.kind != ir::Effect::Kind::write_input) continue;
    const Tensor& target = inputs[static_cast<size_t>(e.input)];
    Tensor value = r.effects[i];
    if (value.is_same(target)) continue;
    if (value.shares_storage_with(target)) value = value.clone();
    // Straight into the memory: versions are the caller's to count.
    kernels::copy(target, value);
  }
  return -1;
}

}  // namespace frit::compiler
