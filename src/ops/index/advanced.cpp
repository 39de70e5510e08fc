// x[i, :, mask] and x[i, :, mask] = values: index.Tensor and index_put.
//
// Masks become the indices of their true elements, and what remains, tensors of int64 that
// broadcast together, is a primitive: _index and _index_put. Entry k of the list is for dimension k
// of self, None for all of it. The broadcast sizes stand where the indexed dimensions were, or
// first where those are not adjacent.
#include "ops/index/parts.h"

namespace frit {
namespace {

using namespace index;

bool is_mask(DType t) { return is_bool(t) || t == DType::u8; }

std::vector<Ref> without_masks(Caller& c, const TensorMeta<Int>& self, const std::vector<Ref>& list,
                               std::string_view op) {
  std::vector<Ref> out;
  for (const Ref& r : list) {
    if (!r.defined()) {
      out.emplace_back();
      continue;
    }
    auto m = meta(r);
    if (!is_mask(m.dtype) && !is_index(m.dtype))
      fail(op, "tensors used as indices must be long, int, byte or bool tensors",
           fmt::format("an index is {}", name(m.dtype)), ErrorKind::index);
    if (!is_mask(m.dtype)) {
      out.push_back(m.dtype == DType::i64 ? r : c.op<"_to_copy">(r, DType::i64));
      continue;
    }
    for (int64_t k = 0; k < m.dim(); ++k) {
      auto at = static_cast<int64_t>(out.size()) + k;
      if (at < self.dim() && sizes_agree(m.size(k), self.size(at))) continue;
      fail(op,
           fmt::format("The shape of the mask {} at index {} does not match the shape of the "
                       "indexed tensor {} at index {}",
                       dims_text(m.sizes), k, dims_text(self.sizes), at),
           "a mask with the sizes of the dimensions it stands for", ErrorKind::index);
    }
    Ref places = c.op<"nonzero">(r);
    for (int64_t k = 0; k < m.dim(); ++k) out.push_back(c.op<"select.int">(places, 1, k));
  }
  if (static_cast<int64_t>(out.size()) > self.dim())
    fail(
        op,
        fmt::format("too many indices for tensor of dimension {} (got {})", self.dim(), out.size()),
        "at most one index for each dimension", ErrorKind::index);
  return out;
}

// The sizes of x[indices], and where among them the broadcast sizes of the indices begin.
template <class I>
struct Indexed {
  DimsOf<I> sizes, common;
  size_t begin = 0;
  SmallVector<bool, 8> by_tensor;  // dimensions of self
};

template <class S>
auto indexed(S& s, int self_at, int list_at) {
  auto self = s.tensor(self_at);
  auto list = s.tensors(list_at);
  using I = std::remove_cvref_t<decltype(self.offset)>;
  const auto& refs = s.args()[static_cast<size_t>(list_at)].refs();
  Indexed<I> r;
  r.by_tensor.resize(self.sizes.size(), false);
  size_t first = self.sizes.size(), last = 0, count = 0;
  if (refs.size() > self.sizes.size())
    s.fail(fmt::format("too many indices for tensor of dimension {} (got {})", self.dim(),
                       refs.size()),
           "at most one index for each dimension", ErrorKind::index);
  for (size_t i = 0; i < refs.size(); ++i) {
    if (!refs[i].defined()) continue;
    r.by_tensor[i] = true;
    first = std::min(first, i), last = i, ++count;
    size_t at = 0;
    DimsOf<I> wider = r.common;
    if (!broadcast_into<I>(wider, list[i].sizes, at)) {
      std::string shapes;
      for (size_t k = 0; k < refs.size(); ++k)
        if (refs[k].defined()) shapes += (shapes.empty() ? "" : ", ") + dims_text(list[k].sizes);
      s.fail(
          "shape mismatch: indexing tensors could not be broadcast together with shapes " + shapes,
          "index tensors of sizes that broadcast", ErrorKind::index);
    }
    r.common = std::move(wider);
  }
  if (count == 0) s.fail("at least one index must be provided", "an index", ErrorKind::index);
  bool adjacent = last - first + 1 == count;
  r.begin = adjacent ? first : 0;
  for (size_t d = 0; d < self.sizes.size(); ++d) {
    if (d == (adjacent ? first : 0)) r.sizes.append(r.common.begin(), r.common.end());
    if (!r.by_tensor[d]) r.sizes.push_back(self.sizes[d]);
  }
  bool some = !ask_or(size_eq(numel_of<I>(std::span<const I>(r.common)), I(0)), false);
  for (size_t d = 0; some && d < self.sizes.size(); ++d)
    if (r.by_tensor[d] && known_zero(self.sizes[d]))
      s.fail("index is out of bounds for dimension with size 0", "a dimension that has elements",
             ErrorKind::index);
  return r;
}

// The layout PyTorch's iterator gives the result: self, with stride 0 along the indices, decides
// first, then the indices.
template <class S>
void index_rule(S& s) {
  auto r = indexed(s, 0, 1);
  auto self = s.tensor(0);
  auto list = s.tensors(1);
  using I = std::remove_cvref_t<decltype(self.offset)>;
  const auto& refs = s.args()[1].refs();
  std::vector<DimsOf<I>> strides;
  strides.emplace_back();
  for (size_t d = 0; d < self.sizes.size(); ++d)
    if (!r.by_tensor[d]) strides[0].push_back(self.strides[d]);
  for (size_t k = 0; k < r.common.size(); ++k) strides[0].insert(r.begin + k, I(0));
  for (size_t i = 0; i < refs.size(); ++i) {
    if (!refs[i].defined()) continue;
    DimsOf<I> all(r.sizes.size(), I(0));
    auto inner = layout::broadcast_strides<I>(list[i], r.common);
    for (size_t k = 0; k < inner.size(); ++k) all[r.begin + k] = inner[k];
    strides.push_back(std::move(all));
  }
  std::vector<TensorMeta<I>> operands;
  for (const auto& st : strides) operands.push_back({self.dtype, r.sizes, st});
  s.out(self.dtype, r.sizes, elementwise_strides<I>(r.sizes, operands, false));
}

template <class S>
void index_put_rule(S& s) {
  auto r = indexed(s, 0, 1);
  auto self = s.tensor(0), values = s.tensor(2);
  using I = std::remove_cvref_t<decltype(self.offset)>;
  if (self.dtype != values.dtype)
    s.fail(fmt::format("Index put requires the source and destination dtypes match, got {} for the "
                       "destination and {} for the source.",
                       scalar_type_name(self.dtype), scalar_type_name(values.dtype)),
           "convert the values");
  bool fits = values.sizes.size() <= r.sizes.size();
  for (size_t i = 0; fits && i < values.sizes.size(); ++i) {
    const I& have = values.sizes[values.sizes.size() - 1 - i];
    const I& want = r.sizes[r.sizes.size() - 1 - i];
    fits = known_one(have) || known_equal(have, want) || ask_or(size_eq(have, I(1)), false) ||
           sizes_agree(have, want);
  }
  if (!fits)
    s.fail(fmt::format("shape mismatch: value tensor of shape {} cannot be broadcast to indexing "
                       "result of shape {}",
                       dims_text(values.sizes), dims_text(std::span<const I>(r.sizes))),
           "values of those sizes, or of 1");
  s.out(self.dtype, self.sizes, preserved_strides(self));
}

// A single mask and a single value choose element by element: nothing depends on how many are true.
std::optional<Ref> as_mask(Caller& c, const TensorMeta<Int>& self, const std::vector<Ref>& list,
                           const TensorMeta<Int>& values, bool accumulate) {
  if (accumulate || !known_one(values.numel())) return std::nullopt;
  size_t at = list.size();
  for (size_t i = 0; i < list.size(); ++i) {
    if (!list[i].defined()) continue;
    if (at != list.size() || !is_bool(meta(list[i]).dtype)) return std::nullopt;
    at = i;
  }
  if (at == list.size()) return std::nullopt;
  auto m = meta(list[at]);
  if (static_cast<int64_t>(at) + m.dim() > self.dim()) return std::nullopt;
  IntList sizes(self.sizes.size(), Int(1));
  for (int64_t k = 0; k < m.dim(); ++k) {
    Int size = self.size(static_cast<int64_t>(at) + k);
    if (!sizes_agree(m.size(k), size)) return std::nullopt;
    sizes[at + static_cast<size_t>(k)] = size;
  }
  return c.op<"reshape">(list[at], sizes);
}

// Sizes of 1 before those that the result has are no matter.
Ref trimmed(Caller& c, const Ref& values, int64_t rank) {
  IntList sizes(meta(values).sizes);
  bool any = false;
  while (static_cast<int64_t>(sizes.size()) > rank && known_one(sizes[0]))
    sizes.erase(0), any = true;
  return any ? c.op<"reshape">(values, sizes) : values;
}

template <OpName op, OpName fill>
RefList index_put(Caller& c, std::span<const Arg> a) {
  auto self = meta(a[0].ref());
  const Ref& values = a[2].ref();
  auto m = meta(values);
  bool accumulate = a[3].to_bool();
  if (m.dtype == self.dtype)
    if (auto mask = as_mask(c, self, a[1].refs(), m, accumulate)) {
      Ref value = m.dim() == 0 ? values : c.op<"reshape">(values, IntList{});
      if constexpr (std::string_view(fill.text) == "where.self")
        return {c.op<fill>(*mask, value, a[0].ref())};
      else
        return {c.op<fill>(a[0].ref(), *mask, value)};
    }
  std::vector<Ref> list = without_masks(c, self, a[1].refs(), "index_put");
  int64_t rank = self.dim(), broadcast = 0;
  for (const Ref& r : list)
    if (r.defined()) --rank, broadcast = std::max(broadcast, meta(r).dim());
  return {c.op<op>(a[0].ref(), std::move(list), trimmed(c, values, rank + broadcast), accumulate)};
}

}  // namespace

void register_advanced_indexing(Registry& r) {
  r.op("_index(Tensor self, Tensor?[] indices) -> Tensor")
      .kind(Kind::index)
      .lowering("index")
      .shape([](auto& s) { index_rule(s); })
      .raises_on_data()
      .saves({"indices"})
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] {
          const auto& m = v.meta(0);
          return Term(v.c,
                      v.op<"_index_put">(zeros(v, m.sizes, m.dtype), v.args[1], v.grad(), true));
        });
      })
      .doc("self at tensors of indices; negative ones count from the end.");
  r.op("_index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor")
      .kind(Kind::index)
      .lowering("index_put")
      .shape([](auto& s) { index_put_rule(s); })
      .inplace()
      .raises_on_data()
      .saves({"indices"})
      .vjp([](VjpCtx& v) -> GradList {
        return Grads(v)(0, [&] {
          if (v.args[3].to_bool()) return grad(v);
          return grad(v).op<"_index_put">(v.args[1], zeros(v, {}, v.meta(0).dtype), false);
        })(2, [&] { return grad(v).op<"_index">(v.args[1]); });
      })
      .doc("self with values stored, or added, at tensors of indices.");

  r.op("index.Tensor(Tensor self, Tensor?[] indices) -> Tensor")
      .composite([](Caller& c, std::span<const Arg> a) -> RefList {
        auto list = without_masks(c, meta(a[0].ref()), a[1].refs(), "index");
        return {c.op<"_index">(a[0].ref(), std::move(list))};
      })
      .raises_on_data()
      .doc("self at tensors of indices or masks, an entry for each dimension.");
  const std::string put = "Tensor?[] indices, Tensor values, bool accumulate=False";
  r.op("index_put(Tensor self, " + put + ") -> Tensor")
      .composite(index_put<"_index_put", "where.self">)
      .raises_on_data()
      .doc("self with values stored, or added, at tensors of indices or masks.");
  r.op("index_put_(Tensor(a!) self, " + put + ") -> Tensor(a!)")
      .composite(index_put<"_index_put_", "masked_fill_.Tensor">)
      .raises_on_data();
  r.op("_index_put_impl(Tensor self, " + put + ", bool unsafe=False) -> Tensor")
      .composite(index_put<"_index_put", "where.self">)
      .raises_on_data()
      .doc("index_put under the name that autograd calls.");
  r.op("_index_put_impl_(Tensor(a!) self, " + put + ", bool unsafe=False) -> Tensor(a!)")
      .composite(index_put<"_index_put_", "masked_fill_.Tensor">)
      .raises_on_data();
}

}  // namespace frit
