// The safetensors format: eight bytes with the length of a header, the header as JSON
//   {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, "__metadata__": {...}}
// and the bytes of all tensors, without gaps. Files from anywhere are read, so nothing in a header
// is believed before it is checked against the size of the file.
#include <fmt/format.h>
#include <frit/io.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "base/json.h"
#include "core/layout.h"
#include "io/elements.h"

namespace frit {
namespace {

using io::Place;
using io::Reader;

constexpr uint64_t kHeaderLimit = 100'000'000;  // the format's own
constexpr const char* kMetadata = "__metadata__";
constexpr size_t kLength = 8;

struct TypeName {
  const char* text;
  DType dtype;
};
constexpr TypeName kTypes[] = {
    {"F64", kFloat64},   {"I64", kInt64}, {"F32", kFloat32}, {"I32", kInt32}, {"F16", kFloat16},
    {"BF16", kBFloat16}, {"I16", kInt16}, {"I8", kInt8},     {"U8", kUInt8},  {"BOOL", kBool}};

const char* text_of(DType dtype) {
  for (const TypeName& t : kTypes)
    if (t.dtype == dtype) return t.text;
  fail_invariant("dtype", "a dtype without a safetensors name");
}

// One line of a header that can be shown, whatever is in it.
std::string quoted(const std::string& name) {
  constexpr size_t longest = 80;
  std::string text =
      Json(name.substr(0, longest)).dump(-1, ' ', false, Json::error_handler_t::replace);
  return name.size() > longest ? text + "..." : text;
}

struct Stored {
  std::string name;
  DType dtype;
  std::vector<int64_t> sizes;
  uint64_t begin, end;  // from the end of the header
};

struct Header {
  std::vector<Stored> tensors;
  std::map<std::string, std::string> metadata;
  uint64_t data;  // where the tensors' bytes begin
};

Json parse_header(const Reader& file, const std::string& text) {
  // Keys met in the objects that are open; JSON libraries differ on which of two equal keys counts.
  std::vector<std::unordered_set<std::string>> open;
  auto check = [&](int depth, Json::parse_event_t event, Json& value) {
    if (depth > 3)
      file.place().fail("its header is nested deeper than the format allows", "a safetensors file");
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key && !open.back().insert(value.get<std::string>()).second)
      file.place().fail("its header has the name " + quoted(value.get<std::string>()) + " twice",
                        "write the file again with each name once");
    return true;
  };
  try {
    return Json::parse(text, check);
  } catch (const nlohmann::json::exception& e) {
    file.place().fail(std::string("its header is not JSON: ") + e.what(), "a safetensors file");
  }
}

// What is wrong with one tensor of a header, or nothing and `out` is filled.
std::string read_entry(const Json& entry, uint64_t data_size, Stored& out) {
  if (!entry.is_object()) return "is not an object";
  auto member = [&](const char* key) -> const Json* {
    auto it = entry.find(key);
    return it == entry.end() ? nullptr : &*it;
  };
  const Json *dtype = member("dtype"), *shape = member("shape"), *offsets = member("data_offsets");
  if (!dtype || !dtype->is_string()) return "has no dtype";
  auto type = std::find_if(std::begin(kTypes), std::end(kTypes), [&](const TypeName& t) {
    return dtype->get_ref<const std::string&>() == t.text;
  });
  if (type == std::end(kTypes))
    return "has dtype " + quoted(dtype->get<std::string>()) + ", which Frit does not have";
  out.dtype = type->dtype;
  if (!shape || !shape->is_array()) return "has no shape";
  for (const Json& n : *shape) {
    if (!n.is_number_unsigned() || n.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX))
      return "has " + n.dump() + " in its shape";
    out.sizes.push_back(n.get<int64_t>());
  }
  if (!offsets || !offsets->is_array() || offsets->size() != 2 ||
      !(*offsets)[0].is_number_unsigned() || !(*offsets)[1].is_number_unsigned())
    return "has no data_offsets of two numbers";
  out.begin = (*offsets)[0].get<uint64_t>(), out.end = (*offsets)[1].get<uint64_t>();
  if (out.begin > out.end)
    return fmt::format("ends at byte {}, before its begin at {}", out.end, out.begin);
  if (out.end > data_size)
    return fmt::format("ends at byte {} of {}: the file is cut short or the header is wrong",
                       out.end, data_size);
  auto bytes = io::byte_count(out.sizes, out.dtype);
  if (!bytes) return "is " + dims_text(out.sizes) + ", more than memory can hold";
  if (static_cast<uint64_t>(*bytes) != out.end - out.begin)
    return fmt::format("is {} of {}, {} bytes, but has {}", dims_text(out.sizes), name(out.dtype),
                       *bytes, out.end - out.begin);
  return {};
}

Header read_header(const Reader& file) {
  const Place& place = file.place();
  if (file.size() < kLength)
    place.fail(fmt::format("is {} bytes long, too short for a safetensors file", file.size()),
               "a safetensors file");
  unsigned char raw[kLength];
  file.read(0, raw, kLength);
  uint64_t length = 0;
  for (size_t i = kLength; i-- > 0;) length = length << 8 | raw[i];
  if (length > kHeaderLimit || length > file.size() - kLength)
    place.fail(
        fmt::format(
            "says its header is {} bytes, in a file of {}: it is cut short or no safetensors file",
            length, file.size()),
        "a whole safetensors file");
  std::string text = file.text(kLength, length);
  if (text.empty() || text[0] != '{')
    place.fail("its header does not begin with '{'", "a safetensors file");
  Json json = parse_header(file, text);

  Header header;
  header.data = kLength + length;
  const uint64_t data_size = file.size() - header.data;
  std::string wrong;
  for (auto& [key, value] : json.items()) {
    if (key == kMetadata) {
      bool fits = value.is_object();
      if (fits)
        for (auto& [k, v] : value.items()) fits = fits && v.is_string();
      if (fits)
        for (auto& [k, v] : value.items()) header.metadata.emplace(k, v.get<std::string>());
      else
        wrong += "\n    __metadata__ is not an object of strings";
      continue;
    }
    Stored stored{key, kFloat32, {}, 0, 0};
    if (std::string fault = read_entry(value, data_size, stored); !fault.empty())
      wrong += "\n    " + quoted(key) + " " + fault;
    else
      header.tensors.push_back(std::move(stored));
  }
  if (wrong.empty()) {
    std::vector<const Stored*> in_order;
    for (const Stored& s : header.tensors) in_order.push_back(&s);
    std::sort(in_order.begin(), in_order.end(), [](const Stored* a, const Stored* b) {
      return std::pair(a->begin, a->end) < std::pair(b->begin, b->end);
    });
    uint64_t at = 0;
    for (const Stored* s : in_order) {
      if (s->begin != at)
        wrong += fmt::format("\n    {} begins at byte {}, where {} is the next: the tensors {}",
                             quoted(s->name), s->begin, at,
                             s->begin < at ? "overlap" : "have a gap between them");
      at = s->end;
    }
    if (wrong.empty() && at != data_size)
      wrong += fmt::format("\n    the tensors end at byte {} of {}", at, data_size);
  }
  if (!wrong.empty())
    place.fail("is not a sound safetensors file:" + wrong, "get or write the file again");
  return header;
}

std::string header_text(const std::vector<const std::pair<std::string, Tensor>*>& layout,
                        const std::vector<std::pair<std::string, Tensor>>& tensors,
                        const std::map<std::string, std::string>& metadata, const Place& place) {
  std::map<std::string_view, std::pair<int64_t, int64_t>> offsets;
  int64_t at = 0;
  for (auto* item : layout) {
    const TensorImpl& t = *item->second.impl();
    int64_t bytes = t.numel() * size_of(t.dtype);
    offsets[item->first] = {at, at + bytes};
    at += bytes;
  }
  Json header = Json::object();
  if (!metadata.empty()) header[kMetadata] = metadata;
  for (auto& [name, tensor] : tensors) {
    const TensorImpl& t = *tensor.impl();
    auto [begin, end] = offsets[name];
    header[name] = {{"dtype", text_of(t.dtype)},
                    {"shape", Json(std::vector<int64_t>(t.sizes.begin(), t.sizes.end()))},
                    {"data_offsets", Json({begin, end})}};
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const nlohmann::json::exception&) {
    place.fail("a name or text to be written is not UTF-8", "names in UTF-8");
  }
  text.resize((text.size() + 7) / 8 * 8, ' ');  // so that the tensors begin at a multiple of eight
  return text;
}

}  // namespace

void save(const std::vector<std::pair<std::string, Tensor>>& tensors,
          const std::filesystem::path& path, const std::map<std::string, std::string>& metadata,
          std::source_location where) {
  Place place{"save", path, where};
  std::set<std::string_view> names;
  std::vector<const std::pair<std::string, Tensor>*> layout;
  for (auto& item : tensors) {
    if (!item.second.defined())
      place.fail("the tensor " + quoted(item.first) + " is undefined", "leave it out");
    if (item.first == kMetadata)
      place.fail("no tensor can have the name __metadata__", "another name");
    if (!names.insert(item.first).second)
      place.fail("two tensors have the name " + quoted(item.first), "each name once");
    layout.push_back(&item);
  }
  // Wide types first, so that every tensor lies at a multiple of its element's size.
  std::sort(layout.begin(), layout.end(), [](auto* a, auto* b) {
    const int64_t x = size_of(a->second.dtype()), y = size_of(b->second.dtype());
    return x != y ? x > y : a < b;
  });
  std::string header = header_text(layout, tensors, metadata, place);
  if (header.size() > kHeaderLimit)
    place.fail(fmt::format("the header would be {} bytes; the format allows {}", header.size(),
                           kHeaderLimit),
               "several files");
  unsigned char length[kLength];
  for (size_t i = 0; i < kLength; ++i)
    length[i] = static_cast<unsigned char>(header.size() >> 8 * i);

  io::AtomicWriter file(place);
  file.write(length, kLength);
  file.write(header);
  for (auto* item : layout) io::write_elements(file, item->second);
  file.commit();
}

std::vector<std::pair<std::string, Tensor>> load(const std::filesystem::path& path,
                                                 std::source_location where) {
  Reader file({"load", path, where});
  Header header = read_header(file);
  std::vector<std::pair<std::string, Tensor>> tensors;
  for (const Stored& s : header.tensors)
    tensors.emplace_back(s.name, io::read_elements(file, header.data + s.begin, s.sizes, s.dtype));
  return tensors;
}

std::map<std::string, std::string> load_metadata(const std::filesystem::path& path,
                                                 std::source_location where) {
  Reader file({"load_metadata", path, where});
  return read_header(file).metadata;
}

}  // namespace frit
