#include "runtime/archive/store/node_roles.h"

#include <string_view>

#include "runtime/archive/store/archive_place.h"
#include "runtime/archive/store/postgres_store.h"

namespace ws {
namespace {

Result<std::string> outcome_of_grant(Connection& connection, const std::string& role,
                                     const std::string& node) {
  Transaction transaction(connection);
  WS_CHECK(transaction.begin());
  WS_TRY(Statement row, connection.prepare("SELECT node_grant(?, ?)"));
  WS_TRY([[maybe_unused]] const bool found, row.bind(role).bind(node).step());
  std::string outcome = row.text(0);
  WS_CHECK(transaction.commit());
  return outcome;
}

}  // namespace

Status grant_node_role(const std::string& url, const std::string& role, const std::string& node) {
  WS_TRY(const std::string name, store_name(url));
  WS_TRY(Connection connection, open_postgres(url));
  WS_CHECK(make_postgres_tables(connection, name));
  WS_TRY(const std::string outcome, outcome_of_grant(connection, role, node));
  if (outcome == "ok") {
    return {};
  }
  if (outcome == "unknown") {
    return fail(ErrorCode::kNotFound, "the database has no role `" + role + "`",
                "make it first: createuser " + role);
  }
  if (outcome == "owner") {
    return fail(ErrorCode::kInvalidArgument,
                "the role `" + role + "` may do everything here, as an owner of the tables does",
                "make another one for the node: createuser NAME");
  }
  if (outcome == "group") {
    return fail(ErrorCode::kInvalidArgument,
                "the role `" + role + "` is a group, or may not log in, and a node is one role",
                "make a role for each node: createuser NAME");
  }
  constexpr std::string_view kTaken = "taken by ";
  return fail(ErrorCode::kConflict,
              "the node `" + node + "` has the role `" + outcome.substr(kTaken.size()) + "`",
              "choose another node with --name, or take it from that role: warpsmith nodes deny " +
                  outcome.substr(kTaken.size()));
}

Status deny_node_role(const std::string& url, const std::string& role) {
  WS_TRY(const std::string name, store_name(url));
  WS_TRY(Connection connection, open_postgres(url));
  WS_CHECK(make_postgres_tables(connection, name));
  Transaction transaction(connection);
  WS_CHECK(transaction.begin());
  WS_TRY(Statement row, connection.prepare("SELECT node_deny(?)"));
  WS_TRY([[maybe_unused]] const bool found, row.bind(role).step());
  const bool had_rights = row.integer(0) != 0;
  WS_CHECK(transaction.commit());
  return had_rights ? Status()
                    : fail(ErrorCode::kNotFound, "no node has the role `" + role + "`",
                           "roles of nodes come from warpsmith nodes grant");
}

}  // namespace ws
