# Checks of the sources themselves, run as tests.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
foreach(check includes files errors)
  add_test(NAME check_${check}
           COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check_${check}.py ${PROJECT_SOURCE_DIR})
  set_tests_properties(check_${check} PROPERTIES LABELS check TIMEOUT 60)
endforeach()
# And of the checks: each finds the faults that are put before it.
add_test(NAME check_the_checks
         COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check_test.py)
set_tests_properties(check_the_checks PROPERTIES LABELS check TIMEOUT 60)
