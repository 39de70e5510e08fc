#include "corpus/observe.h"

#include <fmt/format.h>

#include <cmath>

#include "core/generator.h"
#include "core/layout.h"

namespace frit::corpus {
namespace {

using Named = std::vector<std::pair<std::string, Tensor>>;

std::vector<uint8_t> bytes_of(const Tensor& t) {
  NoGrad quiet;
  Tensor c = t.detach().contiguous();
  auto* p = static_cast<const uint8_t*>(c.impl()->data());
  return {p, p + static_cast<size_t>(c.impl()->numel()) * static_cast<size_t>(size_of(c.dtype()))};
}

SeenTensor look(const std::string& name, const Tensor& t) {
  SeenTensor s;
  s.name = name;
  s.defined = t.defined();
  if (!s.defined) return s;
  const TensorImpl& i = *t.impl();
  s.dtype = i.dtype;
  s.sizes = i.sizes;
  s.strides = i.strides;
  s.offset = i.offset;
  s.requires_grad = t.requires_grad();
  s.leaf = t.is_leaf();
  s.bytes = bytes_of(t);
  return s;
}

// backward() from everything that can be differentiated.
void run_backward(const compiler::Leaves& results) {
  Tensor loss;
  for (const Tensor& t : results.tensors) {
    if (!t.defined() || !t.requires_grad() || t.is_leaf()) continue;
    Tensor part = (t * t).sum() + t.sum();
    loss = loss.defined() ? loss + part : part;
  }
  if (loss.defined()) loss.backward();
}

std::vector<double> values_of(const SeenTensor& s) {
  Tensor raw = empty_cpu(s.sizes, s.dtype);
  std::copy(s.bytes.begin(), s.bytes.end(), static_cast<uint8_t*>(raw.impl()->data()));
  return raw.to(kFloat64).to_vector<double>();
}

std::string values_differ(const SeenTensor& a, const SeenTensor& b, double tolerance) {
  if (a.bytes == b.bytes) return {};
  auto x = values_of(a), y = values_of(b);
  double scale = 0;
  for (double v : x)
    if (std::isfinite(v)) scale = std::max(scale, std::abs(v));
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i]) && std::isnan(y[i])) continue;
    bool same = tolerance == 0
                    ? x[i] == y[i] && std::signbit(x[i]) == std::signbit(y[i])
                    : x[i] == y[i] || std::abs(x[i] - y[i]) <= tolerance * std::max(scale, 1e-30);
    if (!same) return fmt::format("{}, element {}: plain {}, compiled {}", a.name, i, x[i], y[i]);
  }
  return {};
}

}  // namespace

std::vector<std::pair<std::string, Tensor>> World::watched() const {
  auto all = watched_;
  if (module_) {
    for (auto& [name, t] : module_->named_parameters()) all.emplace_back(name, t);
    for (auto& [name, t] : module_->named_buffers()) all.emplace_back(name, t);
  }
  return all;
}

std::vector<Program>& programs() {
  static std::vector<Program> all;
  return all;
}

Observation observe(Instance& instance, size_t call, uint64_t data_seed, uint64_t rng_seed,
                    const Traits& traits,
                    const std::function<void(const compiler::Leaves&)>& before) {
  Observation o;
  compiler::Leaves args, results;
  manual_seed(data_seed);
  instance.prepare(call, args);
  Named known;
  for (size_t i = 0; i < args.tensors.size(); ++i)
    known.emplace_back("arg" + std::to_string(i), args.tensors[i]);
  for (auto& w : instance.world.watched()) known.push_back(w);
  std::vector<int64_t> versions;
  for (auto& [name, t] : known)
    versions.push_back(t.defined() ? static_cast<int64_t>(t.version()) : 0);
  instance.world.log.clear();
  manual_seed(rng_seed);
  if (before) before(args);
  try {
    instance.invoke(results);
  } catch (const std::exception& e) {
    o.error = e.what();
  }
  o.rng = default_generator()->state();
  if (traits.gradients) {
    try {
      run_backward(results);
    } catch (const std::exception& e) {
      o.backward_error = e.what();
    }
  }
  for (size_t i = 0; i < known.size(); ++i)
    versions[i] = known[i].second.defined()
                      ? static_cast<int64_t>(known[i].second.version()) - versions[i]
                      : 0;
  Named all = known;
  for (size_t i = 0; i < results.tensors.size(); ++i)
    all.emplace_back("result" + std::to_string(i), results.tensors[i]);
  for (const Tensor& t : results.tensors)
    versions.push_back(t.defined() ? static_cast<int64_t>(t.version()) : 0);
  for (auto& [name, t] : known)
    if (t.defined() && t.is_leaf() && t.requires_grad()) all.emplace_back(name + ".grad", t.grad());
  for (size_t i = 0; i < all.size(); ++i) {
    SeenTensor s = look(all[i].first, all[i].second);
    if (i < versions.size()) s.versions = versions[i];
    s.object = s.storage = static_cast<int>(i);
    for (size_t j = i; j-- > 0;) {
      if (!s.defined || !all[j].second.defined()) continue;
      if (all[j].second.is_same(all[i].second)) s.object = static_cast<int>(j);
      if (all[j].second.shares_storage_with(all[i].second)) s.storage = static_cast<int>(j);
    }
    o.tensors.push_back(std::move(s));
  }
  for (const Scalar& n : results.numbers)
    o.numbers.push_back(n.is_real()   ? fmt::format("{}", n.to_double())
                        : n.is_bool() ? (n.to_bool() ? "true" : "false")
                                      : fmt::format("{}", n.to_int64()));
  o.log = instance.world.log;
  return o;
}

std::string difference(const Observation& a, const Observation& b, Tolerances tolerances) {
  if (a.error != b.error) return fmt::format("raised: plain '{}', compiled '{}'", a.error, b.error);
  if (a.backward_error != b.backward_error)
    return fmt::format("backward raised: plain '{}', compiled '{}'", a.backward_error,
                       b.backward_error);
  if (a.log != b.log)
    return fmt::format("host log: plain {} lines, compiled {}", a.log.size(), b.log.size());
  if (a.numbers != b.numbers) return "numbers returned differ";
  if (a.tensors.size() != b.tensors.size())
    return fmt::format("{} tensors, compiled {}", a.tensors.size(), b.tensors.size());
  for (size_t i = 0; i < a.tensors.size(); ++i) {
    const SeenTensor &x = a.tensors[i], &y = b.tensors[i];
    auto say = [&](const char* what, auto plain, auto compiled) {
      return fmt::format("{}: {}: plain {}, compiled {}", x.name, what, plain, compiled);
    };
    if (x.defined != y.defined) return say("defined", x.defined, y.defined);
    if (!x.defined) continue;
    if (x.dtype != y.dtype) return say("dtype", name(x.dtype), name(y.dtype));
    if (!(x.sizes == y.sizes)) return say("sizes", dims_text(x.sizes), dims_text(y.sizes));
    for (size_t d = 0; d < x.sizes.size(); ++d)
      if (x.sizes[d] > 1 && x.strides[d] != y.strides[d])
        return say("strides", dims_text(x.strides), dims_text(y.strides));
    if (x.object != y.object)
      return say("is the object", a.tensors[static_cast<size_t>(x.object)].name,
                 b.tensors[static_cast<size_t>(y.object)].name);
    if (x.storage != y.storage)
      return say("shares memory with", a.tensors[static_cast<size_t>(x.storage)].name,
                 b.tensors[static_cast<size_t>(y.storage)].name);
    if (x.storage != static_cast<int>(i) && x.offset != y.offset)
      return say("offset", x.offset, y.offset);
    if (x.requires_grad != y.requires_grad)
      return say("requires_grad", x.requires_grad, y.requires_grad);
    if (x.leaf != y.leaf) return say("is_leaf", x.leaf, y.leaf);
    if (x.versions != y.versions) return say("versions", x.versions, y.versions);
    const double tolerance = x.name.ends_with(".grad") ? tolerances.gradients : tolerances.values;
    if (std::string d = values_differ(x, y, tolerance); !d.empty()) return d;
  }
  if (!(a.rng == b.rng))
    return fmt::format("generator: plain at {}, compiled at {}", a.rng.offset, b.rng.offset);
  return {};
}

}  // namespace frit::corpus
