# The vector header is tested at every level: the objects of tests/vec/levels are built once a level
# and reach the tests through tables of function pointers.
file(GLOB level_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/vec/levels/*.cpp)
frit_level_library(vec_test_levels ${level_sources})
foreach(level avx2 avx512)
  target_include_directories(vec_test_levels_${level} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
endforeach()
frit_test(ROOM vec EXTERNAL vec_test_levels mpfr gmp)
target_compile_definitions(test_vec PRIVATE FRIT_CXX="${CMAKE_CXX_COMPILER}")
