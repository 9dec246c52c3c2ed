// A stamp that distinguishes builds of a compiler without reading all of its file.
#pragma once

#include <filesystem>
#include <string>

#include "runtime/base/result.h"

namespace ws {

/// "path size time" and a newline. @errors kIo.
Result<std::string> file_stamp(const std::filesystem::path& path);

/// file_stamp() and the file's first page, where a linker puts the build id. @errors kIo.
Result<std::string> library_stamp(const std::filesystem::path& path);

}  // namespace ws
