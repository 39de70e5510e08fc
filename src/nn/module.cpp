#include <frit/autograd.h>
#include <frit/nn.h>
#include <frit/ops.h>

#include <algorithm>
#include <atomic>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "base/location.h"
#include "core/layout.h"
#include "eager/data.h"
#include "eager/module_path.h"
#include "ops/interceptor.h"

namespace frit::nn {
namespace {

std::atomic<uint64_t> g_structure_epoch{1};
std::atomic<uint64_t> g_next_hook{1};
void structure_changed() { g_structure_epoch.fetch_add(1, std::memory_order_acq_rel); }

std::string joined(const std::string& prefix, const std::string& name) {
  return prefix.empty() ? name : prefix + "." + name;
}

}  // namespace

uint64_t structure_epoch() { return g_structure_epoch.load(std::memory_order_acquire); }

Parameter& Parameter::operator=(Assigned given) {
  Tensor& t = given.tensor;
  if (recording()) [[unlikely]]
    t_state.observer->changing_state(
        "assigning a parameter or buffer of a module",
        "write into it with copy_() under NoGrad, or assign after the compiled call",
        located(given.where));
  if (t.defined() && tensor_.defined() && !is_buffer_ && is_floating(t.dtype()) &&
      !t.requires_grad() && t.is_leaf())
    t.requires_grad_(tensor_.requires_grad());
  if (t.defined() && !is_buffer_) t.impl()->is_parameter = true;
  if (tensor_.defined() && !tensor_.is_same(t)) eager::note_replaced(tensor_);
  tensor_ = std::move(t);
  structure_changed();
  return *this;
}

Module::Module() : training_(std::make_shared<bool>(true)), form_(std::make_shared<ModuleForm>()) {}

Module::Module(Module& parent, std::string_view name, std::source_location where) : Module() {
  parent.register_module(name, *this, where);
}

Module::~Module() {
  if (parent_) std::erase_if(parent_->children_, [&](const Child& c) { return c.module == this; });
  for (Child& c : children_) c.module->parent_ = nullptr;
  structure_changed();
}

void Module::check_name(std::string_view name) const {
  auto fail = [&](const std::string& why) {
    throw UserError(ErrorKind::value, "Module", "the name '" + std::string(name) + "' " + why,
                    "another name", located({}));
  };
  if (name.empty()) fail("is empty");
  if (name.find('.') != name.npos) fail("has a dot in it, which separates modules");
  for (const Slot& s : slots_)
    if (s.name == name) fail("is taken by a parameter or buffer of this module");
  for (const Child& c : children_)
    if (c.name == name) fail("is taken by a module of this module");
}

void Module::register_parameter(std::string_view name, Parameter& p, Tensor value,
                                std::source_location where) {
  LocationScope place{SourceLocation(where)};
  check_name(name);
  if (value.defined() && is_floating(value.dtype())) value.requires_grad_(true);
  if (value.defined()) value.impl()->is_parameter = true;
  p.tensor_ = std::move(value);
  slots_.push_back({std::string(name), &p, false, true});
  structure_changed();
}

void Module::register_buffer(std::string_view name, Parameter& b, Tensor value, bool persistent,
                             std::source_location where) {
  LocationScope place{SourceLocation(where)};
  check_name(name);
  b.tensor_ = std::move(value);
  b.is_buffer_ = true;
  slots_.push_back({std::string(name), &b, true, persistent});
  structure_changed();
}

void Module::register_module(std::string_view name, Module& child, std::source_location where) {
  LocationScope place{SourceLocation(where)};
  check_name(name);
  if (child.parent_)
    throw UserError(ErrorKind::value, "Module",
                    "the module '" + std::string(name) + "' has a parent already",
                    "share its parameters instead, or make one module for each place", located({}));
  child.parent_ = this;
  child.name_ = name;
  children_.push_back({std::string(name), &child});
  structure_changed();
}

// fn(prefix, module) for this module and all below, in order of registration.
template <class F>
void Module::visit(const std::string& prefix, F&& fn) const {
  fn(prefix, *this);
  for (const Child& c : children_) c.module->visit(joined(prefix, c.name), fn);
}

// The same without the names, which cost more than most of what is done by it.
template <class F>
void Module::visit(F&& fn) const {
  fn(*this);
  for (const Child& c : children_) c.module->visit(fn);
}

NamedTensors Module::named(bool buffers, bool recurse) const {
  NamedTensors all;
  std::unordered_set<const TensorImpl*> listed;
  auto add = [&](const std::string& prefix, const Module& m) {
    for (const Slot& s : m.slots_) {
      if (s.is_buffer != buffers || !s.value->defined()) continue;
      // A tensor shared by two modules is listed once, under its first name.
      if (listed.insert(s.value->tensor().impl()).second)
        all.emplace_back(joined(prefix, s.name), s.value->tensor());
    }
  };
  if (recurse)
    visit("", add);
  else
    add("", *this);
  return all;
}

NamedTensors Module::named_parameters(bool recurse) const { return named(false, recurse); }
NamedTensors Module::named_buffers(bool recurse) const { return named(true, recurse); }

TensorList Module::unnamed(bool buffers, bool recurse) const {
  TensorList list;
  std::unordered_set<const TensorImpl*> listed;
  auto add = [&](const Module& m) {
    for (const Slot& s : m.slots_)
      if (s.is_buffer == buffers && s.value->defined() &&
          listed.insert(s.value->tensor().impl()).second)
        list.push_back(s.value->tensor());
  };
  if (recurse)
    visit(add);
  else
    add(*this);
  return list;
}

TensorList Module::parameters(bool recurse) const { return unnamed(false, recurse); }
TensorList Module::buffers(bool recurse) const { return unnamed(true, recurse); }

NamedTensors Module::named_slots() const {
  NamedTensors all;
  visit("", [&](const std::string& prefix, const Module& m) {
    for (const Slot& s : m.slots_) all.emplace_back(joined(prefix, s.name), s.value->tensor());
  });
  return all;
}

std::vector<std::pair<std::string, Module*>> Module::named_children() const {
  std::vector<std::pair<std::string, Module*>> all;
  for (const Child& c : children_) all.emplace_back(c.name, c.module);
  return all;
}

std::vector<std::pair<std::string, Module*>> Module::named_modules() {
  std::vector<std::pair<std::string, Module*>> all;
  visit("", [&](const std::string& prefix, const Module& m) {
    all.emplace_back(prefix, const_cast<Module*>(&m));
  });
  return all;
}

std::string Module::path() const {
  return parent_ ? joined(parent_->path(), name_) : std::string();
}

StateDict Module::state_dict() const {
  StateDict state;
  visit("", [&](const std::string& prefix, const Module& m) {
    for (const Slot& s : m.slots_)
      if (s.persistent && s.value->defined())
        state.emplace_back(joined(prefix, s.name), s.value->tensor().detach());
  });
  return state;
}

void Module::load_state_dict(const StateDict& state, bool strict, std::source_location where) {
  LocationScope place{SourceLocation(where)};
  std::unordered_map<std::string, const Tensor*> given;
  std::string wrong;
  for (auto& [name, t] : state) {
    if (!t.defined()) wrong += "\n    undefined: " + name;
    if (!given.emplace(name, &t).second) wrong += "\n    twice: " + name;
  }
  std::vector<std::pair<Tensor, const Tensor*>> copies;
  visit("", [&](const std::string& prefix, const Module& m) {
    for (const Slot& s : m.slots_) {
      if (!s.persistent || !s.value->defined()) continue;
      std::string name = joined(prefix, s.name);
      auto it = given.find(name);
      const TensorImpl& mine = *s.value->tensor().impl();
      if (it == given.end()) {
        if (strict) wrong += "\n    missing: " + name + " " + dims_text(mine.sizes);
        continue;
      }
      if (it->second->defined() && !(it->second->impl()->sizes == mine.sizes))
        wrong += "\n    " + name + " is " + dims_text(it->second->impl()->sizes) +
                 " in the state and " + dims_text(mine.sizes) + " here";
      copies.emplace_back(s.value->tensor(), it->second);
      given.erase(it);
    }
  });
  if (strict)
    for (auto& [name, t] : state)
      if (t.defined() && given.erase(name))
        wrong += "\n    unexpected: " + name + " " + dims_text(t.impl()->sizes);
  if (!wrong.empty())
    throw UserError(ErrorKind::runtime, "load_state_dict",
                    "the state does not fit this module:" + wrong,
                    "a state of the same module; strict = false skips missing and unexpected names",
                    located({}));
  NoGrad guard;
  for (auto& [to, from] : copies) to.copy_(*from);
}

bool Module::is_training() const {
  if (recording())
    if (Interceptor* i = interceptor()) i->reading_flag(training_, "the training flag");
  return *training_;
}

Module& Module::train(bool mode) {
  bool changed = false;
  visit([&](const Module& m) {
    changed = changed || *m.training_ != mode;
    *m.training_ = mode;
  });
  if (changed) structure_changed();
  return *this;
}

Module& Module::requires_grad_(bool value) {
  for (Tensor& t : parameters()) t.requires_grad_(value);
  return *this;
}

void Module::zero_grad() {
  visit([](const Module& m) {
    for (const Slot& s : m.slots_)
      if (!s.is_buffer && s.value->defined()) s.value->tensor().set_grad({});
  });
}

Module& Module::to(DType dtype) {
  if (!is_floating(dtype))
    throw UserError(ErrorKind::type, "Module.to",
                    "modules hold floating point numbers, asked for " + std::string(name(dtype)),
                    "float32, float64, bfloat16 or float16");
  bool changed = false;
  auto convert = [&](const Tensor& t) {
    if (!t.defined() || !is_floating(t.dtype()) || t.dtype() == dtype) return;
    NoGrad guard;
    eager::set_data(t, t.detach().to(dtype), "Module::to()");
    changed = true;
  };
  visit([&](const Module& m) {
    for (const Slot& s : m.slots_) {
      convert(s.value->tensor());
      if (s.value->defined()) convert(s.value->tensor().grad());
    }
  });
  if (changed) structure_changed();
  return *this;
}

void Module::apply(const std::function<void(Module&)>& fn) {
  for (Child& c : children_) c.module->apply(fn);
  fn(*this);
}

uint64_t Module::register_forward_pre_hook(PreHook hook) {
  pre_hooks_.emplace_back(g_next_hook.fetch_add(1), std::move(hook));
  hooks_changed();
  return pre_hooks_.back().first;
}

uint64_t Module::register_forward_hook(Hook hook) {
  hooks_.emplace_back(g_next_hook.fetch_add(1), std::move(hook));
  hooks_changed();
  return hooks_.back().first;
}

void Module::remove_hook(uint64_t handle) {
  std::erase_if(pre_hooks_, [&](auto& h) { return h.first == handle; });
  std::erase_if(hooks_, [&](auto& h) { return h.first == handle; });
  hooks_changed();
}

void Module::hooks_changed() {
  form_->hooks.clear();
  for (auto& [handle, hook] : pre_hooks_) form_->hooks.push_back(handle);
  for (auto& [handle, hook] : hooks_) form_->hooks.push_back(handle);
  structure_changed();
}

Tensor Module::run(const Tensor& input, std::source_location where,
                   const std::function<Tensor(const Tensor&)>& forward) {
  LocationScope place{SourceLocation(where)};
  Symbol name = recording() ? intern(this->path()) : Symbol();
  eager::ModulePathScope path(name);
  if (recording()) interceptor()->reading_form(form_, name);
  if (pre_hooks_.empty() && hooks_.empty()) [[likely]]
    return forward(input);
  Tensor x = input;
  for (auto& [id, hook] : pre_hooks_)
    if (Tensor t = hook(*this, x); t.defined()) x = t;
  Tensor y = forward(x);
  for (auto& [id, hook] : hooks_)
    if (Tensor t = hook(*this, x, y); t.defined()) y = t;
  return y;
}

}  // namespace frit::nn
