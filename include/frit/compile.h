// frit::compile: a callable of tensors that runs as one compiled graph from its second call on.
//
//   auto step = frit::compile(net, [&](Tensor x, Tensor y) { ... return loss.detach(); });
//   Tensor loss = step(x, y);
//
// The first call runs the callable eagerly and records it; later calls check guards and run
// compiled code. The compiled object has the callable's own signature.
//
// What is seen: tensors that are arguments, are captured by the callable, or are reached from the
// module (by name, so a replaced parameter is found), their sizes, dtypes, contents and gradients,
// and the branches the program takes on sizes (Int) and tensor values. What is not: captured plain
// numbers (constants from the first call on), a captured variable that is assigned another tensor
// while the old one lives, and side effects outside frit::host_call. FRIT_CHECK=replay runs the
// callable eagerly beside every compiled call and names the first difference.
#pragma once
#include <frit/tensor.h>

#include <functional>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace frit {

namespace nn {
class Module;
}

enum class Dynamic : uint8_t {
  automatic,  // sizes of 2 and more of tensor arguments are symbols at the first compile
  off,        // every size is part of the key: a compile for each
};
enum class Mode : uint8_t { normal, max_autotune };
enum class Backend : uint8_t {
  eager,             // capture only: the recorded graph runs on eager kernels
  aot_eager,         // and is differentiated ahead of time
  aot_eager_decomp,  // and decomposed
  frit,              // and compiled
};

struct CompileOptions {
  Dynamic dynamic = Dynamic::automatic;
  bool fullgraph = false;  // true: what would end the graph early is a UserError
  Mode mode = Mode::normal;
  Backend backend = Backend::frit;
  int recompile_limit =
      8;  // entries at one place of the program; then it runs eagerly, with a notice
  bool fuse = true;
  std::vector<std::string> disabled_passes = {};
};

// A side effect of a compiled callable (printing, counting, sending): runs once every call, in
// program order. It ends the graph: what comes after it in the callable runs eagerly. `effect` must
// not give anything to the tensor code that follows. Outside of compiled callables it just runs.
void host_call(const std::function<void()>& effect,
               std::source_location where = std::source_location::current());

namespace compiler {

// Arguments and results flattened: tensors in order, and everything else as numbers (values, and
// lengths of vectors), which are part of the key.
struct Leaves {
  SmallVector<Tensor, 6> tensors;
  SmallVector<Scalar, 4> numbers;
};

class LeafReader {
 public:
  explicit LeafReader(const Leaves& l) : leaves_(l) {}
  const Tensor& tensor() { return leaves_.tensors[tensor_++]; }
  const Scalar& number() { return leaves_.numbers[number_++]; }

 private:
  const Leaves& leaves_;
  size_t tensor_ = 0, number_ = 0;
};

// How a type is flattened and made again. Specialise for types of your own.
template <class T>
struct Flatten {
  static_assert(std::is_arithmetic_v<T>,
                "frit::compile takes and gives Tensors, numbers, and tuples, pairs, vectors and "
                "optionals of them; "
                "specialise frit::compiler::Flatten for other types");
  static void put(const T& v, Leaves& l) {
    if constexpr (std::is_same_v<T, bool>)
      l.numbers.push_back(Scalar(v));
    else if constexpr (std::is_integral_v<T>)
      l.numbers.push_back(Scalar(static_cast<int64_t>(v)));
    else
      l.numbers.push_back(Scalar(static_cast<double>(v)));
  }
  static T get(LeafReader& r) {
    const Scalar& s = r.number();
    if constexpr (std::is_same_v<T, bool>)
      return s.to_bool();
    else if constexpr (std::is_integral_v<T>)
      return static_cast<T>(s.to_int64());
    else
      return static_cast<T>(s.to_double());
  }
};
template <>
struct Flatten<Tensor> {
  static void put(const Tensor& t, Leaves& l) { l.tensors.push_back(t); }
  static Tensor get(LeafReader& r) { return r.tensor(); }
};
template <>
struct Flatten<Int> {
  static void put(Int v, Leaves& l) { l.numbers.push_back(Scalar(v)); }
  static Int get(LeafReader& r) { return r.number().as_int(); }
};
template <class T>
struct Flatten<std::vector<T>> {
  static void put(const std::vector<T>& v, Leaves& l) {
    l.numbers.push_back(Scalar(static_cast<int64_t>(v.size())));
    for (const T& x : v) Flatten<T>::put(x, l);
  }
  static std::vector<T> get(LeafReader& r) {
    std::vector<T> v;
    int64_t n = r.number().to_int64();
    for (int64_t i = 0; i < n; ++i) v.push_back(Flatten<T>::get(r));
    return v;
  }
};
template <class T>
struct Flatten<std::optional<T>> {
  static void put(const std::optional<T>& v, Leaves& l) {
    l.numbers.push_back(Scalar(v.has_value()));
    if (v) Flatten<T>::put(*v, l);
  }
  static std::optional<T> get(LeafReader& r) {
    if (!r.number().to_bool()) return std::nullopt;
    return Flatten<T>::get(r);
  }
};
template <class... T>
struct Flatten<std::tuple<T...>> {
  static void put(const std::tuple<T...>& v, Leaves& l) {
    std::apply([&](const T&... x) { (Flatten<T>::put(x, l), ...); }, v);
  }
  static std::tuple<T...> get(LeafReader& r) { return std::tuple<T...>{Flatten<T>::get(r)...}; }
};
template <class A, class B>
struct Flatten<std::pair<A, B>> {
  static void put(const std::pair<A, B>& v, Leaves& l) {
    Flatten<A>::put(v.first, l);
    Flatten<B>::put(v.second, l);
  }
  static std::pair<A, B> get(LeafReader& r) {
    A a = Flatten<A>::get(r);
    return {std::move(a), Flatten<B>::get(r)};
  }
};

// The compiled callable without its types (src/compile/callable.h).
class Callable;
std::shared_ptr<Callable> make_callable(nn::Module* module, CompileOptions options,
                                        std::string name, std::source_location where);

// Runs the user's callable on its own arguments and flattens what it returns.
class Body {
 public:
  template <class F>
  Body(F& f) : object_(&f), call_([](void* o, Leaves& out) { (*static_cast<F*>(o))(out); }) {}
  void operator()(Leaves& results) const { call_(object_, results); }

 private:
  void* object_;
  void (*call_)(void*, Leaves&);
};
void call(Callable&, const Leaves& args, Leaves& results, Body body);

template <class F>
struct Signature {};
template <class F>
  requires requires { &F::operator(); }
struct Signature<F> : Signature<decltype(&F::operator())> {};
template <class R, class C, class... A>
struct Signature<R (C::*)(A...) const> {
  using type = R(A...);
};
template <class R, class C, class... A>
struct Signature<R (C::*)(A...)> {
  using type = R(A...);
};
template <class R, class... A>
struct Signature<R (*)(A...)> {
  using type = R(A...);
};

}  // namespace compiler

template <class F>
class Compiled;

template <class R, class... A>
class Compiled<R(A...)> {
 public:
  Compiled(std::function<R(A...)> f, std::shared_ptr<compiler::Callable> c)
      : f_(std::move(f)), callable_(std::move(c)) {}

  R operator()(A... args) const {
    compiler::Leaves in, out;
    (compiler::Flatten<std::decay_t<A>>::put(args, in), ...);
    auto run = [&](compiler::Leaves& results) {
      if constexpr (std::is_void_v<R>)
        f_(args...);
      else
        compiler::Flatten<std::decay_t<R>>::put(f_(args...), results);
    };
    compiler::call(*callable_, in, out, compiler::Body(run));
    if constexpr (!std::is_void_v<R>) {
      compiler::LeafReader reader(out);
      return compiler::Flatten<std::decay_t<R>>::get(reader);
    }
  }
  // The callable itself, never compiled.
  const std::function<R(A...)>& eager() const { return f_; }
  const std::shared_ptr<compiler::Callable>& callable() const { return callable_; }

 private:
  std::function<R(A...)> f_;
  std::shared_ptr<compiler::Callable> callable_;
};

// Compiles a callable of tensors. What it captures is bound at the first call. (Modules are below.)
template <class F>
  requires requires { typename compiler::Signature<std::decay_t<F>>::type; } &&
           (!requires { &std::decay_t<F>::forward; })
auto compile(F f, CompileOptions options = {},
             std::source_location where = std::source_location::current()) {
  using S = typename compiler::Signature<std::decay_t<F>>::type;
  return Compiled<S>(std::move(f), compiler::make_callable(nullptr, std::move(options), {}, where));
}

// With a module whose parameters and buffers the callable reaches: they are looked up by name, so
// replacing one is seen. The module must outlive the compiled object.
template <class F>
auto compile(nn::Module& module, F f, CompileOptions options = {},
             std::source_location where = std::source_location::current()) {
  using S = typename compiler::Signature<std::decay_t<F>>::type;
  return Compiled<S>(std::move(f), compiler::make_callable(&module, std::move(options), {}, where));
}

// A module's forward.
template <class M, class R, class... A>
auto compile_forward(M& module, R (M::*forward)(A...), CompileOptions options,
                     std::source_location where) {
  return compile(
      module, [&module, forward](A... args) -> R { return (module.*forward)(std::move(args)...); },
      std::move(options), where);
}
template <class M>
  requires requires { &M::forward; }
auto compile(M& module, CompileOptions options = {},
             std::source_location where = std::source_location::current()) {
  return compile_forward(module, &M::forward, std::move(options), where);
}

}  // namespace frit
