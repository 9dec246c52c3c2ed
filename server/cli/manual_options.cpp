#include "server/cli/manual_options.h"

#include <CLI/CLI.hpp>

namespace ws::server {
namespace {

ManualOption option_of(const CLI::Option& option) {
  ManualOption made;
  for (const std::string& name : option.get_snames()) {
    made.names.push_back("-" + name);
  }
  for (const std::string& name : option.get_lnames()) {
    made.names.push_back("--" + name);
  }
  made.description = option.get_description();
  const bool takes = option.get_items_expected_max() > 0;
  made.value = made.names.empty() ? option.get_name() : takes ? option.get_type_name() : "";
  return made;
}

/// A group of options is a command without a name: its options are those of the command around it.
void add_options(const CLI::App& app, std::vector<ManualOption>& arguments,
                 std::vector<ManualOption>& options) {
  for (const CLI::Option* option : app.get_options()) {
    ManualOption made = option_of(*option);
    (made.names.empty() ? arguments : options).push_back(std::move(made));
  }
  for (const CLI::App* group : app.get_subcommands({})) {
    if (group->get_name().empty()) {
      add_options(*group, arguments, options);
    }
  }
}

}  // namespace

Manual manual_of(const CLI::App& app) {
  Manual manual;
  manual.program = app.get_name();
  manual.description = app.get_description();
  std::vector<ManualOption> none;
  add_options(app, none, manual.options);
  for (const CLI::App* command : app.get_subcommands({})) {
    if (!command->get_name().empty()) {
      ManualCommand made{command->get_name(), command->get_description(), {}, {}};
      add_options(*command, made.arguments, made.options);
      manual.commands.push_back(std::move(made));
    }
  }
  return manual;
}

}  // namespace ws::server
