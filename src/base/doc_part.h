// One part of a document; seen by the document and its two renderers only.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/doc.h"

namespace frit {

struct DocPart {
  enum Kind : uint8_t { heading, paragraph, line, bullet, row, code, source, table, section };
  Kind kind = paragraph;
  std::string text, second;  // row: key, value; code: text, language; source: place, text
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
  Doc inner;  // of a section
};

}  // namespace frit
