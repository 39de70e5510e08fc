// Which module's forward is running, for what is noted of an op: "encoder.up".
#pragma once
#include "base/symbol.h"

namespace frit::eager {

Symbol current_module_path();  // empty outside of modules

class ModulePathScope {
 public:
  explicit ModulePathScope(Symbol path);  // no effect for an empty one
  ~ModulePathScope();
  ModulePathScope(const ModulePathScope&) = delete;
  ModulePathScope& operator=(const ModulePathScope&) = delete;

 private:
  Symbol saved_;
};

}  // namespace frit::eager
