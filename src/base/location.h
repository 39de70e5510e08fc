// Where in the user's program an op was called. Library code that calls ops (modules, optimisers,
// decompositions) opens a LocationScope with its caller's place: ops inside get the outermost one.
#pragma once
#include "base/error.h"

namespace frit {

extern thread_local constinit SourceLocation t_location;

// Of the last op that was given one: nearest to what cannot have a place of its own, as
// `if (tensor)`.
extern thread_local constinit SourceLocation t_last_place;

class LocationScope {
 public:
  // No effect inside another scope, or where `where` is empty.
  explicit LocationScope(SourceLocation where) : saved_(t_location) {
    if (!t_location) t_location = where;
  }
  // Whatever scope there is: the backward pass gives each op the place of the forward op it
  // differentiates, not that of the call of backward().
  struct Replacing {};
  LocationScope(Replacing, SourceLocation where) : saved_(t_location) {
    if (where) t_location = where;
  }
  ~LocationScope() { t_location = saved_; }
  LocationScope(const LocationScope&) = delete;
  LocationScope& operator=(const LocationScope&) = delete;

 private:
  SourceLocation saved_;
};

// The enclosing scope's place, else `own`.
inline const SourceLocation& located(const SourceLocation& own) {
  return t_location ? t_location : own;
}

}  // namespace frit
