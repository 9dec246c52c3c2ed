// The options of `serve` as settings, which a configuration file may have too.
#pragma once

#include <string>
#include <vector>

#include "server/cli/settings.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace ws::server {

/// A setting for each option of `serve`, and for each variable of this program.
std::vector<Setting> settings_of(const CLI::App& serve);

/// The option of a command or of its groups; null where it has none.
const CLI::Option* find_option(const CLI::App& command, const std::string& key);

}  // namespace ws::server
