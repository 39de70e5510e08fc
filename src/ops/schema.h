// aten-style schemas, parsed: "add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor".
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ops/arg.h"

namespace frit {

enum class ArgType : uint8_t {
  tensor,
  tensor_list,
  integer,
  integer_list,
  real,
  real_list,
  boolean,
  boolean_list,  // held as an IntList of 0 and 1
  scalar,
  dtype,
  string,
  generator,
  layout,
  device,
  memory_format,  // accepted in schemas for aten's sake; Frit has one of each
};

struct SchemaArg {
  std::string name;
  ArgType type = ArgType::tensor;
  bool optional = false;           // T?: may be None
  bool optional_elements = false;  // Tensor?[]
  bool is_written = false;         // Tensor(a!)
  char alias_set = 0;              // the letter of Tensor(a) or Tensor(a!)
  bool alias_rest = false;         // Tensor(a -> *): the list that is returned aliases it
  bool symbolic = false;           // SymInt, not int; printed, and of no other consequence
  int list_size = 0;               // int[2]: a lone int stands for this many
  bool keyword_only = false;
  bool has_default = false;
  Arg default_value;
};

struct SchemaReturn {
  ArgType type = ArgType::tensor;
  bool is_written = false;
  char alias_set = 0;
  std::string name;
};

struct Schema {
  std::string name;      // "add"
  std::string overload;  // "Tensor"; empty for the default one
  std::vector<SchemaArg> args;
  std::vector<SchemaReturn> returns;

  std::string full_name() const { return overload.empty() ? name : name + "." + overload; }
  std::string str() const;               // prints as aten prints it
  int find(std::string_view arg) const;  // index or -1
};

// InternalError with the place in the text if it is not a schema.
Schema parse_schema(std::string_view text);
std::string type_text(const SchemaArg&);  // "SymInt[]", "Tensor?"

// The argument in the one form its schema type has: an int for a Scalar becomes a Scalar, a lone
// int for int[2] a list. UserError (type) in PyTorch's words where it is of another type.
Arg canonical(const Schema&, size_t index, Arg given);

// Fills defaults; UserError (type) for missing, surplus or ill-typed arguments, in PyTorch's words.
ArgList bind_arguments(const Schema&, std::span<const Arg> positional,
                       std::span<const std::pair<std::string_view, Arg>> keywords = {});

}  // namespace frit
