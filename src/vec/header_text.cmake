# Generates the text of the vector header into the build directory and lets frit_vec embed it.
set(text ${CMAKE_BINARY_DIR}/generated/vec_header.h)
set(literal ${CMAKE_BINARY_DIR}/generated/vec_header_text.inc)
file(GLOB parts CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.h)
add_custom_command(
  OUTPUT ${text} ${literal}
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR}/src -DTEXT=${text} -DLITERAL=${literal}
          -P ${CMAKE_SOURCE_DIR}/cmake/flatten_vec_header.cmake
  DEPENDS ${parts} ${CMAKE_SOURCE_DIR}/cmake/flatten_vec_header.cmake
  COMMENT "Flattening the vector header" VERBATIM)
add_custom_target(frit_vec_header_text DEPENDS ${text} ${literal})
add_dependencies(frit_vec frit_vec_header_text)
target_include_directories(frit_vec PRIVATE ${CMAKE_BINARY_DIR}/generated)
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/text.cpp TARGET_DIRECTORY frit_vec
                            PROPERTIES OBJECT_DEPENDS ${literal})
