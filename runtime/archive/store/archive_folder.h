// The folder of the archive's file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/base/result.h"

namespace ws {

inline constexpr const char* kArchiveFile = "archive.db";

/// Makes the folder for its owner alone, and closes one that is there to others. A folder that was
/// there and has other things than an archive in it is somebody's choice and stays as it is: all
/// that is put into it is private. @errors kIo: the folder cannot be made.
Status make_data_folder(const std::filesystem::path& folder);

/// The same, and an empty file for the archive in it, or the one that is there, for its owner
/// alone.
/// @errors kIo: the folder cannot be made. That the file cannot is for who opens it to say.
Status make_archive_folder(const std::filesystem::path& folder);

/// Lists what SQLite's integrity check finds wrong with the file, and rows that refer to rows that
/// are not there: at most twenty findings of each, or none. By a connection of its own, which holds
/// up nobody.
/// @errors kIo: it is not there, or no database at all.
Result<std::vector<std::string>> damage_of_archive(const std::filesystem::path& folder);

}  // namespace ws
