#include "op_samples/compare.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "core/layout.h"
#include "frit/autograd.h"

namespace frit::test {
namespace {

// torch.testing's defaults, and a part of the tensor's largest element: an element may be the small
// difference of large ones, which another order of sums, or in a half type of roundings, changes.
struct Tolerance {
  double relative, absolute, of_largest;
};
Tolerance tolerance(DType t) {
  switch (t) {
    case DType::f32:
      return {1.3e-6, 1e-5, 1e-6};
    case DType::f64:
      return {1e-7, 1e-7, 0};
    case DType::bf16:
      return {1.6e-2, 1e-5, 0x1p-7};
    case DType::f16:
      return {2e-3, 1e-5, 0x1p-10};
    default:
      return {0, 0, 0};
  }
}

}  // namespace

double value_at(const std::byte* p, DType t) {
  auto as = [&]<class T>(T v) {
    std::memcpy(&v, p, sizeof v);
    return v;
  };
  switch (t) {
    case DType::f32:
      return static_cast<double>(as(float{}));
    case DType::f64:
      return as(double{});
    case DType::bf16:
      return static_cast<double>(std::bit_cast<float>(uint32_t{as(uint16_t{})} << 16));
    case DType::f16:
      return static_cast<double>(std::bit_cast<_Float16>(as(uint16_t{})));
    case DType::i8:
      return as(int8_t{});
    case DType::i16:
      return as(int16_t{});
    case DType::i32:
      return as(int32_t{});
    case DType::i64:
      return static_cast<double>(as(int64_t{}));
    case DType::u8:
      return as(uint8_t{});
    case DType::boolean:
      return as(uint8_t{}) != 0;
  }
  return 0;
}

std::vector<std::byte> values_by_row(const TensorImpl& t) {
  std::vector<std::byte> bytes;
  each_element(
      t, [&](int64_t, const std::byte* p) { bytes.insert(bytes.end(), p, p + size_of(t.dtype)); });
  return bytes;
}

std::string difference(const Tensor& given, std::span<const std::byte> expected,
                       const char* whose) {
  const TensorImpl& t = *given.impl();
  const Tolerance tol = tolerance(t.dtype);
  const auto item = static_cast<size_t>(size_of(t.dtype));
  double largest = 0;
  for (size_t at = 0; at < expected.size(); at += item)
    if (double v = std::abs(value_at(&expected[at], t.dtype)); std::isfinite(v))
      largest = std::max(largest, v);
  std::string text;
  each_element(t, [&](int64_t i, const std::byte* p) {
    if (!text.empty()) return;
    const std::byte* q = expected.data() + static_cast<size_t>(i) * item;
    if (std::memcmp(p, q, item) == 0) return;
    const double a = value_at(p, t.dtype), b = value_at(q, t.dtype);
    if ((std::isnan(a) && std::isnan(b)) || a == b) {
      if (t.dtype != DType::i64) return;
    } else if (std::isfinite(a) && std::isfinite(b) &&
               std::abs(a - b) <=
                   tol.absolute + tol.relative * std::abs(b) + tol.of_largest * largest) {
      return;
    }
    std::ostringstream s;
    s.precision(9);
    s << "element " << i << " is " << a << ", " << whose << " " << b;
    text = s.str();
  });
  return text;
}

std::string layout(DType t, std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  return std::string(name(t)) + dims_text(sizes) + " strides " + dims_text(strides);
}

std::vector<Tensor> make_inputs(const op_samples::Sample& s) {
  std::map<int32_t, Ptr<Storage>> storages;
  std::vector<Tensor> inputs;
  for (const op_samples::TensorData& d : s.inputs) {
    Ptr<Storage> storage = d.storage >= 0 ? storages[d.storage] : Ptr<Storage>();
    const DType t = dtype_of(d.dtype);
    if (!storage) {
      storage = make_ptr<Storage>(d.bytes.size());
      if (!d.bytes.empty()) std::memcpy(storage->data(), d.bytes.data(), d.bytes.size());
    }
    if (d.storage >= 0) storages[d.storage] = storage;
    inputs.push_back(Tensor(make_ptr<TensorImpl>(storage, t, d.sizes, d.strides, d.offset)));
    if (d.requires_grad) inputs.back().requires_grad_();
  }
  return inputs;
}

std::vector<LeftOut> left_out_table(const char* name) {
  std::vector<LeftOut> table;
  std::ifstream file(kFolder / name);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::stringstream fields(line);
    LeftOut e;
    std::string count;
    std::getline(fields, e.op, '|');
    std::getline(fields, e.source, '|');
    std::getline(fields, count, '|');
    std::getline(fields, e.reason);
    e.allowed = std::stoi(count);
    table.push_back(e);
  }
  return table;
}

LeftOut* left_out(std::vector<LeftOut>& table, const op_samples::Sample& s) {
  for (LeftOut& e : table)
    if (e.op == s.op.substr(6) &&
        (e.source == "*" || s.source.find(e.source) != std::string_view::npos)) {
      ++e.found;
      return &e;
    }
  return nullptr;
}

}  // namespace frit::test
