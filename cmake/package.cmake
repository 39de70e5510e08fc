# The package of a build, for find_package(frit) with the build folder in CMAKE_PREFIX_PATH: the target
# frit::frit, which is every room's library.
get_property(rooms GLOBAL PROPERTY FRIT_ROOMS)
set(libraries "")
foreach(name IN LISTS rooms)
  list(APPEND libraries $<TARGET_FILE:frit_${name}>)
endforeach()
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/frit-config.cmake CONTENT "\
include(CMakeFindDependencyMacro)
find_dependency(fmt)
find_dependency(nlohmann_json)
find_dependency(Threads)
if(NOT TARGET frit::frit)
  add_library(frit::frit INTERFACE IMPORTED)
  target_compile_features(frit::frit INTERFACE cxx_std_20)
  target_compile_options(frit::frit INTERFACE -fno-strict-aliasing)
  target_include_directories(frit::frit INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  if(EXISTS ${place})
    target_sources(frit::frit INTERFACE ${place})
  endif()
  target_link_libraries(frit::frit INTERFACE -Wl,--start-group ${libraries} -Wl,--end-group
    fmt::fmt nlohmann_json::nlohmann_json Threads::Threads ${CMAKE_DL_LIBS})
endif()
")
