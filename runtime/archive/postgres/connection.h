// PostgreSQL as an engine of the archive.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/archive/postgres/link.h"

namespace ws {

class PostgresStatement;

/// Writers of an archive go one after the other, by a lock of the database that a transaction
/// holds: numbers of rows then grow in the order in which rows can be seen, and a write never has
/// to be done again. A connection that is lost outside a transaction is made again, once, by the
/// call that finds it lost.
class PostgresConnection final : public ConnectionEngine {
 public:
  static Result<std::unique_ptr<ConnectionEngine>> open(const PostgresTarget& target);

  [[nodiscard]] EngineKind kind() const override { return EngineKind::kPostgres; }

  Result<std::unique_ptr<StatementEngine>> prepare(const std::string& sql) override;
  Status execute(const std::string& sql) override;
  Status begin_write() override;
  Status begin_read() override;
  Status commit() override;
  Status roll_back() override;

  [[nodiscard]] int changes() const override { return changes_; }

  [[nodiscard]] std::int64_t total_changes() const override { return total_changes_; }

  /// Runs a statement with its parameters.
  Result<Rows> run(PostgresStatement& statement);
  /// Runs it once for each of the parameters that are queued.
  Result<std::vector<Rows>> run_queued(PostgresStatement& statement);
  /// Runs one without.
  Result<Rows> query(const std::string& sql);

  /// Since begin_read().
  [[nodiscard]] bool reads_one_state() const { return in_transaction_ && reads_; }

  /// A name for what is prepared next.
  std::string next_name() { return "s" + std::to_string(++names_); }

  /// Lets go of what is prepared under a name. @param generation  Of the link when it was.
  void forget(const std::string& name, std::int64_t generation);

 private:
  explicit PostgresConnection(const PostgresTarget& target)
      : link_(target) {}

  /// Calls body(), again with a new connection where that ended the old one.
  template <typename Body>
  auto with_link(const Body& body) -> decltype(body());
  Status begin(const std::string& sql);

  Link link_;
  bool in_transaction_ = false;
  bool reads_ = false;  ///< The transaction, or the last one, only reads.
  int changes_ = 0;
  std::int64_t total_changes_ = 0;
  std::int64_t names_ = 0;
};

}  // namespace ws
