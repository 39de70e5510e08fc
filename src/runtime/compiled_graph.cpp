#include "runtime/compiled_graph.h"

#include <algorithm>
#include <cstddef>
#include <exception>

#include "base/parallel.h"
#include "kernels/cpu/kernels.h"
#include "kernels/cpu/micro/gemm.h"

namespace frit::runtime {
namespace {

// What a library step finds through FritRun::host.
struct RunHost {
  const GraphPlan* plan;
  std::span<Tensor> outputs;
  std::span<void*> output_data, own_data;
  std::vector<Tensor> own;
  std::exception_ptr error;

  void keep(const LateBuffer& b, Tensor t) {
    void* data = t.impl()->data();
    if (b.output >= 0) {
      outputs[static_cast<size_t>(b.output)] = std::move(t);
      output_data[static_cast<size_t>(b.output)] = data;
    } else {
      own_data[static_cast<size_t>(b.own)] = data;
      own.push_back(std::move(t));
    }
  }
};

Tensor wrap(void* data, DType dtype, const int64_t* sizes, const int64_t* strides, int rank) {
  std::span<const int64_t> n(sizes, static_cast<size_t>(rank)),
      s(strides, static_cast<size_t>(rank));
  int64_t extent = 1;
  for (int i = 0; i < rank; ++i) {
    if (sizes[i] == 0) extent = 0;
    if (extent) extent += (sizes[i] - 1) * strides[i];
  }
  auto storage = make_ptr<Storage>(data, static_cast<size_t>(extent * size_of(dtype)),
                                   std::function<void()>{});
  return Tensor(make_ptr<TensorImpl>(std::move(storage), dtype, n, s, 0));
}

// Takes the arguments of a step out of the flat array the generated code filled, in plan order.
class StepReader {
 public:
  StepReader(void* const* buffers, const frit_i64* words) : buffers_(buffers), words_(words) {}
  Tensor tensor(const LibraryStep::Tensor& t) {
    if (t.buffer < 0) return {};
    const int64_t* sizes = reinterpret_cast<const int64_t*>(words_);
    words_ += 2 * t.rank;
    return wrap(buffers_[t.buffer], t.dtype, sizes, sizes + t.rank, t.rank);
  }
  int64_t word() { return *words_++; }

 private:
  void* const* buffers_;
  const frit_i64* words_;
};

frit_i64 library_step(FritRun* run, int index, void* const* buffers, const frit_i64* words) {
  auto& host = *static_cast<RunHost*>(run->host);
  const LibraryStep& step = host.plan->library_steps[static_cast<size_t>(index)];
  try {
    StepReader reader(buffers, words);
    KernelCall call{*step.record, {}, {}, {}};
    if (step.random) {
      call.rng = {run->seed, run->offset + static_cast<uint64_t>(reader.word())};
    }
    ArgList args;
    for (const LibraryStep::Argument& a : step.args) {
      switch (a.kind) {
        case LibraryStep::Argument::Kind::tensor:
          args.push_back(Arg(reader.tensor(a.tensors[0])));
          break;
        case LibraryStep::Argument::Kind::tensors: {
          std::vector<Ref> refs;
          for (const auto& t : a.tensors) refs.push_back(Ref(reader.tensor(t)));
          args.push_back(Arg(std::move(refs)));
          break;
        }
        case LibraryStep::Argument::Kind::integer:
          args.push_back(Arg(reader.word()));
          break;
        case LibraryStep::Argument::Kind::number:
          args.push_back(Arg(Scalar(reader.word())));
          break;
        case LibraryStep::Argument::Kind::integers: {
          IntList list;
          for (int i = 0; i < a.count; ++i) list.push_back(Int(reader.word()));
          args.push_back(Arg(std::move(list)));
          break;
        }
        case LibraryStep::Argument::Kind::fixed:
          args.push_back(a.fixed);
          break;
      }
    }
    SmallVector<Tensor, 3> outs;
    for (const auto& t : step.outs) outs.push_back(reader.tensor(t));
    if (step.in_place) outs[0] = args[0].ref().tensor();
    outs.resize(std::max(step.outs.size(), step.made.size()));
    call.args = args;
    call.outs = std::span<Tensor>(outs.data(), outs.size());
    kernels::run(call);
    for (const LibraryStep::MadeSize& m : step.made_sizes)
      run->symbols[m.symbol] =
          outs[static_cast<size_t>(m.out)].impl()->sizes[static_cast<size_t>(m.dim)];
    for (size_t i = 0; i < step.made.size(); ++i)
      host.keep(host.plan->late[static_cast<size_t>(step.made[i])], outs[i]);
    return 0;
  } catch (...) {
    // Carried to the caller of run(); the step's check tells the generated code to stop.
    host.error = std::current_exception();
    return 1;
  }
}

frit_i64 allocate(FritRun* run, int buffer, const frit_i64* layout) {
  auto& host = *static_cast<RunHost*>(run->host);
  const LateBuffer& b = host.plan->late[static_cast<size_t>(buffer)];
  const auto* words = reinterpret_cast<const int64_t*>(layout);
  auto rank = static_cast<size_t>(b.rank);
  if (std::any_of(words, words + rank, [](int64_t n) { return n < 0; })) return 1;
  try {
    host.keep(b, empty_strided_cpu({words, rank}, {words + rank, rank}, b.dtype));
    return 0;
  } catch (...) {
    return 1;  // as eager has it, which raises
  }
}

static_assert(sizeof(FritGemm) == sizeof(kernels::GemmArgs));
#define FRIT_SAME_PLACE(field) \
  static_assert(offsetof(FritGemm, field) == offsetof(kernels::GemmArgs, field))
FRIT_SAME_PLACE(m);
FRIT_SAME_PLACE(a);
FRIT_SAME_PLACE(b_col_stride);
FRIT_SAME_PLACE(c_batch_stride);
FRIT_SAME_PLACE(epilogue);
FRIT_SAME_PLACE(epilogue_ctx);
#undef FRIT_SAME_PLACE

const FritApi kApi = {
    2,
    [](frit_i64 n, frit_i64 grain, void (*fn)(frit_i64, frit_i64, void*), void* ctx) {
      parallel_for(n, grain, reinterpret_cast<ParallelFn>(fn), ctx);
    },
    [](const FritGemm* args) { kernels::gemm(*reinterpret_cast<const kernels::GemmArgs*>(args)); },
    library_step,
    allocate,
};

// An output. Its bytes were counted before the run: nothing overflows.
Tensor output_of(std::span<const int64_t> sizes, std::span<const int64_t> strides, DType dtype) {
  int64_t extent = 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] <= 0) [[unlikely]]
      return empty_strided_cpu(sizes, strides, dtype);
    extent += (sizes[i] - 1) * strides[i];
  }
  return Tensor(make_ptr<TensorImpl>(
      make_ptr<Storage>(static_cast<size_t>(extent * size_of(dtype))), dtype, sizes, strides, 0));
}

constexpr size_t kStackWords = 64, kStackPointers = 32;

// A small array on the stack, else on the heap.
template <class T, size_t N>
class Scratch {
 public:
  explicit Scratch(size_t n) {
    if (n > N) {
      heap_ = std::make_unique<T[]>(n);
      data_ = heap_.get();
    }
  }
  T* data() { return data_; }
  T& operator[](size_t i) { return data_[i]; }

 private:
  T stack_[N];
  std::unique_ptr<T[]> heap_;
  T* data_ = stack_;
};

}  // namespace

CompiledGraph::CompiledGraph(std::shared_ptr<loader::Library> library, GraphPlan plan)
    : library_(std::move(library)), plan_(std::move(plan)) {
  plan_fn_ = library_->function<void(const frit_i64*, frit_i64*)>("frit_plan");
  run_fn_ = library_->function<frit_i64(FritRun*)>("frit_run");
}

void CompiledGraph::bind_symbols(std::span<const Tensor> inputs, std::span<int64_t> symbols) const {
  for (size_t i = 0; i < plan_.symbols.size(); ++i) {
    const SymbolSource& s = plan_.symbols[i];
    if (s.kind == SymbolSource::Kind::number || s.kind == SymbolSource::Kind::step) continue;
    const TensorImpl& t = *inputs[static_cast<size_t>(s.input)].impl();
    auto dim = static_cast<size_t>(s.dim);
    symbols[i] = s.kind == SymbolSource::Kind::input_size     ? t.sizes[dim]
                 : s.kind == SymbolSource::Kind::input_stride ? t.strides[dim]
                                                              : t.offset;
  }
}

int CompiledGraph::run(std::span<const Tensor> inputs, std::span<int64_t> symbols, PhiloxState rng,
                       std::span<Tensor> outputs) const {
  FRIT_INVARIANT(inputs.size() == static_cast<size_t>(plan_.num_inputs) &&
                 outputs.size() == plan_.outputs.size() && symbols.size() == plan_.symbols.size());
  Scratch<int64_t, kStackWords> words(static_cast<size_t>(plan_.plan_words));
  auto* symbol_words = reinterpret_cast<frit_i64*>(symbols.data());
  plan_fn_(symbol_words, reinterpret_cast<frit_i64*>(words.data()));
  Scratch<void*, kStackPointers> in(inputs.size()), out(outputs.size());
  Scratch<void*, kStackPointers> own(static_cast<size_t>(plan_.num_own));
  for (size_t i = 0; i < inputs.size(); ++i) in[i] = inputs[i].impl()->data();
  const int64_t* w = words.data();
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (plan_.outputs[i].late >= 0) continue;
    auto rank = static_cast<size_t>(plan_.outputs[i].rank);
    outputs[i] = output_of({w, rank}, {w + rank, rank}, plan_.outputs[i].dtype);
    out[i] = outputs[i].impl()->data();
    w += 2 * rank;
  }
  auto arena_bytes = static_cast<size_t>(*w);
  struct Arena {
    size_t bytes;
    void* data = bytes ? allocate_bytes(bytes) : nullptr;
    ~Arena() {
      if (data) free_bytes(data, bytes);
    }
  } arena{arena_bytes};
  RunHost host{&plan_,
               outputs,
               {out.data(), outputs.size()},
               {own.data(), static_cast<size_t>(plan_.num_own)},
               {},
               nullptr};
  FritRun run{in.data(),    out.data(), own.data(), static_cast<char*>(arena.data),
              symbol_words, nullptr,    rng.seed,   rng.offset,
              &kApi,        &host,      {}};
  frit_i64 failed = run_fn_(&run);
  // A kernel raised that has no check: that is no matter of data, so the rerun would not raise it.
  if (failed > static_cast<frit_i64>(plan_.checks.size())) [[unlikely]]
    std::rethrow_exception(host.error);
  return static_cast<int>(failed) - 1;
}

}  // namespace frit::runtime
