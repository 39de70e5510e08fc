# Generates the text of the vector header into the build directory and lets frit_vec embed it: as it is,
# and preprocessed for each level, from which what a piece of generated code needs is selected.
set(folder ${PROJECT_BINARY_DIR}/generated)
set(script ${PROJECT_SOURCE_DIR}/cmake/flatten_vec_header.cmake)
file(GLOB parts CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.h)
file(MAKE_DIRECTORY ${folder})
add_custom_command(
  OUTPUT ${folder}/vec_header.h
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR}/src -DTEXT=${folder}/vec_header.h -P ${script}
  DEPENDS ${parts} ${script}
  COMMENT "Flattening the vector header" VERBATIM)
set(literals "")
foreach(level 2 5)
  add_custom_command(
    OUTPUT ${folder}/vec_header_${level}.h
    COMMAND ${CMAKE_CXX_COMPILER} -E -P -nostdinc -x c++ -DFV_LEVEL=${level} ${folder}/vec_header.h
            -o ${folder}/vec_header_${level}.h
    DEPENDS ${folder}/vec_header.h VERBATIM)
endforeach()
foreach(name vec_header vec_header_2 vec_header_5)
  add_custom_command(
    OUTPUT ${folder}/${name}.inc
    COMMAND ${CMAKE_COMMAND} -DFROM=${folder}/${name}.h -DLITERAL=${folder}/${name}.inc -P ${script}
    DEPENDS ${folder}/${name}.h ${script} VERBATIM)
  list(APPEND literals ${folder}/${name}.inc)
endforeach()
add_custom_target(frit_vec_header_text DEPENDS ${literals})
add_dependencies(frit_vec frit_vec_header_text)
target_include_directories(frit_vec PRIVATE ${folder})
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/text.cpp TARGET_DIRECTORY frit_vec
                            PROPERTIES OBJECT_DEPENDS "${literals}")
