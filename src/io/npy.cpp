// NumPy's .npy: a magic word, a version, a header that is a Python dict as text, and the elements.
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
#include <fmt/format.h>
#include <frit/io.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/layout.h"
#include "io/elements.h"

namespace frit {
namespace {

using io::Place;
using io::Reader;

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr uint64_t kHeaderLimit =
    1 << 20;  // NumPy's own are 118 bytes; a long structured dtype some thousands
constexpr size_t kAlign = 64;

// The little of Python's literals that a header consists of.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const Place& place) : text_(text), place_(place) {}

  void parse() {
    expect('{');
    while (!take('}')) {
      std::string key = string();
      expect(':');
      if (key == "descr" && !descr_) {
        if (peek() == '[') place_.fail("holds a structured array", "one array for each field");
        descr_ = string();
      } else if (key == "fortran_order" && !fortran_) {
        fortran_ = word();
      } else if (key == "shape" && !shape_) {
        shape_ = tuple();
      } else {
        damaged("the key '" + key + "' is unknown or there twice");
      }
      if (!take(',') && peek() != '}') damaged("a comma is missing");
    }
    if (peek() != '\0') damaged("text follows the closing brace");
    if (!descr_ || !fortran_ || !shape_) damaged("it needs descr, fortran_order and shape");
  }
  const std::string& descr() const { return *descr_; }
  bool fortran() const { return *fortran_; }
  const std::vector<int64_t>& shape() const { return *shape_; }

 private:
  [[noreturn]] void damaged(const std::string& why) const {
    place_.fail("its header is damaged: " + why, "write the file again with numpy.save");
  }
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t'))
      ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) damaged(fmt::format("'{}' is missing", c));
  }
  std::string string() {
    char quote = peek();
    if (quote != '\'' && quote != '"') damaged("a string is missing");
    size_t end = text_.find(quote, ++at_);
    if (end == text_.npos) damaged("a string has no end");
    std::string s(text_.substr(at_, end - at_));
    at_ = end + 1;
    return s;
  }
  bool word() {
    peek();
    for (std::string_view name : {"True", "False"})
      if (text_.substr(at_).starts_with(name)) {
        at_ += name.size();
        return name == "True";
      }
    damaged("fortran_order is neither True nor False");
  }
  std::vector<int64_t> tuple() {
    std::vector<int64_t> sizes;
    expect('(');
    while (!take(')')) {
      int64_t n = 0;
      char digit = peek();
      if (digit < '0' || digit > '9') damaged("a size is not a number");
      while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9')
        if (__builtin_mul_overflow(n, int64_t{10}, &n) ||
            __builtin_add_overflow(n, text_[at_++] - '0', &n))
          damaged("a size is too large");
      take('L');  // Python 2 wrote these
      sizes.push_back(n);
      if (!take(',') && peek() != ')') damaged("a comma is missing");
    }
    return sizes;
  }

  std::string_view text_;
  const Place& place_;
  size_t at_ = 0;
  std::optional<std::string> descr_;
  std::optional<bool> fortran_;
  std::optional<std::vector<int64_t>> shape_;
};

struct TypeName {
  const char* text;  // without the byte order
  DType dtype;
};
constexpr TypeName kTypes[] = {{"f4", kFloat32}, {"f8", kFloat64}, {"f2", kFloat16},
                               {"i1", kInt8},    {"i2", kInt16},   {"i4", kInt32},
                               {"i8", kInt64},   {"u1", kUInt8},   {"b1", kBool}};

DType dtype_of(const std::string& descr, const Place& place, bool& swapped) {
  if (!descr.empty() && std::strchr("<>|=", descr[0]))
    for (const TypeName& t : kTypes)
      if (descr.substr(1) == t.text) {
        swapped = descr[0] == '>' && size_of(t.dtype) > 1;
        return t.dtype;
      }
  place.fail("holds elements of dtype '" + descr + "', which Frit does not have",
             descr.find('O') != descr.npos ? "an array of numbers"
                                           : "astype('int64') or astype('float32') before saving");
}

void swap_bytes(const Tensor& t) {
  auto* p = static_cast<std::byte*>(t.impl()->data());
  const int64_t width = size_of(t.dtype());
  for (int64_t i = 0, n = t.impl()->numel(); i < n; ++i, p += width) std::reverse(p, p + width);
}

}  // namespace

Tensor load_npy(const std::filesystem::path& path, std::source_location where) {
  Reader file({"load_npy", path, where});
  const Place& place = file.place();
  constexpr size_t shortest = 10;
  if (file.size() < shortest)
    place.fail(fmt::format("is {} bytes long, too short for a .npy file", file.size()),
               "a .npy file");
  std::string start = file.text(0, std::min<uint64_t>(file.size(), 12));
  if (!start.starts_with(kMagic))
    place.fail("does not begin as a .npy file", "a file written by numpy.save");
  auto byte = [&](size_t i) { return static_cast<uint64_t>(static_cast<unsigned char>(start[i])); };
  const uint64_t major = byte(6);
  if (major < 1 || major > 3)
    place.fail(fmt::format("is of .npy version {}.{}; Frit reads 1 to 3", major, byte(7)),
               "save it with numpy.save");
  const uint64_t begin = major == 1 ? 10 : 12;
  if (file.size() < begin) place.fail("is cut short in its header", "the whole file");
  const uint64_t length = major == 1 ? byte(8) | byte(9) << 8
                                     : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
  if (length > file.size() - begin || length > kHeaderLimit)
    place.fail(fmt::format("says its header is {} bytes, in a file of {}: it is cut short", length,
                           file.size()),
               "the whole file");

  std::string text = file.text(begin, length);
  HeaderParser header(text, place);
  header.parse();
  bool swapped = false;
  DType dtype = dtype_of(header.descr(), place, swapped);
  std::vector<int64_t> sizes = header.shape();
  auto bytes = io::byte_count(sizes, dtype);
  if (!bytes)
    place.fail("is said to be " + dims_text(sizes) + ", more than memory can hold", "a sound file");
  const uint64_t have = file.size() - begin - length;
  if (static_cast<uint64_t>(*bytes) != have)
    place.fail(fmt::format("is {} of {}, {} bytes, but {} follow its header{}", dims_text(sizes),
                           name(dtype), *bytes, have,
                           have < static_cast<uint64_t>(*bytes) ? ": it is cut short" : ""),
               "one whole array");

  if (!header.fortran() || sizes.size() < 2) {
    Tensor t = io::read_elements(file, begin + length, sizes, dtype);
    if (swapped) swap_bytes(t);
    return t;
  }
  std::vector<int64_t> reversed(sizes.rbegin(), sizes.rend());
  Tensor t = io::read_elements(file, begin + length, reversed, dtype);
  if (swapped) swap_bytes(t);
  std::vector<int64_t> strides(t.impl()->strides.begin(), t.impl()->strides.end());
  std::reverse(strides.begin(), strides.end());
  return alias_view(t, sizes, strides, 0);
}

void save_npy(const Tensor& tensor, const std::filesystem::path& path, std::source_location where) {
  Place place{"save_npy", path, where};
  if (!tensor.defined())
    place.fail("the tensor to be written is undefined", "a tensor with a value");
  const TensorImpl& t = *tensor.impl();
  auto type = std::find_if(std::begin(kTypes), std::end(kTypes),
                           [&](const TypeName& n) { return n.dtype == t.dtype; });
  if (type == std::end(kTypes))
    place.fail("NumPy has no " + std::string(name(t.dtype)),
               "to(float32) first, or save as safetensors");
  std::string shape;
  for (int64_t n : t.sizes) shape += (shape.empty() ? "" : ", ") + std::to_string(n);
  if (t.sizes.size() == 1) shape += ",";
  std::string text = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}",
                                 size_of(t.dtype) == 1 ? '|' : '<', type->text, shape);
  // Padded so that the elements begin at a multiple of 64.
  text.resize((10 + text.size() + 1 + kAlign - 1) / kAlign * kAlign - 10 - 1, ' ');
  text += '\n';

  io::AtomicWriter file(place);
  file.write(kMagic);
  const unsigned char rest[4] = {1, 0, static_cast<unsigned char>(text.size()),
                                 static_cast<unsigned char>(text.size() >> 8)};
  file.write(rest, sizeof rest);
  file.write(text);
  io::write_elements(file, tensor);
  file.commit();
}

}  // namespace frit
