#include "ops/copy/memory_format.h"

#include "sym/expr.h"

namespace frit {

MemoryFormat memory_format(const Arg& a, MemoryFormat otherwise, std::string_view op) {
  constexpr std::string_view names[] = {"contiguous_format", "preserve_format", "channels_last",
                                        "channels_last_3d"};
  if (a.is_none()) return otherwise;
  if (a.is<Int>() && a.as<Int>().is_constant()) {
    int64_t code = a.as<Int>().constant();
    if (code >= 0 && code < 4) return static_cast<MemoryFormat>(code);
  }
  if (a.is<Symbol>())
    for (size_t i = 0; i < 4; ++i)
      if (a.as<Symbol>() == names[i]) return static_cast<MemoryFormat>(i);
  throw UserError(ErrorKind::value, op,
                  "memory_format is " +
                      (a.is<Symbol>() ? "'" + std::string(a.as<Symbol>().str()) + "'"
                                      : std::string("of another type")) +
                      ", which is no memory format",
                  "contiguous_format, preserve_format, channels_last or channels_last_3d");
}

void expect_layout_matters(std::span<const Int> sizes) {
  for (Int n : sizes)
    if (const sym::Expr* e = n.expr(); e && e->has_unbacked() && !(n > Int(1)).known_true())
      check(n > Int(1));
}

}  // namespace frit
