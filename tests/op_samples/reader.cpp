#include "op_samples/reader.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace op_samples {
namespace {

constexpr std::string_view kMagic = "FOPS0001";
constexpr uint32_t kNothing = 0xFFFFFFFF;
constexpr size_t kLargestFile = size_t{1} << 30;
constexpr uint8_t kRequiresGrad = 1, kRows = 2;
constexpr uint8_t kHasValues = 1, kHasError = 4;

[[noreturn]] void damaged(const char* what) { throw std::runtime_error(what); }

std::vector<std::byte> read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) damaged("cannot be opened");
  std::vector<std::byte> bytes(static_cast<size_t>(in.tellg()));
  in.seekg(0);
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!in) damaged("cannot be read");
  return bytes;
}

std::vector<std::byte> decompress(const std::vector<std::byte>& packed) {
  const auto size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > kLargestFile) {
    damaged("is not a zstd frame of known size");
  }
  std::vector<std::byte> raw(size);
  const size_t got = ZSTD_decompress(raw.data(), raw.size(), packed.data(), packed.size());
  if (ZSTD_isError(got) || got != size) damaged("does not decompress");
  return raw;
}

// The largest element index a strided tensor touches must lie inside its storage.
void check_extent(const TensorData& tensor) {
  const auto bytes = static_cast<int64_t>(tensor.bytes.size());
  const auto item = static_cast<int64_t>(width(tensor.dtype));
  if (tensor.rows) {
    if (tensor.numel() * item != bytes) damaged("has a tensor whose values do not fill its sizes");
    return;
  }
  int64_t last = tensor.offset, first = tensor.offset;
  for (size_t d = 0; d < tensor.sizes.size(); ++d) {
    if (tensor.sizes[d] == 0) return;
    (tensor.strides[d] < 0 ? first : last) += (tensor.sizes[d] - 1) * tensor.strides[d];
  }
  if (first < 0 || (last + 1) * item > bytes) damaged("has a tensor that leaves its storage");
}

}  // namespace

class Parser {
 public:
  explicit Parser(File& file) : file_(file), at_(file.memory_) {}

  void parse() {
    if (text(kMagic.size()) != kMagic) damaged("is not an op sample file of this version");
    file_.header_ = text(get<uint32_t>());
    for (auto n = count(4); n > 0; --n) strings_.push_back(text(get<uint32_t>()));
    std::vector<uint32_t> sizes;
    for (auto n = count(4); n > 0; --n) sizes.push_back(get<uint32_t>());
    for (const uint32_t size : sizes) blobs_.push_back({kNoBytes, size});
    for (auto n = count(23); n > 0; --n) tensors_.push_back(tensor());
    for (auto n = count(16); n > 0; --n) file_.samples_.push_back(sample());
    place_blobs();
  }

 private:
  struct Blob {
    size_t offset;
    uint32_t size;
  };
  struct Pending {
    TensorData data;
    uint32_t blob;
  };
  static constexpr size_t kNoBytes = ~size_t{0};

  std::span<const std::byte> take(size_t size) {
    if (size > at_.size()) damaged("ends early");
    const auto part = at_.first(size);
    at_ = at_.subspan(size);
    return part;
  }
  std::string_view text(size_t size) {
    const auto part = take(size);
    return {reinterpret_cast<const char*>(part.data()), part.size()};
  }
  template <class T>
  T get() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  // A count of things that take at least `least` bytes each.
  uint32_t count(size_t least) {
    const auto n = get<uint32_t>();
    if (n > at_.size() / least) damaged("has a count larger than the file");
    return n;
  }
  std::string_view string() {
    const auto index = get<uint32_t>();
    if (index >= strings_.size()) damaged("names a string that is not there");
    return strings_[index];
  }
  Dtype dtype() {
    const auto number = get<uint8_t>();
    if (number > static_cast<uint8_t>(Dtype::boolean)) damaged("has an unknown dtype");
    return static_cast<Dtype>(number);
  }

  Pending tensor() {
    Pending out;
    TensorData& data = out.data;
    data.dtype = dtype();
    const auto flags = get<uint8_t>();
    data.requires_grad = flags & kRequiresGrad;
    data.rows = flags & kRows;
    const auto dims = get<uint8_t>();
    for (int d = 0; d < dims; ++d) data.sizes.push_back(get<int64_t>());
    for (int d = 0; d < dims; ++d) data.strides.push_back(get<int64_t>());
    for (const int64_t size : data.sizes) {
      if (size < 0 || size > int64_t{1} << 40) damaged("has a tensor of impossible size");
    }
    data.offset = get<int64_t>();
    data.storage = get<int32_t>();
    out.blob = get<uint32_t>();
    data.has_values = out.blob != kNothing;
    if (data.has_values && out.blob >= blobs_.size()) damaged("names bytes that are not there");
    return out;
  }

  // Tensors in samples get their bytes from place_blobs, when it is known where the blobs begin:
  // until then a tensor carries the number of its table entry in `bytes`' size.
  std::optional<TensorData> tensor_of_table() {
    const auto index = get<uint32_t>();
    if (index == kNothing) return std::nullopt;
    if (index >= tensors_.size()) damaged("names a tensor that is not there");
    TensorData data = tensors_[index].data;
    data.bytes = {static_cast<const std::byte*>(nullptr), size_t{index}};
    return data;
  }
  TensorData required_tensor() {
    auto data = tensor_of_table();
    if (!data) damaged("lacks a tensor");
    return *std::move(data);
  }

  Value value(size_t inputs, int depth = 0) {
    if (depth > 8) damaged("has lists too deep");
    Value out;
    const auto kind = get<uint8_t>();
    if (kind > static_cast<uint8_t>(Value::Kind::integers)) damaged("has an unknown argument kind");
    out.kind = static_cast<Value::Kind>(kind);
    switch (out.kind) {
      case Value::Kind::none:
        break;
      case Value::Kind::boolean:
        out.boolean = get<uint8_t>() != 0;
        break;
      case Value::Kind::integer:
        out.integer = get<int64_t>();
        break;
      case Value::Kind::real:
        out.real = get<double>();
        break;
      case Value::Kind::text:
        out.text = string();
        break;
      case Value::Kind::dtype:
        out.dtype = dtype();
        break;
      case Value::Kind::tensor:
        out.tensor = get<uint32_t>();
        if (out.tensor >= inputs) damaged("names an input that is not there");
        break;
      case Value::Kind::list:
        for (auto n = get<uint16_t>(); n > 0; --n) out.list.push_back(value(inputs, depth + 1));
        break;
      case Value::Kind::integers:
        for (auto n = get<uint16_t>(); n > 0; --n) out.integers.push_back(get<int64_t>());
        break;
    }
    return out;
  }

  Output output(size_t inputs) {
    Output out;
    out.alias_of = get<int16_t>();
    out.same_object = get<uint8_t>() != 0;
    out.requires_grad = get<uint8_t>() != 0;
    if (out.alias_of < -1 || out.alias_of >= static_cast<int>(inputs)) {
      damaged("has an output that aliases an input that is not there");
    }
    if (at_.empty()) damaged("ends early");
    if (static_cast<Value::Kind>(at_[0]) == Value::Kind::tensor) {
      take(1);
      out.tensor = required_tensor();
    } else {
      out.number = value(inputs);
    }
    return out;
  }

  std::vector<Indexed> indexed(size_t limit) {
    std::vector<Indexed> out;
    for (auto n = get<uint16_t>(); n > 0; --n) {
      Indexed item;
      item.index = get<uint16_t>();
      if (item.index >= limit) damaged("has an index out of range");
      item.tensor = tensor_of_table();
      out.push_back(std::move(item));
    }
    return out;
  }

  Sample sample() {
    Sample out;
    out.source = string();
    out.op = string();
    out.schema = string();
    const auto flags = get<uint8_t>();
    out.has_values = flags & kHasValues;
    for (auto n = get<uint16_t>(); n > 0; --n) out.inputs.push_back(required_tensor());
    for (auto n = get<uint8_t>(); n > 0; --n) {
      const auto argument_name = string();
      out.arguments.push_back({argument_name, value(out.inputs.size())});
    }
    for (auto n = get<uint16_t>(); n > 0; --n) out.outputs.push_back(output(out.inputs.size()));
    out.mutated = indexed(out.inputs.size());
    out.grad_outputs = indexed(out.outputs.size());
    out.grads = indexed(out.inputs.size());
    if (flags & kHasError) {
      Error error;
      error.type = string();
      error.regex = string();
      error.message = string();
      out.error = error;
    }
    return out;
  }

  void place(TensorData& data) {
    const Pending& entry = tensors_[data.bytes.size()];
    data.bytes = {};
    if (!data.has_values) return;
    const Blob& blob = blobs_[entry.blob];
    data.bytes = std::span<const std::byte>(file_.memory_).subspan(blob.offset, blob.size);
    check_extent(data);
  }

  void place_blobs() {
    const auto align = [&] { return (file_.memory_.size() - at_.size() + 7) / 8 * 8; };
    for (Blob& blob : blobs_) {
      const size_t begin = align();
      if (begin > file_.memory_.size() || blob.size > file_.memory_.size() - begin) {
        damaged("ends early");
      }
      blob.offset = begin;
      at_ = std::span<const std::byte>(file_.memory_).subspan(begin + blob.size);
    }
    if (align() != file_.memory_.size()) damaged("has bytes after its end");
    for (Sample& sample : file_.samples_) {
      for (TensorData& input : sample.inputs) place(input);
      for (Output& output : sample.outputs) {
        if (output.tensor) place(*output.tensor);
      }
      for (auto* list : {&sample.mutated, &sample.grad_outputs, &sample.grads}) {
        for (Indexed& item : *list) {
          if (item.tensor) place(*item.tensor);
        }
      }
    }
  }

  File& file_;
  std::span<const std::byte> at_;
  std::vector<std::string_view> strings_;
  std::vector<Blob> blobs_;
  std::vector<Pending> tensors_;
};

size_t width(Dtype dtype) {
  constexpr size_t kWidths[] = {4, 8, 2, 2, 1, 2, 4, 8, 1, 1};
  return kWidths[static_cast<size_t>(dtype)];
}

const char* name(Dtype dtype) {
  constexpr const char* kNames[] = {"float32", "float64", "bfloat16", "float16", "int8",
                                    "int16",   "int32",   "int64",    "uint8",   "bool"};
  return kNames[static_cast<size_t>(dtype)];
}

int64_t TensorData::numel() const {
  int64_t n = 1;
  for (const int64_t size : sizes) n *= size;
  return n;
}

std::vector<std::byte> values_by_row(const TensorData& tensor) {
  if (tensor.rows) return {tensor.bytes.begin(), tensor.bytes.end()};
  const size_t item = width(tensor.dtype);
  const auto n = static_cast<size_t>(tensor.numel());
  std::vector<std::byte> out(n * item);
  std::vector<int64_t> index(tensor.sizes.size(), 0);
  int64_t element = tensor.offset;
  for (size_t i = 0; i < n; ++i) {
    std::memcpy(out.data() + i * item, tensor.bytes.data() + static_cast<size_t>(element) * item,
                item);
    for (size_t d = index.size(); d-- > 0;) {
      element += tensor.strides[d];
      if (++index[d] < tensor.sizes[d]) break;
      element -= tensor.strides[d] * tensor.sizes[d];
      index[d] = 0;
    }
  }
  return out;
}

const Value* Sample::argument(std::string_view wanted) const {
  for (const Argument& argument : arguments) {
    if (argument.name == wanted) return &argument.value;
  }
  return nullptr;
}

File File::load(const std::filesystem::path& path) {
  try {
    File file;
    file.memory_ = decompress(read_file(path));
    Parser(file).parse();
    return file;
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(path.string() + " " + error.what());
  }
}

std::vector<std::filesystem::path> files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> out;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".zst") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace op_samples
