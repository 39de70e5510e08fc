#include "vec/select.h"

#include <algorithm>
#include <cctype>
#include <unordered_set>

#include "base/error.h"

namespace frit::vec {
namespace {

bool starts_name(char c) { return std::isalpha((unsigned char)c) || c == '_'; }
bool in_name(char c) { return starts_name(c) || std::isdigit((unsigned char)c); }

// Calls visit(name, rest of the text after it) for every name; numbers and literals are passed
// over.
template <class Visit>
void for_each_name(std::string_view text, Visit visit) {
  for (size_t i = 0; i < text.size();) {
    char c = text[i];
    if (starts_name(c)) {
      size_t from = i;
      while (i < text.size() && in_name(text[i])) i++;
      visit(text.substr(from, i - from), text.substr(i));
    } else if (std::isdigit((unsigned char)c)) {
      // a number with its suffix and exponent
      while (i < text.size() && (in_name(text[i]) || text[i] == '.')) i++;
    } else if (c == '"' || c == '\'') {
      for (i++; i < text.size() && text[i] != c; i++)
        if (text[i] == '\\') i++;
      i++;
    } else {
      i++;
    }
  }
}

bool is_keyword(std::string_view name) {
  static const std::unordered_set<std::string_view> all = {
      "template", "static", "inline", "constexpr", "const", "struct",   "enum",   "union",
      "typedef",  "using",  "class",  "void",      "auto",  "unsigned", "signed", "typename",
      "char",     "short",  "int",    "long",      "float", "double",   "bool"};
  return all.contains(name);
}

// The declaration without its attributes (in blanks), so that their parentheses do not count.
std::string without_attributes(std::string_view text) {
  std::string out(text);
  for (size_t at = 0; (at = out.find("__attribute__", at)) != std::string::npos;) {
    size_t i = out.find('(', at);
    int depth = 0;
    do {
      depth += out[i] == '(' ? 1 : out[i] == ')' ? -1 : 0;
      i++;
    } while (depth > 0 && i < out.size());
    std::fill(out.begin() + (long)at, out.begin() + (long)i, ' ');
  }
  return out;
}

// The names a declaration declares: those before an '=' of its own, else the one before the first
// parenthesis, brace or semicolon; the enumerators of an enum without a name.
std::vector<std::string> declared_names(std::string_view declaration) {
  std::string text = without_attributes(declaration);
  std::vector<std::string> names;
  std::string last;
  int angle = 0, round = 0;
  bool ended = false;
  for (size_t i = 0; i < text.size() && !ended;) {
    char c = text[i];
    if (starts_name(c)) {
      size_t from = i;
      while (i < text.size() && in_name(text[i])) i++;
      if (angle == 0 && round == 0 && !is_keyword(text.substr(from, i - from)))
        last = text.substr(from, i - from);
      continue;
    }
    if (c == '<') angle++;
    if (c == '>') angle--;
    if (angle == 0 && c == '(') {
      ended = true;  // a function
    } else if (angle == 0 && (c == '{' || c == ';')) {
      ended = true;
    } else if (angle == 0 && c == '=') {
      // variables: what follows up to a comma or the end is the value
      names.push_back(last);
      for (; i < text.size() && !(round == 0 && (text[i] == ',' || text[i] == ';')); i++)
        round += text[i] == '(' || text[i] == '{' || text[i] == '['   ? 1
                 : text[i] == ')' || text[i] == '}' || text[i] == ']' ? -1
                                                                      : 0;
      last.clear();
    }
    i++;
  }
  if (!last.empty()) names.push_back(last);
  if (names.empty()) {
    size_t open = text.find('{');
    FRIT_INVARIANT(open != std::string::npos, "a declaration without a name in the vector header");
    for_each_name(std::string_view(text).substr(open),
                  [&](std::string_view name, std::string_view) { names.emplace_back(name); });
  }
  return names;
}

}  // namespace

Declarations::Declarations(std::string_view text, std::string_view space) : space_(space) {
  cut(text);
  for (Piece& piece : pieces_) {
    std::unordered_set<uint32_t> needs;
    for_each_name(piece.text, [&](std::string_view name, std::string_view) {
      auto found = declared_.find(name);
      if (found != declared_.end()) needs.insert(found->second.begin(), found->second.end());
    });
    piece.needs.assign(needs.begin(), needs.end());
  }
}

void Declarations::cut(std::string_view text) {
  size_t from = 0;
  int depth = 0;
  bool inside = false;  // the namespace
  for (size_t i = 0; i < text.size(); i++) {
    if (depth == 0 && i == from) {
      if (std::isspace((unsigned char)text[i])) {
        from++;
        continue;
      }
      if (text[i] == '#') {
        size_t end = std::min(text.find('\n', i), text.size());
        preamble_.append(text.substr(i, end - i)).append("\n");
        from = end;
        i = end - 1;
        continue;
      }
      if (text.substr(i).starts_with(space_)) {
        from = i + space_.size();
        i = from - 1;
        inside = true;
        continue;
      }
      if (text[i] == '}') {  // closes the namespace
        inside = false;
        from++;
        continue;
      }
    }
    char c = text[i];
    if (c == '{' || c == '(' || c == '[') depth++;
    if (c == '}' || c == ')' || c == ']') depth--;
    if (depth != 0 || (c != ';' && c != '}')) continue;
    if (c == '}') {  // of a function; a class, an enum or a value goes on to its semicolon
      size_t next = text.find_first_not_of(" \n\t", i + 1);
      if (next != std::string_view::npos && (text[next] == ';' || text[next] == ',')) continue;
    }
    if (inside)
      add(text.substr(from, i + 1 - from));
    else
      preamble_.append(text.substr(from, i + 1 - from)).append("\n");
    from = i + 1;
  }
}

void Declarations::add(std::string_view text) {
  auto index = (uint32_t)pieces_.size();
  pieces_.push_back({text, {}});
  for (const std::string& name : declared_names(text)) {
    // the key is the name where it stands in the text, which lives as long as this
    std::string_view key;
    for_each_name(text, [&](std::string_view candidate, std::string_view) {
      if (candidate == name) key = candidate;
    });
    declared_[key].push_back(index);
  }
}

std::string Declarations::select(std::string_view code) const {
  std::vector<bool> taken(pieces_.size());
  std::vector<uint32_t> open;
  auto take = [&](uint32_t piece) {
    if (!taken[piece]) open.push_back(piece);
    taken[piece] = true;
  };
  for_each_name(code, [&](std::string_view name, std::string_view) {
    auto found = declared_.find(name);
    if (found == declared_.end()) return;
    for (uint32_t piece : found->second) take(piece);
  });
  while (!open.empty()) {
    uint32_t piece = open.back();
    open.pop_back();
    for (uint32_t other : pieces_[piece].needs) take(other);
  }
  std::string out = preamble_;
  out.append(space_).append("\n");
  for (size_t i = 0; i < pieces_.size(); i++)
    if (taken[i]) out.append(pieces_[i].text).append("\n");
  out.append("} }\n");
  return out;
}

std::vector<std::string_view> Declarations::names() const {
  std::vector<std::string_view> all;
  for (const auto& [name, pieces] : declared_) all.push_back(name);
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace frit::vec
