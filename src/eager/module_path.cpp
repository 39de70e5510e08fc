#include "eager/module_path.h"

namespace frit::eager {
namespace {
thread_local Symbol t_path;
}

Symbol current_module_path() { return t_path; }

ModulePathScope::ModulePathScope(Symbol path) : saved_(t_path) {
  if (!path.str().empty()) t_path = path;
}
ModulePathScope::~ModulePathScope() { t_path = saved_; }

}  // namespace frit::eager
