#include <frit/autograd.h>
#include <frit/ops.h>
#include <frit/optim.h>

#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "base/location.h"
#include "core/layout.h"
#include "eager/intercept.h"

namespace frit::optim {
namespace {

Tensor number(double v) { return tensor_from<double>(std::span<const double>(&v, 1), {}); }

}  // namespace

void Optimizer::add_group(TensorList params, double lr, std::source_location where) {
  LocationScope place{SourceLocation(where)};
  if (params.empty())
    throw UserError(ErrorKind::value, name_, "optimizer got an empty parameter list",
                    "module.parameters()", located({}));
  if (!(lr >= 0))
    throw UserError(ErrorKind::value, name_, "Invalid learning rate: " + std::to_string(lr),
                    "0 or more", located({}));
  for (size_t i = 0; i < params.size(); ++i) {
    if (!params[i].defined() || !params[i].is_leaf())
      throw UserError(ErrorKind::value, name_,
                      "can't optimize a non-leaf Tensor (parameter " + std::to_string(i) + ")",
                      "parameters of modules, or detach().requires_grad_()", located({}));
    if (!is_floating(params[i].dtype()))
      throw UserError(ErrorKind::type, name_,
                      "can't optimize a Tensor of dtype " + std::string(name(params[i].dtype())) +
                          " (parameter " + std::to_string(i) + ")",
                      "floating point parameters", located({}));
  }
  std::unordered_set<const TensorImpl*> known;
  for (const Group& g : groups_)
    for (const Tensor& p : g.params) known.insert(p.impl());
  for (size_t i = 0; i < params.size(); ++i)
    if (!known.insert(params[i].impl()).second)
      throw UserError(ErrorKind::value, name_,
                      "parameter " + std::to_string(i) + " is there more than once",
                      "each parameter once", located({}));
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
  LocationScope place{SourceLocation(where)};
  eager::StageScope stage(eager::Stage::optimizer);
  NoGrad guard;
  for (Group& g : groups_) update(g);
}

void Optimizer::zero_grad() {
  for (Group& g : groups_)
    for (const Tensor& p : g.params) p.set_grad({});
}

const Optimizer::Group& Optimizer::group(size_t i) const {
  if (i >= groups_.size())
    throw UserError(ErrorKind::index, name_, "there is no group " + std::to_string(i),
                    "0 to " + std::to_string(groups_.size() - 1), located({}));
  return groups_[i];
}
const Tensor& Optimizer::lr(size_t i, std::source_location where) const {
  LocationScope place{SourceLocation(where)};
  return group(i).lr;
}
void Optimizer::set_lr(double value, std::source_location where) {
  for (size_t i = 0; i < groups_.size(); ++i) set_lr(value, i, where);
}
void Optimizer::set_lr(double value, size_t i, std::source_location where) {
  LocationScope place{SourceLocation(where)};
  if (!(value >= 0))
    throw UserError(ErrorKind::value, name_, "Invalid learning rate: " + std::to_string(value),
                    "0 or more", located({}));
  NoGrad guard;
  group(i).lr.fill_(Scalar(value));
}
int64_t Optimizer::step_count(size_t i, std::source_location where) const {
  LocationScope place{SourceLocation(where)};
  return static_cast<int64_t>(group(i).step.item<double>());
}

std::vector<std::pair<std::string, Tensor>> Optimizer::state_dict() const {
  std::vector<std::pair<std::string, Tensor>> state;
  for (size_t i = 0; i < groups_.size(); ++i) {
    std::string prefix = std::to_string(i) + ".";
    state.emplace_back(prefix + "step", groups_[i].step);
    state.emplace_back(prefix + "lr", groups_[i].lr);
    for (auto& [name, tensors] : groups_[i].state)
      for (size_t k = 0; k < tensors.size(); ++k)
        state.emplace_back(prefix + name + "." + std::to_string(k), tensors[k]);
  }
  return state;
}

void Optimizer::load_state_dict(const std::vector<std::pair<std::string, Tensor>>& given,
                                std::source_location where) {
  LocationScope place{SourceLocation(where)};
  load_tensors(state_dict(), given, "optimizer",
               "a state of the same optimizer over the same parameters");
}

void load_tensors(const std::vector<std::pair<std::string, Tensor>>& mine,
                  const std::vector<std::pair<std::string, Tensor>>& given, const char* of,
                  std::string hint) {
  std::unordered_map<std::string, Tensor> by_name, known;
  std::string wrong;
  for (auto& [name, t] : mine) known.emplace(name, t);
  for (auto& [name, t] : given) {
    if (!t.defined()) wrong += "\n    undefined: " + name;
    if (!known.count(name)) wrong += "\n    unexpected: " + name;
    if (!by_name.emplace(name, t).second) wrong += "\n    twice: " + name;
  }
  for (auto& [name, t] : mine) {
    auto it = by_name.find(name);
    if (it == by_name.end())
      wrong += "\n    missing: " + name;
    else if (it->second.defined() && !(it->second.impl()->sizes == t.impl()->sizes))
      wrong += "\n    " + name + " is " + dims_text(it->second.impl()->sizes) +
               " in the state and " + dims_text(t.impl()->sizes) + " here";
  }
  if (!wrong.empty())
    throw UserError(ErrorKind::value, "load_state_dict",
                    "the state does not fit this " + std::string(of) + ":" + wrong, std::move(hint),
                    located({}));
  NoGrad guard;
  for (const auto& [name, t] : mine) t.copy_(by_name.at(name));
}

namespace {

TensorList gradients(const TensorList& params) {
  TensorList grads;
  for (const Tensor& p : params)
    if (Tensor g = p.grad(); g.defined()) grads.push_back(g);
  return grads;
}

Tensor norm_of(const TensorList& grads, double type) {
  Tensor total;
  for (const Tensor& g : grads) {
    Tensor part = std::isinf(type) ? abs(g).max()
                  : type == 2      ? square(g).sum()
                                   : pow(abs(g), type).sum();
    total = !total.defined() ? part : std::isinf(type) ? maximum(total, part) : total + part;
  }
  return std::isinf(type) ? total : type == 2 ? sqrt(total) : pow(total, 1 / type);
}

}  // namespace

Tensor clip_grad_norm_(const TensorList& params, double max_norm, double norm_type,
                       std::source_location where) {
  LocationScope place{SourceLocation(where)};
  if (!(norm_type > 0))
    throw UserError(ErrorKind::value, "clip_grad_norm_",
                    "norm_type is " + std::to_string(norm_type), "above 0, or infinity",
                    located({}));
  NoGrad guard;
  TensorList grads = gradients(params);
  if (grads.empty()) return number(0);
  Tensor norm = norm_of(grads, norm_type);
  Tensor scale = clamp_max(max_norm / (norm + 1e-6), Scalar(1.0));
  for (Tensor& g : grads) g.mul_(scale);
  return norm;
}

void clip_grad_value_(const TensorList& params, double value, std::source_location where) {
  LocationScope place{SourceLocation(where)};
  if (!(value >= 0))
    throw UserError(ErrorKind::value, "clip_grad_value_", "value is " + std::to_string(value),
                    "0 or more", located({}));
  NoGrad guard;
  for (Tensor& g : gradients(params)) g.clamp_(-value, value);
}

}  // namespace frit::optim
