// The corpus: small C++ programs, each run in many configurations against itself run plainly.
//
//   const bool branch = program("sizes", "size_branch", [](World&) {
//     return [](Tensor x) { return x.size(0) % 2 == 0 ? x + 1 : x - 1; };
//   }, {
//     [](World&) { return std::tuple(randn({4, 3})); },
//     [](World&) { return std::tuple(randn({5, 3})); },
//   });
//
// The first function makes the callable in a fresh world (its captured tensors, modules,
// optimisers); the others make the arguments of a call. Everything a caller could see is compared
// after each call.
#pragma once
#include <frit/autograd.h>
#include <frit/compile.h>
#include <frit/indexing.h>
#include <frit/nn.h>
#include <frit/ops.h>
#include <frit/optim.h>

#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace frit::corpus {

class World {
 public:
  // Compared after every call.
  Tensor watch(std::string name, Tensor t) {
    watched_.emplace_back(std::move(name), t);
    return t;
  }
  void forget() { watched_.clear(); }
  // An object that lives as long as the world.
  template <class T, class... A>
  T& make(A&&... a) {
    auto p = std::make_shared<T>(std::forward<A>(a)...);
    objects_.push_back(p);
    return *p;
  }
  // The module given to frit::compile; its parameters and buffers are watched.
  template <class T, class... A>
  T& module(A&&... a) {
    T& m = make<T>(std::forward<A>(a)...);
    module_ = &m;
    return m;
  }
  nn::Module* module() const { return module_; }
  // What host code did, compared too.
  std::vector<std::string> log;
  std::vector<std::pair<std::string, Tensor>> watched() const;
  int calls = 0;  // of the program, this one included

 private:
  std::vector<std::pair<std::string, Tensor>> watched_;
  std::vector<std::shared_ptr<void>> objects_;
  nn::Module* module_ = nullptr;
};

// A program in a world of its own, plain or compiled.
class Instance {
 public:
  virtual ~Instance() = default;
  virtual void prepare(size_t call, compiler::Leaves& args) = 0;  // makes the arguments
  virtual void invoke(compiler::Leaves& results) = 0;
  virtual std::shared_ptr<compiler::Callable> callable() const = 0;  // null where it is plain
  World world;
};

struct Traits {
  double tolerance = 0;      // relative; 0: the same bits
  const char* because = "";  // why it is not 0
  bool gradients = true;     // run backward() from results that require gradients
  bool native = true;        // false: an entry may run on eager kernels
  int repeats = 3;           // how often each call is made in a row
};

struct Program {
  std::string theme, name;
  size_t calls = 0;
  Traits traits;
  std::function<std::unique_ptr<Instance>(const CompileOptions*)> start;
};

std::vector<Program>& programs();

namespace detail {

template <class F>
using SignatureOf = typename compiler::Signature<std::decay_t<F>>::type;
template <class S>
struct Parts;
template <class R, class... A>
struct Parts<R(A...)> {
  using Result = R;
  using Args = std::tuple<std::decay_t<A>...>;
};
template <class Make>
using CallableOf = std::invoke_result_t<Make, World&>;
template <class Make>
using ArgsOf = typename Parts<SignatureOf<CallableOf<Make>>>::Args;

template <class Make>
class Typed final : public Instance {
  using F = CallableOf<Make>;
  using S = SignatureOf<F>;
  using Args = ArgsOf<Make>;

 public:
  Typed(const Make& make, std::vector<std::function<Args(World&)>> calls,
        const CompileOptions* options, std::source_location where)
      : calls_(std::move(calls)) {
    F f = make(world);
    if (!options)
      plain_ = std::move(f);
    else if (world.module())
      compiled_.emplace(compile(*world.module(), std::move(f), *options, where));
    else
      compiled_.emplace(compile(std::move(f), *options, where));
  }
  void prepare(size_t call, compiler::Leaves& args) override {
    ++world.calls;
    current_.emplace(calls_[call](world));
    compiler::Flatten<Args>::put(*current_, args);
  }
  void invoke(compiler::Leaves& results) override {
    using R = typename Parts<S>::Result;
    auto run = [&](auto&&... a) -> R { return compiled_ ? (*compiled_)(a...) : plain_(a...); };
    if constexpr (std::is_void_v<R>)
      std::apply(run, *current_);
    else
      compiler::Flatten<std::decay_t<R>>::put(std::apply(run, *current_), results);
  }
  std::shared_ptr<compiler::Callable> callable() const override {
    return compiled_ ? compiled_->callable() : nullptr;
  }

 private:
  std::vector<std::function<Args(World&)>> calls_;
  std::function<S> plain_;
  std::optional<Compiled<S>> compiled_;
  std::optional<Args> current_;
};

}  // namespace detail

template <class Make>
bool program(const char* theme, const char* name, Make make,
             std::vector<std::function<detail::ArgsOf<Make>(World&)>> calls, Traits traits = {},
             std::source_location where = std::source_location::current()) {
  Program p;
  p.theme = theme;
  p.name = name;
  p.calls = calls.size();
  p.traits = traits;
  p.start = [make, calls, where](const CompileOptions* options) -> std::unique_ptr<Instance> {
    return std::make_unique<detail::Typed<Make>>(make, calls, options, where);
  };
  programs().push_back(std::move(p));
  return true;
}

inline Tensor randn(std::initializer_list<int64_t> sizes, DType dtype = DType::f32) {
  return frit::randn(IntList(sizes.begin(), sizes.end())).to(dtype);
}
inline Tensor randint(int64_t low, int64_t high, std::initializer_list<int64_t> sizes,
                      DType dtype = DType::i64) {
  return frit::randint(Int(low), Int(high), IntListRef(IntList(sizes.begin(), sizes.end())))
      .to(dtype);
}
inline Tensor leaf(std::initializer_list<int64_t> sizes) { return randn(sizes).requires_grad_(); }

}  // namespace frit::corpus
