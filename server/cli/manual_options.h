// The commands and options of the command line as plain data, as the writers of the manual page and
// of completions need them.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace ws::server {

struct ManualOption {
  std::vector<std::string> names;  ///< "-h", "--help"; empty: an argument without a name.
  std::string value;               ///< "FILE"; empty: a flag. For an argument its name.
  std::string description;
};

struct ManualCommand {
  std::string name;
  std::string description;
  std::vector<ManualOption> arguments;
  std::vector<ManualOption> options;
};

struct Manual {
  std::string program;
  std::string version;
  std::string description;
  std::vector<ManualOption> options;  ///< Without a command.
  std::vector<ManualCommand> commands;
};

Manual manual_of(const CLI::App& app);

}  // namespace ws::server
