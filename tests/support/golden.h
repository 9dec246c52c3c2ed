// Files of the repository: goldens, which hold what a reply looked like when somebody last read it,
// and the folders of the examples.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ws {

/// True under `ws_tests --update-golden`; set in main before the tests run.
bool& update_goldens();

/// Compares `actual` with the file, or writes the file when goldens are being updated.
/// @param path  Relative to the repository's root.
void check_golden(const std::filesystem::path& path, const std::string& actual);

/// The repository's root.
std::filesystem::path source_dir();

/// What a folder holds, sorted by name.
std::vector<std::filesystem::path> sorted_entries(const std::filesystem::path& folder);

}  // namespace ws
