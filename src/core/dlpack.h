// DLPack: the exchange of tensors with other libraries, without copying.
//
// The structures are those of the DLPack specification (dmlc/dlpack, version 1.1), laid out as its
// C header lays them out; what is exchanged in Python lies in capsules named "dltensor" and
// "dltensor_versioned".
#pragma once
#include <frit/tensor.h>

#include <cstdint>

namespace frit::dlpack {

struct Version {
  uint32_t major, minor;
};
inline constexpr Version kVersion{1, 1};

enum DeviceCode : int32_t { kCpu = 1, kCudaHost = 3 };
struct DlDevice {
  int32_t device_type;
  int32_t device_id;
};

enum TypeCode : uint8_t {
  kInt = 0,
  kUInt = 1,
  kFloat = 2,
  kOpaqueHandle = 3,
  kBfloat = 4,
  kComplex = 5,
  kBool = 6,
};
struct DataType {
  uint8_t code, bits;
  uint16_t lanes;
};

struct DlTensor {
  void* data;
  DlDevice device;
  int32_t ndim;
  DataType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null: row-major and contiguous
  uint64_t byte_offset;
};

struct Managed {
  DlTensor tensor;
  void* context;
  void (*deleter)(Managed*);
};

inline constexpr uint64_t kReadOnly = 1, kIsCopied = 2;
struct ManagedVersioned {
  Version version;
  void* context;
  void (*deleter)(ManagedVersioned*);
  uint64_t flags;
  DlTensor tensor;
};

static_assert(sizeof(DlTensor) == 48 && sizeof(Managed) == 64 && sizeof(ManagedVersioned) == 80);

// The tensor's memory for another library, which calls the deleter when it is done; until then the
// memory stays. UserError for a tensor that requires grad (detach it) or has no data.
Managed* export_tensor(const Tensor&);
ManagedVersioned* export_versioned(const Tensor&);

// A tensor over another library's memory, which is released with the last tensor that uses it.
// Memory that must not be written is copied, once. The structure is taken over even where this
// raises: UserError for other devices, vectors of lanes, dtypes that Frit lacks, and malformed
// sizes.
Tensor import_tensor(Managed*);
Tensor import_versioned(ManagedVersioned*);

}  // namespace frit::dlpack
