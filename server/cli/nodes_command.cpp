// nodes.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "runtime/archive/store/node_revocation.h"
#include "runtime/archive/store/node_roles.h"
#include "runtime/archive/store/postgres_store.h"
#include "runtime/broker/pg_broker.h"
#include "server/cli/commands.h"
#include "server/node/node_name.h"
#include "server/protocol/protocol.h"

namespace ws::server {
namespace {

void print_nodes(const std::string& text) {
  std::fputs(text.c_str(), stdout);
}

std::string_view state_of(const NodeRow& row) {
  return row.revoked ? "revoked" : row.lives ? "lives" : "gone";
}

Json node_json(const NodeRow& row) {
  return {{"name", row.node.name},       {"state", state_of(row)},  {"host", row.node.host},
          {"devices", row.node.devices}, {"lanes", row.node.lanes}, {"version", row.node.version},
          {"running", row.running},      {"seen_s", row.seen_s},    {"started_at", row.started_at}};
}

/// Rows of words under each other.
std::string node_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i] + std::string(widths[i] + 2 - row[i].size(), ' ');
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string nodes_text(const std::vector<NodeRow>& nodes) {
  if (nodes.empty()) {
    return "no nodes: start one with warpsmith node --store URL\n";
  }
  std::vector<std::vector<std::string>> rows = {
      {"node", "state", "jobs", "seen", "devices", "host", "version"}};
  for (const NodeRow& row : nodes) {
    rows.push_back({row.node.name, std::string(state_of(row)), std::to_string(row.running),
                    std::to_string(static_cast<std::int64_t>(row.seen_s)) + " s", row.node.devices,
                    row.node.host, row.node.version});
  }
  return node_table(rows);
}

Result<std::string> list_nodes(const NodesOptions& options) {
  WS_TRY(const std::vector<NodeRow> nodes, PgBroker(options.store, 1).nodes());
  if (!options.json) {
    return nodes_text(nodes);
  }
  Json rows = Json::array();
  for (const NodeRow& row : nodes) {
    rows.push_back(node_json(row));
  }
  return Json{{"nodes", std::move(rows)}}.dump() + "\n";
}

Result<std::string> change_node(const NodesOptions& options) {
  if (options.action == "grant") {
    const std::string& node = options.name.empty() ? options.role : options.name;
    WS_CHECK(check_node_name(node));
    WS_CHECK(grant_node_role(options.store, options.role, node));
    return "`" + options.role + "` may connect as the node `" + node + "`\n";
  }
  if (options.action == "deny") {
    WS_CHECK(deny_node_role(options.store, options.role));
    return "`" + options.role + "` may do nothing here any more\n";
  }
  if (options.action == "allow") {
    WS_CHECK(allow_node(options.store, options.name));
    return "the work of `" + options.name + "` is taken again\n";
  }
  WS_TRY(const std::int64_t rows, revoke_node(options.store, options.name));
  return "`" + options.name + "` is revoked; " + std::to_string(rows) +
         (rows == 1 ? " piece" : " pieces") + " of its evidence count as claims now\n";
}

}  // namespace

int nodes_command(const NodesOptions& options) {
  const Status there = require_postgres_tables(options.store);
  const Result<std::string> text = !there ? Result<std::string>(fail(there.error()))
                                   : options.action == "list" ? list_nodes(options)
                                                              : change_node(options);
  if (!text) {
    const std::string line = to_text(text.error()) + "\n";
    std::fputs(line.c_str(), stderr);
    return kExitFailed;
  }
  print_nodes(*text);
  return kExitOk;
}

}  // namespace ws::server
