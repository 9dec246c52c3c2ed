# The versions of the libraries that are linked in, for `warpsmith --version --json`: a list
# "NAME=VERSION,..." as Debian's package database has them, without a version where there is none.
function(ws_versions variable)
  set(text "")
  foreach(pair ${ARGN})
    string(REPLACE "=" ";" pair ${pair})
    list(GET pair 0 name)
    list(GET pair 1 package)
    execute_process(COMMAND dpkg-query -W -f "\${Version}" ${package}
      OUTPUT_VARIABLE found ERROR_QUIET RESULT_VARIABLE missing)
    if(missing)
      set(found "")
    endif()
    string(APPEND text "${name}=${found},")
  endforeach()
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()
