// Files with secrets, which only their owner may use.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "runtime/base/result.h"

namespace ws::server {

/// The file's text, or its first `limit` bytes.
///
/// @param what  For the messages: "token file".
/// @errors kIo: it cannot be read; kInvalidArgument: it is no file, others may use it, or it is
/// neither the caller's nor root's.
Result<std::string> read_private_file(const std::filesystem::path& path, std::string_view what,
                                      std::size_t limit);

/// Replaces the file, or makes it for its owner alone. It keeps its owner; whoever reads it
/// meanwhile sees the old text or the new one. @errors kIo.
Status replace_private_file(const std::filesystem::path& path, std::string_view text);

}  // namespace ws::server
