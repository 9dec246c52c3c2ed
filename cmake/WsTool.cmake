# ws_add_tool(name): embeds tools/<name>/schema.json as ws::<name>_schema() in a generated pair of
# files; include it as "tools/<name>/<name>_schema.h". Written at configure time, again whenever the
# schema changes; file(CONFIGURE) would replace the @NAME@ that descriptions contain.
function(ws_write_if_changed path text)
  set(old "")
  if(EXISTS ${path})
    file(READ ${path} old)
  endif()
  if(NOT old STREQUAL text)
    file(WRITE ${path} "${text}")
  endif()
endfunction()

function(ws_add_tool name)
  set(schema ${CMAKE_SOURCE_DIR}/tools/${name}/schema.json)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${schema})
  file(READ ${schema} text)
  set(stem ${CMAKE_BINARY_DIR}/generated/tools/${name}/${name}_schema)
  ws_write_if_changed(${stem}.h "// Generated from tools/${name}/schema.json.
#pragma once

#include <string_view>

namespace ws {

std::string_view ${name}_schema();

}  // namespace ws
")
  ws_write_if_changed(${stem}.cpp "// Generated from tools/${name}/schema.json.
#include \"tools/${name}/${name}_schema.h\"

namespace ws {

std::string_view ${name}_schema() {
  return R\"ws_schema(${text})ws_schema\";
}

}  // namespace ws
")
  target_sources(ws_tools PRIVATE ${stem}.cpp)
endfunction()
