// Kernels of ops that are not lowered: scans, orderings, what depends on data, gradients of views.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>

#include "base/parallel.h"
#include "kernels/cpu/install.h"
#include "kernels/cpu/iterate.h"
#include "kernels/cpu/kernels.h"
#include "kernels/cpu/kinds.h"
#include "kernels/cpu/memory.h"
#include "kernels/cpu/typed.h"

namespace frit::kernels {
namespace {

// Lines of a tensor along a dimension: their starts, for the others in row-major order.
struct Lines {
  Dims sizes, strides;  // without the dimension
  int64_t count = 1, length = 1, stride = 1;
  Lines(const TensorImpl& t, int64_t d) : sizes(t.sizes), strides(t.strides) {
    if (!sizes.empty()) {
      length = sizes[static_cast<size_t>(d)], stride = strides[static_cast<size_t>(d)];
      sizes.erase(static_cast<size_t>(d)), strides.erase(static_cast<size_t>(d));
    }
    for (int64_t s : sizes) count *= s;
  }
  int64_t start(int64_t line) const {
    int64_t offset = 0;
    for (size_t d = sizes.size(); d-- > 0;)
      offset += line % sizes[d] * strides[d], line /= sizes[d];
    return offset;
  }
};

template <class F>
void over_lines(const Lines& lines, F each) {
  if (lines.count == 0 || lines.length == 0) return;
  parallel_for(lines.count, std::max<int64_t>(1, kGrain / lines.length / 4),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) each(i);
               });
}

int64_t dim_of(const KernelCall& call, size_t i, const TensorImpl& t) {
  return wrap_dim(call.args[i].to_int().hint(), t.dim(), call.record.schema.name);
}

// Sums and products of floats are kept in float64, of whole numbers they wrap.
template <bool kProduct>
void scan(KernelCall& call) {
  const TensorImpl& out = *call.outs[0].impl();
  Tensor x = packed(tensor_arg(call, 0), out.dtype);
  const int64_t d = dim_of(call, 1, out);
  const Lines from(*x.impl(), d), to(out, d);
  with_type(out.dtype, [&]<class T>(T) {
    using V = decltype(get(T{}));
    using A = std::conditional_t<std::is_floating_point_v<V>, double, V>;
    const T* in = static_cast<const T*>(x.impl()->data());
    T* o = static_cast<T*>(out.data());
    over_lines(to, [&](int64_t line) {
      const T* p = in + from.start(line);
      T* q = o + to.start(line);
      A so_far = kProduct ? 1 : 0;
      for (int64_t i = 0; i < from.length; ++i) {
        const A next = static_cast<A>(get(p[i * from.stride]));
        so_far = kProduct ? wrapping_mul<A>(so_far, next) : wrapping_add<A>(so_far, next);
        set(q[i * to.stride], static_cast<V>(so_far));
      }
    });
  });
}

// --- orderings ---

template <class V>
bool before(V a, V b) {
  return a < b || (is_nan(b) && !is_nan(a));
}

// The first k of each line in order; the sort is stable, so equal elements keep theirs.
void order(KernelCall& call, int64_t d, bool descending, int64_t k) {
  const TensorImpl &self = impl_arg(call, 0), &values = *call.outs[0].impl(),
                   &indices = *call.outs[1].impl();
  const Lines from(self, d), to(values, d), at(indices, d);
  if (k == 0) return;
  with_type(self.dtype, [&]<class T>(T) {
    using V = decltype(get(T{}));
    struct Item {
      V value;
      int64_t index;
    };
    const T* in = static_cast<const T*>(self.data());
    T* out = static_cast<T*>(values.data());
    auto* where = static_cast<int64_t*>(indices.data());
    over_lines(from, [&](int64_t line) {
      std::vector<Item> items(static_cast<size_t>(from.length));
      const T* p = in + from.start(line);
      for (int64_t i = 0; i < from.length; ++i)
        items[static_cast<size_t>(i)] = {get(p[i * from.stride]), i};
      auto less = [descending](const Item& a, const Item& b) {
        const bool first = descending ? before(b.value, a.value) : before(a.value, b.value);
        if (first) return true;
        const bool second = descending ? before(a.value, b.value) : before(b.value, a.value);
        return !second && a.index < b.index;
      };
      if (k < from.length)
        std::partial_sort(items.begin(), items.begin() + k, items.end(), less);
      else
        std::sort(items.begin(), items.end(), less);
      T* q = out + to.start(line);
      int64_t* w = where + at.start(line);
      for (int64_t i = 0; i < k; ++i) {
        q[i * to.stride] = p[items[static_cast<size_t>(i)].index * from.stride];
        w[i * at.stride] = items[static_cast<size_t>(i)].index;
      }
    });
  });
}

void sort(KernelCall& call) {
  const TensorImpl& self = impl_arg(call, 0);
  const int64_t d = dim_of(call, 2, self);
  order(call, d, call.args[3].to_bool(), self.dim() ? self.sizes[static_cast<size_t>(d)] : 1);
}
void topk(KernelCall& call) {
  const TensorImpl& self = impl_arg(call, 0);
  // A number is its own greatest, also where none are asked for: the result has one element.
  order(call, dim_of(call, 2, self), call.args[3].to_bool(),
        self.dim() ? call.args[1].to_int().hint() : 1);
}

// --- sizes that depend on data ---

// A row of indices for each element that is not 0, in memory a column for each dimension.
void nonzero(KernelCall& call) {
  const TensorImpl& self = impl_arg(call, 0);
  const Tensor truths = packed(tensor_arg(call, 0), DType::boolean);
  const auto* t = static_cast<const uint8_t*>(truths.impl()->data());
  const int64_t numel = self.numel();
  int64_t n = 0;
  for (int64_t i = 0; i < numel; ++i) n += t[i] != 0;
  const Dims sizes{n, self.dim()}, strides{1, n};
  Tensor out = empty_strided_cpu(sizes, strides, DType::i64);
  auto* p = static_cast<int64_t*>(out.impl()->data());
  int64_t row = 0;
  for (int64_t i = 0; i < numel; ++i) {
    if (!t[i]) continue;
    int64_t rest = i;
    for (size_t d = self.sizes.size(); d-- > 0;) {
      p[static_cast<int64_t>(d) * n + row] = rest % self.sizes[d];
      rest /= self.sizes[d];
    }
    ++row;
  }
  call.outs[0] = out;
}

void one_hot_of_all(KernelCall& call) {
  const Tensor self = packed(tensor_arg(call, 0));
  const auto* p = static_cast<const int64_t*>(self.impl()->data());
  const int64_t n = self.impl()->numel();
  int64_t classes = 1;
  for (int64_t i = 0; i < n; ++i) {
    if (p[i] < 0)
      throw UserError(ErrorKind::runtime, "one_hot", "Class values must be non-negative.",
                      "one is " + std::to_string(p[i]));
    classes = std::max(classes, p[i] + 1);
  }
  Dims sizes = self.impl()->sizes;
  sizes.push_back(classes);
  Tensor out = empty_cpu(sizes, DType::i64);
  auto* to = static_cast<int64_t*>(out.impl()->data());
  std::fill(to, to + n * classes, 0);
  for (int64_t i = 0; i < n; ++i) to[i * classes + p[i]] = 1;
  call.outs[0] = out;
}

// --- gradients of views that overlap themselves ---

void fill_zero(const TensorImpl& t) {
  const Element zero{};
  fill_elements(t.sizes, place_of(t), zero.bytes);
}

// to[i] += from[i] in row-major order, where `to` may meet an element more than once.
void accumulate(std::span<const int64_t> sizes, DType t, void* to, const Dims& to_strides,
                const Tensor& from) {
  const Tensor rows = packed(from, t);
  with_type(t, [&]<class T>(T) {
    const T* in = static_cast<const T*>(rows.impl()->data());
    T* out = static_cast<T*>(to);
    const int64_t n = rows.impl()->numel();
    Dims index(sizes.size(), 0);
    int64_t offset = 0;
    for (int64_t i = 0; i < n; ++i) {
      set(out[offset], wrapping_add(get(out[offset]), get(in[i])));
      for (size_t d = sizes.size(); d-- > 0;) {
        offset += to_strides[d];
        if (++index[d] < sizes[d]) break;
        offset -= sizes[d] * to_strides[d];
        index[d] = 0;
      }
    }
  });
}

void unfold_backward(KernelCall& call) {
  const Tensor& grad = tensor_arg(call, 0);
  const TensorImpl& out = *call.outs[0].impl();
  fill_zero(out);
  const auto d = static_cast<size_t>(dim_of(call, 2, out));
  const int64_t step = call.args[4].to_int().hint();
  Dims strides = out.strides;
  if (strides.empty()) strides.push_back(1);
  const int64_t along = strides[d];
  strides[d] = along * step;
  strides.push_back(along);
  if (out.dim() == 0) strides = {1};
  accumulate(grad.impl()->sizes, out.dtype, out.data(), strides, grad);
}

int64_t extent_of(std::span<const int64_t> sizes, std::span<const int64_t> strides,
                  int64_t offset) {
  int64_t last = offset + 1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 0) return 0;
    last += (sizes[d] - 1) * strides[d];
  }
  return last;
}

Dims dims_of(const Arg& a) {
  Dims dims;
  for (const Int& i : a.to_ints()) dims.push_back(i.hint());
  return dims;
}

[[noreturn]] void outside(std::string_view op, std::span<const int64_t> sizes,
                          std::span<const int64_t> strides, int64_t offset) {
  throw UserError(ErrorKind::runtime, op,
                  "sizes " + dims_text(sizes) + ", strides " + dims_text(strides) +
                      " and storage offset " + std::to_string(offset) +
                      " reach outside of the tensor's elements",
                  "a view of elements that the tensor shows");
}

void as_strided_scatter(KernelCall& call) {
  const Tensor &self = tensor_arg(call, 0), &src = tensor_arg(call, 1);
  const TensorImpl& s = *self.impl();
  const Dims sizes = dims_of(call.args[2]), strides = dims_of(call.args[3]);
  const int64_t offset = call.args[4].is_none() ? 0 : call.args[4].to_int().hint() - s.offset;
  const int64_t reach = extent_of(s.sizes, s.strides, 0), shown = extent_of(sizes, strides, offset);
  bool any = true;
  for (int64_t size : sizes) any = any && size > 0;
  if (any && (offset < 0 || shown > reach)) outside("as_strided_scatter", sizes, strides, offset);
  Tensor storage = empty_cpu(std::array{reach}, s.dtype);
  if (reach > 0) {  // gaps between self's elements are never shown
    fill_zero(*storage.impl());
    copy_elements(s.sizes, {static_cast<std::byte*>(storage.impl()->data()), s.dtype, s.strides},
                  place_of(s));
  }
  copy(alias_view(storage, sizes, strides, offset), src);
  copy(call.outs[0], alias_view(storage, s.sizes, s.strides, 0));
}

void item_int(KernelCall& call) {
  copy(call.outs[0], alias_view(tensor_arg(call, 0), Dims{}, Dims{}, impl_arg(call, 0).offset));
}

// What is no probability among the elements, if anything is.
std::optional<double> no_probability(const Tensor& p) {
  Tensor wide = empty_cpu(p.impl()->sizes, DType::f64);
  copy(wide, p);
  const auto* at = static_cast<const double*>(wide.impl()->data());
  for (int64_t i = 0, n = p.impl()->numel(); i < n; ++i)
    if (!(at[i] >= 0 && at[i] <= 1)) return at[i];
  return {};
}

void probabilities(KernelCall& call) {
  const Tensor& p = tensor_arg(call, 0);
  if (const auto other = no_probability(p))
    throw UserError(ErrorKind::runtime, "bernoulli",
                    fmt::format("Expected p_in >= 0 && p_in <= 1 to be true, but got false: one "
                                "of the probabilities is {}",
                                *other),
                    "probabilities between 0 and 1, such as sigmoid() gives");
  copy(call.outs[0], p);
}

void check_probabilities(KernelCall& call) {
  for (size_t i : {size_t{0}, size_t{1}}) {
    const auto other = no_probability(tensor_arg(call, i));
    if (!other) continue;
    throw UserError(
        ErrorKind::runtime, "binary_cross_entropy",
        fmt::format("all elements of {} should be between 0 and 1", i == 0 ? "input" : "target"),
        fmt::format("one is {}: {}", *other,
                    i == 0 ? "sigmoid() first, or binary_cross_entropy_with_logits()"
                           : "probabilities, or truth values as floats"));
  }
  *static_cast<bool*>(call.outs[0].impl()->data()) = true;
}

}  // namespace

void install_library(Registry& r) {
  r.set_kernel("cumsum", scan<false>);
  r.set_kernel("cumprod", scan<true>);
  r.set_kernel("sort.stable", sort);
  r.set_kernel("topk", topk);
  r.set_kernel("nonzero", nonzero);
  r.set_kernel("_one_hot_of_all", one_hot_of_all);
  r.set_kernel("_item_int", item_int);
  r.set_kernel("_probabilities", probabilities);
  r.set_kernel("_check_probabilities", check_probabilities);
  r.set_kernel("unfold_backward", unfold_backward);
  r.set_kernel("as_strided_scatter", as_strided_scatter);
}

}  // namespace frit::kernels
