# Sources named *_level.cpp are built once a processor level (cmake/levels.cmake); the rest of the room
# chooses between them at run time.
file(GLOB_RECURSE level_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/kernels/*_level.cpp)
if(level_sources AND TARGET frit_kernels)
  frit_level_library(frit_kernels_levels ${level_sources})
  target_link_libraries(frit_kernels PRIVATE frit_kernels_levels)
endif()
