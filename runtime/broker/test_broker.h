// A broker in a database of its own, for tests.
#pragma once

#include <optional>
#include <string>

#include <doctest/doctest.h>

#include "runtime/archive/store/archive.h"
#include "runtime/archive/store/test_folder.h"
#include "runtime/broker/pg_broker.h"
#include "tests/support/postgres_cluster.h"

namespace ws {

/// As if half a minute had passed for the jobs that nodes have.
inline constexpr const char* kLeasesEnd =
    "UPDATE node_jobs SET lease_until = clock_timestamp() - interval '1 second' "
    "WHERE status = 'running'";

/// A job of "ann" for any CPU.
inline NodeJob numbered_job(int number) {
  return {.id = "job_" + std::to_string(number),
          .tool = "validate",
          .arguments = "{}",
          .lane = "cpu",
          .client = "ann",
          .owner = "ann"};
}

class TestBroker {
 public:
  /// @param what  Named where there is no PostgreSQL.
  explicit TestBroker(const char* what) {
    if (!test::has_postgres()) {
      MESSAGE("left out, as there is no PostgreSQL here: " << what);
      return;
    }
    url_ = test::take_database();
    auto archive = Archive::open(ArchivePlace(folder_.path(), url_));
    REQUIRE_MESSAGE(archive.has_value(), to_text(archive.error()));
    archive_ = *std::move(archive);
    broker_.emplace(url_, 4);
  }

  TestBroker(const TestBroker&) = delete;
  TestBroker& operator=(const TestBroker&) = delete;

  ~TestBroker() {
    broker_.reset();
    archive_.reset();
    if (!url_.empty()) {
      test::leave_database(url_);
    }
  }

  [[nodiscard]] bool left_out() const { return url_.empty(); }

  JobBroker& broker() { return *broker_; }

  Archive& archive() { return *archive_; }

  [[nodiscard]] const std::string& url() const { return url_; }

  /// Runs statements past all rules.
  void run(const std::string& sql) {
    auto connection = open_postgres(url_);
    REQUIRE_MESSAGE(connection.has_value(), to_text(connection.error()));
    const Status done = connection->execute(sql);
    REQUIRE_MESSAGE(done.has_value(), to_text(done.error()));
  }

  /// The first column of a statement's first row, as a text.
  std::string ask(const std::string& sql) {
    auto connection = open_postgres(url_);
    REQUIRE_MESSAGE(connection.has_value(), to_text(connection.error()));
    auto row = connection->prepare(sql);
    REQUIRE_MESSAGE(row.has_value(), to_text(row.error()));
    const auto found = row->step();
    REQUIRE_MESSAGE(found.has_value(), to_text(found.error()));
    return *found ? row->text(0) : "";
  }

  /// The job of numbered_job().
  NodeJobView look(int number) {
    const auto views = broker_->look({numbered_job(number).id});
    REQUIRE_MESSAGE(views.has_value(), to_text(views.error()));
    REQUIRE(views->size() == 1);
    return views->front();
  }

 private:
  TestFolder folder_;
  std::string url_;
  std::unique_ptr<Archive> archive_;
  std::optional<PgBroker> broker_;
};

inline NodeInfo node_named(const std::string& name) {
  return {.name = name,
          .instance = name + "-1",
          .host = "here",
          .devices = "cpu:0",
          .lanes = {"cpu"},
          .version = "1"};
}

inline NodeInfo entered_node(JobBroker& broker, const std::string& name) {
  NodeInfo node = node_named(name);
  const Status entered = broker.enter(node);
  REQUIRE_MESSAGE(entered.has_value(), to_text(entered.error()));
  return node;
}

inline NodeClaim claimed_job(JobBroker& broker, const NodeInfo& node) {
  auto outcome = broker.claim(node);
  REQUIRE_MESSAGE(outcome.has_value(), to_text(outcome.error()));
  REQUIRE(outcome->claim.has_value());
  return *std::move(outcome->claim);
}

inline WorkLease lease_of(const NodeClaim& claim, const NodeInfo& node) {
  return {.job = claim.id, .node = node.name, .attempt = claim.attempt};
}

}  // namespace ws
