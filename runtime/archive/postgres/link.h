// A connection of libpq's that comes back when it is lost, and its errors as sentences.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <libpq-fe.h>

#include "runtime/archive/postgres/boundary.h"

namespace ws {

struct LinkDeleter {
  void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
};

struct RowsDeleter {
  void operator()(PGresult* rows) const noexcept { PQclear(rows); }
};

using Rows = std::unique_ptr<PGresult, RowsDeleter>;

/// Not for several threads.
class Link {
 public:
  explicit Link(PostgresTarget target)
      : target_(std::move(target)) {}

  /// Connects where there is no connection. @errors kIo, kBusy, kInvalidArgument.
  Status connect();

  [[nodiscard]] PGconn* get() const { return connection_.get(); }

  [[nodiscard]] const PostgresTarget& target() const { return target_; }

  /// Higher after each connect: what was prepared before is gone.
  [[nodiscard]] std::int64_t generation() const { return generation_; }

  /// Whether the last error ended the connection.
  [[nodiscard]] bool is_lost() const { return lost_; }

  /// The same rows; or their error. @param call  The function of libpq that gave them.
  Result<Rows> checked(Rows rows, const char* call);

  /// The error of a connection that a function of libpq found lost.
  Error loss(const char* call);

  /// Runs statements without parameters.
  Result<Rows> run(const std::string& sql);

  /// Runs many in one message; where one fails, none after it is run.
  /// @param send  Sends one by a function of libpq's: send(connection, number), 0 where it cannot.
  /// @return      The rows of each. @errors Of the first that fails.
  Result<std::vector<Rows>> run_together(std::size_t count,
                                         const std::function<int(PGconn*, std::size_t)>& send);

 private:
  tl::unexpected<Error> unreachable(std::string reason) const;
  Error lost_with(std::string source);

  PostgresTarget target_;
  std::unique_ptr<PGconn, LinkDeleter> connection_;
  std::int64_t generation_ = 0;
  bool lost_ = true;
};

}  // namespace ws
