// Ops of kind copy: the same values in another place, order, layout or dtype.
#include <algorithm>

#include "kernels/cpu/kernels.h"
#include "kernels/cpu/kinds.h"
#include "kernels/cpu/memory.h"

namespace frit::kernels {
namespace {

int64_t integer_of(const Int& i) { return i.hint(); }

void flip(KernelCall& call) {
  const TensorImpl &self = impl_arg(call, 0), &out = *call.outs[0].impl();
  if (self.numel() == 0) return;
  Place from = place_of(self);
  for (const Int& given : call.args[1].to_ints()) {
    if (self.dim() == 0) break;
    auto d = static_cast<size_t>(wrap_dim(integer_of(given), self.dim(), "flip"));
    from.data += (self.sizes[d] - 1) * self.strides[d] * size_of(self.dtype);
    from.strides[d] = -self.strides[d];
  }
  copy_elements(out.sizes, place_of(out), from);
}

// Each dimension is cut in two where it wraps around.
void roll_dims(Dims& sizes, Place to, Place from, std::span<const int64_t> shifts,
               std::span<const int64_t> dims) {
  if (dims.empty()) return copy_elements(sizes, to, from);
  const auto d = static_cast<size_t>(dims[0]);
  const int64_t size = sizes[d], shift = ((shifts[0] % size) + size) % size;
  const int64_t begins[2][2] = {{shift, 0}, {0, size - shift}}, lengths[2] = {size - shift, shift};
  for (int part = 0; part < 2; ++part) {
    if (lengths[part] == 0) continue;
    Place t = to, f = from;
    t.data += begins[part][0] * to.strides[d] * size_of(to.dtype);
    f.data += begins[part][1] * from.strides[d] * size_of(from.dtype);
    sizes[d] = lengths[part];
    roll_dims(sizes, t, f, shifts.subspan(1), dims.subspan(1));
  }
  sizes[d] = size;
}

void roll(KernelCall& call) {
  Tensor self = tensor_arg(call, 0);
  const TensorImpl& out = *call.outs[0].impl();
  if (out.numel() == 0) return;
  Dims shifts, dims;
  for (const Int& s : call.args[1].to_ints()) shifts.push_back(integer_of(s));
  for (const Int& d : call.args[2].to_ints())
    dims.push_back(wrap_dim(integer_of(d), out.dim(), "roll"));
  // A dimension that is rolled twice is rolled by the sum.
  for (size_t i = 0; i < dims.size(); ++i)
    for (size_t j = dims.size(); j-- > i + 1;)
      if (dims[j] == dims[i]) shifts[i] += shifts[j], shifts.erase(j), dims.erase(j);
  if (!dims.empty()) {
    Dims sizes = out.sizes;
    return roll_dims(sizes, place_of(out), place_of(*self.impl()), shifts, dims);
  }
  self = packed(self);
  Place to = place_of(out), from = place_of(*self.impl());
  to.strides = from.strides = {1};
  Dims sizes{out.numel()};
  const int64_t flat[1] = {0};
  roll_dims(sizes, to, from, shifts, flat);
}

void cat(KernelCall& call) {
  const TensorImpl& out = *call.outs[0].impl();
  if (out.numel() == 0) return;
  const auto d = static_cast<size_t>(wrap_dim(integer_of(call.args[1].to_int()), out.dim(), "cat"));
  Place to = place_of(out);
  for (const Ref& r : call.args[0].refs()) {
    const TensorImpl& t = *r.tensor().impl();
    if (t.numel() == 0) continue;
    copy_elements(t.sizes, to, place_of(t));
    to.data += t.sizes[d] * out.strides[d] * size_of(out.dtype);
  }
}

}  // namespace

void copying(KernelCall& call) {
  const OpRecord& r = *call.record.functional;
  if (r.lowering == "cat") return cat(call);
  if (r.index_map) return r.schema.name == "flip" ? flip(call) : roll(call);
  // The last tensor is what is copied.
  const Tensor* from = nullptr;
  for (size_t i = 0; i < r.schema.args.size() && i < call.args.size(); ++i)
    if (call.args[i].is_ref()) from = &tensor_arg(call, i);
  copy(call.outs[0], *from);
}

}  // namespace frit::kernels
