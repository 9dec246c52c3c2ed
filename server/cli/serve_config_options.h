// The configuration file of `serve`: found, read, and added to the command line.
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "server/cli/commands.h"
#include "server/cli/settings.h"

namespace CLI {
class App;
}

namespace ws::server {

/// Gives the value of an environment variable; empty: it is not set.
using Variables = std::function<std::string(const std::string& name)>;

struct ServeConfig {
  std::string file;  ///< Empty: there is none.
  std::vector<Setting> settings;
  std::vector<FileValue> values;  ///< Those that count.
  std::set<std::string> given;    ///< The keys that have a flag or a variable.
};

/// Reads the file that the arguments name, or `otherwise` where that exists, and adds its values to
/// the arguments, as the flags that they stand for. Does nothing where they call another command.
/// @param serve  Before its arguments are parsed. @errors as read_settings.
Result<ServeConfig> add_config_file(const CLI::App& serve, std::vector<std::string>& arguments,
                                    const std::filesystem::path& otherwise,
                                    const Variables& variable);

/// Takes the values of the file that stand for variables.
void use_values(const ServeConfig& config, ServeOptions& serve);

/// "FILE:LINE:COLUMN: " where the option that is complained about stands in the file, else empty.
std::string place_of(const std::string& complaint, const ServeConfig& config);

/// The settings in effect as TOML, each with the place that it comes from.
/// @param serve  After its arguments were parsed.
std::string settings_text(const CLI::App& serve, const ServeConfig& config,
                          const Variables& variable);

}  // namespace ws::server
