// Options of the sub-commands that show what is stored.
#include <string>

#include <CLI/CLI.hpp>

#include "server/cli/command_line.h"

namespace ws::server {
namespace {

constexpr int kMostRows = 100000;

CLI::App* add_looking(CLI::App& app, CommandLine& line, const std::string& name,
                      const std::string& what) {
  CLI::App* command = app.add_subcommand(name, what);
  command->add_flag("--json", line.look.json, "One JSON object, no text");
  command->add_option("--color", line.colours, "auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->default_str("auto");
  add_data(*command, line);
  add_store(*command, line);
  command->callback([&line, name] { line.look.action = name; });
  return command;
}

}  // namespace

void add_look(CLI::App& app, CommandLine& line) {
  CLI::App* log =
      add_looking(app, line, "log", "List problems, the kernels of one, or a kernel's relatives");
  log->add_option("NAME", line.look.names, "A problem's id, a kernel's, or a ref name@branch")
      ->expected(0, 1);
  log->add_option("--most", line.look.most, "Rows")
      ->check(CLI::Range(1, kMostRows))
      ->capture_default_str();
  add_looking(app, line, "show", "Show a kernel: how it stands on each device, and its source")
      ->add_option("KERNEL", line.look.names, "Its id, or a ref name@branch")
      ->expected(1)
      ->required();
  add_looking(app, line, "diff", "Show what changed from a kernel's parent, or between two kernels")
      ->add_option("KERNEL", line.look.names, "An id or a ref; or two, from and to")
      ->expected(1, 2)
      ->required();
  add_looking(app, line, "compare", "Show how kernels stand beside each other, the fastest first")
      ->add_option("KERNEL", line.look.names, "Ids or refs")
      ->expected(2, 20)
      ->required();
}

}  // namespace ws::server
