// Random tensors. Four ops draw; the others are written in them.
//
// Element i, in row-major order whatever the layout, uses these 32-bit words of the call's Philox
// stream (src/vec holds the same functions):
//   rand        float32: word i; float64: words 2i (low) and 2i+1 (high). Uniform in [0, 1): the
//   low
//               24 (53) bits as a fraction.
//   randn       elements 2k and 2k+1 share what rand would use for them: radius
//               sqrt(-2 log(1 - u)) from the first, angle 2 pi v from the second; the first is
//               radius * cos(angle), the second radius * sin(angle).
//   randint     word i, scaled: low + (word * (high - low) >> 32); words 2i and 2i+1, as one 64-bit
//               word, where high - low is above 2^32.
//   _bernoulli  word i as float32's rand: 1 where that is below float32(p), else 0. In any dtype.
// The half types are drawn in float32 and rounded: rand keeps as many bits as they hold, so that it
// stays below 1.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "ops/copy/memory_format.h"
#include "ops/families.h"
#include "ops/kind_rules.h"
#include "ops/vjp_helpers.h"

namespace frit {
namespace {

std::string with_options() {
  return "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None";
}
std::string with_like_options() { return with_options() + ", MemoryFormat? memory_format=None"; }
// A function, as the ones above: records are registered before this file's statics may exist.
std::string with_generator() { return "*, Generator? generator"; }

DType dtype_or(const Arg& a, DType otherwise) { return a.is_none() ? otherwise : a.as<DType>(); }

[[noreturn]] void fail(std::string_view op, std::string message, std::string hint,
                       ErrorKind kind = ErrorKind::runtime) {
  throw UserError(kind, op, std::move(message), std::move(hint));
}

void floats_only(DType t, std::string_view op, const char* kernel) {
  if (!is_floating(t))
    fail(op, fmt::format("\"{}\" not implemented for '{}'", kernel, scalar_type_name(t)),
         "a float dtype", ErrorKind::not_implemented);
}

template <class S>
void drawn(S& s, int sizes_at, DType t) {
  auto sizes = s.ints(sizes_at);
  using I = std::remove_cvref_t<decltype(sizes[0])>;
  for (const I& n : sizes)
    if (!holds(n >= I(0)))
      s.fail(fmt::format("Trying to create tensor with negative dimension {}: {}", to_text(n),
                         dims_text(std::span<const I>(sizes))),
             "sizes of 0 or more");
  s.out(t, sizes);
}

Int drawn_count(ShapeCtx<Int>& s) {
  Int n = numel_of<Int>(std::span<const Int>(s.outs()[0].sizes));
  return s.outs()[0].dtype == DType::f64 ? n * 2 : n;
}

// --- randint ---

constexpr int64_t kWordRange = int64_t{1} << 32;

struct IntegerLimits {
  double low, high;
};
// The integers a dtype holds one by one.
IntegerLimits integer_limits(DType t) {
  if (is_bool(t)) return {0, 1};
  if (t == DType::f64) return {-0x1p53, 0x1p53};
  if (t == DType::f32) return {-0x1p24, 0x1p24};
  if (t == DType::f16) return {-0x1p11, 0x1p11};
  if (t == DType::bf16) return {-0x1p8, 0x1p8};
  if (t == DType::u8) return {0, 255};
  double high = std::exp2(static_cast<double>(size_of(t) * 8 - 1));
  return {-high, high - 1};
}

template <class S>
void randint_rule(S& s) {
  DType t = s.dtype_or(4, DType::i64);
  auto low = s.integer(0), high = s.integer(1);
  if (!holds(low < high))
    s.fail(fmt::format("random_ expects 'from' to be less than 'to', but got from={} >= to={}",
                       to_text(low), to_text(high)),
           "high is exclusive: give one above low");
  IntegerLimits limits = integer_limits(t);
  auto within = [&](double v) { return v >= limits.low && v <= limits.high; };
  if (!is_floating(t)) {
    if (!within(static_cast<double>(as_int64_or_hint(low))))
      s.fail(fmt::format("from is out of bounds for {}", torch_name(t)), "another dtype");
    if (!within(static_cast<double>(as_int64_or_hint(high)) - 1))
      s.fail(fmt::format("to - 1 is out of bounds for {}", torch_name(t)), "another dtype");
  }
  drawn(s, 2, t);
}

bool wide_range(Int low, Int high) { return !ask_or(high - low <= Int(kWordRange), true); }

void integers(Registry& r) {
  r.op("randint.low_generator(SymInt low, SymInt high, SymInt[] size, " + with_generator() +
       ", ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) "
       "-> Tensor")
      .random("randint",
              [](ShapeCtx<Int>& s) {
                Int n = numel_of<Int>(std::span<const Int>(s.outs()[0].sizes));
                return wide_range(s.integer(0), s.integer(1)) ? n * 2 : n;
              })
      .shape([](auto& s) { randint_rule(s); })
      .doc("Integers from low (0) to before high, each as likely.");
  const std::string dtype =
      "ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None";
  r.op("randint(SymInt high, SymInt[] size, *, " + dtype + ") -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        return {c.op<"randint.low_generator">(0, a[0], a[1], Arg(), a[2])};
      });
  r.op("randint.generator(SymInt high, SymInt[] size, " + with_generator() + ", " + dtype +
       ") -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        return {c.op<"randint.low_generator">(0, a[0], a[1], a[2], a[3])};
      });
  r.op("randint.low(SymInt low, SymInt high, SymInt[] size, *, " + dtype + ") -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        return {c.op<"randint.low_generator">(a[0], a[1], a[2], Arg(), a[3])};
      });
}

// A drawn row-major tensor, laid out as an op that keeps self's layout would.
Ref laid_out(Caller& c, const Ref& drawn, const TensorMeta<Int>& self, const Arg& format,
             std::string_view op) {
  ArgList none;
  ShapeCtx<Int> s(find_op(op), none);
  IntList strides = format_strides(s, self, memory_format(format, MemoryFormat::preserve, op));
  bool same = true;
  auto have = meta(drawn);
  for (size_t i = 0; i < strides.size(); ++i)  // what addresses nothing decides nothing
    same = same && (known_one(self.sizes[i]) || known_equal(strides[i], have.strides[i]));
  if (same) return drawn;
  Ref place = c.op<"empty_strided">(IntList(self.sizes), strides, have.dtype);
  return c.op<"copy">(place, drawn);
}

void integers_like(Registry& r) {
  auto draw = [](Caller& c, const Ref& t, const Arg& low, const Arg& high, const Arg& generator,
                 const Arg& dtype, const Arg& format) -> RefList {
    auto m = meta(t);
    Ref drawn = c.op<"randint.low_generator">(low, high, IntList(m.sizes), generator,
                                              dtype_or(dtype, m.dtype));
    return {laid_out(c, drawn, m, format, "randint_like")};
  };
  r.op("randint_like(Tensor self, SymInt high, *, " + with_like_options() + ") -> Tensor")
      .composite([draw](Caller& c, std::span<const Arg> a) {
        return draw(c, a[0].ref(), 0, a[1], Arg(), a[2], a[6]);
      })
      .doc("randint in self's sizes, layout and dtype.");
  r.op("randint_like.generator(Tensor self, SymInt high, " + with_generator() + ", " +
       with_like_options() + ") -> Tensor")
      .composite([draw](Caller& c, std::span<const Arg> a) {
        return draw(c, a[0].ref(), 0, a[1], a[2], a[3], a[7]);
      });
  r.op("randint_like.low_dtype(Tensor self, SymInt low, SymInt high, *, " + with_like_options() +
       ") -> Tensor")
      .composite([draw](Caller& c, std::span<const Arg> a) {
        return draw(c, a[0].ref(), a[1], a[2], Arg(), a[3], a[7]);
      });
  r.op("randint_like.low_generator_dtype(Tensor self, SymInt low, SymInt high, " +
       with_generator() + ", " + with_like_options() + ") -> Tensor")
      .composite([draw](Caller& c, std::span<const Arg> a) {
        return draw(c, a[0].ref(), a[1], a[2], a[3], a[4], a[8]);
      });
}

// --- uniform and normal floats ---

// A float op's result in dtype t, drawn in float32 where t is a half type.
Ref draw_rand(Caller& c, const Arg& sizes, const Arg& generator, DType t, std::string_view op) {
  floats_only(t, op, "check_uniform_bounds");
  if (!is_reduced_float(t)) return c.op<"_rand">(sizes, generator, t);
  Term u(c, c.op<"_rand">(sizes, generator, DType::f32));
  double steps = t == DType::f16 ? 0x1p11 : 0x1p8;
  return ((u * Scalar(steps)).op<"floor">() * Scalar(1 / steps)).to(t).ref();
}

Ref draw_randn(Caller& c, const Arg& sizes, const Arg& generator, DType t, std::string_view op) {
  floats_only(t, op, "normal_kernel_cpu");
  if (!is_reduced_float(t)) return c.op<"_randn">(sizes, generator, t);
  return c.op<"_to_copy">(c.op<"_randn">(sizes, generator, DType::f32), t);
}

// from + (to - from) * u, in the type that t computes in.
Ref draw_uniform(Caller& c, const Arg& sizes, const Arg& generator, DType t, double from, double to,
                 std::string_view op) {
  floats_only(t, op, "check_uniform_bounds");
  double limit = t == DType::f64    ? std::numeric_limits<double>::max()
                 : t == DType::f16  ? 65504.0
                 : t == DType::bf16 ? 0x1.fep127
                                    : static_cast<double>(std::numeric_limits<float>::max());
  for (auto [v, name] : {std::pair(from, "from"), std::pair(to, "to")})
    if (!(std::abs(v) <= limit))
      fail(op, fmt::format("{} is out of bounds for {}", name, torch_name(t)), "finite bounds");
  if (from > to)
    fail(op,
         fmt::format("uniform_ expects to return a [from, to) range, but found from={} > to={}",
                     from, to),
         "from at or below to");
  if (!(to - from <= limit))
    fail(op,
         fmt::format("uniform_ expects to-from <= std::numeric_limits<{}>::max(), but found "
                     "to={} and from={} which result in to-from to exceed the limit",
                     torch_name(t), to, from),
         "a narrower range");
  if (from == 0 && to == 1) return draw_rand(c, sizes, generator, t, op);
  Term u(c, c.op<"_rand">(sizes, generator, compute_type(t)));
  return (u * Scalar(to - from) + Scalar(from)).to(t).ref();
}

Ref draw_normal(Caller& c, const Arg& sizes, const Arg& generator, DType t, double mean, double std,
                std::string_view op) {
  if (!(std >= 0))
    fail(op, fmt::format("normal expects std >= 0.0, but found std {}", std), "0 or more");
  floats_only(t, op, "normal_kernel_cpu");
  if (mean == 0 && std == 1) return draw_randn(c, sizes, generator, t, op);
  Term n(c, c.op<"_randn">(sizes, generator, compute_type(t)));
  return (n * Scalar(std) + Scalar(mean)).to(t).ref();
}

using Draw = Ref (*)(Caller&, const Arg& sizes, const Arg& generator, DType, std::string_view op);

// name(size), name.generator, name_like and name_like.generator.
void sized_and_like(Registry& r, const std::string& name, Draw draw, const std::string& doc) {
  r.op(name + "(SymInt[] size, *, " + with_options() + ") -> Tensor")
      .composite([draw, name](Caller& c, std::span<const Arg> a) -> RefList {
        return {draw(c, a[0], Arg(), dtype_or(a[1], default_dtype()), name)};
      })
      .doc(doc);
  r.op(name + ".generator(SymInt[] size, " + with_generator() + ", " + with_options() +
       ") -> Tensor")
      .composite([draw, name](Caller& c, std::span<const Arg> a) -> RefList {
        return {draw(c, a[0], a[1], dtype_or(a[2], default_dtype()), name)};
      });
  std::string like = name + "_like";
  auto draw_like = [draw, like](Caller& c, const Ref& t, const Arg& generator, const Arg& dtype,
                                const Arg& format) -> RefList {
    auto m = meta(t);
    Ref made = draw(c, Arg(IntList(m.sizes)), generator, dtype_or(dtype, m.dtype), like);
    return {laid_out(c, made, m, format, like)};
  };
  r.op(like + "(Tensor self, *, " + with_like_options() + ") -> Tensor")
      .composite([draw_like](Caller& c, std::span<const Arg> a) {
        return draw_like(c, a[0].ref(), Arg(), a[1], a[5]);
      })
      .doc(name + " in self's sizes, layout and dtype.");
  r.op(like + ".generator(Tensor self, " + with_generator() + ", " + with_like_options() +
       ") -> Tensor")
      .composite([draw_like](Caller& c, std::span<const Arg> a) {
        return draw_like(c, a[0].ref(), a[1], a[2], a[6]);
      });
}

void floats(Registry& r) {
  r.op("_rand(SymInt[] size, " + with_generator() + ", ScalarType dtype) -> Tensor")
      .random("rand", drawn_count)
      .shape([](auto& s) { drawn(s, 0, s.dtype_or(2, DType::f32)); })
      .doc("Uniform numbers in [0, 1), of float32 or float64.");
  r.op("_randn(SymInt[] size, " + with_generator() + ", ScalarType dtype) -> Tensor")
      .random("randn",
              [](ShapeCtx<Int>& s) {
                Int n = numel_of<Int>(std::span<const Int>(s.outs()[0].sizes));
                Int pairs = ceildiv(n, 2);
                return s.outs()[0].dtype == DType::f64 ? pairs * 4 : pairs * 2;
              })
      .shape([](auto& s) { drawn(s, 0, s.dtype_or(2, DType::f32)); })
      .doc("Normal numbers of mean 0 and deviation 1, of float32 or float64.");
  sized_and_like(r, "rand", draw_rand, "Uniform numbers in [0, 1).");
  sized_and_like(r, "randn", draw_randn, "Normal numbers of mean 0 and deviation 1.");

  r.op("uniform(Tensor self, float from=0., float to=1., *, Generator? generator=None) -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        auto m = meta(a[0].ref());
        Ref u = draw_uniform(c, Arg(IntList(m.sizes)), a[3], m.dtype, a[1].to_double(),
                             a[2].to_double(), "uniform");
        return {laid_out(c, u, m, Arg(), "uniform")};
      })
      .doc("Uniform numbers in [from, to), in self's sizes, layout and dtype.");
  r.op("uniform_(Tensor(a!) self, float from=0., float to=1., *, Generator? generator=None) -> "
       "Tensor(a!)")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        auto m = meta(a[0].ref());
        Ref u = draw_uniform(c, Arg(IntList(m.sizes)), a[3], m.dtype, a[1].to_double(),
                             a[2].to_double(), "uniform_");
        return {c.op<"copy_">(a[0].ref(), u)};
      })
      .doc("Fills self with uniform numbers.");
  r.op("normal_functional(Tensor self, float mean=0., float std=1., *, Generator? generator=None) "
       "-> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        auto m = meta(a[0].ref());
        Ref n = draw_normal(c, Arg(IntList(m.sizes)), a[3], m.dtype, a[1].to_double(),
                            a[2].to_double(), "normal");
        return {laid_out(c, n, m, Arg(), "normal_functional")};
      })
      .doc("Normal numbers, in self's sizes, layout and dtype.");
  r.op("normal_(Tensor(a!) self, float mean=0., float std=1., *, Generator? generator=None) -> "
       "Tensor(a!)")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        auto m = meta(a[0].ref());
        Ref n = draw_normal(c, Arg(IntList(m.sizes)), a[3], m.dtype, a[1].to_double(),
                            a[2].to_double(), "normal_");
        return {c.op<"copy_">(a[0].ref(), n)};
      })
      .doc("Fills self with normal numbers.");
}

// randn * std + mean, broadcast; gradients reach mean and std only through it if asked.
RefList normal_of(Caller& c, const IntList& sizes, DType t, const Arg& generator, const Arg& mean,
                  const Arg& std) {
  floats_only(t, "normal", "normal_kernel_cpu");
  Term n(c, c.op<"_randn">(sizes, generator, compute_type(t)));
  n = std.is_ref() ? n * Term(c, std.ref()) : n * Scalar(std.to_double());
  n = mean.is_ref() ? n + Term(c, mean.ref()) : n + Scalar(mean.to_double());
  return {n.to(t).ref()};
}

void check_std(double std) {
  if (!(std >= 0))
    fail("normal", fmt::format("normal expects std >= 0.0, but found std {}", std), "0 or more");
}

void normals_of_tensors(Registry& r) {
  r.op("normal.Tensor_float(Tensor mean, float std=1., *, Generator? generator=None) -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) {
        auto m = meta(a[0].ref());
        check_std(a[1].to_double());
        return normal_of(c, IntList(m.sizes), m.dtype, a[2], c.op<"detach">(a[0]), a[1]);
      })
      .doc("Normal numbers with the given means and deviations.");
  r.op("normal.float_Tensor(float mean, Tensor std, *, Generator? generator=None) -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) {
        auto m = meta(a[1].ref());
        return normal_of(c, IntList(m.sizes), m.dtype, a[2], a[0], c.op<"detach">(a[1]));
      });
  r.op("normal.Tensor_Tensor(Tensor mean, Tensor std, *, Generator? generator=None) -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) {
        auto mean = meta(a[0].ref()), std = meta(a[1].ref());
        IntList sizes(mean.sizes);
        size_t at = 0;
        if (!broadcast_into<Int>(sizes, std.sizes, at))
          fail("normal",
               fmt::format("The size of tensor a ({}) must match the size of tensor b ({}) "
                           "at non-singleton dimension {}",
                           to_text(sizes[at]),
                           to_text(std.sizes[at - (sizes.size() - std.sizes.size())]), at),
               "mean and std of sizes that broadcast");
        return normal_of(c, sizes, mean.dtype, a[2], c.op<"detach">(a[0]), c.op<"detach">(a[1]));
      });
  r.op("normal.float_float(float mean, float std, SymInt[] size, *, Generator? generator=None, " +
       with_options() + ") -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        return {draw_normal(c, a[2], a[3], dtype_or(a[4], default_dtype()), a[0].to_double(),
                            a[1].to_double(), "normal")};
      });
}

// --- coin flips ---

void check_probability(double p, std::string_view op) {
  if (!(p >= 0 && p <= 1))
    fail(op, fmt::format("bernoulli_ expects p to be in [0, 1], but got p={}", p),
         "a probability between 0 and 1");
}

Ref flips(Caller& c, const TensorMeta<Int>& m, double p, const Arg& generator, DType t) {
  return c.op<"_bernoulli">(IntList(m.sizes), p, generator, t);
}

// 1 where a uniform number is below p.
Ref flips_by(Caller& c, const Ref& p, const TensorMeta<Int>& like, const Arg& generator) {
  DType drawn = meta(p).dtype == DType::f64 ? DType::f64 : DType::f32;
  Term checked(c, c.op<"_probabilities">(c.op<"detach">(p)));
  Term u(c, c.op<"_rand">(IntList(like.sizes), generator, drawn));
  return (u < checked).to(like.dtype).ref();
}

RefList flips_with(Caller& c, std::span<const Arg> a) {
  auto m = meta(a[0].ref());
  floats_only(meta(a[1].ref()).dtype, "bernoulli", "bernoulli_tensor_cpu_p_");
  return {flips_by(c, c.op<"expand">(a[1], IntList(m.sizes)), m, a[2])};
}

void bernoullis(Registry& r) {
  r.op("_bernoulli(SymInt[] size, float p, " + with_generator() + ", ScalarType dtype) -> Tensor")
      .random(
          "bernoulli",
          [](ShapeCtx<Int>& s) { return numel_of<Int>(std::span<const Int>(s.outs()[0].sizes)); })
      .shape([](auto& s) {
        check_probability(s.real(1), "bernoulli_");
        drawn(s, 0, s.dtype_or(3, DType::boolean));
      })
      .doc("1 with probability p, else 0.");
  r.op("_probabilities(Tensor self) -> Tensor")
      .kind(Kind::library)
      .shape([](auto& s) {
        auto t = s.tensor(0);
        s.out(t.dtype, t.sizes);
      })
      .raises_on_data()
      .not_differentiable()
      .doc("self, whose elements must be probabilities.");
  r.op("bernoulli(Tensor self, *, Generator? generator=None) -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        auto m = meta(a[0].ref());
        floats_only(m.dtype, "bernoulli", "bernoulli_tensor_cpu_p_");
        return {flips_by(c, a[0].ref(), m, a[1])};
      })
      .doc("1 with the probability that self gives, else 0.");
  r.op("bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        auto m = meta(a[0].ref());
        return {flips(c, m, a[1].to_double(), a[2], m.dtype)};
      });
  r.op("bernoulli.Tensor(Tensor self, Tensor p, *, Generator? generator=None) -> Tensor")
      .composite(flips_with)
      .inplace("Tensor");
  r.op("bernoulli_.float(Tensor(a!) self, float p=0.5, *, Generator? generator=None) -> Tensor(a!)")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        auto m = meta(a[0].ref());
        Ref drawn = flips(c, m, a[1].to_double(), a[2], m.dtype);
        return {c.op<"copy_">(a[0].ref(), drawn)};
      })
      .doc("Sets each element to 1 with probability p, else to 0.");
}

// --- dropout ---

// x where the mask is true, scaled by 1 / (1 - p).
Ref masked(const Term& x, const Ref& mask, double scale) {
  return (x * Term(x.caller(), mask) * Scalar(scale)).ref();
}

RefList dropout(Caller& c, std::span<const Arg> a) {
  double p = a[1].to_double();
  if (!(p >= 0 && p <= 1))
    fail("dropout", fmt::format("dropout probability has to be between 0 and 1, but got {}", p),
         "a probability between 0 and 1");
  Term x(c, a[0].ref());
  auto m = x.meta();
  if (p == 0 || !a[2].to_bool() || ask_or(m.numel() == Int(0), false)) return {a[0].ref()};
  if (p == 1) return {(x * Term(c, c.op<"full">(IntList{}, Scalar(0), m.dtype))).ref()};
  if (!is_floating(m.dtype))
    fail("dropout",
         fmt::format("result type Float can't be cast to the desired output type {}",
                     scalar_type_name(m.dtype)),
         "convert to a float type first");
  return {masked(x, flips(c, m, 1 - p, Arg(), DType::boolean), 1 / (1 - p))};
}

RefList native_dropout(Caller& c, std::span<const Arg> a) {
  double p = a[1].to_double();
  Term x(c, a[0].ref());
  auto m = x.meta();
  if (ask_or(m.numel() == Int(0), false))
    return {a[0].ref(), c.op<"full">(IntList(m.sizes), Scalar(false), DType::boolean)};
  if (!a[2].is_none() && !a[2].to_bool())
    return {c.op<"clone">(a[0].ref()),
            c.op<"full">(IntList(m.sizes), Scalar(true), DType::boolean)};
  check_probability(1 - p, "bernoulli_");
  Ref mask = flips(c, m, 1 - p, Arg(), DType::boolean);
  return {masked(x, mask, p == 1 ? 0 : 1 / (1 - p)), mask};
}

void dropouts(Registry& r) {
  r.op("dropout(Tensor input, float p, bool train) -> Tensor")
      .composite(dropout)
      .doc(
          "In training, each element set to 0 with probability p and the rest scaled by 1 / (1 - "
          "p); else the input itself.");
  r.op("dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)").composite(dropout);
  r.op("native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)")
      .composite(native_dropout)
      .doc("dropout and the mask of what was kept.");
  r.op("native_dropout_backward(Tensor grad_output, Tensor mask, float scale) -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        return {masked(Term(c, a[0].ref()), a[1].ref(), a[2].to_double())};
      });
}

}  // namespace

void register_random(Registry& r) {
  floats(r);
  normals_of_tensors(r);
  integers(r);
  integers_like(r);
  bernoullis(r);
  dropouts(r);
}

}  // namespace frit
