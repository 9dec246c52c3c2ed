# ws_embed_text(target path function): embeds one file as the text that ws::<function>() gives. The
# same rules as below.
#
# ws_embed_demo_kernels(target folder name...): embeds folder/<name>.json as the texts that
# ws::server::demo_kernel(name) of server/cli/demo_kernels.h gives. Written at configure time, as in WsTool.
#
# ws_embed_guide(target path...): embeds files as the texts that ws::guide_file(path) of
# tools/guide_files.h gives.
include(WsTool)

function(ws_embed_guide target)
  set(rows "")
  foreach(path ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${path})
    file(READ ${CMAKE_SOURCE_DIR}/${path} text)
    string(APPEND rows "    {\"${path}\", R\"ws_guide(${text})ws_guide\"},\n")
  endforeach()
  list(LENGTH ARGN count)
  set(generated ${CMAKE_BINARY_DIR}/generated/tools/guide_files.cpp)
  ws_write_if_changed(${generated} "// Generated from the files that it names.
#include \"tools/guide_files.h\"

#include <array>
#include <utility>

namespace ws {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, ${count}> kFiles = {{
${rows}}};

}  // namespace

std::string_view guide_file(std::string_view path) {
  for (const auto& [known, text] : kFiles) {
    if (known == path) {
      return text;
    }
  }
  return {};
}

}  // namespace ws
")
  target_sources(${target} PRIVATE ${generated})
endfunction()

function(ws_embed_demo_kernels target folder)
  set(rows "")
  foreach(name ${ARGN})
    set(path ${CMAKE_SOURCE_DIR}/${folder}/${name}.json)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    file(READ ${path} text)
    string(APPEND rows "    {\"${name}\", R\"ws_json(${text})ws_json\"},\n")
  endforeach()
  list(LENGTH ARGN count)
  set(generated ${CMAKE_BINARY_DIR}/generated/server/demo_kernels.cpp)
  ws_write_if_changed(${generated} "// Generated from ${folder}/*.json.
#include \"server/cli/demo_kernels.h\"

#include <array>
#include <utility>

namespace ws::server {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, ${count}> kTexts = {{
${rows}}};

}  // namespace

std::string_view demo_kernel(std::string_view name) {
  for (const auto& [known, text] : kTexts) {
    if (known == name) {
      return text;
    }
  }
  return {};
}

}  // namespace ws::server
")
  target_sources(${target} PRIVATE ${generated})
endfunction()

function(ws_embed_text target path function)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${path})
  file(READ ${CMAKE_SOURCE_DIR}/${path} text)
  set(generated ${CMAKE_BINARY_DIR}/generated/${path}.cpp)
  ws_write_if_changed(${generated} "// Generated from ${path}.
#include <string_view>

namespace ws {

std::string_view ${function}();

std::string_view ${function}() {
  return R\"ws_text(${text})ws_text\";
}

}  // namespace ws
")
  target_sources(${target} PRIVATE ${generated})
endfunction()
