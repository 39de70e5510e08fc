# Generates the text of the vector header into the build directory and lets frit_vec embed it.
set(folder ${PROJECT_BINARY_DIR}/generated)
set(script ${PROJECT_SOURCE_DIR}/cmake/flatten_vec_header.cmake)
file(GLOB parts CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.h)
file(MAKE_DIRECTORY ${folder})
add_custom_command(
  OUTPUT ${folder}/vec_header.h
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR}/src -DTEXT=${folder}/vec_header.h -P ${script}
  DEPENDS ${parts} ${script}
  COMMENT "Flattening the vector header" VERBATIM)
add_custom_command(
  OUTPUT ${folder}/vec_header.inc
  COMMAND ${CMAKE_COMMAND} -DFROM=${folder}/vec_header.h -DLITERAL=${folder}/vec_header.inc -P ${script}
  DEPENDS ${folder}/vec_header.h ${script} VERBATIM)
add_custom_target(frit_vec_header_text DEPENDS ${folder}/vec_header.inc)
add_dependencies(frit_vec frit_vec_header_text)
target_include_directories(frit_vec PRIVATE ${folder})
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/text.cpp TARGET_DIRECTORY frit_vec
                            PROPERTIES OBJECT_DEPENDS "${folder}/vec_header.inc")
