// Documents: what explain(), guards, graph breaks and reports say, built once and rendered as plain
// text or as an HTML fragment. The same document always renders to the same bytes.
//
//   Doc d;
//   d.heading("step");
//   d.row("entries", "1").row("breaks", "0");
//   Doc& guards = d.section("guards");
//   guards.line("x is f32 cpu contiguous");
//   std::puts(d.str().c_str());
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace frit {

enum class Align : uint8_t { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
};

struct DocPart;

class Doc {
 public:
  Doc();
  Doc(const Doc&);
  Doc(Doc&&) noexcept;
  Doc& operator=(Doc) noexcept;
  ~Doc();

  Doc& heading(std::string text);    // a title with a blank line before it
  Doc& paragraph(std::string text);  // filled to the width, a blank line around it
  Doc& line(std::string text);       // as it stands; consecutive lines stay together
  Doc& bullet(std::string text);     // "- text", filled, later lines indented
  Doc& row(std::string key,
           std::string value);  // "key: value"; consecutive rows align their values
  Doc& code(std::string text, std::string language = {});  // many lines as they stand, indented
  // "net.cpp:14 in forward" and below it the line of the program where the file can be read.
  Doc& source(SourceLocation where);
  Doc& source(std::string place, std::string source_text);
  // Cells of each row as many as columns; InternalError otherwise.
  Doc& table(std::vector<Column> columns, std::vector<std::vector<std::string>> rows);
  // A part of its own under a title, indented; the reference lives as long as this document.
  Doc& section(std::string title);
  Doc& append(const Doc& other);  // other's parts after these

  bool empty() const { return parts_.empty(); }
  std::string str(int width = 100) const;  // ends with a newline unless empty
  std::string html() const;                // no <html> or style: elements with class names frit-*

 private:
  friend struct DocText;
  friend struct DocHtml;
  std::vector<std::unique_ptr<DocPart>> parts_;
};

// The text of one line of a source file without its indentation, or "" where it cannot be read.
std::string source_line(SourceLocation where);

// & < > " as entities.
std::string escape_html(std::string_view text);
// Columns a UTF-8 text takes on a terminal, counting one for each code point.
int text_width(std::string_view text);

}  // namespace frit
