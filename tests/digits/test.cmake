# The program of examples/digits, part by part.
frit_test(ROOM digits USES debug io)
target_include_directories(test_digits PRIVATE ${PROJECT_SOURCE_DIR}/examples)
if(TARGET frit_cc)
  add_dependencies(test_digits frit_cc)
endif()
