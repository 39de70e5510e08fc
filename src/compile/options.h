// What CompileOptions may say.
#pragma once
#include <frit/compile.h>

namespace frit::compiler {

// UserError [compile] for the first option that has no meaning.
void check_options(const CompileOptions&, SourceLocation where);

}  // namespace frit::compiler
