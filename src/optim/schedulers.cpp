#include <frit/autograd.h>
#include <frit/ops.h>
#include <frit/optim.h>

#include <numbers>
#include <unordered_map>

#include "base/error.h"
#include "base/location.h"
#include "eager/intercept.h"

namespace frit::optim {
namespace {

Tensor number(double v) { return tensor_from<double>(std::span<const double>(&v, 1), {}); }

}  // namespace

LRScheduler::LRScheduler(Optimizer& optimizer, const char* name, std::source_location where)
    : name_(name), where_(where), optimizer_(optimizer), step_(number(0)) {
  LocationScope place{SourceLocation(where)};
  NoGrad guard;
  for (size_t i = 0; i < optimizer.group_count(); ++i) base_.push_back(optimizer.lr(i).clone());
}

void LRScheduler::fail(std::string what, std::string hint) const {
  throw UserError(ErrorKind::value, name_, std::move(what), std::move(hint), located(where_));
}

void LRScheduler::begin() {
  LocationScope place{SourceLocation(where_)};
  NoGrad guard;
  apply();
}

void LRScheduler::apply() {
  if (base_.size() != optimizer_.group_count())
    fail("the optimizer has got another group since the schedule was made",
         "add_group first, then the schedule");
  for (size_t i = 0; i < base_.size(); ++i) optimizer_.lr(i).copy_(rate(base_[i], step_));
}

void LRScheduler::step(std::source_location where) {
  LocationScope place{SourceLocation(where)};
  eager::StageScope stage(eager::Stage::optimizer);
  NoGrad guard;
  step_.add_(Scalar(1));
  apply();
}

int64_t LRScheduler::step_count() const { return step_.item<int64_t>(); }

std::vector<double> LRScheduler::last_lr() const {
  std::vector<double> all;
  for (size_t i = 0; i < base_.size(); ++i) all.push_back(optimizer_.lr(i).item<double>());
  return all;
}

std::vector<std::pair<std::string, Tensor>> LRScheduler::state_dict() const {
  std::vector<std::pair<std::string, Tensor>> state{{"step", step_}};
  for (size_t i = 0; i < base_.size(); ++i)
    state.emplace_back("base_lr." + std::to_string(i), base_[i]);
  return state;
}

void LRScheduler::load_state_dict(const std::vector<std::pair<std::string, Tensor>>& given,
                                  std::source_location where) {
  LocationScope place{SourceLocation(where)};
  load_tensors(state_dict(), given, "scheduler", "a state of the same schedule");
}

StepLR::StepLR(Optimizer& optimizer, int64_t step_size, double gamma, std::source_location where)
    : LRScheduler(optimizer, "StepLR", where),
      size_(static_cast<double>(step_size)),
      gamma_(gamma) {
  if (step_size < 1) fail("step_size is " + std::to_string(step_size), "1 or more");
  begin();
}
Tensor StepLR::rate(const Tensor& base, const Tensor& step) {
  return base * pow(Scalar(gamma_), floor(step / size_));
}

MultiStepLR::MultiStepLR(Optimizer& optimizer, std::vector<int64_t> milestones, double gamma,
                         std::source_location where)
    : LRScheduler(optimizer, "MultiStepLR", where),
      milestones_(std::move(milestones)),
      gamma_(gamma) {
  begin();
}
Tensor MultiStepLR::rate(const Tensor& base, const Tensor& step) {
  Tensor reached = zeros_like(step);
  for (int64_t m : milestones_) reached = reached + (step >= m).to(kFloat64);
  return base * pow(Scalar(gamma_), reached);
}

ExponentialLR::ExponentialLR(Optimizer& optimizer, double gamma, std::source_location where)
    : LRScheduler(optimizer, "ExponentialLR", where), gamma_(gamma) {
  begin();
}
Tensor ExponentialLR::rate(const Tensor& base, const Tensor& step) {
  return base * pow(Scalar(gamma_), step);
}

LinearLR::LinearLR(Optimizer& optimizer, double start_factor, double end_factor,
                   int64_t total_steps, std::source_location where)
    : LRScheduler(optimizer, "LinearLR", where),
      start_(start_factor),
      end_(end_factor),
      total_(static_cast<double>(total_steps)) {
  if (!(start_factor > 0 && start_factor <= 1))
    fail("start_factor is " + std::to_string(start_factor), "above 0 and at most 1");
  if (!(end_factor >= 0 && end_factor <= 1))
    fail("end_factor is " + std::to_string(end_factor), "between 0 and 1");
  if (total_steps < 1) fail("total_steps is " + std::to_string(total_steps), "1 or more");
  begin();
}
Tensor LinearLR::rate(const Tensor& base, const Tensor& step) {
  return base * (clamp_max(step, Scalar(total_)) * ((end_ - start_) / total_) + start_);
}

CosineAnnealingLR::CosineAnnealingLR(Optimizer& optimizer, int64_t t_max, double eta_min,
                                     std::source_location where)
    : LRScheduler(optimizer, "CosineAnnealingLR", where),
      t_max_(static_cast<double>(t_max)),
      eta_min_(eta_min) {
  if (t_max < 1) fail("t_max is " + std::to_string(t_max), "1 or more");
  begin();
}
Tensor CosineAnnealingLR::rate(const Tensor& base, const Tensor& step) {
  return (base - eta_min_) * ((cos(step * (std::numbers::pi / t_max_)) + 1) * 0.5) + eta_min_;
}

Tensor LambdaLR::rate(const Tensor& base, const Tensor& step) {
  // Another tensor: the function may write into what it is given.
  if (factor_) return base * factor_(step.clone());
  return base * of_number_(step.item<int64_t>());
}

}  // namespace frit::optim
