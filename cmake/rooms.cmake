# A room is one folder, one library, one link test.
#
#   frit_room(NAME ops  USES core  [EXTERNAL fmt::fmt ...] [FOLDER ops])
#
# makes the static library frit_<name> from every .cpp below src/<folder>, lets it see include/ and
# src/, links only the rooms it names (they bring the rooms they use), and registers the room for the
# include-direction check and for a link test: an executable that needs this room and no other.
set_property(GLOBAL PROPERTY FRIT_ROOMS "")

function(frit_room)
  cmake_parse_arguments(ROOM "" "NAME;FOLDER" "USES;EXTERNAL;EXCLUDE" ${ARGN})
  if(NOT ROOM_FOLDER)
    set(ROOM_FOLDER ${ROOM_NAME})
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS
       ${PROJECT_SOURCE_DIR}/src/${ROOM_FOLDER}/*.cpp ${PROJECT_SOURCE_DIR}/src/${ROOM_FOLDER}/*.h)
  foreach(pattern IN LISTS ROOM_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX ${pattern})
  endforeach()
  add_library(frit_${ROOM_NAME} STATIC ${sources})
  set_target_properties(frit_${ROOM_NAME} PROPERTIES LINKER_LANGUAGE CXX)
  target_include_directories(frit_${ROOM_NAME} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(frit_${ROOM_NAME} PUBLIC frit_flags)
  foreach(used IN LISTS ROOM_USES)
    target_link_libraries(frit_${ROOM_NAME} PUBLIC frit_${used})
  endforeach()
  target_link_libraries(frit_${ROOM_NAME} PUBLIC ${ROOM_EXTERNAL})
  if(TARGET frit_ops)  # this one, or one below it
    frit_precompiled(frit_${ROOM_NAME} rooms)
  else()
    frit_precompiled(frit_${ROOM_NAME} foundation)
  endif()
  if(FRIT_TESTS AND NOT FRIT_SANITIZE)
    frit_link_test(${ROOM_NAME})
  endif()
  set_property(GLOBAL APPEND PROPERTY FRIT_ROOMS ${ROOM_NAME})
  set_property(GLOBAL PROPERTY FRIT_ROOM_${ROOM_NAME}_FOLDER ${ROOM_FOLDER})
  set_property(GLOBAL PROPERTY FRIT_ROOM_${ROOM_NAME}_USES ${ROOM_USES})
endfunction()

# The link test of a room: every object of the room, linked with the rooms it names and nothing else. The
# linker refuses a name that none of them defines; running the program runs all static initialisers.
function(frit_link_test ROOM)
  add_executable(link_${ROOM} ${PROJECT_SOURCE_DIR}/cmake/link_test.cpp)
  target_link_libraries(link_${ROOM} PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,frit_${ROOM}> frit_flags)
  target_link_options(link_${ROOM} PRIVATE -Wl,-z,defs)
  add_test(NAME link_${ROOM} COMMAND link_${ROOM})
  frit_test_properties(link_${ROOM} link)
endfunction()

# What every test shares: labels to choose by, a time limit, a cache folder of its own, and sanitizers
# that stop at the first fault.
function(frit_test_properties NAME LABEL)
  set(environment FRIT_CACHE_DIR=${PROJECT_BINARY_DIR}/test_cache/${NAME} ${FRIT_SANITIZER_ENVIRONMENT})
  set_tests_properties(${NAME} PROPERTIES LABELS "${LABEL}" TIMEOUT 600 ENVIRONMENT "${environment}")
endfunction()

# frit_test(ROOM sym [EXTERNAL z3]): tests/<room>/*.cpp become one GoogleTest executable test_<room>, run
# as the test <room>. USES names the rooms it links instead of its own, LABEL its label instead of unit.
# PARTS n: n tests of a part of it each, <room>_1 and so on, for what takes a processor long.
# OWN_NAMES: its files define names of the public headers, which it is not given precompiled.
function(frit_test)
  cmake_parse_arguments(T "OWN_NAMES" "ROOM;LABEL;PARTS" "USES;EXTERNAL" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${T_ROOM}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(test_${T_ROOM} ${sources})
  target_include_directories(test_${T_ROOM} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(test_${T_ROOM} PRIVATE FRIT_SOURCE_DIR="${PROJECT_SOURCE_DIR}" FRIT_BINARY_DIR="${PROJECT_BINARY_DIR}")
  if(NOT T_USES)
    set(T_USES ${T_ROOM})
  endif()
  foreach(used IN LISTS T_USES)
    target_link_libraries(test_${T_ROOM} PRIVATE frit_${used})
  endforeach()
  target_link_libraries(test_${T_ROOM} PRIVATE ${T_EXTERNAL} GTest::gmock GTest::gtest_main)
  if(T_OWN_NAMES)
    frit_precompiled(test_${T_ROOM} inner_tests)
  else()
    frit_precompiled(test_${T_ROOM} tests)
  endif()
  if(NOT T_LABEL)
    set(T_LABEL unit)
  endif()
  if(NOT T_PARTS)
    add_test(NAME ${T_ROOM} COMMAND test_${T_ROOM})
    frit_test_properties(${T_ROOM} ${T_LABEL})
    return()
  endif()
  foreach(part RANGE 1 ${T_PARTS})
    math(EXPR index "${part} - 1")
    add_test(NAME ${T_ROOM}_${part} COMMAND test_${T_ROOM})
    frit_test_properties(${T_ROOM}_${part} ${T_LABEL})
    set_property(TEST ${T_ROOM}_${part} APPEND PROPERTY
      ENVIRONMENT GTEST_TOTAL_SHARDS=${T_PARTS} GTEST_SHARD_INDEX=${index})
  endforeach()
endfunction()
