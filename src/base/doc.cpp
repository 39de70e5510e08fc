#include "base/doc.h"

#include <algorithm>

#include "base/doc_part.h"
#include "base/file.h"

namespace frit {

Doc::Doc() = default;
Doc::Doc(Doc&&) noexcept = default;
Doc::~Doc() = default;
Doc::Doc(const Doc& o) { append(o); }
Doc& Doc::operator=(Doc o) noexcept {
  parts_.swap(o.parts_);
  return *this;
}

namespace {

std::unique_ptr<DocPart> make(DocPart::Kind kind, std::string text = {}, std::string second = {}) {
  auto part = std::make_unique<DocPart>();
  part->kind = kind;
  part->text = std::move(text);
  part->second = std::move(second);
  return part;
}

}  // namespace

Doc& Doc::heading(std::string text) {
  parts_.push_back(make(DocPart::heading, std::move(text)));
  return *this;
}
Doc& Doc::paragraph(std::string text) {
  parts_.push_back(make(DocPart::paragraph, std::move(text)));
  return *this;
}
Doc& Doc::line(std::string text) {
  parts_.push_back(make(DocPart::line, std::move(text)));
  return *this;
}
Doc& Doc::bullet(std::string text) {
  parts_.push_back(make(DocPart::bullet, std::move(text)));
  return *this;
}
Doc& Doc::row(std::string key, std::string value) {
  parts_.push_back(make(DocPart::row, std::move(key), std::move(value)));
  return *this;
}
Doc& Doc::code(std::string text, std::string language) {
  parts_.push_back(make(DocPart::code, std::move(text), std::move(language)));
  return *this;
}
Doc& Doc::source(std::string place, std::string source_text) {
  parts_.push_back(make(DocPart::source, std::move(place), std::move(source_text)));
  return *this;
}
Doc& Doc::source(SourceLocation where) {
  if (!where) return *this;
  return source(where.text(), source_line(where));
}

Doc& Doc::table(std::vector<Column> columns, std::vector<std::vector<std::string>> rows) {
  for (const auto& row : rows)
    FRIT_INVARIANT(row.size() == columns.size(), "a table of " + std::to_string(columns.size()) +
                                                     " columns has a row of " +
                                                     std::to_string(row.size()));
  auto part = make(DocPart::table);
  part->columns = std::move(columns);
  part->rows = std::move(rows);
  parts_.push_back(std::move(part));
  return *this;
}

Doc& Doc::section(std::string title) {
  auto part = make(DocPart::section, std::move(title));
  Doc& inner = part->inner;
  parts_.push_back(std::move(part));
  return inner;
}

Doc& Doc::append(const Doc& other) {
  const size_t n = other.parts_.size();  // other may be this document
  for (size_t i = 0; i < n; ++i) parts_.push_back(std::make_unique<DocPart>(*other.parts_[i]));
  return *this;
}

std::string source_line(SourceLocation where) {
  if (!where) return {};
  auto text = try_read_file(where.file);
  if (!text) return {};
  size_t at = 0;
  for (uint32_t line = 1; line < where.line; ++line) {
    at = text->find('\n', at);
    if (at == text->npos) return {};
    ++at;
  }
  std::string_view line = std::string_view(*text).substr(at, text->find('\n', at) - at);
  size_t first = line.find_first_not_of(" \t");
  if (first == line.npos) return {};
  return std::string(line.substr(first, line.find_last_not_of(" \t\r") - first + 1));
}

int text_width(std::string_view text) {
  return static_cast<int>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace frit
