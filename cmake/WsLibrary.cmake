# One library a folder: every .cpp in it but the tests. Tests of all folders go into ws_tests.
function(ws_add_library name folder)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  if(NOT sources)
    add_library(${name} INTERFACE)
    return()
  endif()
  # What no program links is not built: CuIR has no tool yet.
  add_library(${name} STATIC EXCLUDE_FROM_ALL ${sources})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${ARGN})
  target_link_libraries(${name} PRIVATE ws_warnings)
endfunction()

add_library(ws_warnings INTERFACE)
target_compile_options(ws_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wnull-dereference -Wduplicated-cond
  -Wlogical-op -Wuseless-cast)
if(WARPSMITH_DEVELOPER)
  target_compile_options(ws_warnings INTERFACE -Werror)
endif()
