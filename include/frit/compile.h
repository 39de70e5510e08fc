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
// and the branches the program takes on sizes (Int) and tensor values. A numeric argument is a
// constant of its graph; an Int (by value) is a symbol from its second value on, where both are 2
// and more. What is not seen: captured plain numbers (constants from the first call on), a captured
// variable that is assigned another tensor while the old one lives, and side effects outside
// frit::host_call. FRIT_CHECK=replay runs the callable eagerly beside every compiled call and names
// the first difference.
#pragma once
#include <frit/flatten.h>
#include <frit/signature.h>
#include <frit/tensor.h>

#include <concepts>
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace frit {

namespace nn {
class Module;
class Layer;
}  // namespace nn

template <class F>
class Compiled;

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
  // A graph ends after so many ops and the next begins; 0: only where it must. It narrows down
  // which op is compiled wrongly, and keeps the graphs of very long programs small. No graph ends
  // between a backward pass and the end of the callable.
  int ops_per_graph = 0;
};

// A side effect of a compiled callable (printing, counting, sending): runs once every call, in
// program order. It ends the graph: what comes after it in the callable runs eagerly. `effect` must
// not give anything to the tensor code that follows. Outside of compiled callables it just runs.
void host_call(const std::function<void()>& effect,
               std::source_location where = std::source_location::current());

namespace compiler {

// The compiled callable without its types (src/compile/callable.h).
class Callable;
std::shared_ptr<Callable> make_callable(nn::Module* module, CompileOptions options,
                                        std::string name, std::source_location where);

[[noreturn]] void raise_empty(std::source_location where);  // the callable holds nothing

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

}  // namespace compiler

template <class R, class... A>
class Compiled<R(A...)> {
 public:
  using Result = std::decay_t<R>;
  Compiled(std::function<R(A...)> f, std::shared_ptr<compiler::Callable> c)
      : f_(std::move(f)), callable_(std::move(c)) {}

  Result operator()(A... args) const {
    compiler::Leaves in, out;
    auto take = [&in]<class T>(T& argument) {
      if constexpr (std::is_same_v<T, Int>) in.ints.push_back({in.numbers.size(), &argument});
      compiler::Flatten<std::decay_t<T>>::put(argument, in);
    };
    (take(args), ...);
    auto run = [&](compiler::Leaves& results) {
      if constexpr (std::is_void_v<R>)
        f_(args...);
      else
        compiler::Flatten<Result>::put(f_(args...), results);
    };
    compiler::call(*callable_, in, out, compiler::Body(run));
    if constexpr (!std::is_void_v<R>) {
      compiler::LeafReader reader(out);
      return compiler::Flatten<Result>::get(reader);
    }
  }
  // The callable itself, never compiled.
  const std::function<R(A...)>& eager() const { return f_; }
  const std::shared_ptr<compiler::Callable>& callable() const { return callable_; }

 private:
  std::function<R(A...)> f_;
  std::shared_ptr<compiler::Callable> callable_;
};

namespace compiler {
template <class S>
struct Maker;
template <>
struct Maker<void> {  // so that the sentence about the callable is the only error
  template <class... A>
  static void make(A&&...) {}
};
template <class R, class... A>
struct Maker<R(A...)> {
  static_assert(
      (kBindable<A> && ...),
      "frit::compile: an argument is a reference that can be assigned to (Tensor&) or moved "
      "from (Tensor&&), which a compiled call would not do: take Tensor or const Tensor&, "
      "and return what is new (writes into a tensor's elements are seen)");
  // The callable is shared by the copies of the compiled object, as what it compiles to is.
  template <class F>
  static Compiled<R(A...)> make(nn::Module* module, F&& f, CompileOptions options,
                                std::source_location where) {
    auto callable = make_callable(module, std::move(options), {}, where);
    if constexpr (std::is_copy_constructible_v<std::decay_t<F>>) {
      std::function<R(A...)> held(std::forward<F>(f));
      if (!held) raise_empty(where);
      return {std::move(held), std::move(callable)};
    } else {
      return {[held = std::make_shared<std::decay_t<F>>(std::forward<F>(f))](A... args) -> R {
                return std::as_const(*held)(std::forward<A>(args)...);
              },
              std::move(callable)};
    }
  }
  template <class M, class F>
  static Compiled<R(A...)> member(M& module, F member, CompileOptions options,
                                  std::source_location where) {
    return make(
        &module,
        [&module, member](A... args) -> R { return (module.*member)(std::forward<A>(args)...); },
        std::move(options), where);
  }
  template <class M>
  static Compiled<R(A...)> forward(M& module, CompileOptions options, std::source_location where) {
    return make(
        &module,
        [&module](A... args) -> R {
          // A layer with its hooks; errors keep the places of its own lines.
          if constexpr (std::derived_from<M, nn::Layer> && sizeof...(A) == 1)
            return module(std::forward<A>(args)..., std::source_location());
          else
            return module.forward(std::forward<A>(args)...);
        },
        std::move(options), where);
  }
};

}  // namespace compiler

// Compiles a callable of tensors: a lambda, a function, a std::function, an object with a const
// operator(). What it captures is bound at the first call. (Modules are below.)
template <class F>
  requires(!std::derived_from<std::remove_cvref_t<F>, nn::Module>)
auto compile(F&& f, CompileOptions options = {},
             std::source_location where = std::source_location::current()) {
  return compiler::Maker<compiler::SignatureOf<std::decay_t<F>>>::make(nullptr, std::forward<F>(f),
                                                                       std::move(options), where);
}
// Of the signature that is named, for generic lambdas and overloaded operators:
// compile<Tensor(Tensor)>([](auto x) { ... }).
template <class S, class F>
  requires std::is_function_v<S> && (!std::derived_from<std::remove_cvref_t<F>, nn::Module>)
auto compile(F&& f, CompileOptions options = {},
             std::source_location where = std::source_location::current()) {
  return compiler::Maker<S>::make(nullptr, std::forward<F>(f), std::move(options), where);
}

// With a module whose parameters and buffers the callable reaches: they are looked up by name, so
// replacing one is seen. The module must outlive the compiled object.
template <class M, class F>
  requires std::derived_from<M, nn::Module> &&
           (!std::same_as<std::remove_cvref_t<F>, CompileOptions>) &&
           (!std::is_member_function_pointer_v<std::remove_cvref_t<F>>)
auto compile(M& module, F&& f, CompileOptions options = {},
             std::source_location where = std::source_location::current()) {
  return compiler::Maker<compiler::SignatureOf<std::decay_t<F>>>::make(&module, std::forward<F>(f),
                                                                       std::move(options), where);
}

// A member function of a module: compile(net, &Net::encode).
template <class M, class F>
  requires std::derived_from<M, nn::Module> && std::is_member_function_pointer_v<F>
auto compile(M& module, F member, CompileOptions options = {},
             std::source_location where = std::source_location::current()) {
  return compiler::Maker<typename compiler::Signature<F>::type>::member(module, member,
                                                                        std::move(options), where);
}

// A module's forward, its own or inherited.
template <class M>
  requires std::derived_from<M, nn::Module>
auto compile(M& module, CompileOptions options = {},
             std::source_location where = std::source_location::current()) {
  constexpr bool kOne = requires { &M::forward; };
  static_assert(
      kOne,
      "frit::compile(module): the module has no public forward, or several (overloaded, or "
      "a template), so which one is not clear: write compile<Tensor(Tensor)>(module) with "
      "the signature you want, compile(module, &Net::other), or a lambda that calls it");
  if constexpr (kOne && std::derived_from<M, nn::Layer>)
    return compiler::Maker<typename compiler::Signature<decltype(&M::forward)>::type>::forward(
        module, std::move(options), where);
  else if constexpr (kOne)
    return compiler::Maker<typename compiler::Signature<decltype(&M::forward)>::type>::member(
        module, &M::forward, std::move(options), where);
}
// One of several: compile<Tensor(Tensor, Tensor)>(net).
template <class S, class M>
  requires std::is_function_v<S> && std::derived_from<M, nn::Module>
auto compile(M& module, CompileOptions options = {},
             std::source_location where = std::source_location::current()) {
  return compiler::Maker<S>::forward(module, std::move(options), where);
}

}  // namespace frit
