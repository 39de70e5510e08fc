# Stand-ins for a plugin of another version and for a library that is no plugin.
foreach(fake other_build other_abi no_plugin)
  add_library(fake_${fake} MODULE ${CMAKE_CURRENT_LIST_DIR}/fakes/${fake}.cpp)
  target_include_directories(fake_${fake} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  set_target_properties(fake_${fake} PROPERTIES PREFIX "" OUTPUT_NAME ${fake}
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/fakes)
endforeach()
if(TARGET frit_cc)
  frit_test(ROOM jit)
  add_dependencies(test_jit fake_other_build fake_other_abi fake_no_plugin)
  target_compile_definitions(test_jit PRIVATE FAKES="${CMAKE_CURRENT_BINARY_DIR}/fakes/")
endif()
