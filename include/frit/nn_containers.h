// Modules that hold others: Sequential, ModuleList, ModuleDict (room nn; part of frit/nn.h).
//
//   nn::Sequential mlp{*this, "mlp"};
//   mlp.add<nn::Linear>(64, 256);            // "mlp.0"
//   mlp.add_named<nn::ReLU>("act");          // "mlp.act"
//   nn::ModuleList<Block> blocks{*this, "blocks"};
//   for (int i = 0; i < 6; ++i) blocks.add(64);
//   for (Block& block : blocks) x = block.forward(x);
#pragma once
#include <frit/nn.h>

#include <concepts>
#include <iterator>

namespace frit::nn {

// Over the modules themselves: for (Block& b : blocks).
template <class M>
class ModuleIterator {
 public:
  using value_type = M;
  using difference_type = ptrdiff_t;
  explicit ModuleIterator(const std::unique_ptr<M>* at = nullptr) : at_(at) {}
  M& operator*() const { return **at_; }
  M* operator->() const { return at_->get(); }
  ModuleIterator& operator++() {
    ++at_;
    return *this;
  }
  ModuleIterator operator++(int) { return ModuleIterator(at_++); }
  bool operator==(const ModuleIterator&) const = default;

 private:
  const std::unique_ptr<M>* at_;
};

// Which module of a container, with the place that asks.
struct ModuleIndex {
  template <std::integral I>
  ModuleIndex(I i, std::source_location w = std::source_location::current())
      : value(static_cast<size_t>(i)), where(w) {}
  size_t value;
  std::source_location where;
};
struct ModuleName {
  template <std::convertible_to<std::string_view> S>
  ModuleName(const S& s, std::source_location w = std::source_location::current())
      : value(s), where(w) {}
  std::string_view value;
  std::source_location where;
};

[[noreturn]] void fail_index(const char* what, const ModuleIndex& i, size_t size);
[[noreturn]] void fail_name(const char* what, const ModuleName& name, const Module& of);
// Throws what is being handled again, without its place where that is in `file`: a constructor's
// place is its caller's, which is not the program's own for what a container makes.
[[noreturn]] void rethrow_unplaced(const char* file);
template <class L, class... A>
std::unique_ptr<L> make_module(A&&... args) {
  try {
    return std::unique_ptr<L>(new L(std::forward<A>(args)...));
  } catch (...) {
    rethrow_unplaced(std::source_location::current().file_name());
  }
}

// Layers in a row, each called with what the one before gave, under the names "0", "1", ... or
// names of yours.
class Sequential : public Layer {
 public:
  using Layer::Layer;
  template <std::derived_from<Layer> L, class... A>
  L& add(A&&... args) {
    return add_named<L>(std::to_string(layers_.size()), std::forward<A>(args)...);
  }
  template <std::derived_from<Layer> L, class... A>
  L& add_named(std::string_view name, A&&... args) {
    auto layer = make_module<L>(std::forward<A>(args)...);
    L& ref = *layer;
    adopt(name, std::move(layer));
    return ref;
  }
  Tensor forward(const Tensor& x) override;
  size_t size() const { return layers_.size(); }
  bool empty() const { return layers_.empty(); }
  Layer& operator[](ModuleIndex i) const;    // UserError (index) where there is none
  Layer& operator[](ModuleName name) const;  // UserError lists the names
  ModuleIterator<Layer> begin() const { return ModuleIterator<Layer>(layers_.data()); }
  ModuleIterator<Layer> end() const {
    return ModuleIterator<Layer>(layers_.data() + layers_.size());
  }

 private:
  void adopt(std::string_view name, std::unique_ptr<Layer> layer);
  std::vector<std::unique_ptr<Layer>> layers_;
};

// Modules under the names "0", "1", ...; what is called, and in which order, is up to you.
template <class M = Layer>
class ModuleList : public Module {
 public:
  using Module::Module;
  // Made in place, an M or a class derived from it.
  template <std::derived_from<M> L = M, class... A>
  L& add(A&&... args) {
    auto made = make_module<L>(std::forward<A>(args)...);
    L& ref = *made;
    register_module(std::to_string(items_.size()), ref);
    items_.push_back(std::move(made));
    return ref;
  }
  size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  M& operator[](ModuleIndex i) const {  // UserError (index) where there is none
    if (i.value >= items_.size()) fail_index("ModuleList", i, items_.size());
    return *items_[i.value];
  }
  ModuleIterator<M> begin() const { return ModuleIterator<M>(items_.data()); }
  ModuleIterator<M> end() const { return ModuleIterator<M>(items_.data() + items_.size()); }

 private:
  std::vector<std::unique_ptr<M>> items_;
};

// Modules by name, in the order in which they were added.
template <class M = Layer>
class ModuleDict : public Module {
 public:
  using Module::Module;
  template <std::derived_from<M> L = M, class... A>
  L& add(std::string_view name, A&&... args) {
    auto made = make_module<L>(std::forward<A>(args)...);
    L& ref = *made;
    register_module(name, ref);
    items_.push_back(std::move(made));
    return ref;
  }
  size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  M& operator[](ModuleName name) const {  // UserError lists the names
    if (M* m = find(name.value)) return *m;
    fail_name("ModuleDict", name, *this);
  }
  // Names and modules: for (auto& [name, module] : heads.items()).
  std::vector<std::pair<std::string, M*>> items() const {
    std::vector<std::pair<std::string, M*>> all;
    auto children = named_children();
    for (size_t i = 0; i < items_.size(); ++i) all.emplace_back(children[i].first, items_[i].get());
    return all;
  }

 private:
  M* find(std::string_view name) const {
    for (auto& [key, m] : items())
      if (key == name) return m;
    return nullptr;
  }
  std::vector<std::unique_ptr<M>> items_;
};

}  // namespace frit::nn
