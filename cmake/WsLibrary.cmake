# ws_add_library(name folder [ROOMS folders in it] [LINK libraries]): one library of every .cpp file in
# the folder and its rooms, except the tests. The tests of all folders go into ws_tests.
function(ws_add_library name folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "ROOMS;LINK")
  set(patterns ${CMAKE_SOURCE_DIR}/${folder}/*.cpp)
  foreach(room ${arg_ROOMS})
    list(APPEND patterns ${CMAKE_SOURCE_DIR}/${folder}/${room}/*.cpp)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  if(NOT sources)
    add_library(${name} INTERFACE)
    return()
  endif()
  add_library(${name} STATIC EXCLUDE_FROM_ALL ${sources})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${arg_LINK})
  target_link_libraries(${name} PRIVATE ws_warnings)
  ws_precompile(${name})
  ws_join(${name} 12)
endfunction()

# The product is built once, mostly without ccache, and the sanitizers' build costs most of all:
# there the big headers are read once for all targets. Developers build often, with ccache, and
# should see a header that a file forgot.
if(WARPSMITH_SANITIZE OR NOT WARPSMITH_DEVELOPER)
  set(WS_BUILT_ONCE ON)
  set(WS_BIG_HEADERS <algorithm> <array> <chrono> <filesystem> <functional> <map> <memory> <mutex>
    <optional> <string> <thread> <vector> <tl/expected.hpp>
    ${CMAKE_CURRENT_LIST_DIR}/json_members.h)
endif()

function(ws_precompile name)
  if(NOT WS_BUILT_ONCE)
    return()
  endif()
  if(NOT TARGET ws_headers)
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/headers.cpp CONTENT "")
    add_library(ws_headers OBJECT ${CMAKE_BINARY_DIR}/generated/headers.cpp)
    target_link_libraries(ws_headers PRIVATE ws_warnings)  # -Wpedantic defines a macro less.
    target_precompile_headers(ws_headers PRIVATE ${WS_BIG_HEADERS})
  endif()
  target_precompile_headers(${name} REUSE_FROM ws_headers)
endfunction()

# For the same reason the files of a folder are compiled together there, up to `size` at a time: what
# their headers and templates have in common is made once. tests/layering/check_names.py sees to it
# that they can be.
function(ws_join name size)
  if(NOT WS_BUILT_ONCE)
    return()
  endif()
  get_target_property(sources ${name} SOURCES)
  list(SORT sources)
  set(last "")
  foreach(source ${sources})
    cmake_path(GET source PARENT_PATH folder)
    if(NOT folder STREQUAL last)
      set(count 0)
      set(last "${folder}")
    endif()
    math(EXPR part "${count} / ${size}")
    math(EXPR count "${count} + 1")
    string(MAKE_C_IDENTIFIER "${folder}_${part}" group)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # Joined files look like headers that others include, too.
  target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

add_library(ws_warnings INTERFACE)
target_compile_options(ws_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wnull-dereference)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(ws_warnings INTERFACE -Wduplicated-cond -Wlogical-op -Wuseless-cast)
endif()
if(WARPSMITH_DEVELOPER)
  target_compile_options(ws_warnings INTERFACE -Werror)
endif()
