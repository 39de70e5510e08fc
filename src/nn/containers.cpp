#include <frit/nn.h>

#include "base/error.h"

namespace frit::nn {

void fail_index(const char* what, size_t i, size_t size) {
  throw UserError(ErrorKind::index, what, "there is no module " + std::to_string(i),
                  size ? "0 to " + std::to_string(size - 1) : "it is empty: add() one first");
}

void fail_name(const char* what, std::string_view name, const Module& of) {
  std::string known;
  for (auto& [key, m] : of.named_children()) known += (known.empty() ? "" : ", ") + key;
  throw UserError(ErrorKind::value, what, "there is no module '" + std::string(name) + "'",
                  known.empty() ? "it is empty: add() one first" : known);
}

void Sequential::adopt(std::string_view name, std::unique_ptr<Layer> layer) {
  register_module(name, *layer);
  layers_.push_back(std::move(layer));
}

Layer& Sequential::operator[](size_t i) const {
  if (i >= layers_.size()) fail_index("Sequential", i, layers_.size());
  return *layers_[i];
}

Layer& Sequential::operator[](std::string_view name) const {
  auto children = named_children();
  for (size_t i = 0; i < children.size(); ++i)
    if (children[i].first == name) return *layers_[i];
  fail_name("Sequential", name, *this);
}

Tensor Sequential::forward(const Tensor& x) {
  Tensor y = x;
  for (auto& layer : layers_) y = (*layer)(y);
  return y;
}

}  // namespace frit::nn
