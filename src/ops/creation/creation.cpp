// Tensors made of nothing but numbers.
//
// Four ops are primitive; the others are written in them, so that a graph that only wants the sizes
// of a tensor does not keep it alive. Their bodies:
//   full    fill_value everywhere (full, _full_strided)
//   empty   nothing is stored: the contents are whatever the memory held
//   arange  element i is start + i * step, computed in float64 and converted to the dtype; for
//   integer
//           dtypes in int64, the numbers truncated first
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "ops/copy/memory_format.h"
#include "ops/families.h"
#include "ops/kind_rules.h"
#include "ops/value_fits.h"
#include "ops/vjp_helpers.h"

namespace frit {
namespace {

std::string with_options() {
  return "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None";
}
std::string with_like_options() { return with_options() + ", MemoryFormat? memory_format=None"; }

DType dtype_or(const Arg& a, DType otherwise) { return a.is_none() ? otherwise : a.as<DType>(); }

template <class S, class I>
void sizes_not_negative(S& s, const DimsOf<I>& sizes) {
  for (const I& n : sizes)
    if (!holds(n >= I(0)))
      s.fail(fmt::format("Trying to create tensor with negative dimension {}: {}", to_text(n),
                         dims_text(std::span<const I>(sizes))),
             "sizes of 0 or more");
}

// Do the strides of argument 1 lay out the sizes of argument 0?
template <class S>
void strides_fit(S& s) {
  auto sizes = s.ints(0), strides = s.ints(1);
  using I = std::remove_cvref_t<decltype(sizes[0])>;
  if (sizes.size() != strides.size())
    s.fail(fmt::format("dimensionality of sizes ({}) must match dimensionality of strides ({})",
                       sizes.size(), strides.size()),
           "a stride for each size");
  sizes_not_negative(s, sizes);
  for (const I& n : strides)
    if (!holds(n >= I(0)))
      s.fail(
          fmt::format("Storage size calculation overflowed with sizes={} and strides={}",
                      dims_text(std::span<const I>(sizes)), dims_text(std::span<const I>(strides))),
          "strides of 0 or more");
}

template <class S>
void fill_rule(S& s, bool strided) {
  int value_at = s.find("fill_value");
  Scalar value = s.scalar(value_at);
  DType t = s.dtype_or(s.find("dtype"), value.number_type());
  auto sizes = s.ints(0);
  if (strided)
    strides_fit(s);
  else
    sizes_not_negative(s, sizes);
  value_fits(s, value, t);
  if (strided)
    s.out(t, sizes, s.ints(1));
  else
    s.out(t, sizes);
}

template <class S>
void empty_strided_rule(S& s) {
  strides_fit(s);
  s.out(s.dtype_or(2, default_dtype()), s.ints(0), s.ints(1));
}

template <class S>
void empty_rule(S& s) {
  auto sizes = s.ints(0);
  using I = std::remove_cvref_t<decltype(sizes[0])>;
  sizes_not_negative(s, sizes);
  DType t = s.dtype_or(1, default_dtype());
  MemoryFormat f = memory_format(s.args()[5], MemoryFormat::contiguous, s.op());
  if (f == MemoryFormat::preserve)
    s.fail("preserve memory format is unsupported by the empty operator", "empty_like keeps it");
  TensorMeta<I> m{t, sizes, {}};
  s.out(t, sizes, format_strides(s, m, f));
}

// --- arange ---

bool all_integers(const Scalar& a, const Scalar& b, const Scalar& c) {
  return !a.is_real() && !b.is_real() && !c.is_real();
}

// How many integers from `start` on are before `end`. The step's sign is part of the program.
template <class S>
auto integer_length(S& s, Int start, Int end, Int step) {
  auto convert = [](Int v) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(s)>, ShapeCtx<int64_t>>)
      return v.hint();
    else
      return v;
  };
  auto a = convert(start), b = convert(end), n = convert(step);
  using I = decltype(a);
  if (ask_or(size_eq(n, I(0)), false)) s.fail("step must be nonzero", "a step above or below 0");
  bool up = ask_or(n > I(0), true);
  if (!(up ? holds(b >= a) : holds(b <= a)))
    s.fail("upper bound and lower bound inconsistent with step sign",
           fmt::format("it goes from {} to {} by {}", to_text(a), to_text(b), to_text(n)));
  return up ? ceildiv(checked_sub(b, a), n) : ceildiv(checked_sub(a, b), checked_sub(I(0), n));
}

template <class S>
auto arange_length(S& s, DType t) {
  Scalar start = s.scalar(0), end = s.scalar(1), step = s.scalar(2);
  if (all_integers(start, end, step))
    return integer_length(s, start.as_int(), end.as_int(), step.as_int());
  double a = start.to_double(), b = end.to_double(), n = step.to_double();
  if (n == 0 || std::isnan(n)) s.fail("step must be nonzero", "a step above or below 0");
  if (!std::isfinite(a) || !std::isfinite(b))
    s.fail(fmt::format("unsupported range: {} -> {}", a, b), "finite bounds");
  // int64 counts in whole numbers, as PyTorch does.
  if (t == DType::i64) {
    if (n > -1 && n < 1)
      s.fail("step must be nonzero",
             "a step of 1 or more, or of -1 or less: int64 takes its whole part", ErrorKind::value);
    return integer_length(s, start.as_int(), end.as_int(), step.as_int());
  }
  if (!((n > 0 && b >= a) || (n < 0 && b <= a)))
    s.fail("upper bound and lower bound inconsistent with step sign",
           fmt::format("it goes from {} to {} by {}", a, b, n));
  double length = std::ceil((b - a) / n);
  if (!(length >= 0 && length < 9.2e18))
    s.fail("invalid size, possible overflow?", "a larger step");
  using I = decltype(integer_length(s, Int(0), Int(0), Int(0)));
  return I(static_cast<int64_t>(length));
}

template <class S>
void arange_rule(S& s) {
  DType t = s.dtype_or(
      3, all_integers(s.scalar(0), s.scalar(1), s.scalar(2)) ? DType::i64 : default_dtype());
  if (is_bool(t))
    s.fail("\"arange_cpu\" not implemented for 'Bool'", "another dtype",
           ErrorKind::not_implemented);
  auto length = arange_length(s, t);
  s.out(t, DimsOf<decltype(length)>{length});
}

void ranges(Registry& r) {
  r.op("arange.start_step(Scalar start, Scalar end, Scalar step=1, *, " + with_options() +
       ") -> Tensor")
      .kind(Kind::creation)
      .lowering("arange")
      .shape([](auto& s) { arange_rule(s); })
      .doc("The numbers from start (0) to before end, by step (1).");
  r.op("arange.start(Scalar start, Scalar end, *, " + with_options() + ") -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        return {c.op<"arange.start_step">(a[0], a[1], Scalar(1), a[2])};
      });
  r.op("arange(Scalar end, *, " + with_options() + ") -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        return {c.op<"arange.start_step">(Scalar(0), a[0], Scalar(1), a[1])};
      });
  // From both ends towards the middle, so that the last element is end exactly.
  r.op("linspace(Scalar start, Scalar end, int steps, *, " + with_options() + ") -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        int64_t steps = a[2].to_int().hint();
        if (steps < 0)
          throw UserError(ErrorKind::runtime, "linspace", "number of steps must be non-negative",
                          "0 or more steps");
        DType t = dtype_or(a[3], default_dtype());
        double start = a[0].to_double(), end = a[1].to_double();
        if (steps == 1) return {c.op<"full">(IntList{Int(1)}, a[0], t)};
        double step = (end - start) / static_cast<double>(steps - 1);
        Term i(c, c.op<"arange.start_step">(Scalar(0), Scalar(steps), Scalar(1), DType::f64));
        Term low = i * Scalar(step) + Scalar(start);
        Term high = Scalar(end) - (Scalar(static_cast<double>(steps - 1)) - i) * Scalar(step);
        Term all(c, c.op<"where.self">((i < Scalar(steps / 2)).ref(), low.ref(), high.ref()));
        return {all.to(t).ref()};
      })
      .doc("steps numbers from start to end, both included, evenly spaced.");
}

void eyes(Registry& r) {
  auto eye = [](Caller& c, Int n, Int m, const Arg& dtype) -> RefList {
    for (auto [size, name] : {std::pair(n, 'n'), std::pair(m, 'm')})
      if (!holds(size >= Int(0)))
        throw UserError(
            ErrorKind::runtime, "eye",
            fmt::format("{} must be greater or equal to 0, got {}", name, to_text(size)),
            "a size of 0 or more");
    Term rows(c, c.op<"arange">(Scalar(n))), columns(c, c.op<"arange">(Scalar(m)));
    return {(rows.op<"unsqueeze">(1) == columns).to(dtype_or(dtype, default_dtype())).ref()};
  };
  r.op("eye(SymInt n, *, " + with_options() + ") -> Tensor")
      .composite([eye](Caller& c, std::span<const Arg> a) {
        return eye(c, a[0].to_int(), a[0].to_int(), a[1]);
      })
      .doc("The matrix with 1 on its diagonal and 0 elsewhere.");
  r.op("eye.m(SymInt n, SymInt m, *, " + with_options() + ") -> Tensor")
      .composite([eye](Caller& c, std::span<const Arg> a) {
        return eye(c, a[0].to_int(), a[1].to_int(), a[2]);
      });
}

void primitives(Registry& r) {
  auto body = [](OpBuilder& b, const char* text) -> OpBuilder& {
    b.record().body = text;
    return b.kind(Kind::creation);
  };
  body(r.op("full(SymInt[] size, Scalar fill_value, *, " + with_options() + ") -> Tensor"), "full")
      .shape([](auto& s) { fill_rule(s, false); })
      .doc("A tensor with one value everywhere.");
  body(r.op("_full_strided(SymInt[] size, SymInt[] stride, Scalar fill_value, *, ScalarType dtype) "
            "-> Tensor"),
       "full")
      .shape([](auto& s) { fill_rule(s, true); })
      .doc("full, laid out with the given strides.");
  body(r.op("empty.memory_format(SymInt[] size, *, " + with_like_options() + ") -> Tensor"),
       "empty")
      .shape([](auto& s) { empty_rule(s); })
      .doc("A tensor whose elements are not set.");
  body(r.op("empty_strided(SymInt[] size, SymInt[] stride, *, " + with_options() + ") -> Tensor"),
       "empty")
      .shape([](auto& s) { empty_strided_rule(s); })
      .doc("A tensor whose elements are not set, laid out with the given strides.");
}

// zeros and ones, under their own names in errors.
void filled(Registry& r, const std::string& op, Scalar value, const char* what) {
  r.op(op + "(SymInt[] size, *, " + with_options() + ") -> Tensor")
      .composite([op, value](Caller& c, std::span<const Arg> a) -> RefList {
        IntList sizes = a[0].to_ints();
        for (Int n : sizes)
          if (!holds(n >= Int(0)))
            throw UserError(ErrorKind::runtime, op, op + ": Dimension size must be non-negative.",
                            "it is " + to_text(n));
        return {c.op<"full">(sizes, value, dtype_or(a[1], default_dtype()))};
      })
      .doc(std::string("A tensor of ") + what + ".");
}

// The strides of a tensor like `t`, and whether they are simply row-major.
struct Layout {
  IntList strides;
  bool row_major = false;
};
Layout like(const TensorMeta<Int>& t, const Arg& format, std::string_view op) {
  ArgList none;
  ShapeCtx<Int> s(find_op(std::string(op)), none);
  Layout l{format_strides(s, t, memory_format(format, MemoryFormat::preserve, op)), true};
  IntList expected = contiguous_strides<Int>(t.sizes);
  for (size_t i = 0; i < expected.size(); ++i)
    l.row_major = l.row_major && known_equal(expected[i], l.strides[i]);
  return l;
}

Ref full_like(Caller& c, const Ref& t, Scalar value, const Arg& dtype, const Arg& format,
              std::string_view op) {
  auto m = meta(t);
  DType type = dtype_or(dtype, m.dtype);
  Layout l = like(m, format, op);
  if (l.row_major) return c.op<"full">(IntList(m.sizes), value, type);
  return c.op<"_full_strided">(IntList(m.sizes), l.strides, value, type);
}

void likes(Registry& r) {
  for (bool one : {false, true}) {
    std::string name = one ? "ones" : "zeros";
    Scalar value(one ? 1 : 0);
    std::string op = name + "_like";
    r.op(op + "(Tensor self, *, " + with_like_options() + ") -> Tensor")
        .composite([value, op](Caller& c, std::span<const Arg> a) -> RefList {
          return {full_like(c, a[0].ref(), value, a[1], a[5], op)};
        })
        .doc(name + " in self's sizes, layout and dtype.");
    r.op("new_" + name + "(Tensor self, SymInt[] size, *, " + with_options() + ") -> Tensor")
        .composite([value](Caller& c, std::span<const Arg> a) -> RefList {
          return {c.op<"full">(a[1], value, dtype_or(a[2], meta(a[0].ref()).dtype))};
        })
        .doc(name + " in self's dtype.");
  }
  r.op("full_like(Tensor self, Scalar fill_value, *, " + with_like_options() + ") -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        return {full_like(c, a[0].ref(), a[1].to_scalar(), a[2], a[6], "full_like")};
      })
      .doc("One value in self's sizes, layout and dtype.");
  r.op("empty_like(Tensor self, *, " + with_like_options() + ") -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        auto m = meta(a[0].ref());
        DType t = dtype_or(a[1], m.dtype);
        return {c.op<"empty_strided">(IntList(m.sizes), like(m, a[5], "empty_like").strides, t)};
      })
      .doc("Elements that are not set, in self's sizes, layout and dtype.");
  r.op("new_full(Tensor self, SymInt[] size, Scalar fill_value, *, " + with_options() +
       ") -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        return {c.op<"full">(a[1], a[2], dtype_or(a[3], meta(a[0].ref()).dtype))};
      })
      .doc("full in self's dtype.");
  r.op("new_empty(Tensor self, SymInt[] size, *, " + with_options() + ") -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        return {c.op<"empty.memory_format">(a[1], dtype_or(a[2], meta(a[0].ref()).dtype))};
      })
      .doc("empty in self's dtype.");
  r.op("new_empty_strided(Tensor self, SymInt[] size, SymInt[] stride, *, " + with_options() +
       ") -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        return {c.op<"empty_strided">(a[1], a[2], dtype_or(a[3], meta(a[0].ref()).dtype))};
      })
      .doc("empty_strided in self's dtype.");
  r.op("scalar_tensor(Scalar s, *, " + with_options() + ") -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        return {c.op<"full">(IntList{}, a[0], dtype_or(a[1], default_dtype()))};
      })
      .doc("A number as a tensor of no dimensions, of the default float type.");
}

}  // namespace

void register_creation(Registry& r) {
  primitives(r);
  filled(r, "zeros", Scalar(0), "zeros");
  filled(r, "ones", Scalar(1), "ones");
  likes(r);
  ranges(r);
  eyes(r);
}

}  // namespace frit
