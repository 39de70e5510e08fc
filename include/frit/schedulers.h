// Schedules of the learning rate, with PyTorch's names and values (room optim; part of
// frit/optim.h).
//
//   optim::CosineAnnealingLR schedule(adam, 100);
//   for (...) { train(); schedule.step(); }
//
// The rate and the number of steps are tensors of no dimensions, and step() is ops on them: inside
// a compiled callable or outside, nothing is compiled again when the rate changes. Every schedule
// gives the rate as a function of the number of steps and of the rate the optimizer had when the
// schedule was made, so a rate that is set by hand lasts until the next step().
#pragma once
#include <frit/optim.h>

#include <functional>

namespace frit::optim {

class LRScheduler {
 public:
  virtual ~LRScheduler() = default;
  LRScheduler(const LRScheduler&) = delete;
  LRScheduler& operator=(const LRScheduler&) = delete;

  // One more step (an epoch, or a batch: as you count); the optimizer's rates follow.
  void step(std::source_location where = std::source_location::current());
  int64_t step_count() const;
  // The rates now, one a group.
  std::vector<double> last_lr() const;

  // "step" and "base_lr.0", ...: the tensors themselves. The optimizer's state has the rates.
  std::vector<std::pair<std::string, Tensor>> state_dict() const;
  void load_state_dict(const std::vector<std::pair<std::string, Tensor>>& state,
                       std::source_location where = std::source_location::current());

 protected:
  // The optimizer must outlive the schedule.
  LRScheduler(Optimizer& optimizer, const char* name, std::source_location where);
  // The rate after `step` steps; all are float64 tensors of no dimensions. Called by begin() too.
  virtual Tensor rate(const Tensor& base, const Tensor& step) = 0;
  // Sets the rates of step 0: the last line of a constructor.
  void begin();
  // UserError at the constructor's caller.
  [[noreturn]] void fail(std::string what, std::string hint) const;
  const char* name_;

 private:
  void apply();
  std::source_location where_;
  Optimizer& optimizer_;
  Tensor step_;
  TensorList base_;
};

// base * gamma^(step / step_size), in whole numbers.
class StepLR : public LRScheduler {
 public:
  StepLR(Optimizer& optimizer, int64_t step_size, double gamma = 0.1,
         std::source_location where = std::source_location::current());

 private:
  Tensor rate(const Tensor& base, const Tensor& step) override;
  double size_, gamma_;
};

// gamma once for every milestone that is reached.
class MultiStepLR : public LRScheduler {
 public:
  MultiStepLR(Optimizer& optimizer, std::vector<int64_t> milestones, double gamma = 0.1,
              std::source_location where = std::source_location::current());

 private:
  Tensor rate(const Tensor& base, const Tensor& step) override;
  std::vector<int64_t> milestones_;
  double gamma_;
};

class ExponentialLR : public LRScheduler {
 public:
  ExponentialLR(Optimizer& optimizer, double gamma,
                std::source_location where = std::source_location::current());

 private:
  Tensor rate(const Tensor& base, const Tensor& step) override;
  double gamma_;
};

// From start_factor to end_factor over total_steps, then constant.
class LinearLR : public LRScheduler {
 public:
  LinearLR(Optimizer& optimizer, double start_factor = 1.0 / 3, double end_factor = 1,
           int64_t total_steps = 5, std::source_location where = std::source_location::current());

 private:
  Tensor rate(const Tensor& base, const Tensor& step) override;
  double start_, end_, total_;
};

// Half a cosine from the base rate to eta_min in t_max steps, and back in as many.
class CosineAnnealingLR : public LRScheduler {
 public:
  CosineAnnealingLR(Optimizer& optimizer, int64_t t_max, double eta_min = 0,
                    std::source_location where = std::source_location::current());

 private:
  Tensor rate(const Tensor& base, const Tensor& step) override;
  double t_max_, eta_min_;
};

// The base rate times a function of yours: of the step as a tensor, which compiles with the rest
// of a callable,
//   [](Tensor step) { return frit::clamp_max(step / 1000, 1.0); }
// or of the step as a number. The latter reads the number at each step(), so call step() outside of
// compiled callables: inside, every step would be a key of its own.
class LambdaLR : public LRScheduler {
 public:
  template <class F>
  LambdaLR(Optimizer& optimizer, F factor,
           std::source_location where = std::source_location::current())
      : LRScheduler(optimizer, "LambdaLR", where) {
    static_assert(
        std::is_invocable_r_v<Tensor, F, Tensor> || std::is_invocable_r_v<double, F, int64_t>,
        "LambdaLR takes a function of the step: Tensor(Tensor) or double(int64_t)");
    if constexpr (std::is_invocable_r_v<Tensor, F, Tensor>)
      factor_ = std::move(factor);
    else
      of_number_ = std::move(factor);
    begin();
  }

 private:
  Tensor rate(const Tensor& base, const Tensor& step) override;
  std::function<Tensor(Tensor)> factor_;
  std::function<double(int64_t)> of_number_;
};

}  // namespace frit::optim
