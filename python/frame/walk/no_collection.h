// No garbage collection for a scope, where objects are held that are not owned: one may run any
// code.
#pragma once
#include "frame/walk/ref.h"

namespace frit::walk {

class NoCollection {
 public:
  NoCollection() : was_(PyGC_Disable()) {}
  ~NoCollection() {
    if (was_) PyGC_Enable();
  }
  NoCollection(const NoCollection&) = delete;
  NoCollection& operator=(const NoCollection&) = delete;

 private:
  int was_;
};

}  // namespace frit::walk
