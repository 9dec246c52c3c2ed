# ws_embed_text(target path function): embeds one file as the text that ws::<function>() gives. The
# same rules as below.
#
# ws_embed_demo_kernels(target folder name...): embeds folder/<name>.json as the texts that
# ws::server::demo_kernel(name) of server/cli/demo_kernels.h gives. Written at configure time, as in WsTool.
#
# ws_embed_guide(target path...): embeds files as the texts that ws::guide_file(path) of
# tools/guide_files.h gives.
#
# ws_embed_page(target): embeds the files of web/ as the texts that ws::server::page_asset(name) of
# server/page/page_assets.h gives.
include(WsTool)

# Generates `path` with a table of names and texts, and the function of `header` that looks one up.
# The rows come in `rows`, `count` of them, as ws_add_row writes them.
function(ws_embed_table target path header space function)
  set(generated ${CMAKE_BINARY_DIR}/generated/${path})
  ws_write_if_changed(${generated} "// Generated from the files that it holds.
#include \"${header}\"

#include <array>
#include <utility>

namespace ${space} {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, ${count}> kEmbedded = {{
${rows}}};

}  // namespace

std::string_view ${function}(std::string_view name) {
  for (const auto& [known, text] : kEmbedded) {
    if (known == name) {
      return text;
    }
  }
  return {};
}

}  // namespace ${space}
")
  target_sources(${target} PRIVATE ${generated})
endfunction()

# Adds a file of the repository to `rows`, under a name.
macro(ws_add_row name path)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${path})
  file(READ ${CMAKE_SOURCE_DIR}/${path} text)
  string(APPEND rows "    {\"${name}\", R\"ws_text(${text})ws_text\"},\n")
  math(EXPR count "${count} + 1")
endmacro()

function(ws_embed_guide target)
  set(rows "")
  set(count 0)
  foreach(path ${ARGN})
    ws_add_row(${path} ${path})
  endforeach()
  ws_embed_table(${target} tools/guide_files.cpp tools/guide_files.h ws guide_file)
endfunction()

function(ws_embed_demo_kernels target folder)
  set(rows "")
  set(count 0)
  foreach(name ${ARGN})
    ws_add_row(${name} ${folder}/${name}.json)
  endforeach()
  ws_embed_table(${target} server/demo_kernels.cpp server/cli/demo_kernels.h ws::server demo_kernel)
endfunction()

function(ws_embed_page target)
  set(rows "")
  set(count 0)
  file(GLOB files CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/web ${CMAKE_SOURCE_DIR}/web/*.*)
  foreach(name ${files})
    ws_add_row(${name} web/${name})
  endforeach()
  ws_embed_table(${target} server/page_assets.cpp server/page/page_assets.h ws::server page_asset)
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
