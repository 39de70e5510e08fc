// Matrix products. The graph's primitives are mm and bmm; the rest is written in them, and eager
// has kernels for the ones that models call.
#include "ops/families.h"
#include "ops/kind_rules.h"
#include "ops/views/view_rules.h"

namespace frit {
namespace {

template <class S, class T>
void same_dtype(S& s, const T& a, const T& b, const char* what) {
  if (a.dtype != b.dtype)
    s.fail(std::string("expected ") + what + " to have the same dtype, but got: " +
               std::string(torch_name(a.dtype)) + " != " + std::string(torch_name(b.dtype)),
           "to(" + std::string(name(a.dtype)) + ") on one of them");
}

template <class I>
std::string by(const TensorMeta<I>& t) {
  return text_of(t.sizes[0]) + "x" + text_of(t.sizes[1]);
}

template <class S, class T>
void inner_sizes_agree(S& s, const T& a, const T& b) {
  if (!sizes_agree(a.sizes[1], b.sizes[0]))
    s.fail("mat1 and mat2 shapes cannot be multiplied (" + by(a) + " and " + by(b) +
               "): mat1's last size (" + text_of(a.sizes[1]) + ") must equal mat2's first (" +
               text_of(b.sizes[0]) + ")",
           "transpose one of them, or check the sizes of the layer");
}

template <class S>
void mm_rule(S& s) {
  using I = IntOf<S>;
  auto a = s.tensor(0), b = s.tensor(1);
  if (a.dim() != 2)
    s.fail("self must be a matrix, it is " + std::to_string(a.dim()) + "D",
           "matmul() for other ranks");
  if (b.dim() != 2)
    s.fail("mat2 must be a matrix, it is " + std::to_string(b.dim()) + "D",
           "matmul() for other ranks");
  inner_sizes_agree(s, a, b);
  same_dtype(s, a, b, "m1 and m2");
  s.out(a.dtype, DimsOf<I>{a.sizes[0], b.sizes[1]});
}

template <class S>
void bmm_rule(S& s) {
  using I = IntOf<S>;
  auto a = s.tensor(0), b = s.tensor(1);
  if (a.dim() != 3 || b.dim() != 3)
    s.fail("batch1 and batch2 must be 3D tensors, they are " + std::to_string(a.dim()) + "D and " +
               std::to_string(b.dim()) + "D",
           "matmul() for other ranks");
  if (!sizes_agree(a.sizes[0], b.sizes[0]) || !sizes_agree(a.sizes[2], b.sizes[1]))
    s.fail("Expected size for first two dimensions of batch2 tensor to be: [" +
               text_of(a.sizes[0]) + ", " + text_of(a.sizes[2]) + "] but got: [" +
               text_of(b.sizes[0]) + ", " + text_of(b.sizes[1]) + "].",
           "transpose(1, 2) on one of them");
  same_dtype(s, a, b, "batch1 and batch2");
  s.out(a.dtype, DimsOf<I>{a.sizes[0], a.sizes[1], b.sizes[2]});
}

// self must broadcast to the product's sizes.
template <class S, class I>
void added_fits(S& s, const TensorMeta<I>& self, std::span<const I> sizes) {
  if (self.sizes.size() > sizes.size())
    s.fail("expand(" + std::string(name(self.dtype)) + "{" + dims_text(self.sizes) +
               "}, size=" + dims_text(sizes) + "): the number of sizes provided (" +
               std::to_string(sizes.size()) +
               ") must be greater or equal to the number of dimensions in the tensor (" +
               std::to_string(self.dim()) + ")",
           "an input of the product's rank, or less");
  size_t lead = sizes.size() - self.sizes.size();
  for (size_t i = self.sizes.size(); i-- > 0;) {
    const I &have = self.sizes[i], &wanted = sizes[lead + i];
    if (known_one(have) || known_equal(have, wanted) || ask_or(size_eq(have, I(1)), false) ||
        holds(size_eq(have, wanted)))
      continue;
    s.fail("The expanded size of the tensor (" + text_of(wanted) +
               ") must match the existing size (" + text_of(have) +
               ") at non-singleton dimension " + std::to_string(lead + i) +
               ".  Target sizes: " + dims_text(sizes) + ".  Tensor sizes: " + dims_text(self.sizes),
           "an input of the product's sizes, or of size 1");
  }
}

template <class S>
void addmm_rule(S& s) {
  using I = IntOf<S>;
  auto self = s.tensor(0), a = s.tensor(1), b = s.tensor(2);
  if (a.dim() != 2 || b.dim() != 2)
    s.fail("mat1 and mat2 must be matrices, they are " + std::to_string(a.dim()) + "D and " +
               std::to_string(b.dim()) + "D",
           "matmul() for other ranks");
  inner_sizes_agree(s, a, b);
  same_dtype(s, a, b, "mat1 and mat2");
  same_dtype(s, self, a, "self and mat2");
  DimsOf<I> sizes{a.sizes[0], b.sizes[1]};
  added_fits<S, I>(s, self, sizes);
  s.out(a.dtype, sizes);
}

template <class S>
void baddbmm_rule(S& s) {
  using I = IntOf<S>;
  auto self = s.tensor(0), a = s.tensor(1), b = s.tensor(2);
  if (a.dim() != 3 || b.dim() != 3)
    s.fail("batch1 and batch2 must be 3D tensors", "matmul() for other ranks");
  if (!sizes_agree(a.sizes[0], b.sizes[0]) || !sizes_agree(a.sizes[2], b.sizes[1]))
    s.fail("Expected size for first two dimensions of batch2 tensor to be: [" +
               text_of(a.sizes[0]) + ", " + text_of(a.sizes[2]) + "] but got: [" +
               text_of(b.sizes[0]) + ", " + text_of(b.sizes[1]) + "].",
           "transpose(1, 2) on one of them");
  same_dtype(s, a, b, "batch1 and batch2");
  same_dtype(s, self, a, "self and batch1");
  DimsOf<I> sizes{a.sizes[0], a.sizes[1], b.sizes[2]};
  added_fits<S, I>(s, self, sizes);
  s.out(a.dtype, sizes);
}

template <class S>
void linear_rule(S& s) {
  using I = IntOf<S>;
  auto x = s.tensor(0), w = s.tensor(1);
  if (w.dim() != 2 && w.dim() != 1)
    s.fail("the weight must be [out, in], it is " + dims_text(w.sizes), "a matrix");
  if (x.dim() == 0) s.fail("the input must have at least one dimension", "unsqueeze(0) first");
  const I& in = w.sizes[w.sizes.size() - 1];
  if (!sizes_agree(x.sizes[x.sizes.size() - 1], in)) {
    // In PyTorch's words, which are of the product of the flattened input and the transposed
    // weight.
    I rows(1);
    for (size_t i = 0; i + 1 < x.sizes.size(); ++i) rows = rows * x.sizes[i];
    const I& last = x.sizes[x.sizes.size() - 1];
    s.fail("mat1 and mat2 shapes cannot be multiplied (" + text_of(rows) + "x" + text_of(last) +
               " and " + text_of(in) + "x" +
               (w.dim() == 2 ? text_of(w.sizes[0]) : std::string("1")) + "): input is " +
               dims_text(x.sizes) + ", weight is " + dims_text(w.sizes) + "; input's last size (" +
               text_of(last) + ") must equal weight's last (" + text_of(in) + ")",
           "Linear(in=" + text_of(last) + ", ...)");
  }
  same_dtype(s, x, w, "input and weight");
  DimsOf<I> sizes(x.sizes);
  sizes.pop_back();
  if (w.dim() == 2) sizes.push_back(w.sizes[0]);
  if (s.has(2)) {
    auto b = s.tensor(2);
    same_dtype(s, x, b, "input and bias");
    added_fits<S, I>(s, b, sizes);
  }
  s.out(x.dtype, sizes);
}

// By a number of the tensor's kind: 1.5 counts as 1 for integers.
Ref scaled(Caller& c, const Ref& t, const Scalar& by) {
  if (by.same_as(Scalar(1)) || by.same_as(Scalar(1.0))) return t;
  bool whole = by.is_real() && !is_floating(meta(t).dtype);
  return c.op<"mul.Scalar">(t, whole ? Scalar(by.to_int64()) : by);
}

bool is_zero(const Scalar& s) {
  return s.same_as(Scalar(0)) || s.same_as(Scalar(0.0)) || s.same_as(Scalar(false));
}

// beta * self + product, in one op where nothing is scaled; beta = 0 reads nothing of self.
Ref added(Caller& c, const Ref& self, const Ref& product, const Scalar& beta, const Scalar& alpha) {
  Ref p = scaled(c, product, alpha);
  if (is_zero(beta)) return p;
  return c.op<"add.Tensor">(p, scaled(c, self, beta));
}

Ref flat_rows(Caller& c, const Ref& t) {
  auto m = meta(t);
  if (m.dim() == 2) return t;
  Int rows = 1;
  for (int64_t d = 0; d + 1 < m.dim(); ++d) rows = rows * m.size(d);
  return c.op<"reshape">(t, IntList{rows, m.size(-1)});
}

Ref addmv(Caller& c, std::span<const Arg> a) {
  auto self = meta(a[0].ref()), m = meta(a[1].ref()), v = meta(a[2].ref());
  if (m.dim() != 2 || v.dim() != 1 || self.dim() > 1)
    throw UserError(ErrorKind::runtime, "addmv",
                    "vector + matrix @ vector expected, got " + std::to_string(self.dim()) + ", " +
                        std::to_string(m.dim()) + ", " + std::to_string(v.dim()),
                    "a vector, a matrix and a vector");
  if (!sizes_agree(m.size(1), v.size(0)) ||
      !(self.dim() == 0 || known_one(self.size(0)) || sizes_agree(self.size(0), m.size(0))))
    throw UserError(ErrorKind::runtime, "addmv",
                    "size mismatch, got input (" +
                        (self.dim() ? text_of(self.size(0)) : std::string("1")) + "), mat (" +
                        text_of(m.size(0)) + "x" + text_of(m.size(1)) + "), vec (" +
                        text_of(v.size(0)) + ")",
                    "a vector of " + text_of(m.size(1)));
  return added(c, a[0].ref(), c.op<"mv">(a[1], a[2]), a[3].to_scalar(), a[4].to_scalar());
}

RefList matmul_parts(Caller& c, std::span<const Arg> args) {
  const Ref &a = args[0].ref(), &b = args[1].ref();
  auto ma = meta(a), mb = meta(b);
  if (ma.dim() == 0 || mb.dim() == 0)
    throw UserError(ErrorKind::runtime, "matmul",
                    "both arguments to matmul need to be at least 1D, but they are " +
                        std::to_string(ma.dim()) + "D and " + std::to_string(mb.dim()) + "D",
                    "mul() multiplies by a number");
  if (ma.dim() == 1 && mb.dim() == 1) return {c.op<"dot">(a, b)};
  if (ma.dim() == 2 && mb.dim() == 1) return {c.op<"mv">(a, b)};
  if (ma.dim() == 1 && mb.dim() == 2)
    return {c.op<"squeeze.dim">(c.op<"mm">(c.op<"unsqueeze">(a, 0), b), 0)};
  if (ma.dim() == 2 && mb.dim() == 2) return {c.op<"mm">(a, b)};
  IntList head(ma.sizes.begin(), ma.sizes.end() - 1);
  if (ma.dim() >= 3 && mb.dim() <= 2) {  // fold the batch into the rows
    Ref rows = flat_rows(c, a);
    if (mb.dim() == 1) return {c.op<"view">(c.op<"mv">(rows, b), head)};
    head.push_back(mb.size(1));
    return {c.op<"view">(c.op<"mm">(rows, b), head)};
  }
  // Batched on both sides (or on the right): broadcast the batches, flatten them, bmm, unflatten.
  bool left_vector = ma.dim() == 1, right_vector = mb.dim() == 1;
  Ref x = left_vector ? c.op<"unsqueeze">(a, 0) : a;
  Ref y = right_vector ? c.op<"unsqueeze">(b, 1) : b;
  auto mx = meta(x), my = meta(y);
  IntList batch(mx.sizes.begin(), mx.sizes.end() - 2);
  size_t at = 0;
  IntList other(my.sizes.begin(), my.sizes.end() - 2);
  if (!broadcast_into<Int>(batch, std::span<const Int>(other), at))
    throw UserError(
        ErrorKind::runtime, "matmul",
        "The size of tensor a (" + text_of(batch[at]) + ") must match the size of tensor b (" +
            text_of(other[at - (batch.size() - other.size())]) + ") at non-singleton dimension " +
            std::to_string(at) + ": the batch sizes of " + dims_text(ma.sizes) + " and " +
            dims_text(mb.sizes) + " do not broadcast",
        "equal batch sizes, or 1");
  Int count = numel_of<Int>(batch);
  auto flat = [&](const Ref& t, const TensorMeta<Int>& m) {
    IntList wide(batch);
    wide.push_back(m.size(-2)), wide.push_back(m.size(-1));
    return c.op<"reshape">(c.op<"expand">(t, wide), IntList{count, m.size(-2), m.size(-1)});
  };
  Int rows = mx.size(-2), columns = my.size(-1);
  Ref product = c.op<"bmm">(flat(x, mx), flat(y, my));
  IntList sizes(batch);
  if (!left_vector) sizes.push_back(rows);
  if (!right_vector) sizes.push_back(columns);
  return {c.op<"view">(product, sizes)};
}

}  // namespace

void register_einsum(Registry&);

void register_matmul(Registry& r) {
  r.op("mm(Tensor self, Tensor mat2) -> Tensor")
      .kind(Kind::matmul)
      .shape([](auto& s) { mm_rule(s); })
      .saves({"self", "mat2"})
      .vjp([](VjpCtx& v) -> GradList {
        GradList g(2);
        if (v.needs(0)) g[0] = v.op<"mm">(v.grad(), v.op<"t">(v.arg(1)));
        if (v.needs(1)) g[1] = v.op<"mm">(v.op<"t">(v.arg(0)), v.grad());
        return g;
      })
      .out()
      .doc("The product of two matrices.");

  r.op("bmm(Tensor self, Tensor mat2) -> Tensor")
      .kind(Kind::matmul)
      .shape([](auto& s) { bmm_rule(s); })
      .saves({"self", "mat2"})
      .vjp([](VjpCtx& v) -> GradList {
        GradList g(2);
        if (v.needs(0)) g[0] = v.op<"bmm">(v.grad(), v.op<"transpose.int">(v.arg(1), 1, 2));
        if (v.needs(1)) g[1] = v.op<"bmm">(v.op<"transpose.int">(v.arg(0), 1, 2), v.grad());
        return g;
      })
      .out()
      .doc("The products of two batches of matrices.");

  r.op("addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor")
      .kind(Kind::composite)
      .shape([](auto& s) { addmm_rule(s); })
      .decomp([](Caller& c, std::span<const Arg> a) -> RefList {
        return {added(c, a[0].ref(), c.op<"mm">(a[1], a[2]), a[3].to_scalar(), a[4].to_scalar())};
      })
      .saves({"mat1", "mat2"})
      .vjp([](VjpCtx& v) -> GradList {
        GradList g(5);
        Scalar beta = v.args[3].to_scalar(), alpha = v.args[4].to_scalar();
        if (v.needs(0)) g[0] = v.reduce_to(0, scaled(v.c, v.grad(), beta));
        if (v.needs(1)) g[1] = scaled(v.c, v.op<"mm">(v.grad(), v.op<"t">(v.arg(2))), alpha);
        if (v.needs(2)) g[2] = scaled(v.c, v.op<"mm">(v.op<"t">(v.arg(1)), v.grad()), alpha);
        return g;
      })
      .inplace()
      .out()
      .doc("beta * self + alpha * (mat1 @ mat2).");

  r.op("baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> "
       "Tensor")
      .kind(Kind::composite)
      .shape([](auto& s) { baddbmm_rule(s); })
      .decomp([](Caller& c, std::span<const Arg> a) -> RefList {
        return {added(c, a[0].ref(), c.op<"bmm">(a[1], a[2]), a[3].to_scalar(), a[4].to_scalar())};
      })
      .saves({"batch1", "batch2"})
      .vjp([](VjpCtx& v) -> GradList {
        GradList g(5);
        Scalar beta = v.args[3].to_scalar(), alpha = v.args[4].to_scalar();
        if (v.needs(0)) g[0] = v.reduce_to(0, scaled(v.c, v.grad(), beta));
        if (v.needs(1))
          g[1] = scaled(v.c, v.op<"bmm">(v.grad(), v.op<"transpose.int">(v.arg(2), 1, 2)), alpha);
        if (v.needs(2))
          g[2] = scaled(v.c, v.op<"bmm">(v.op<"transpose.int">(v.arg(1), 1, 2), v.grad()), alpha);
        return g;
      })
      .inplace()
      .out()
      .doc("beta * self + alpha * (batch1 @ batch2), by batch.");

  r.op("linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor")
      .kind(Kind::composite)
      .shape([](auto& s) { linear_rule(s); })
      .decomp([](Caller& c, std::span<const Arg> a) -> RefList {
        auto x = meta(a[0].ref()), w = meta(a[1].ref());
        IntList sizes(x.sizes.begin(), x.sizes.end() - 1);
        Ref y;
        if (w.dim() == 1) {
          y = c.op<"matmul">(a[0].ref(), a[1].ref());
        } else {
          sizes.push_back(w.size(0));
          y = c.op<"mm">(flat_rows(c, a[0].ref()), c.op<"t">(a[1].ref()));
        }
        // A vector of numbers fits the flat rows; other biases fit the result.
        bool fits_rows = !a[2].is_none() && meta(a[2].ref()).dim() <= 1;
        if (fits_rows) y = c.op<"add.Tensor">(y, a[2].ref());
        if (x.dim() != 2) y = c.op<"view">(y, sizes);
        if (!fits_rows && !a[2].is_none()) y = c.op<"add.Tensor">(y, a[2].ref());
        return {y};
      })
      .saves({"input", "weight"})
      .vjp([](VjpCtx& v) -> GradList {
        GradList g(3);
        const auto& x = v.meta(0);
        if (v.meta(1).dim() == 1) {
          Ref column = v.op<"unsqueeze">(v.grad(), -1);
          if (v.needs(0)) g[0] = v.op<"mul.Tensor">(column, v.arg(1));
          if (v.needs(1))
            g[1] = v.op<"reshape">(
                v.op<"mm">(v.op<"t">(flat_rows(v.c, column)), flat_rows(v.c, v.arg(0))),
                IntList{x.size(-1)});
          if (v.needs(2)) g[2] = v.reduce_to(2, v.grad());
          return g;
        }
        Ref grad = flat_rows(v.c, v.grad());
        if (v.needs(0)) {
          Ref gx = v.op<"mm">(grad, v.arg(1));
          g[0] = x.dim() == 2 ? gx : v.op<"view">(gx, IntList(x.sizes));
        }
        if (v.needs(1)) g[1] = v.op<"mm">(v.op<"t">(grad), flat_rows(v.c, v.arg(0)));
        if (v.needs(2)) g[2] = v.reduce_to(2, v.meta(2).dim() <= 1 ? grad : v.grad());
        return g;
      })
      .doc("input @ weight.T + bias.");

  r.op("addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList { return {addmv(c, a)}; })
      .out()
      .doc("beta * self + alpha * (mat @ vec).");
  r.op("addmv_(Tensor(a!) self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> "
       "Tensor(a!)")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        Ref result = addmv(c, a);
        auto self = meta(a[0].ref()), m = meta(result);
        if (self.dim() != 1 || !sizes_agree(self.size(0), m.size(0)))
          throw UserError(ErrorKind::runtime, "addmv_",
                          "Bad in-place call: input tensor size " + dims_text(self.sizes) +
                              " and output tensor size " + dims_text(m.sizes) + " should match",
                          "a vector with a number for each row of the matrix");
        return {c.op<"copy_">(a[0].ref(), result)};
      });

  r.op("mv(Tensor self, Tensor vec) -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        auto m = meta(a[0].ref()), v = meta(a[1].ref());
        if (m.dim() != 2 || v.dim() != 1)
          throw UserError(ErrorKind::runtime, "mv",
                          "vector + matrix @ vector expected, got " + std::to_string(m.dim()) +
                              ", " + std::to_string(v.dim()),
                          "a matrix and a vector");
        if (!sizes_agree(m.size(1), v.size(0)))
          throw UserError(ErrorKind::runtime, "mv",
                          "size mismatch, got input (" + text_of(m.size(0)) + "), mat (" +
                              text_of(m.size(0)) + "x" + text_of(m.size(1)) + "), vec (" +
                              text_of(v.size(0)) + ")",
                          "a vector of " + text_of(m.size(1)));
        return {c.op<"squeeze.dim">(c.op<"mm">(a[0].ref(), c.op<"unsqueeze">(a[1].ref(), 1)), 1)};
      })
      .out()
      .doc("A matrix times a vector.");

  r.op("dot(Tensor self, Tensor tensor) -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        auto x = meta(a[0].ref()), y = meta(a[1].ref());
        if (x.dim() != 1 || y.dim() != 1)
          throw UserError(ErrorKind::runtime, "dot",
                          "1D tensors expected, but got " + std::to_string(x.dim()) + "D and " +
                              std::to_string(y.dim()) + "D tensors",
                          "matmul() for other ranks");
        if (x.dtype != y.dtype)
          throw UserError(ErrorKind::runtime, "dot",
                          "dot : expected both vectors to have same dtype, but found " +
                              std::string(scalar_type_name(x.dtype)) + " and " +
                              std::string(scalar_type_name(y.dtype)),
                          "one dtype");
        if (!sizes_agree(x.size(0), y.size(0)))
          throw UserError(
              ErrorKind::runtime, "dot",
              "inconsistent tensor size, expected tensor [" + text_of(x.size(0)) + "] and src [" +
                  text_of(y.size(0)) + "] to have the same number of elements, but got " +
                  text_of(x.size(0)) + " and " + text_of(y.size(0)) + " elements respectively",
              "vectors of one size");
        Ref product =
            c.op<"mm">(c.op<"unsqueeze">(a[0].ref(), 0), c.op<"unsqueeze">(a[1].ref(), 1));
        return {c.op<"view">(product, IntList{})};
      })
      .out()
      .doc("The inner product of two vectors.");

  r.op("matmul(Tensor self, Tensor other) -> Tensor")
      .composite(matmul_parts)
      .out()
      .doc("The matrix product, batched and broadcast as NumPy does.");

  r.op("outer(Tensor self, Tensor vec2) -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        if (meta(a[0].ref()).dim() != 1 || meta(a[1].ref()).dim() != 1)
          throw UserError(ErrorKind::runtime, "outer",
                          "outer: Expected 1-D arguments self and vec2, got " +
                              std::to_string(meta(a[0].ref()).dim()) + "-D and " +
                              std::to_string(meta(a[1].ref()).dim()) + "-D",
                          "vectors");
        return {c.op<"mul.Tensor">(c.op<"unsqueeze">(a[0].ref(), 1), a[1].ref())};
      })
      .out()
      .doc("Every element of one vector times every element of another.");

  register_einsum(r);
}

}  // namespace frit
