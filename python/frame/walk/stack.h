// The value stack of a walked frame, as the instructions use it.
#pragma once
#include "frame/walk/walker.h"

namespace frit::walk {

inline Value& top(Frame& f, int n = 1) { return f.stack[f.stack.size() - static_cast<size_t>(n)]; }
inline void drop(Frame& f, int n) { f.stack.resize(f.stack.size() - static_cast<size_t>(n)); }
inline bool push(Frame& f, Value v) {
  f.stack.push_back(std::move(v));
  return true;
}
// n operands become the result.
inline bool replace(Frame& f, int n, Value v) {
  if (!v) return false;
  drop(f, n);
  return push(f, std::move(v));
}
inline PyObject* local_name(const Frame& f, int i) {
  return PyTuple_GET_ITEM(f.code->co_localsplusnames, i);
}

}  // namespace frit::walk
