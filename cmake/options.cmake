# Build options and the flags every target shares.
# Within another project, Frit is its library alone.
option(FRIT_TESTS "build the tests" ${PROJECT_IS_TOP_LEVEL})
option(FRIT_TOOLS "build tools, examples and benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(FRIT_PYTHON "build the Python package" ${PROJECT_IS_TOP_LEVEL})
set(FRIT_SANITIZE "" CACHE STRING "sanitizers to build with, as for -fsanitize=")
option(FRIT_PRECOMPILED "read common headers once, where builds are slowed by them" OFF)
option(FRIT_COVERAGE "build with coverage counters" OFF)
option(FRIT_FAULTS "build with faults that can be planted, for tools/sabotage" OFF)

find_program(FRIT_CCACHE ccache)
if(FRIT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${FRIT_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${FRIT_CCACHE})
endif()

add_library(frit_flags INTERFACE)
if(PROJECT_IS_TOP_LEVEL)  # other projects choose their warnings
  target_compile_options(frit_flags INTERFACE
    -Wall -Wextra -Wpedantic -Werror=return-type -Wno-unused-parameter)
endif()
target_compile_options(frit_flags INTERFACE
  -fno-strict-aliasing -ffp-contract=off -fvisibility-inlines-hidden)
target_link_options(frit_flags INTERFACE -fuse-ld=lld-19)
# A target that must not be sanitized (the compiler plugin, which is linked with LLVM's own libraries)
# does not link frit_flags.
set(FRIT_SANITIZER_ENVIRONMENT "")
if(FRIT_SANITIZE)
  # Not of functions: that reads the word before a function that is called, and generated code, which is
  # not sanitized, has none there (nor any memory, where a function begins its page).
  target_compile_options(frit_flags INTERFACE -fsanitize=${FRIT_SANITIZE} -fno-sanitize=function
    -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  target_link_options(frit_flags INTERFACE -fsanitize=${FRIT_SANITIZE})
  set(suppressions suppressions=${PROJECT_SOURCE_DIR}/cmake/sanitizers)
  set(FRIT_SANITIZER_ENVIRONMENT
    "LSAN_OPTIONS=${suppressions}/lsan.supp"
    "ASAN_OPTIONS=strict_string_checks=1:detect_stack_use_after_return=1"
    "UBSAN_OPTIONS=print_stacktrace=1"
    # A forked child of a program with threads is what the tests of fork are about; that a crash of the
    # plugin jumps out of a signal handler is the design.
    "TSAN_OPTIONS=die_after_fork=0:halt_on_error=1:second_deadlock_stack=1:report_signal_unsafe=0:ignore_noninstrumented_modules=1:${suppressions}/tsan.supp")
endif()
if(FRIT_FAULTS)
  target_compile_definitions(frit_flags INTERFACE FRIT_FAULTS)
endif()
if(FRIT_COVERAGE)
  target_compile_options(frit_flags INTERFACE -fprofile-instr-generate -fcoverage-mapping)
  target_link_options(frit_flags INTERFACE -fprofile-instr-generate)
endif()
