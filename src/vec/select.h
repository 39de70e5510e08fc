// Selecting from a header the declarations that some code needs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace frit::vec {

// A preprocessed text cut into its declarations. It understands what the vector header is written
// in, not C++: at namespace level functions, classes, enums, typedefs, using and variables, within
// one `namespace fv { inline namespace l { ... } }` that is opened and closed any number of times.
// What is outside of it is always selected, and comes first.
class Declarations {
 public:
  // `text` must outlive the object. `space` is the text that opens the namespace.
  Declarations(std::string_view text, std::string_view space);

  // The declarations that `code` names and, again and again, those that these name; in the order of
  // the text, within the namespace.
  std::string select(std::string_view code) const;

  // Every name that is declared.
  std::vector<std::string_view> names() const;

 private:
  struct Piece {
    std::string_view text;
    std::vector<uint32_t> needs;  // other pieces
  };
  void cut(std::string_view text);
  void add(std::string_view text);

  std::string_view space_;
  std::string preamble_;  // pragmas, and what is outside the namespace
  std::vector<Piece> pieces_;
  std::unordered_map<std::string_view, std::vector<uint32_t>> declared_;
};

}  // namespace frit::vec
