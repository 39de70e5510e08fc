#include "adapters/walked_location.h"

#include "base/symbol.h"
#include "frame/walk/walker.h"

namespace frit::python {

SourceLocation walked_location(const PyCodeObject* code) {
  walk::Walker* w = walk::Walker::active();
  walk::Frame* innermost = w ? w->current() : nullptr;
  const walk::Frame* root = innermost;
  while (root && root->back) root = root->back;
  if (!root || root->code != code) return {};
  SourceLocation where;
  for (const walk::Frame* f = innermost; f; f = f->back) {
    const std::string file = walk::text_of(f->code->co_filename);
    if (is_of_package(file)) continue;
    where.file = intern(file).c_str();
    where.function = intern(walk::text_of(f->code->co_qualname)).c_str();
    where.line = static_cast<uint32_t>(f->line());
    break;
  }
  return where;
}

}  // namespace frit::python
