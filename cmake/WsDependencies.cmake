# What comes from Debian. Everything but glibc and cpp-httplib is linked statically.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)

function(ws_static_dependency target)
  add_library(${target} INTERFACE)
  foreach(name ${ARGN})
    find_library(WS_LIB_${name} lib${name}.a REQUIRED)
    target_link_libraries(${target} INTERFACE ${WS_LIB_${name}})
  endforeach()
endfunction()

ws_static_dependency(ws_dep_crypto crypto)
ws_static_dependency(ws_dep_ssl ssl)
target_link_libraries(ws_dep_ssl INTERFACE ws_dep_crypto)
ws_static_dependency(ws_dep_jose cjose jansson)
target_link_libraries(ws_dep_jose INTERFACE ws_dep_crypto m)
ws_static_dependency(ws_dep_sqlite sqlite3)
ws_static_dependency(ws_dep_seccomp seccomp)
ws_static_dependency(ws_dep_zlib z)
target_link_libraries(ws_dep_sqlite INTERFACE m ${CMAKE_DL_LIBS})

# Headers only.
find_path(WS_XXHASH xxhash.h REQUIRED)
find_path(WS_TOMLPLUSPLUS toml++/toml.h REQUIRED)

pkg_check_modules(HTTPLIB REQUIRED cpp-httplib)
