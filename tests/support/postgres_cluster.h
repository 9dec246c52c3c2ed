// A PostgreSQL server for tests, without a network, in a folder that goes with the process.
#pragma once

#include <string>

namespace ws::test {

/// Whether PostgreSQL's server is installed here, and the library that talks to it was built.
bool has_postgres();

/// The URL of an empty database that no other part of the test uses, as --store takes it. Starts
/// the server when it is first called, and has at most a few databases, which are used again.
/// Give it back by leave_database().
std::string take_database();
void leave_database(const std::string& url);

/// A server of its own, to be stopped and started again.
class PostgresCluster {
 public:
  PostgresCluster();
  PostgresCluster(const PostgresCluster&) = delete;
  PostgresCluster& operator=(const PostgresCluster&) = delete;
  ~PostgresCluster();

  /// Starts it, and returns once it takes connections. @param settings  Such as
  /// "max_connections=5".
  void start(const std::string& settings = {});
  /// As kill -9 would.
  void stop();
  /// Runs statements in a database. @return  What psql prints.
  std::string run(const std::string& database, const std::string& sql);

  /// @param user  "warpsmith" may do all.
  [[nodiscard]] std::string url(const std::string& database,
                                const std::string& user = "warpsmith") const;

  /// The folder of its socket, and of pg_hba.conf in db/.
  [[nodiscard]] const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
  int process_ = -1;
};

}  // namespace ws::test
