#include "eager/data.h"

#include "eager/autograd_meta.h"

namespace frit::eager {

void set_data(const Tensor& t, const Tensor& data, const char* what) {
  TensorImpl& i = *t.impl();
  const TensorImpl& d = *data.impl();
  if (recording() && t_state.observer)
    t_state.observer->unsupported(i, what, "call it outside of the compiled callable", {});
  if (i.storage == d.storage) {
    if (i.dtype == d.dtype && i.sizes == d.sizes && i.strides == d.strides && i.offset == d.offset)
      return;  // it shows this already
    i.storage->bump_version();
  }
  // Nodes know what they kept by its version.
  while (d.storage->version() <= i.storage->version() && !(i.storage == d.storage))
    d.storage->bump_version();
  i.storage = d.storage;
  i.dtype = d.dtype;
  i.sizes = d.sizes;
  i.strides = d.strides;
  i.offset = d.offset;
  if (AutogradMeta* m = meta_of(i)) {
    if (Ptr<TapeNode> accumulator = m->accumulator.lock()) accumulator->outputs[0] = GradMeta(t);
    m->view.reset();
  }
  bump_metadata_epoch();
}

void note_replaced(const Tensor& t) { ++ensure_meta(*t.impl()).replaced; }

}  // namespace frit::eager
