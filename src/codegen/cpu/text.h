// Pieces of C++ text: names, types, literals, index arithmetic.
#pragma once
#include <functional>
#include <set>
#include <string>

#include "core/scalar.h"
#include "ops/record.h"
#include "sym/shape_env.h"

namespace frit::codegen::cpu {

// Names in one C++ scope: each is asked for by a wish and made valid and unique.
class Names {
 public:
  // "up.weight" gives up_weight, "%12" gives v12, and a name that is taken gets a number.
  std::string take(std::string_view wish);

 private:
  std::set<std::string> taken_;
};

// The storage type of a buffer ("f32", "bool_t", "bf16_t"); the scalar and vector type of a lane
// value of compute type t ("f32", "bool"; "vf32", "mask").
const char* storage_type(DType t);
const char* scalar_type(DType t);
const char* vector_type(DType t);
// The argument of fv::convert.
const char* convert_type(DType t);

// Exact: hexadecimal floats, integers in full. `s` is of compute type t.
std::string literal(const Scalar& s, DType t);

// How a symbol is written where an index is written.
struct SymbolName {
  std::string text;
  bool vector = false;  // a vi64 of its values in the lanes
};
using SymbolNames = std::function<SymbolName(const sym::Expr*)>;

// An index or condition as C++ over i64, or over vi64 where a symbol in it is one (a condition is
// then a fv mask); parenthesised unless it is one token.
SymbolName index_text(Int index, const SymbolNames& names);
SymbolName condition_text(Bool condition, const SymbolNames& names);
// As it was made: what a check evaluates (ShapeEnv::as_made).
SymbolName check_text(Bool condition, const SymbolNames& names);

std::string indented(std::string_view text, int by);

}  // namespace frit::codegen::cpu
