// Loops over a range in steps of L: whole vectors, then at most one tail.
#pragma once

#include "vec/types.h"

FV_BEGIN

// full(i) for every i with i + L <= end, then tail(i, n) for the last n < L elements if there are
// any.
template <class Full, class Tail>
FV void loop(i64 begin, i64 end, Full full, Tail tail) {
  i64 i = begin;
  for (; i + L <= end; i += L) {
    FV_CALL full(i);
  }
  if (i < end) {
    FV_CALL tail(i, end - i);
  }
}
// The same with one body for both, body(i, n) with n = L for whole vectors.
template <class Body>
FV void loop(i64 begin, i64 end, Body body) {
  i64 i = begin;
  for (; i + L <= end; i += L) {
    FV_CALL body(i, (i64)L);
  }
  if (i < end) {
    FV_CALL body(i, end - i);
  }
}

FV_END
