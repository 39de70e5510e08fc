# The proofs of the simplifier's rules need Z3; without it they are left out and the build says so.
find_library(FRIT_Z3 z3)
if(FRIT_Z3)
  frit_test(ROOM sym EXTERNAL ${FRIT_Z3})
  target_compile_definitions(test_sym PRIVATE FRIT_HAVE_Z3=1)
else()
  message(STATUS "Z3 was not found: the simplifier's rules are not proved by test_sym")
  frit_test(ROOM sym)
endif()
