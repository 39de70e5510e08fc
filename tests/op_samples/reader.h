#pragma once
// Reads tests/op_samples/data: what PyTorch's ops gave for given arguments. Plain structs and
// bytes, nothing of Frit's, so that any room's tests can be written on top. README.md beside this
// file says what is stored and how.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace op_samples {

enum class Dtype : uint8_t {
  float32,
  float64,
  bfloat16,
  float16,
  int8,
  int16,
  int32,
  int64,
  uint8,
  boolean
};
size_t width(Dtype dtype);
const char* name(Dtype dtype);  // "float32", ..., "bool"

// Views into the File's memory: valid while the File lives.
struct TensorData {
  Dtype dtype = Dtype::float32;
  bool requires_grad = false;
  // Rows: `bytes` are the values row by row and sizes, strides and offset only tell the layout
  // PyTorch gave. Otherwise `bytes` are the whole storage that sizes, strides and offset index.
  bool rows = false;
  std::vector<int64_t> sizes, strides;
  int64_t offset = 0;
  int32_t storage = -1;  // inputs of one sample with the same number share their storage
  bool has_values = true;
  std::span<const std::byte> bytes;

  int64_t numel() const;
};

// The values row by row, whichever way they are held.
std::vector<std::byte> values_by_row(const TensorData& tensor);

struct Value {
  enum class Kind : uint8_t { none, boolean, integer, real, text, dtype, tensor, list, integers };
  Kind kind = Kind::none;
  bool boolean = false;
  int64_t integer = 0;
  double real = 0;
  std::string_view text;  // strings, and devices, layouts, memory formats by name
  Dtype dtype = Dtype::float32;
  size_t tensor = 0;        // which of Sample::inputs
  std::vector<Value> list;  // a list of anything but integers alone; also the empty list
  std::vector<int64_t> integers;
};

// Only arguments that were given; the rest have the schema's defaults. A number where the schema
// says Tensor is a Python number: it takes part in type promotion by its kind alone.
struct Argument {
  std::string_view name;
  Value value;
};

struct Output {
  // A tensor's values, or a number (of `item`).
  std::optional<TensorData> tensor;
  Value number;
  int alias_of = -1;         // the first input whose storage it shares; -1: fresh memory
  bool same_object = false;  // it is that input itself
  bool requires_grad = false;
};

struct Indexed {
  size_t index = 0;                  // of an input or an output
  std::optional<TensorData> tensor;  // empty: an undefined gradient
};

struct Error {
  std::string_view type;     // RuntimeError, IndexError, ...
  std::string_view regex;    // what op_db expects of the text; empty if it says nothing
  std::string_view message;  // PyTorch's text
};

struct Sample {
  std::string_view op;      // "aten::add.Tensor"
  std::string_view schema;  // the whole schema
  std::string_view source;  // where it comes from: "op_db add float32 sample_inputs[3]"
  std::vector<Argument> arguments;
  std::vector<TensorData> inputs;  // the tensors among the arguments, in order of appearance
  std::vector<Output> outputs;     // lists and tuples flattened
  std::vector<Indexed> mutated;    // inputs the call wrote, as they are after it
  bool has_values = true;          // false: random or uninitialised, only the layout is comparable
  std::vector<Indexed> grad_outputs;  // (output, gradient put in); empty: not differentiated
  std::vector<Indexed> grads;         // (input that requires grad, gradient that came out)
  std::optional<Error> error;         // the call raised; then there are no outputs

  const Value* argument(std::string_view name) const;
};

class File {
 public:
  // Throws std::runtime_error, naming the file, if it is missing, damaged or of another format.
  static File load(const std::filesystem::path& path);

  const std::vector<Sample>& samples() const { return samples_; }
  std::string_view header() const { return header_; }  // JSON: origin, torch version, caps, counts

 private:
  friend class Parser;
  std::vector<std::byte> memory_;
  std::string_view header_;
  std::vector<Sample> samples_;
};

// All files of a folder, by name.
std::vector<std::filesystem::path> files(const std::filesystem::path& folder);

}  // namespace op_samples
