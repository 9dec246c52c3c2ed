// Options of `node` and `nodes`.
#include <map>
#include <string>

#include <CLI/CLI.hpp>

#include "server/cli/command_line.h"
#include "server/cli/reward_options.h"

namespace ws::server {
namespace {

/// "10m" as seconds.
const std::map<std::string, int> kTimeUnits = {{"s", 1}, {"m", 60}, {"h", 3600}};

void require_store(CLI::App& command) {
  command.get_option("--store")->required();
}

void add_node(CLI::App& app, CommandLine& line) {
  CLI::App* node = app.add_subcommand("node", "Do the jobs of servers that share a --store");
  node->add_option("--lanes", line.node.lanes,
                   "cpu: only the CPU engine; auto: its GPUs too, where there are some")
      ->check(CLI::IsMember({"cpu", "auto"}))
      ->capture_default_str();
  node->add_option("--name", line.node.name,
                   "Its name among the nodes; default: that of the host, and the process's id");
  node->add_option_function<int>(
          "--idle-exit",
          [&line](int seconds) { line.node.idle_exit = std::chrono::seconds(seconds); },
          "End after so long without a job, such as 10m; default: never")
      ->transform(CLI::AsNumberWithUnit(kTimeUnits))
      ->type_name("TIME");
  node->add_flag("--allow-python-reference", line.node.python_reference,
                 "Run references that problems bring as Python, in a sandbox");
  node->add_option_function<int>(
          "--drain", [&line](int seconds) { line.node.drain_time = std::chrono::seconds(seconds); },
          "Seconds that its jobs have after SIGTERM before they are given back; default: 10")
      ->check(CLI::Range(0, 3600))
      ->default_str("10");
  node->add_option("--cache-size", line.node.services.cache_bytes,
                   "Limit of the compile cache on disk, such as 512MB; default: 2 GiB")
      ->transform(CLI::AsSizeValue(false));
  add_share_options(*node, line.node.share);
  add_reward_options(*node, line.node.rewards);
  add_skills(*node, line);
  add_data(*node, line);
  node->get_option("--data")->description("The folder of this machine's compile cache");
  add_store(*node, line);
  node->get_option("--store")->description("The database of the servers whose jobs it does");
  require_store(*node);
}

void add_nodes_store(CLI::App& command, CommandLine& line) {
  add_store(command, line);
  command.get_option("--store")->description("The database of the nodes' jobs");
}

CLI::App* add_nodes_action(CLI::App& nodes, CommandLine& line, const char* name, const char* what) {
  CLI::App* action = nodes.add_subcommand(name, what);
  add_nodes_store(*action, line);
  require_store(*action);
  action->callback([&line, name] { line.nodes.action = name; });
  return action;
}

}  // namespace

void add_nodes(CLI::App& app, CommandLine& line) {
  add_node(app, line);
  CLI::App* nodes =
      app.add_subcommand("nodes", "List the nodes of a --store, refuse one, or give it a role");
  nodes->require_subcommand(0, 1);
  nodes->add_flag("--json", line.nodes.json, "JSON, no table");
  add_nodes_store(*nodes, line);
  nodes->callback([nodes, &line] {
    if (nodes->get_subcommands().empty() && line.store.empty()) {
      throw CLI::RequiredError("--store");
    }
  });
  for (CLI::App* action :
       {add_nodes_action(*nodes, line, "revoke",
                         "Take no more work of a node; what it measured is a claim from now on"),
        add_nodes_action(*nodes, line, "allow", "Take the work of a node again")}) {
    action->add_option("NAME", line.nodes.name, "The node")->required();
  }
  CLI::App* grant = add_nodes_action(*nodes, line, "grant",
                                     "Let a role of the database be one node and nothing more");
  grant->add_option("ROLE", line.nodes.role, "A role that is there already")->required();
  grant->add_option("--name", line.nodes.name, "The node; default: the name of the role");
  add_nodes_action(*nodes, line, "deny", "Take from a role of a node all that grant gave it")
      ->add_option("ROLE", line.nodes.role, "The role")
      ->required();
}

}  // namespace ws::server
