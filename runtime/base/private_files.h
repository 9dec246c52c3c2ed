// Folders and files that are their owner's alone.
#pragma once

#include <filesystem>
#include <system_error>

namespace ws {

/// Makes a folder, and what is missing around it, for its owner alone, whatever the umask is. One
/// that is there stays as it is. @return The first error; none where the folder is there.
std::error_code make_private_folder(const std::filesystem::path& folder);

/// Takes from others what they may do with a file or folder of the caller's own. Nothing happens to
/// one that is another user's, is not there, or is for all to write in, as /tmp is.
void keep_private(const std::filesystem::path& path);

}  // namespace ws
