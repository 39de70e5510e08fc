#include <frit/nn.h>

#include <cstring>

#include "base/error.h"
#include "base/location.h"

namespace frit::nn {

void fail_index(const char* what, const ModuleIndex& i, size_t size) {
  throw UserError(ErrorKind::index, what, "there is no module " + std::to_string(i.value),
                  size ? "0 to " + std::to_string(size - 1) : "it is empty: add() one first",
                  located(i.where));
}

void fail_name(const char* what, const ModuleName& name, const Module& of) {
  std::string known;
  for (auto& [key, m] : of.named_children()) known += (known.empty() ? "" : ", ") + key;
  throw UserError(ErrorKind::value, what, "there is no module '" + std::string(name.value) + "'",
                  known.empty() ? "it is empty: add() one first" : known, located(name.where));
}

void rethrow_unplaced(const char* file) {
  try {
    throw;
  } catch (const UserError& e) {
    if (!e.where() || std::strcmp(e.where().file, file) != 0) throw;
    throw UserError(e.kind(), e.op(), e.message(), e.hint());
  }
}

void Sequential::adopt(std::string_view name, std::unique_ptr<Layer> layer) {
  register_module(name, *layer);
  layers_.push_back(std::move(layer));
}

Layer& Sequential::operator[](ModuleIndex i) const {
  if (i.value >= layers_.size()) fail_index("Sequential", i, layers_.size());
  return *layers_[i.value];
}

Layer& Sequential::operator[](ModuleName name) const {
  auto children = named_children();
  for (size_t i = 0; i < children.size(); ++i)
    if (children[i].first == name.value) return *layers_[i];
  fail_name("Sequential", name, *this);
}

Tensor Sequential::forward(const Tensor& x) {
  Tensor y = x;
  for (auto& layer : layers_) y = (*layer)(y);
  return y;
}

}  // namespace frit::nn
