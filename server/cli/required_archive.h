// Commands that only read must not make an archive where there is none.
#pragma once

#include <filesystem>

#include "runtime/base/result.h"

namespace ws::server {

/// @errors kNotFound: the folder has no archive; opening it would make an empty one.
Status require_archive(const std::filesystem::path& folder);

}  // namespace ws::server
