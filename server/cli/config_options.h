// The command line of `config`.
#pragma once

#include "server/cli/commands.h"

namespace CLI {
class App;
}

namespace ws::server {

/// Adds the sub-command, which writes into `options`.
void add_config(CLI::App& app, ConfigOptions& options);

}  // namespace ws::server
