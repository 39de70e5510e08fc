// What is made once by Python's code, under the GIL.
#pragma once

namespace frit::walk {

// The result of `make`, of its first call that gives one; never destroyed. Instead of a static's
// initializer wherever that may run Python's code, an import or a collection: such code lets other
// threads go on, and one of them would wait at the static's lock with the GIL in its hands. Of
// several that were made at once one stays.
template <class F>
const auto& made_once(F make) {
  using T = decltype(make());
  constinit static const T* known = nullptr;
  if (!known) {
    const T* made = new T(make());
    if (known)
      delete made;
    else
      known = made;
  }
  return *known;
}

}  // namespace frit::walk
