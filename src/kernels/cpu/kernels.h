// What eager asks of the CPU kernels.
#pragma once
#include "ops/record.h"

namespace frit::kernels {

// Gives the records their kernels. Before the first op runs, and before anyone asks whether a
// record has a kernel; any thread, any number of times.
void install();

// Computes call.outs from call.args: by the record's own kernel, else by its kind (pointwise,
// reduction, random, creation, copy). The outputs are there, with the dtype the shape rule gives,
// but for data-dependent ones, which the kernel makes.
//
// Outputs of pointwise, random, creation and copy kernels may have any strides that meet no element
// twice, and may be one of the inputs itself (same storage, offset, sizes and strides): an in-place
// op. They never overlap an input in another way. So it is with kernels of kind index that have an
// in-place form. Other kernels get fresh outputs.
void run(KernelCall& call);

// dst = src, broadcast to dst's sizes and converted to its dtype; the two do not overlap.
void copy(const Tensor& dst, const Tensor& src);

}  // namespace frit::kernels
