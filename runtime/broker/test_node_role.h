// A role of PostgreSQL that is a node, and what it may do; for tests.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "runtime/archive/store/node_roles.h"
#include "runtime/broker/test_broker.h"

namespace ws {

inline constexpr const char* kRole = "ws_stolen";

inline std::string url_of_role(const TestBroker& test) {
  const std::size_t user = test.url().find("://") + 3;
  return test.url().substr(0, user) + kRole + test.url().substr(test.url().find('@'));
}

/// Lets the role be the node "one".
inline void grant_role(TestBroker& test) {
  test.run("DO $$ BEGIN CREATE ROLE " + std::string(kRole) +
           " LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$");
  const Status granted = grant_node_role(test.url(), kRole, "one");
  REQUIRE_MESSAGE(granted.has_value(), to_text(granted.error()));
}

/// The answer of PostgreSQL to a statement of the role; "done" when it does it.
inline std::string answer_to(Connection& connection, const std::string& sql) {
  const Status done = connection.execute(sql);
  if (done) {
    return "done";
  }
  const std::string source = done.error().source;
  constexpr std::string_view kCall = "PQexec: ";
  return source.starts_with(kCall) ? source.substr(kCall.size()) : source;
}

/// Stores rows of a principal that does not share, and submits a job of theirs.
inline void store_for(TestBroker& test, const std::string& owner, const std::string& json,
                      int job) {
  const ViewerScope viewer(
      std::make_shared<const Viewer>(Viewer{.owner = owner, .sees_all = false, .shares = false}));
  REQUIRE(test.archive().put_problem({"prb_" + owner, "a", json, ""}).has_value());
  REQUIRE(
      test.archive().put_kernel({"krn_" + owner, "a", "prb_" + owner, "", json, ""}).has_value());
  NodeJob wanted = numbered_job(job);
  wanted.owner = owner;
  wanted.sees_all = false;
  REQUIRE(test.broker().submit(wanted).has_value());
}

/// The rows of a statement, in one line.
inline std::string rows_of(Connection& connection, const std::string& sql) {
  auto rows = connection.prepare(sql);
  REQUIRE(rows.has_value());
  const auto found = texts(*rows);
  REQUIRE_MESSAGE(found.has_value(), to_text(found.error()));
  std::string line;
  for (const std::string& text : *found) {
    line += (line.empty() ? "" : " ") + text;
  }
  return line;
}

inline Connection as_role(const TestBroker& test) {
  auto connection = open_postgres(url_of_role(test));
  REQUIRE_MESSAGE(connection.has_value(), to_text(connection.error()));
  return *std::move(connection);
}

}  // namespace ws
