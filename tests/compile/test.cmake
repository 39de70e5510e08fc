frit_test(ROOM compile)
if(TARGET frit_cc)
  # The real plugin behind a fault, and one of another build.
  add_library(fake_faulty_plugin MODULE ${CMAKE_CURRENT_LIST_DIR}/fakes/faulty_plugin.cpp)
  target_include_directories(fake_faulty_plugin PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(fake_faulty_plugin PRIVATE ${CMAKE_DL_LIBS})
  target_compile_definitions(fake_faulty_plugin PRIVATE FRIT_REAL_PLUGIN="$<TARGET_FILE:frit_cc>")
  set_target_properties(fake_faulty_plugin PROPERTIES PREFIX "" OUTPUT_NAME faulty_plugin
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/fakes)
  add_dependencies(test_compile frit_cc fake_faulty_plugin fake_other_build)
  target_compile_definitions(test_compile PRIVATE FAKES="${CMAKE_CURRENT_BINARY_DIR}/fakes/")
endif()
# What must not compile, and the sentences it is refused with.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME compile_rejected
         COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/rejected/check.py ${CMAKE_CXX_COMPILER}
                 ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/generated)
frit_test_properties(compile_rejected unit)
