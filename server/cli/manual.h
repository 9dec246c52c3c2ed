// The manual page and the shells' completions, made from the one tree of commands that the parser
// reads.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace ws::server {

struct ManualOptions {
  std::string form;  ///< One of manual_forms().
};

/// "man", "bash", "zsh", "fish".
std::vector<std::string> manual_forms();

/// @param app   The whole command line.
/// @param form  One of manual_forms().
std::string manual_text(const CLI::App& app, const std::string& form);

/// Prints it. @return  An exit status.
int manual_command(const CLI::App& app, const ManualOptions& options);

}  // namespace ws::server
