#include <frit/autograd.h>
#include <frit/ops.h>
#include <frit/optim.h>

#include <unordered_map>

#include "base/error.h"
#include "core/layout.h"
#include "eager/intercept.h"
#include "eager/location.h"

namespace frit::optim {
namespace {

Tensor number(double v) { return tensor_from<double>(std::span<const double>(&v, 1), {}); }

}  // namespace

void Optimizer::add_group(TensorList params, double lr) {
  if (params.empty()) throw UserError(ErrorKind::value, name_, "optimizer got an empty parameter list", "module.parameters()");
  if (!(lr >= 0)) throw UserError(ErrorKind::value, name_, "Invalid learning rate: " + std::to_string(lr), "0 or more");
  for (size_t i = 0; i < params.size(); ++i) {
    if (!params[i].defined() || !params[i].is_leaf())
      throw UserError(ErrorKind::value, name_, "can't optimize a non-leaf Tensor (parameter " + std::to_string(i) + ")",
                      "parameters of modules, or detach().requires_grad_()");
    for (const Group& g : groups_)
      for (const Tensor& p : g.params)
        if (p.is_same(params[i]))
          throw UserError(ErrorKind::value, name_, "some parameters appear in more than one parameter group", "each parameter once");
  }
  Group g;
  g.params = std::move(params);
  g.lr = number(lr);
  g.step = number(0);
  for (const std::string& name : state_names()) {
    TensorList tensors;
    for (const Tensor& p : g.params) tensors.push_back(zeros_like(p.detach()));
    g.state.emplace_back(name, std::move(tensors));
  }
  groups_.push_back(std::move(g));
}

void Optimizer::step(std::source_location where) {
  eager::LocationScope place{SourceLocation(where)};
  eager::StageScope stage(eager::Stage::optimizer);
  NoGrad guard;
  for (Group& g : groups_) update(g);
}

void Optimizer::zero_grad() {
  for (Group& g : groups_)
    for (const Tensor& p : g.params) p.set_grad({});
}

const Tensor& Optimizer::lr(size_t group) const { return groups_.at(group).lr; }
void Optimizer::set_lr(double value) {
  for (size_t i = 0; i < groups_.size(); ++i) set_lr(value, i);
}
void Optimizer::set_lr(double value, size_t group) {
  NoGrad guard;
  groups_.at(group).lr.fill_(Scalar(value));
}
int64_t Optimizer::step_count(size_t group) const { return static_cast<int64_t>(groups_.at(group).step.item<double>()); }

std::vector<std::pair<std::string, Tensor>> Optimizer::state_dict() const {
  std::vector<std::pair<std::string, Tensor>> state;
  for (size_t i = 0; i < groups_.size(); ++i) {
    std::string prefix = std::to_string(i) + ".";
    state.emplace_back(prefix + "step", groups_[i].step);
    state.emplace_back(prefix + "lr", groups_[i].lr);
    for (auto& [name, tensors] : groups_[i].state)
      for (size_t k = 0; k < tensors.size(); ++k) state.emplace_back(prefix + name + "." + std::to_string(k), tensors[k]);
  }
  return state;
}

void Optimizer::load_state_dict(const std::vector<std::pair<std::string, Tensor>>& given) {
  std::unordered_map<std::string, Tensor> by_name(given.begin(), given.end());
  std::string wrong;
  auto mine = state_dict();
  for (auto& [name, t] : mine) {
    auto it = by_name.find(name);
    if (it == by_name.end())
      wrong += "\n    missing: " + name;
    else if (!(it->second.impl()->sizes == t.impl()->sizes))
      wrong += "\n    " + name + " is " + dims_text(it->second.impl()->sizes) + " in the state and " + dims_text(t.impl()->sizes) + " here";
  }
  if (!wrong.empty() || by_name.size() != mine.size()) {
    std::unordered_map<std::string, Tensor> known(mine.begin(), mine.end());
    for (auto& [name, t] : given)
      if (!known.count(name)) wrong += "\n    unexpected: " + name;
    throw UserError(ErrorKind::value, "load_state_dict", "the state does not fit this optimizer:" + wrong,
                    "a state of the same optimizer over the same parameters");
  }
  NoGrad guard;
  for (auto& [name, t] : mine) t.copy_(by_name.at(name));
}

Tensor clip_grad_norm_(const TensorList& params, double max_norm, double eps) {
  NoGrad guard;
  Tensor total;
  TensorList grads;
  for (const Tensor& p : params)
    if (Tensor g = p.grad(); g.defined()) grads.push_back(g);
  for (const Tensor& g : grads) {
    Tensor sum = square(g).sum();
    total = total.defined() ? total + sum : sum;
  }
  if (!total.defined()) return number(0);
  Tensor norm = sqrt(total);
  Tensor scale = clamp_max(max_norm / (norm + eps), Scalar(1.0));
  for (Tensor& g : grads) g.mul_(scale);
  return norm;
}

}  // namespace frit::optim
