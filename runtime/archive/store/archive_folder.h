// The folder of the archive's file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/base/result.h"

namespace ws {

inline constexpr const char* kArchiveFile = "archive.db";

/// Makes the folder and an empty file in it, for their owner alone, and closes those that are there
/// to others. A folder that was there and has other things than an archive in it is somebody's
/// choice and stays as it is: all that is put into it is private.
/// @errors kIo: the folder cannot be made. That the file cannot is for who opens it to say.
Status make_archive_folder(const std::filesystem::path& folder);

/// Lists what SQLite's integrity check finds wrong with the file: at most twenty findings, or none.
/// By a connection of its own, which holds up nobody.
/// @errors kIo: it is not there, or no database at all.
Result<std::vector<std::string>> damage_of_archive(const std::filesystem::path& folder);

}  // namespace ws
