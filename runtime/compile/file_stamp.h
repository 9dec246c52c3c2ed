// Stamps of a compiler's files, which tell its builds apart.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "runtime/base/result.h"

namespace ws {

enum class Stamp : std::uint8_t {
  kQuick,    ///< By path, size and time, without reading all of a file: for this machine.
  kContent,  ///< By name and content: the same on all machines. Reads all of a file.
};

/// "path size time", or "name digest", and a newline. @errors kIo.
Result<std::string> file_stamp(const std::filesystem::path& path, Stamp stamp);

/// The same; a quick one has the file's first page as well, where a linker puts the build id.
/// @errors kIo.
Result<std::string> library_stamp(const std::filesystem::path& path, Stamp stamp);

}  // namespace ws
