// The instructions that every client keeps in its model's context.
#pragma once

#include <string_view>

namespace ws::server {

/// The workflow, in under 2 KB.
std::string_view instructions();

}  // namespace ws::server
