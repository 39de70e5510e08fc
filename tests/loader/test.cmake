# Two shared objects to load, made by the build because this room has no compiler of its own.
foreach(value 1 2)
  add_library(loader_sample_${value} MODULE ${CMAKE_CURRENT_LIST_DIR}/sample/sample.cpp)
  target_compile_definitions(loader_sample_${value} PRIVATE SAMPLE_VALUE=${value})
  set_target_properties(loader_sample_${value} PROPERTIES PREFIX "")
endforeach()
frit_test(ROOM loader)
if(TARGET test_loader)
  add_dependencies(test_loader loader_sample_1 loader_sample_2)
  target_compile_definitions(test_loader PRIVATE
    SAMPLE_1="$<TARGET_FILE:loader_sample_1>" SAMPLE_2="$<TARGET_FILE:loader_sample_2>")
endif()
