// The examples that `warpsmith demo` sends, so that an installed executable needs no other file.
#pragma once

#include <string_view>

namespace ws::server {

/// The text of examples/kernels/matmul/<name>.json as of the build; empty for a name that
/// server/CMakeLists.txt does not list.
std::string_view demo_kernel(std::string_view name);

}  // namespace ws::server
