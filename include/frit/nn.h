// Modules: named trees of parameters, buffers and other modules, with PyTorch's layers, names and
// initial values (room nn).
//
//   struct Net : nn::Module {
//     nn::Linear up{*this, "up", 64, 256}, down{*this, "down", 256, 10};
//     Tensor forward(Tensor x) { return down(frit::relu(up(x))); }
//   };
//
// A layer made with (parent, name, ...) registers itself; modules stay where they are made, so they
// are neither copied nor moved.
#pragma once
#include <frit/tensor.h>

#include <concepts>
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace frit {
struct ModuleForm;
}
namespace frit::nn {

class Module;

// What is assigned to a Parameter, with the place where it is.
struct Assigned {
  template <std::convertible_to<Tensor> T>
  Assigned(T&& t, std::source_location w = std::source_location::current())
      : tensor(std::forward<T>(t)), where(w) {}
  Tensor tensor;
  std::source_location where;
};

// A tensor a module owns. Assigning another tensor is seen by compiled callables; two modules share
// one where the second is assigned the first's: `decoder.weight = encoder.weight.tensor()`.
class Parameter {
 public:
  Parameter() = default;
  Parameter(const Parameter&) = delete;
  Parameter& operator=(const Parameter&) = delete;
  Parameter& operator=(Assigned t);
  operator const Tensor&() const { return tensor_; }
  const Tensor& tensor() const { return tensor_; }
  const Tensor* operator->() const { return &tensor_; }
  Tensor* operator->() { return &tensor_; }  // p->requires_grad_(false)
  bool defined() const { return tensor_.defined(); }

 private:
  friend class Module;
  Tensor tensor_;
  bool is_buffer_ = false;
};

}  // namespace frit::nn

inline frit::Operand::Operand(const nn::Parameter& p, std::source_location w)
    : tensor(p.tensor()), where(w) {}

namespace frit::nn {

// Rises when any module's parameters, buffers, children or training flag change.
uint64_t structure_epoch();

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;
using StateDict = NamedTensors;

class Module {
 public:
  Module();
  // A child of `parent` under `name`; ValueError text for a name that is taken, empty or has a dot.
  Module(Module& parent, std::string_view name,
         std::source_location where = std::source_location::current());
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  virtual ~Module();

  // --- what it is made of ---
  // Values are kept by reference: `p` must be a member of this module. A parameter requires
  // gradients.
  void register_parameter(std::string_view name, Parameter& p, Tensor value,
                          std::source_location where = std::source_location::current());
  void register_buffer(std::string_view name, Parameter& b, Tensor value, bool persistent = true,
                       std::source_location where = std::source_location::current());
  void register_module(std::string_view name, Module& child,
                       std::source_location where = std::source_location::current());

  // "up.weight", in order of registration; with recurse = false this module's own alone. A
  // parameter that several modules share is listed once.
  NamedTensors named_parameters(bool recurse = true) const;
  TensorList parameters(bool recurse = true) const;
  NamedTensors named_buffers(bool recurse = true) const;
  TensorList buffers(bool recurse = true) const;
  // Parameters and buffers under every name they have, undefined ones too.
  NamedTensors named_slots() const;
  std::vector<std::pair<std::string, Module*>> named_children() const;
  std::vector<std::pair<std::string, Module*>> named_modules();  // itself first, under ""
  // "encoder.up": from the root of its tree.
  std::string path() const;

  // --- state ---
  StateDict state_dict()
      const;  // parameters and persistent buffers; the tensors themselves, detached
  // Copies values in, converted where the dtypes differ. UserError [load_state_dict] lists
  // everything missing, unexpected, undefined, given twice and of other sizes, at once, and then
  // nothing has been changed.
  void load_state_dict(const StateDict& state, bool strict = true,
                       std::source_location where = std::source_location::current());

  // --- mode ---
  // Reading the flag inside a compiled callable makes it part of the key.
  bool is_training() const;
  Module& train(bool mode = true);
  Module& eval() { return train(false); }
  Module& requires_grad_(bool value = true);
  void zero_grad();
  // Floating parameters and buffers, with their gradients. They stay the same tensors: modules that
  // share one and optimisers keep it.
  Module& to(DType dtype);
  void apply(const std::function<void(Module&)>& fn);  // children first

  // --- hooks ---
  // Called with the input before forward, and with input and output after; a defined result
  // replaces it. For the layers of this header, which are called by operator().
  using PreHook = std::function<Tensor(Module&, const Tensor& input)>;
  using Hook = std::function<Tensor(Module&, const Tensor& input, const Tensor& output)>;
  uint64_t register_forward_pre_hook(PreHook hook);
  uint64_t register_forward_hook(Hook hook);
  void remove_hook(uint64_t handle);

 protected:
  // Runs forward with hooks, the caller's place and this module's path noted.
  Tensor run(const Tensor& input, std::source_location where,
             const std::function<Tensor(const Tensor&)>& forward);

 private:
  struct Slot {
    std::string name;
    Parameter* value;
    bool is_buffer, persistent;
  };
  struct Child {
    std::string name;
    Module* module;
  };
  void check_name(std::string_view name) const;
  NamedTensors named(bool buffers, bool recurse) const;
  TensorList unnamed(bool buffers, bool recurse) const;
  void hooks_changed();
  template <class F>
  void visit(const std::string& prefix, F&& fn) const;
  template <class F>
  void visit(F&& fn) const;
  std::vector<Slot> slots_;
  std::vector<Child> children_;
  Module* parent_ = nullptr;
  std::string name_;
  std::shared_ptr<bool> training_;
  std::shared_ptr<ModuleForm> form_;
  std::vector<std::pair<uint64_t, PreHook>> pre_hooks_;
  std::vector<std::pair<uint64_t, Hook>> hooks_;
};

// A module of one input and one output, called as a function.
class Layer : public Module {
 public:
  using Module::Module;
  virtual Tensor forward(const Tensor& x) = 0;
  Tensor operator()(const Tensor& x, std::source_location where = std::source_location::current()) {
    return run(x, where, [this](const Tensor& t) { return forward(t); });
  }
};

struct LinearOptions {
  bool bias = true;
  DType dtype = kFloat32;
};
// y = x W^T + b, W [out, in].
class Linear : public Layer {
 public:
  Linear(int64_t in, int64_t out, LinearOptions options = {},
         std::source_location where = std::source_location::current());
  Linear(Module& parent, std::string_view name, int64_t in, int64_t out, LinearOptions options = {},
         std::source_location where = std::source_location::current());
  Tensor forward(const Tensor& x) override;
  Parameter weight, bias;

 private:
  void make(int64_t in, int64_t out, const LinearOptions& options);
};

struct LayerNormOptions {
  double eps = 1e-5;
  bool elementwise_affine = true;
  DType dtype = kFloat32;
};
// Over the last dimensions, of the given sizes.
class LayerNorm : public Layer {
 public:
  LayerNorm(std::vector<int64_t> normalized_shape, LayerNormOptions options = {},
            std::source_location where = std::source_location::current());
  LayerNorm(int64_t size, LayerNormOptions options = {},
            std::source_location where = std::source_location::current())
      : LayerNorm(std::vector<int64_t>{size}, options, where) {}
  LayerNorm(Module& parent, std::string_view name, std::vector<int64_t> normalized_shape,
            LayerNormOptions options = {},
            std::source_location where = std::source_location::current());
  LayerNorm(Module& parent, std::string_view name, int64_t size, LayerNormOptions options = {},
            std::source_location where = std::source_location::current())
      : LayerNorm(parent, name, std::vector<int64_t>{size}, options, where) {}
  Tensor forward(const Tensor& x) override;
  Parameter weight, bias;

 private:
  void make(const LayerNormOptions& options);
  std::vector<int64_t> shape_;
  double eps_;
};

// Zeroes elements with probability p while training, and scales the rest by 1 / (1 - p).
class Dropout : public Layer {
 public:
  explicit Dropout(double p = 0.5, std::source_location where = std::source_location::current());
  Dropout(Module& parent, std::string_view name, double p = 0.5,
          std::source_location where = std::source_location::current());
  Tensor forward(const Tensor& x) override;

 private:
  double p_;
};

// Rows of a table by index.
class Embedding : public Layer {
 public:
  Embedding(int64_t count, int64_t size, DType dtype = kFloat32,
            std::source_location where = std::source_location::current());
  Embedding(Module& parent, std::string_view name, int64_t count, int64_t size,
            DType dtype = kFloat32, std::source_location where = std::source_location::current());
  Tensor forward(const Tensor& indices) override;
  Parameter weight;

 private:
  void make(int64_t count, int64_t size, DType dtype);
};

// Layers without state.
#define FRIT_LAYER(Name)                      \
  class Name : public Layer {                 \
   public:                                    \
    using Layer::Layer;                       \
    Tensor forward(const Tensor& x) override; \
  };
FRIT_LAYER(ReLU)
FRIT_LAYER(GELU)
FRIT_LAYER(SiLU)
FRIT_LAYER(Tanh)
FRIT_LAYER(Sigmoid)
FRIT_LAYER(Identity)
#undef FRIT_LAYER

}  // namespace frit::nn

namespace frit {

// PyTorch's functional.cross_entropy: input [N, C, ...] of scores, target [N, ...] of class numbers
// or input's sizes of probabilities. Targets of `ignore_index` count for nothing.
enum class Reduction : uint8_t { none, mean, sum };
struct CrossEntropyOptions {
  Tensor weight = {};  // of each class, [C]
  Reduction reduction = Reduction::mean;
  int64_t ignore_index = -100;
  double label_smoothing = 0;
};
Tensor cross_entropy(const Tensor& input, const Tensor& target, CrossEntropyOptions options = {},
                     std::source_location where = std::source_location::current());

}  // namespace frit

#include <frit/nn_containers.h>
#include <frit/nn_init.h>
