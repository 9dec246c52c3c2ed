// One file of the compile cache: a head that says what it is, then an encoded outcome.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/compile/compile.h"

namespace ws {

/// Endings of the files in the cache's folder.
inline constexpr std::string_view kEntryEnding = ".entry";
inline constexpr std::string_view kDamagedEnding = ".damaged";
inline constexpr std::string_view kUnfinishedEnding = ".tmp";

/// folder/ab/abcdef....entry
/// @param key  64 hexadecimal digits.
std::filesystem::path entry_path(const std::filesystem::path& folder, const std::string& key);

/// "warpsmith compile cache 1", the key, a hash of the outcome and its length, a line each; then
/// encode(outcome).
std::string encode_entry(const std::string& key, const CompileOutcome& outcome);

/// @errors kInternal: "a damaged entry of the compile cache", with what does not fit.
Result<CompileOutcome> decode_entry(const std::string& key, std::string_view bytes);

/// Writes a file beside `path`, brings it to the disk, and gives it its name: readers see all of it
/// or none. @errors kIo.
Status write_entry(const std::filesystem::path& path, std::string_view bytes);

/// Reads an entry and marks it as used now. A damaged one is put aside under another name, unless
/// somebody has replaced it meanwhile. Nothing: there is none, or it was damaged.
std::optional<CompileOutcome> read_entry(const std::filesystem::path& path, const std::string& key);

}  // namespace ws
