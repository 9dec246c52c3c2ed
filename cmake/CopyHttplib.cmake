# cmake -DMODULE=... -DDESTINATION=... -P CopyHttplib.cmake
# Copies libcpp-httplib and what it needs to DESTINATION, but glibc and the C++ runtime: those are
# the system's, as a newer driver library may need newer ones than this build saw.
file(GET_RUNTIME_DEPENDENCIES
  MODULES ${MODULE}
  RESOLVED_DEPENDENCIES_VAR found
  UNRESOLVED_DEPENDENCIES_VAR missing
  CONFLICTING_DEPENDENCIES_PREFIX twice
  POST_INCLUDE_REGEXES "lib(cpp-httplib|ssl|crypto|z|brotli[a-z]*)\\.so"
  POST_EXCLUDE_REGEXES ".*")
foreach(library ${found})
  get_filename_component(real ${library} REALPATH)
  get_filename_component(name ${library} NAME)
  if(NOT real STREQUAL "${DESTINATION}/${name}")
    configure_file(${real} ${DESTINATION}/${name} COPYONLY)
  endif()
endforeach()
