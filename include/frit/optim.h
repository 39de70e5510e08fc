// Optimisers: SGD, Adam, AdamW, with PyTorch's formulas (room optim).
//
// All state is made in the constructor; the number of steps and each learning rate are float64
// tensors of no dimensions, so that the first step records the same graph as the thousandth, and a
// schedule recompiles nothing. One step count serves a group.
#pragma once
#include <frit/tensor.h>

#include <source_location>
#include <string>
#include <utility>
#include <vector>

namespace frit::optim {

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  // Updates every parameter that has a gradient.
  void step(std::source_location where = std::source_location::current());
  // Gradients become undefined, as PyTorch's default does.
  void zero_grad();

  size_t group_count() const { return groups_.size(); }
  // The learning rate of a group as a tensor: write to it and the next step uses it.
  const Tensor& lr(size_t group = 0,
                   std::source_location where = std::source_location::current()) const;
  // Of all groups, and of one.
  void set_lr(double value, std::source_location where = std::source_location::current());
  void set_lr(double value, size_t group,
              std::source_location where = std::source_location::current());
  int64_t step_count(size_t group = 0,
                     std::source_location where = std::source_location::current()) const;
  // Adds parameters with a learning rate of their own.
  void add_group(TensorList params, double lr,
                 std::source_location where = std::source_location::current());

  // "0.step", "0.lr", "0.exp_avg.3", ...: the tensors themselves.
  std::vector<std::pair<std::string, Tensor>> state_dict() const;
  // Copies values in; UserError lists all that does not fit, and then nothing has been changed.
  void load_state_dict(const std::vector<std::pair<std::string, Tensor>>& state,
                       std::source_location where = std::source_location::current());

 protected:
  struct Group {
    TensorList params;
    Tensor lr, step;
    std::vector<std::pair<std::string, TensorList>> state;  // by name; one tensor a parameter
  };
  explicit Optimizer(const char* name) : name_(name) {}
  // Names of the per-parameter tensors; they start as zeros like the parameter.
  virtual std::vector<std::string> state_names() const = 0;
  // Ops only on tensors: this is what compiled steps record. Gradients are off.
  virtual void update(Group& group) = 0;
  const Group& group(size_t i) const;  // IndexError where there is none
  const Tensor& state(const Group& g, size_t name, size_t param) const {
    return g.state[name].second[param];
  }
  std::vector<Group> groups_;
  const char* name_;
};

struct SGDOptions {
  double lr = 1e-3, momentum = 0, dampening = 0, weight_decay = 0;
  bool nesterov = false, maximize = false;
};
class SGD : public Optimizer {
 public:
  SGD(TensorList params, SGDOptions options = {},
      std::source_location where = std::source_location::current());

 private:
  std::vector<std::string> state_names() const override;
  void update(Group& group) override;
  SGDOptions options_;
};

struct AdamOptions {
  double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;
  bool maximize = false;
};
// weight_decay is added to the gradient (L2).
class Adam : public Optimizer {
 public:
  Adam(TensorList params, AdamOptions options = {},
       std::source_location where = std::source_location::current());

 protected:
  Adam(const char* name, TensorList params, AdamOptions options, bool decoupled,
       std::source_location where);

 private:
  std::vector<std::string> state_names() const override;
  void update(Group& group) override;
  AdamOptions options_;
  bool decoupled_ = false;  // AdamW: weights decay by themselves
};

struct AdamWOptions {
  double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 1e-2;
  bool maximize = false;
};
class AdamW : public Adam {
 public:
  AdamW(TensorList params, AdamWOptions options = {},
        std::source_location where = std::source_location::current());
};

// Copies `given` into the tensors of the same names in `mine`; UserError [load_state_dict] lists
// all that does not fit `of`, and then nothing has been changed.
void load_tensors(const std::vector<std::pair<std::string, Tensor>>& mine,
                  const std::vector<std::pair<std::string, Tensor>>& given, const char* of,
                  std::string hint);

// Scales gradients so that the norm of all together is at most max_norm; returns the norm before.
// norm_type is the norm's exponent, infinity for the greatest absolute value.
Tensor clip_grad_norm_(const TensorList& params, double max_norm, double norm_type = 2,
                       std::source_location where = std::source_location::current());
// Every element of every gradient into [-value, value].
void clip_grad_value_(const TensorList& params, double value,
                      std::source_location where = std::source_location::current());

}  // namespace frit::optim

#include <frit/schedulers.h>
