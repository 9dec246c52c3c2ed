// Files of the repository: goldens, which hold a reply as it was last reviewed,
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

/// The entries of a folder, sorted by name.
std::vector<std::filesystem::path> sorted_entries(const std::filesystem::path& folder);

/// The NVIDIA architecture that a kernel's file needs at least, by the helpers it sends along:
/// "sm_80", "sm_90a"; empty: it runs on anything.
std::string least_arch(const std::filesystem::path& kernel);

}  // namespace ws
