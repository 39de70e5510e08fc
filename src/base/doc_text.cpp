// Plain text. Parts of different kinds are set apart by one blank line, except that what belongs
// together (lines, rows, bullets) and what follows a heading is not.
#include <algorithm>
#include <sstream>

#include "base/doc_part.h"

namespace frit {

struct DocText {
  std::string out;
  int width;

  void put(int indent, std::string_view text) {
    if (!text.empty()) out.append(static_cast<size_t>(indent), ' ').append(text);
    out += '\n';
  }

  void put_lines(int indent, std::string_view text) {
    while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
    for (size_t at = 0; at <= text.size();) {
      size_t end = std::min(text.find('\n', at), text.size());
      put(indent, text.substr(at, end - at));
      at = end + 1;
    }
  }

  // Words filled to the width; the first line begins with `lead`, the others with as many spaces.
  void fill(int indent, std::string_view lead, std::string_view text) {
    std::string line(lead), word;
    const std::string rest(static_cast<size_t>(text_width(lead)), ' ');
    bool begun = false;
    std::istringstream words{std::string(text)};
    while (words >> word) {
      if (begun && indent + text_width(line) + 1 + text_width(word) > width) {
        put(indent, line);
        line = rest;
        begun = false;
      }
      if (begun) line += ' ';
      line += word;
      begun = true;
    }
    put(indent, line);
  }

  static void pad(std::string& line, std::string_view cell, int to, Align align) {
    std::string space(static_cast<size_t>(std::max(0, to - text_width(cell))), ' ');
    if (align == Align::right)
      line.append(space).append(cell);
    else
      line.append(cell).append(space);
  }

  void table(int indent, const DocPart& part) {
    std::vector<int> widths;
    for (size_t c = 0; c < part.columns.size(); ++c) {
      int w = text_width(part.columns[c].title);
      for (const auto& row : part.rows) w = std::max(w, text_width(row[c]));
      widths.push_back(w);
    }
    auto put_row = [&](auto cell) {
      std::string line;
      for (size_t c = 0; c < part.columns.size(); ++c) {
        if (c) line += "  ";
        pad(line, cell(c), widths[c], part.columns[c].align);
      }
      while (!line.empty() && line.back() == ' ') line.pop_back();
      put(indent, line);
    };
    bool titled = std::any_of(part.columns.begin(), part.columns.end(),
                              [](const Column& c) { return !c.title.empty(); });
    if (titled) {
      put_row([&](size_t c) -> std::string_view { return part.columns[c].title; });
      put_row([&](size_t c) { return std::string(static_cast<size_t>(widths[c]), '-'); });
    }
    for (const auto& row : part.rows) put_row([&](size_t c) -> std::string_view { return row[c]; });
  }

  // Rows [i, end) of the document; their values begin in one column.
  size_t rows(int indent, const Doc& doc, size_t i) {
    size_t end = i;
    int key = 0;
    for (; end < doc.parts_.size() && doc.parts_[end]->kind == DocPart::row; ++end)
      key = std::max(key, text_width(doc.parts_[end]->text));
    for (; i < end; ++i) {
      std::string line;
      pad(line, doc.parts_[i]->text + ":", key + 1, Align::left);
      line += ' ';
      std::string_view value = doc.parts_[i]->second;
      for (bool first = true; first || !value.empty(); first = false) {
        size_t newline = std::min(value.find('\n'), value.size());
        std::string text = first ? line : std::string(static_cast<size_t>(key + 2), ' ');
        text += value.substr(0, newline);
        while (!text.empty() && text.back() == ' ') text.pop_back();
        put(indent, text);
        value.remove_prefix(std::min(newline + 1, value.size()));
      }
    }
    return end;
  }

  static bool joined(DocPart::Kind before, DocPart::Kind now) {
    if (before == DocPart::heading) return true;
    return before == now && (now == DocPart::line || now == DocPart::bullet ||
                             now == DocPart::row || now == DocPart::source);
  }

  void doc(int indent, const Doc& d) {
    for (size_t i = 0; i < d.parts_.size();) {
      const DocPart& part = *d.parts_[i];
      if (i && !joined(d.parts_[i - 1]->kind, part.kind)) out += '\n';
      switch (part.kind) {
        case DocPart::heading:
        case DocPart::line:
          put_lines(indent, part.text);
          break;
        case DocPart::paragraph:
          fill(indent, "", part.text);
          break;
        case DocPart::bullet:
          fill(indent, "- ", part.text);
          break;
        case DocPart::row:
          i = rows(indent, d, i);
          continue;
        case DocPart::code:
          put_lines(indent + 2, part.text);
          break;
        case DocPart::source:
          put(indent, part.text);
          if (!part.second.empty()) put_lines(indent + 4, part.second);
          break;
        case DocPart::table:
          table(indent, part);
          break;
        case DocPart::section:
          put(indent, part.text);
          doc(indent + 2, part.inner);
          break;
      }
      ++i;
    }
  }
};

std::string Doc::str(int width) const {
  DocText text{{}, width};
  text.doc(0, *this);
  return std::move(text.out);
}

}  // namespace frit
