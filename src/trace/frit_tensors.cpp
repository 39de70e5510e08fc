#include "trace/frit_tensors.h"

#include "eager/tape.h"

namespace frit::trace {

Handle handle_of(const Tensor& t) {
  const TensorImpl& i = *t.impl();
  Handle h;
  h.identity = i.id();
  h.storage = i.storage->id();
  h.description = {i.dtype,
                   i.sizes,
                   i.strides,
                   i.offset,
                   eager::requires_grad(t),
                   i.storage->version(),
                   i.storage->is_inference()};
  h.object = t.impl();
  return h;
}

HandleArgs::HandleArgs(std::span<const Arg> args) {
  auto lift = [&](const Ref& r) -> Ref {
    if (r.kind() != Ref::Kind::tensor) return r;
    handles_.push_back(std::make_unique<Handle>(handle_of(r.tensor())));
    return Ref(static_cast<const Handle*>(handles_.back().get()));
  };
  for (const Arg& a : args) {
    if (a.is_ref()) {
      args_.push_back(Arg(lift(a.ref())));
    } else if (a.is_ref_list()) {
      std::vector<Ref> refs;
      for (const Ref& r : a.refs()) refs.push_back(lift(r));
      args_.push_back(Arg(std::move(refs)));
    } else {
      args_.push_back(a);
    }
  }
}

}  // namespace frit::trace
