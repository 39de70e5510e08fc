// Gathers and scatters. Indices are checked before anything is written. What writes goes through
// the index in row-major order on one thread, so that later elements win and sums have one order;
// what reads may go in any order.
#include <algorithm>
#include <cstring>
#include <limits>

#include "kernels/cpu/install.h"
#include "kernels/cpu/iterate.h"
#include "kernels/cpu/kernels.h"
#include "kernels/cpu/kinds.h"
#include "kernels/cpu/memory.h"
#include "kernels/cpu/typed.h"
#include "ops/views/view_rules.h"

namespace frit::kernels {
namespace {

// Sizes and strides with a dimension where the tensor has none.
struct Shape {
  Dims sizes, strides;
  explicit Shape(const TensorImpl& t) : sizes(t.sizes), strides(t.strides) {
    if (sizes.empty()) sizes.push_back(1), strides.push_back(1);
  }
  size_t dim() const { return sizes.size(); }
};

size_t dim_of(const KernelCall& call, size_t i, const Shape& s) {
  return static_cast<size_t>(wrap_dim(call.args[i].to_int().hint(), static_cast<int64_t>(s.dim()),
                                      call.record.schema.name));
}

[[noreturn]] void out_of_range(std::string_view op, std::string message, ErrorKind kind) {
  throw UserError(kind, op, std::move(message), "indices from 0 to before that size");
}

// Indices as contiguous int64, all from 0 (or -size where they wrap) to before size.
template <class Complain>
Tensor checked_indices(const Tensor& given, int64_t size, bool wrap, Complain complain) {
  Tensor t = packed(given, DType::i64);
  const auto* p = static_cast<const int64_t*>(t.impl()->data());
  const int64_t n = t.impl()->numel(), low = wrap ? -size : 0;
  for (int64_t i = 0; i < n; ++i)
    if (p[i] < low || p[i] >= size) complain(p[i]);
  return t;
}
auto names_dim(std::string_view op, size_t d, int64_t size, ErrorKind kind = ErrorKind::runtime,
               std::string prefix = {}) {
  return [=](int64_t bad) {
    out_of_range(op,
                 prefix + "index " + std::to_string(bad) + " is out of bounds for dimension " +
                     std::to_string(d) + " with size " + std::to_string(size),
                 kind);
  };
}
auto in_self(std::string_view op, size_t d, int64_t size) {
  return names_dim(op, d, size, ErrorKind::index, "index out of range in self: ");
}

// Row-major over sizes, the innermost dimension in one run: fn(offsets, n). At most 3 operands.
template <size_t N, class F>
void in_order(std::span<const int64_t> sizes, const std::array<Dims, N>& strides, F&& fn) {
  int64_t numel = 1;
  for (int64_t s : sizes) numel *= s;
  if (numel == 0) return;
  std::array<int64_t, N> offsets{};
  if (sizes.empty()) return fn(offsets, int64_t{1});
  const size_t last = sizes.size() - 1;
  Dims index(sizes.size(), 0);
  for (;;) {
    fn(offsets, sizes[last]);
    size_t d = last;
    while (d-- > 0) {
      for (size_t k = 0; k < N; ++k) offsets[k] += strides[k][d];
      if (++index[d] < sizes[d]) break;
      for (size_t k = 0; k < N; ++k) offsets[k] -= sizes[d] * strides[k][d];
      index[d] = 0;
    }
    if (d == static_cast<size_t>(-1)) return;
  }
}

// out[i] = self[i with `which[i]` added times `step`]; `which` by its strides over out's sizes.
void gather_elements(const TensorImpl& out, std::span<const int64_t> out_sizes,
                     const Dims& out_strides, const TensorImpl& self, const Dims& self_strides,
                     const int64_t* which, const Dims& which_strides, int64_t step) {
  const Dims strides[3] = {out_strides, self_strides, which_strides};
  LoopNest nest = make_nest(out_sizes, strides);
  const LoopDim& inner = nest.dims.back();
  const int64_t so = inner.strides[0], ss = inner.strides[1], sw = inner.strides[2];
  with_width(size_of(out.dtype), [&]<class T>(T) {
    T* to = static_cast<T*>(out.data());
    const T* from = static_cast<const T*>(self.data());
    for_each_run(nest, 3, [&](const int64_t* offsets, int64_t n) {
      T* o = to + offsets[0];
      const T* s = from + offsets[1];
      const int64_t* w = which + offsets[2];
      if (sw == 0) {
        s += *w * step;
        if (so == 1 && ss == 1)
          std::memcpy(o, s, static_cast<size_t>(n) * sizeof(T));
        else
          for (int64_t i = 0; i < n; ++i) o[i * so] = s[i * ss];
      } else {
        for (int64_t i = 0; i < n; ++i) o[i * so] = s[i * ss + w[i * sw] * step];
      }
    });
  });
}

void index_select(KernelCall& call) {
  const TensorImpl &self = impl_arg(call, 0), &out = *call.outs[0].impl();
  Shape s(self), o(out);
  const size_t d = dim_of(call, 1, s);
  Tensor at = checked_indices(tensor_arg(call, 2), s.sizes[d], false,
                              in_self("index_select", d, s.sizes[d]));
  if (out.numel() == 0) return;
  Dims which(o.dim(), 0), from = s.strides;
  which[d] = 1, from[d] = 0;
  gather_elements(out, o.sizes, o.strides, self, from,
                  static_cast<const int64_t*>(at.impl()->data()), which, s.strides[d]);
}

void gather(KernelCall& call) {
  const TensorImpl &self = impl_arg(call, 0), &out = *call.outs[0].impl();
  if (out.numel() == 0) return;
  Shape s(self), o(out);
  const size_t d = dim_of(call, 1, s);
  Tensor at =
      checked_indices(tensor_arg(call, 2), s.sizes[d], false, names_dim("gather", d, s.sizes[d]));
  Dims from = s.strides;
  from[d] = 0;
  gather_elements(out, o.sizes, o.strides, self, from,
                  static_cast<const int64_t*>(at.impl()->data()), Shape(*at.impl()).strides,
                  s.strides[d]);
}

// --- scatters ---
//
// Their output may be self (an in-place op), or another argument's very elements (an out form).

// t, or a copy where a write to `out` could change it.
Tensor apart(const Tensor& t, const TensorImpl& out) {
  const TensorImpl& i = *t.impl();
  if (i.storage != out.storage) return t;
  Tensor fresh = empty_cpu(i.sizes, i.dtype);
  copy(fresh, t);
  return fresh;
}

// self's elements into `out`, where they are not there already.
void begin(const Tensor& out, const Tensor& self) {
  const TensorImpl &o = *out.impl(), &s = *self.impl();
  if (o.storage == s.storage && o.offset == s.offset && o.sizes == s.sizes &&
      o.strides == s.strides)
    return;
  copy(out, self);
}

enum class Write : uint8_t { replace, sum, prod, largest, least };

template <Write how, class T>
void combine(T& to, const T& from) {
  if constexpr (how == Write::replace) {
    to = from;
  } else {
    auto a = get(to), b = get(from);
    using V = decltype(a);
    if constexpr (how == Write::sum)
      set(to, wrapping_add<V>(a, b));
    else if constexpr (how == Write::prod)
      set(to, wrapping_mul<V>(a, b));
    else if constexpr (how == Write::largest)
      set(to, is_nan(a) || (!is_nan(b) && a >= b) ? a : b);
    else
      set(to, is_nan(a) || (!is_nan(b) && a <= b) ? a : b);
  }
}
template <class F>
void with_write(Write how, F&& fn) {
  switch (how) {
    case Write::replace:
      return fn(std::integral_constant<Write, Write::replace>{});
    case Write::sum:
      return fn(std::integral_constant<Write, Write::sum>{});
    case Write::prod:
      return fn(std::integral_constant<Write, Write::prod>{});
    case Write::largest:
      return fn(std::integral_constant<Write, Write::largest>{});
    case Write::least:
      return fn(std::integral_constant<Write, Write::least>{});
  }
}

// out[.. index ..] combined with src, in order.
struct Scatter {
  const TensorImpl& out;
  Shape o;
  size_t d;
  Tensor index, src;
  Shape at;
  const int64_t* which;

  Scatter(KernelCall& call, std::string_view op)
      : out(*call.outs[0].impl()),
        o(out),
        d(dim_of(call, 1, o)),
        index(impl_arg(call, 2).numel() == 0
                  ? empty_cpu(impl_arg(call, 2).sizes, DType::i64)
                  : checked_indices(apart(tensor_arg(call, 2), out), o.sizes[d], false,
                                    names_dim(op, d, o.sizes[d]))),
        at(*index.impl()),
        which(static_cast<const int64_t*>(index.impl()->data())) {
    if (call.args[3].is_ref()) src = apart(tensor_arg(call, 3), out);
    begin(call.outs[0], tensor_arg(call, 0));
  }
  bool empty() const { return index.impl()->numel() == 0; }

  // `from` by strides over the index's sizes.
  template <class T, class F>
  void each(const T* from, const Dims& from_strides, F fn) const {
    Dims to = o.strides;
    to[d] = 0;
    const int64_t step = o.strides[d];
    T* base = static_cast<T*>(out.data());
    const size_t last = at.dim() - 1;
    const int64_t so = to[last], sw = at.strides[last], ss = from_strides[last];
    in_order<3>(at.sizes, {to, at.strides, from_strides},
                [&](const std::array<int64_t, 3>& off, int64_t n) {
                  for (int64_t i = 0; i < n; ++i)
                    fn(base[off[0] + i * so + which[off[1] + i * sw] * step],
                       from[off[2] + i * ss]);
                });
  }
  void write(Write how) const { write(how, src.impl()->data(), Shape(*src.impl()).strides); }
  void write(Write how, const void* from, const Dims& from_strides) const {
    with_write(how, [&](auto w) {
      if constexpr (w() == Write::replace)
        with_width(size_of(out.dtype), [&]<class T>(T) {
          each(static_cast<const T*>(from), from_strides, [](T& a, const T& b) { a = b; });
        });
      else
        with_type(out.dtype, [&]<class T>(T) {
          each(static_cast<const T*>(from), from_strides, combine<w(), T>);
        });
    });
  }
};

void scatter_src(KernelCall& call) {
  Scatter s(call, "scatter");
  if (!s.empty()) s.write(Write::replace);
}
void scatter_add(KernelCall& call) {
  Scatter s(call, "scatter");
  if (!s.empty()) s.write(Write::sum);
}
void scatter_value(KernelCall& call) {
  Scatter s(call, "scatter");
  const Element e = element_of(call.args[3].to_scalar(), s.out.dtype);
  if (!s.empty()) s.write(Write::replace, e.bytes, Dims(s.at.dim(), 0));
}

// What leaves the other operand as it is.
Scalar neutral(Write how, DType t) {
  if (how == Write::sum) return Scalar(0);
  if (how == Write::prod) return Scalar(1);
  const bool largest = how == Write::largest;
  if (is_floating(t))
    return Scalar(largest ? -std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::infinity());
  switch (t) {
    case DType::boolean:
      return Scalar(!largest);
    case DType::u8:
      return Scalar(largest ? 0 : 255);
    case DType::i8:
      return Scalar(largest ? -128 : 127);
    case DType::i16:
      return Scalar(largest ? -32768 : 32767);
    case DType::i32:
      return Scalar(int64_t{largest ? std::numeric_limits<int32_t>::min()
                                    : std::numeric_limits<int32_t>::max()});
    default:
      return Scalar(Int(largest ? std::numeric_limits<int64_t>::min() / 2
                                : std::numeric_limits<int64_t>::max()));
  }
}

// Whole numbers are divided as floor_divide does; bools stay.
template <class T>
void divide(T& t, int64_t by) {
  auto v = get(t);
  using V = decltype(v);
  if constexpr (std::is_floating_point_v<V>) {
    set(t, v / static_cast<V>(by));
  } else if constexpr (!std::is_same_v<V, bool>) {
    int64_t q = static_cast<int64_t>(v) / by;
    if (static_cast<int64_t>(v) % by < 0) --q;
    set(t, static_cast<V>(q));
  }
}

void scatter_reduce(KernelCall& call) {
  Scatter s(call, "scatter");
  if (s.empty()) return;
  const Symbol name = call.args[4].as<Symbol>();
  const bool include_self = call.args[5].to_bool(), mean = name == "mean";
  const Write how = name == "prod"   ? Write::prod
                    : name == "amax" ? Write::largest
                    : name == "amin" ? Write::least
                                     : Write::sum;
  const Dims none(s.at.dim(), 0);
  if (!include_self) {
    Element e = element_of(neutral(how, s.out.dtype), s.out.dtype);
    if (s.out.dtype == DType::i64 && how == Write::largest) {
      const int64_t lowest = std::numeric_limits<int64_t>::min();
      std::memcpy(e.bytes, &lowest, sizeof lowest);
    }
    s.write(Write::replace, e.bytes, none);
  }
  s.write(how);
  if (!mean) return;
  // How many values each element is the sum of.
  Tensor counts = empty_cpu(s.out.sizes, DType::i64);
  const Element first = element_of(Scalar(include_self ? 1 : 0), DType::i64);
  fill_elements(s.out.sizes, place_of(*counts.impl()), first.bytes);
  auto* count = static_cast<int64_t*>(counts.impl()->data());
  const Dims rows = contiguous_strides<int64_t>(s.o.sizes);
  Dims to = rows;
  to[s.d] = 0;
  const size_t last = s.at.dim() - 1;
  in_order<2>(s.at.sizes, {to, s.at.strides}, [&](const std::array<int64_t, 2>& off, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      ++count[off[0] + i * to[last] + s.which[off[1] + i * s.at.strides[last]] * rows[s.d]];
  });
  with_type(s.out.dtype, [&]<class T>(T) {
    in_order<2>(s.o.sizes, {s.o.strides, rows}, [&](const std::array<int64_t, 2>& off, int64_t n) {
      T* p = static_cast<T*>(s.out.data()) + off[0];
      for (int64_t i = 0; i < n; ++i)
        divide(p[i * s.o.strides.back()], std::max<int64_t>(count[off[1] + i], 1));
    });
  });
}

// --- along a vector of indices ---

// each(out slice k's offset, source slice k's offset), in the order of the index, for every piece
// of the other dimensions: sizes of self without d, out and source by their strides.
struct Slices {
  const TensorImpl& out;
  Tensor from;
  const TensorImpl& source;
  Shape o, s;
  size_t d;
  Tensor index;
  const int64_t* which;
  int64_t count;

  template <class Complain>
  Slices(KernelCall& call, Complain complain)
      : out(*call.outs[0].impl()),
        from(apart(tensor_arg(call, 3), out)),
        source(*from.impl()),
        o(out),
        s(source),
        d(dim_of(call, 1, o)),
        index(checked_indices(apart(tensor_arg(call, 2), out), o.sizes[d], false,
                              complain(d, o.sizes[d]))),
        which(static_cast<const int64_t*>(index.impl()->data())),
        count(index.impl()->numel()) {
    if (source.sizes.empty()) s.sizes = Dims(o.dim(), 1), s.strides = Dims(o.dim(), 0);
    begin(call.outs[0], tensor_arg(call, 0));
  }
  template <class T, class F>
  void each(F fn) const {
    if (out.numel() == 0 || source.numel() == 0) return;
    Dims sizes = o.sizes, to = o.strides, from = s.strides;
    const int64_t to_step = to[d], from_step = from[d];
    sizes.erase(d), to.erase(d), from.erase(d);
    if (sizes.empty()) sizes.push_back(1), to.push_back(1), from.push_back(1);
    T* a = static_cast<T*>(out.data());
    const T* b = static_cast<const T*>(source.data());
    const int64_t sa = to.back(), sb = from.back();
    // Elements of one slice are independent: the slices in order, each as a whole.
    for (int64_t k = 0; k < count; ++k) {
      T* x = a + which[k] * to_step;
      const T* y = b + k * from_step;
      in_order<2>(sizes, {to, from}, [&](const std::array<int64_t, 2>& off, int64_t n) {
        T* p = x + off[0];
        const T* q = y + off[1];
        if (sa == 1 && sb == 1)
          for (int64_t i = 0; i < n; ++i) fn(p[i], q[i]);
        else
          for (int64_t i = 0; i < n; ++i) fn(p[i * sa], q[i * sb]);
      });
    }
  }
};

void index_add(KernelCall& call) {
  Slices s(call, [](size_t dim, int64_t size) { return in_self("index_add", dim, size); });
  const Scalar alpha = call.args[4].to_scalar();
  with_type(s.out.dtype, [&]<class T>(T) {
    using V = decltype(get(T{}));
    const V by = is_bool(s.out.dtype)          ? static_cast<V>(alpha.to_double() != 0)
                 : std::is_floating_point_v<V> ? static_cast<V>(alpha.to_double())
                                               : static_cast<V>(alpha.to_int64());
    s.each<T>(
        [by](T& a, const T& b) { set(a, wrapping_add<V>(get(a), wrapping_mul<V>(get(b), by))); });
  });
}
void index_copy(KernelCall& call) {
  Slices s(call, [](size_t d, int64_t size) {
    return names_dim("index_copy", d, size, ErrorKind::index, "index_copy_(): ");
  });
  with_width(size_of(s.out.dtype), [&]<class T>(T) { s.each<T>([](T& a, const T& b) { a = b; }); });
}

// --- by tensors of indices ---

// Where in memory the indexed elements begin: a contiguous int64 tensor of the indices' common
// sizes.
struct Indexed {
  Dims common, sizes, strides;  // of the result; strides of self in it, 0 along the common sizes
  Dims which;                   // strides of `places` over sizes
  Tensor places;
  const int64_t* data = nullptr;

  Indexed(const TensorImpl& self, std::span<const int64_t> self_strides,
          const std::vector<Ref>& list, std::string_view op) {
    size_t first = self.sizes.size(), last = 0, count = 0;
    for (size_t i = 0; i < list.size(); ++i) {
      if (!list[i].defined()) continue;
      first = std::min(first, i), last = i, ++count;
      const Dims& s = list[i].tensor().impl()->sizes;
      if (s.size() > common.size()) {
        Dims wider(s.size() - common.size(), 1);
        wider.append(common.begin(), common.end());
        common = wider;
      }
      for (size_t k = 0; k < s.size(); ++k)
        if (s[k] != 1) common[common.size() - s.size() + k] = s[k];
    }
    const size_t begin = last - first + 1 == count ? first : 0;
    size_t at = 0;
    for (size_t d = 0; d <= self.sizes.size(); ++d) {
      if (d == begin) {
        at = sizes.size();
        sizes.append(common.begin(), common.end());
      }
      if (d < self.sizes.size() && !(d < list.size() && list[d].defined()))
        sizes.push_back(self.sizes[d]);
    }
    strides = Dims(sizes.size(), 0), which = Dims(sizes.size(), 0);
    for (size_t d = 0, k = 0; d < self.sizes.size(); ++d) {
      if (d < list.size() && list[d].defined()) continue;
      if (k == at) k += common.size();
      strides[k++] = self_strides[d];
    }
    const Dims row = contiguous_strides<int64_t>(common);
    for (size_t k = 0; k < common.size(); ++k) which[at + k] = row[k];

    places = empty_cpu(common, DType::i64);
    auto* p = static_cast<int64_t*>(places.impl()->data());
    const int64_t n = places.impl()->numel();
    std::fill(p, p + n, 0);
    for (size_t d = 0; d < list.size(); ++d) {
      if (!list[d].defined()) continue;
      const int64_t size = self.sizes[d], step = self_strides[d];
      Tensor wide = empty_cpu(common, DType::i64);
      // Out of range is out of range even where the result is empty.
      checked_indices(list[d].tensor(), size, true, names_dim(op, d, size, ErrorKind::index));
      copy(wide, list[d].tensor());
      const auto* w = static_cast<const int64_t*>(wide.impl()->data());
      for (int64_t i = 0; i < n; ++i) p[i] += (w[i] < 0 ? w[i] + size : w[i]) * step;
    }
    data = p;
  }
};

void index(KernelCall& call) {
  const TensorImpl &self = impl_arg(call, 0), &out = *call.outs[0].impl();
  Indexed x(self, self.strides, call.args[1].refs(), "index");
  if (out.numel() == 0) return;
  gather_elements(out, out.sizes, out.strides, self, x.strides, x.data, x.which, 1);
}

void index_put(KernelCall& call) {
  const TensorImpl& out = *call.outs[0].impl();
  const Tensor given = apart(tensor_arg(call, 2), out);
  const TensorImpl& values = *given.impl();
  Indexed x(out, out.strides, call.args[1].refs(),
            "index_put");  // its places are memory of its own
  begin(call.outs[0], tensor_arg(call, 0));
  if (numel_of<int64_t>(x.sizes) == 0) return;
  const Dims from = broadcast_strides(values, x.sizes);
  const size_t last = x.sizes.size() - 1;
  auto write = [&]<class T>(T, auto fn) {
    T* to = static_cast<T*>(out.data());
    const T* v = static_cast<const T*>(values.data());
    if (x.sizes.empty()) return fn(to[x.data[0]], v[0]);
    const int64_t so = x.strides[last], sw = x.which[last], sv = from[last];
    in_order<3>(x.sizes, {x.strides, x.which, from},
                [&](const std::array<int64_t, 3>& off, int64_t n) {
                  for (int64_t i = 0; i < n; ++i)
                    fn(to[off[0] + i * so + x.data[off[1] + i * sw]], v[off[2] + i * sv]);
                });
  };
  if (call.args[3].to_bool())
    with_type(out.dtype, [&]<class T>(T t) { write(t, combine<Write::sum, T>); });
  else
    with_width(size_of(out.dtype),
               [&]<class T>(T t) { write(t, [](T& a, const T& b) { a = b; }); });
}

// --- views written through ---

void write_view(KernelCall& call, const Dims& sizes, const Dims& strides, int64_t offset) {
  const TensorImpl& out = *call.outs[0].impl();
  copy(call.outs[0], tensor_arg(call, 0));
  copy(alias_view(call.outs[0], sizes, strides, out.offset + offset), tensor_arg(call, 1));
}

void select_scatter(KernelCall& call) {
  const TensorImpl& out = *call.outs[0].impl();
  const Shape o(out);
  const size_t d = dim_of(call, 2, o);
  int64_t i = call.args[3].to_int().hint();
  if (i < 0) i += o.sizes[d];
  Dims sizes = o.sizes, strides = o.strides;
  sizes.erase(d), strides.erase(d);
  write_view(call, sizes, strides, i * o.strides[d]);
}

void slice_scatter(KernelCall& call) {
  const TensorImpl& out = *call.outs[0].impl();
  const Shape o(out);
  const size_t d = dim_of(call, 2, o);
  ShapeCtx<int64_t> s(*call.record.functional,
                      call.args.subspan(0, call.record.functional->schema.args.size()));
  auto given = [&](int i) {
    return s.has(i) ? std::optional<int64_t>(s.integer(i)) : std::nullopt;
  };
  const int64_t step = s.integer(5);
  auto range = slice_range(s, o.sizes[d], given(3), given(4), step);
  Dims sizes = o.sizes, strides = o.strides;
  sizes[d] = range.length, strides[d] *= step;
  write_view(call, sizes, strides, range.start * o.strides[d]);
}

void diagonal_scatter(KernelCall& call) {
  const TensorImpl& out = *call.outs[0].impl();
  const Shape o(out);
  const int64_t k = call.args[2].to_int().hint();
  const size_t a = dim_of(call, 3, o), b = dim_of(call, 4, o);
  const int64_t rows = o.sizes[a], columns = o.sizes[b];
  const int64_t length =
      std::max<int64_t>(0, k >= 0 ? std::min(rows, columns - k) : std::min(rows + k, columns));
  Dims sizes, strides;
  for (size_t d = 0; d < o.dim(); ++d)
    if (d != a && d != b) sizes.push_back(o.sizes[d]), strides.push_back(o.strides[d]);
  sizes.push_back(length), strides.push_back(o.strides[a] + o.strides[b]);
  const int64_t offset = length == 0 ? 0 : k >= 0 ? k * o.strides[b] : -k * o.strides[a];
  write_view(call, sizes, strides, offset);
}

}  // namespace

void install_index(Registry& r) {
  r.set_kernel("index_select", index_select);
  r.set_kernel("gather", gather);
  r.set_kernel("scatter.src", scatter_src);
  r.set_kernel("scatter.value", scatter_value);
  r.set_kernel("scatter_add", scatter_add);
  r.set_kernel("scatter_reduce.two", scatter_reduce);
  r.set_kernel("index_add", index_add);
  r.set_kernel("index_copy", index_copy);
  r.set_kernel("_index", index);
  r.set_kernel("_index_put", index_put);
  r.set_kernel("select_scatter", select_scatter);
  r.set_kernel("slice_scatter", slice_scatter);
  r.set_kernel("diagonal_scatter", diagonal_scatter);
}

}  // namespace frit::kernels
