# Processor levels: code that uses the vector header is built once a level and chosen at run time.
#
#   FRIT_FLAGS_AVX2, FRIT_FLAGS_AVX512    compile flags, also for generated code
#   frit_level_library(<target> <source>...)
#
# makes the object libraries <target>_avx2 and <target>_avx512 from the same sources, with the
# definition FRIT_LEVEL=2 or 5, and the interface library <target> that brings the objects of both:
# link it PRIVATE, or those who link the linker get them twice.
# What such a source defines with external linkage must be named after its level (FRIT_LEVEL), and it
# should not use the inline functions of other headers: the linker keeps one copy of an inline
# function, and that may be the one with instructions the processor has not.
set(FRIT_FLAGS_MATH -ffp-contract=off -fno-math-errno -fno-trapping-math -Wno-psabi)
set(FRIT_FLAGS_AVX2 -mavx2 -mfma -mf16c -mbmi -mbmi2 -mlzcnt -mpopcnt ${FRIT_FLAGS_MATH})
set(FRIT_FLAGS_AVX512 -mavx512f -mavx512dq -mavx512bw -mavx512vl -mavx512cd ${FRIT_FLAGS_AVX2})

function(frit_level_library target)
  add_library(${target} INTERFACE)
  foreach(level avx2 avx512)
    string(TOUPPER ${level} name)
    add_library(${target}_${level} OBJECT ${ARGN})
    target_include_directories(${target}_${level} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${target}_${level} PRIVATE frit_flags)
    target_compile_options(${target}_${level} PRIVATE ${FRIT_FLAGS_${name}})
    target_sources(${target} INTERFACE $<TARGET_OBJECTS:${target}_${level}>)
  endforeach()
  target_compile_definitions(${target}_avx2 PRIVATE FRIT_LEVEL=2)
  target_compile_definitions(${target}_avx512 PRIVATE FRIT_LEVEL=5)
endfunction()
