// HTML fragments: plain elements with class names, no style and no script of their own.
#include <algorithm>

#include "base/doc_part.h"

namespace frit {

std::string escape_html(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

struct DocHtml {
  std::string out;

  void element(std::string_view tag, std::string_view type, std::string_view text) {
    out.append("<").append(tag);
    if (!type.empty()) out.append(" class=\"").append(type).append("\"");
    out.append(">").append(escape_html(text)).append("</").append(tag).append(">");
  }

  void table(const DocPart& part) {
    auto cell = [&](std::string_view tag, const Column& c, std::string_view text) {
      element(tag, c.align == Align::right ? "frit-right" : "", text);
    };
    out += "<table class=\"frit-table\">\n<tr>";
    for (const Column& c : part.columns) cell("th", c, c.title);
    out += "</tr>\n";
    for (const auto& row : part.rows) {
      out += "<tr>";
      for (size_t c = 0; c < row.size(); ++c) cell("td", part.columns[c], row[c]);
      out += "</tr>\n";
    }
    out += "</table>\n";
  }

  // The element that holds a run of parts of one kind.
  static std::string_view holder(DocPart::Kind kind) {
    return kind == DocPart::bullet ? "ul"
           : kind == DocPart::row  ? "dl"
           : kind == DocPart::line ? "pre"
                                   : "";
  }

  void doc(const Doc& d, int level) {
    const std::string title = "h" + std::to_string(std::min(level, 6));
    for (size_t i = 0; i < d.parts_.size(); ++i) {
      const DocPart& part = *d.parts_[i];
      std::string_view around = holder(part.kind);
      bool first = !i || d.parts_[i - 1]->kind != part.kind;
      bool last = i + 1 == d.parts_.size() || d.parts_[i + 1]->kind != part.kind;
      if (first && !around.empty())
        out.append("<").append(around).append(around == "pre" ? " class=\"frit-lines\">" : ">\n");
      switch (part.kind) {
        case DocPart::heading:
          element(title, "", part.text);
          break;
        case DocPart::paragraph:
          element("p", "", part.text);
          break;
        case DocPart::line:
          out += escape_html(part.text);
          break;
        case DocPart::bullet:
          element("li", "", part.text);
          break;
        case DocPart::row:
          element("dt", "", part.text);
          element("dd", "", part.second);
          break;
        case DocPart::code:
          element("pre", "frit-code", part.text);
          break;
        case DocPart::source:
          element("div", "frit-place", part.text);
          if (!part.second.empty()) element("pre", "frit-source", part.second);
          break;
        case DocPart::table:
          table(part);
          continue;
        case DocPart::section:
          out += "<section>\n";
          element(title, "", part.text);
          out += '\n';
          doc(part.inner, level + 1);
          out += "</section>";
          break;
      }
      if (part.kind != DocPart::line || !last) out += '\n';
      if (last && !around.empty()) out.append("</").append(around).append(">\n");
    }
  }
};

std::string Doc::html() const {
  DocHtml html;
  html.doc(*this, 2);
  return std::move(html.out);
}

}  // namespace frit
