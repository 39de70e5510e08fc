# Where little is optimized, most of a compile is the reading of headers. With FRIT_PRECOMPILED those that
# many files include are read once a kind of target:
#
#   frit_precompiled(<target> foundation|rooms|inner_tests|tests)
#
# A file may then leave out an include that it needs: presets without this show it.
function(frit_precompiled target kind)
  if(NOT FRIT_PRECOMPILED)
    return()
  endif()
  if(NOT TARGET frit_headers_${kind})
    frit_make_headers(${kind})
  endif()
  target_precompile_headers(${target} REUSE_FROM frit_headers_${kind})
endfunction()

function(frit_make_headers kind)
  add_library(frit_headers_${kind} OBJECT ${PROJECT_SOURCE_DIR}/cmake/precompiled.cpp)
  target_include_directories(frit_headers_${kind} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(frit_headers_${kind} PRIVATE frit_flags fmt::fmt)
  set(headers <algorithm> <atomic> <chrono> <cmath> <cstring> <deque> <filesystem> <functional> <map>
      <memory> <mutex> <numeric> <optional> <set> <span> <string> <thread> <unordered_map>
      <unordered_set> <vector> <fmt/format.h> [["base/error.h"]])
  if(NOT kind STREQUAL foundation)
    list(APPEND headers [["core/layout.h"]] [["ir/graph.h"]] [["ops/families.h"]] [["ops/record.h"]])
  endif()
  if(kind STREQUAL rooms)
    list(APPEND headers [["eager/dispatch.h"]] [["ops/kind_rules.h"]] [["sym/shape_env.h"]])
  elseif(kind MATCHES tests)
    list(APPEND headers <gmock/gmock.h> <gtest/gtest.h>)
    target_link_libraries(frit_headers_${kind} PRIVATE GTest::gmock GTest::gtest)
    # As executables are compiled, whose flags these must be.
    set_target_properties(frit_headers_${kind} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(frit_headers_${kind} PRIVATE -fPIE)
  endif()
  if(kind STREQUAL tests)
    list(APPEND headers <frit/autograd.h> <frit/compile.h> <frit/ops.h>)
  endif()
  target_precompile_headers(frit_headers_${kind} PRIVATE ${headers})
endfunction()
