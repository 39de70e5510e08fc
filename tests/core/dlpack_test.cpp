#include "core/dlpack.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace frit {
namespace {

using dlpack::Managed;
using dlpack::ManagedVersioned;

// A tensor of another library: counts how often it was released.
struct Foreign {
  float values[6] = {0, 1, 2, 3, 4, 5};
  int64_t shape[2] = {2, 3}, strides[2] = {3, 1};
  int released = 0;
  Managed managed;
  ManagedVersioned versioned;

  Foreign() {
    dlpack::DlTensor t{values, {dlpack::kCpu, 0}, 2, {dlpack::kFloat, 32, 1}, shape, strides, 0};
    managed = {t, this, [](Managed* m) { ++static_cast<Foreign*>(m->context)->released; }};
    versioned = {dlpack::kVersion, this,
                 [](ManagedVersioned* m) { ++static_cast<Foreign*>(m->context)->released; }, 0, t};
  }
};

std::string refusal(Foreign& f) {
  try {
    dlpack::import_tensor(&f.managed);
  } catch (const UserError& e) {
    EXPECT_EQ(f.released, 1) << "a refused tensor is given back";
    return e.message();
  }
  return "";
}

TEST(Dlpack, ExportsTheVeryMemory) {
  for (int i = 0; i < kNumDTypes; ++i) {
    auto t = static_cast<DType>(i);
    Tensor base = empty_cpu(Dims{4, 6}, t);
    Tensor view = alias_view(base, Dims{2, 3}, Dims{6, 2}, 1);
    Managed* m = dlpack::export_tensor(view);
    EXPECT_EQ(m->tensor.data, view.raw_data());
    EXPECT_EQ(m->tensor.ndim, 2);
    EXPECT_EQ(m->tensor.dtype.bits, size_of(t) * 8);
    EXPECT_EQ(m->tensor.strides[1], 2);
    base = view = Tensor();  // the other library holds it now
    Tensor back = dlpack::import_tensor(m);
    EXPECT_EQ(back.dtype(), t);
    EXPECT_EQ(back.impl()->strides, (Dims{6, 2}));
  }
}

TEST(Dlpack, ImportsWithoutCopying) {
  Foreign f;
  {
    Tensor t = dlpack::import_tensor(&f.managed);
    EXPECT_EQ(t.data<float>(), f.values);
    t.data<float>()[0] = 9;
    Tensor view = alias_view(t, Dims{3}, Dims{1}, 3);
    t = Tensor();
    EXPECT_EQ(f.released, 0);
  }
  EXPECT_EQ(f.released, 1);
  EXPECT_EQ(f.values[0], 9);
}

TEST(Dlpack, MissingStridesMeanContiguous) {
  Foreign f;
  f.managed.tensor.strides = nullptr;
  f.managed.tensor.byte_offset = 4;
  f.shape[0] = 1;
  Tensor t = dlpack::import_tensor(&f.managed);
  EXPECT_TRUE(t.is_contiguous());
  EXPECT_EQ(t.data<float>()[0], 1);
}

TEST(Dlpack, ReadOnlyMemoryIsCopied) {
  Foreign f;
  std::swap(f.shape[0], f.shape[1]);
  std::swap(f.strides[0], f.strides[1]);  // 3 by 2, a transposed view
  f.versioned.flags = dlpack::kReadOnly;
  Tensor t = dlpack::import_versioned(&f.versioned);
  EXPECT_EQ(f.released, 1);
  const float* values = t.data<float>();
  EXPECT_EQ(std::vector<float>(values, values + 6), (std::vector<float>{0, 3, 1, 4, 2, 5}));
  Foreign g;
  EXPECT_EQ(dlpack::import_versioned(&g.versioned).data<float>(), g.values);
}

TEST(Dlpack, RefusesWhatItCannotRead) {
  {
    Foreign f;
    f.managed.tensor.device.device_type = 2;
    EXPECT_EQ(refusal(f), "the tensor lies on a device of type 2, not in the memory of the CPU");
  }
  {
    Foreign f;
    f.managed.tensor.dtype = {dlpack::kComplex, 64, 1};
    EXPECT_EQ(refusal(f), "the dtype complex64 has no counterpart in Frit");
  }
  {
    Foreign f;
    f.managed.tensor.dtype.lanes = 4;
    EXPECT_EQ(refusal(f), "the elements are vectors of 4 lanes");
  }
  {
    Foreign f;
    f.shape[1] = -3;
    EXPECT_EQ(refusal(f), "dimension 1 has the size -3");
  }
  {
    Foreign f;
    f.strides[0] = -3;
    EXPECT_EQ(refusal(f), "dimension 0 runs backwards (stride -3)");
  }
  {
    Foreign f;
    f.managed.tensor.data = nullptr;
    EXPECT_EQ(refusal(f), "the tensor has elements but no memory");
  }
  {
    Foreign f;
    f.managed.tensor.shape = nullptr;
    EXPECT_EQ(refusal(f), "the tensor has no sizes");
  }
  {
    Foreign f;
    f.shape[0] = f.shape[1] = int64_t{1} << 40;
    f.managed.tensor.strides = nullptr;
    EXPECT_NE(refusal(f), "");  // more elements than can be counted
  }
  Foreign f;
  f.versioned.version = {2, 0};
  try {
    dlpack::import_versioned(&f.versioned);
    FAIL();
  } catch (const UserError& e) {
    EXPECT_EQ(e.message(), "the tensor is of DLPack version 2.0; Frit reads version 1");
    EXPECT_EQ(f.released, 1);
  }
}

TEST(Dlpack, RefusesWhatIsNotThere) {
  try {
    dlpack::import_tensor(nullptr);
    FAIL();
  } catch (const UserError& e) {
    EXPECT_STREQ(e.what(),
                 "[from_dlpack] there is no tensor\n  try: a capsule that was not consumed yet");
  }
  try {
    dlpack::export_tensor(Tensor());
    FAIL();
  } catch (const UserError& e) {
    EXPECT_STREQ(e.what(), "[to_dlpack] an undefined tensor has nothing to export");
  }
}

TEST(Dlpack, RefusesToExportWhatRequiresGrad) {
  Tensor t = empty_cpu(Dims{2}, kFloat32);
  t.impl()->autograd = std::make_unique<AutogradMetaBase>();
  t.impl()->autograd->requires_grad = true;
  try {
    dlpack::export_tensor(t);
    FAIL();
  } catch (const UserError& e) {
    EXPECT_EQ(e.message(), "Can't export tensors that require gradient, use tensor.detach()");
  }
}

}  // namespace
}  // namespace frit
