// The settings of `serve`: each has a key in the configuration file, and a flag or a variable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "runtime/base/result.h"

namespace ws::server {

enum class SettingKind : std::uint8_t {
  kSwitch,   ///< true or false.
  kInteger,  ///< An integer.
  kNumber,   ///< A number.
  kSize,     ///< A number of bytes, or a string such as "512MB".
  kPath,     ///< A string with a whole path.
  kText,     ///< A string.
};

struct Setting {
  std::string key;
  SettingKind kind = SettingKind::kText;
  std::string variable{};  ///< The environment variable; empty: it has the flag --KEY.
  std::string group{};     ///< Settings of one group stand in for each other; empty: none does.
  std::string help{};
  std::string fallback{};  ///< The value when it is set nowhere, as TOML; empty: it has none.
  bool secret = false;     ///< It is never shown, and a file with it is its owner's alone.
};

/// A value from the configuration file.
struct FileValue {
  std::string key;
  std::string text;  ///< As a flag takes it; "true" or "false" of a switch.
  std::size_t line = 0;
  std::size_t column = 0;
};

/// Reads a configuration file: `key = value` lines of TOML.
/// @errors kIo: it cannot be read; kInvalidArgument: it is not TOML, has a key that is no setting
/// or a value of another kind, or others may read it and it has a secret. The messages begin with
/// "FILE:LINE:COLUMN: ".
Result<std::vector<FileValue>> read_settings(const std::filesystem::path& file,
                                             const std::vector<Setting>& settings);

/// The values of the file that count: those whose setting, or another one of its group, is not
/// given elsewhere. @param given  The keys that have a flag or a variable.
std::vector<FileValue> values_that_count(const std::vector<FileValue>& values,
                                         const std::vector<Setting>& settings,
                                         const std::set<std::string>& given);

/// A text as a TOML string, in quotes.
std::string toml_string(const std::string& text);

}  // namespace ws::server
