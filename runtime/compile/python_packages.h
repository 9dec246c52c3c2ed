// Where Python's packages lie.
#pragma once

#include <filesystem>
#include <vector>

namespace ws {

/// The folders in which an interpreter looks for packages, whichever its version: those of its own
/// installation, and Debian's for what a user installs. Starts nothing. @threads any.
std::vector<std::filesystem::path> package_folders(const std::filesystem::path& interpreter);

}  // namespace ws
