// One statement of a PostgreSQL connection.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "runtime/archive/postgres/link.h"
#include "runtime/archive/postgres/statement_text.h"
#include "runtime/archive/postgres/values.h"

namespace ws {

class PostgresConnection;

/// Prepared when it is first stepped, as the kinds of its parameters are known then. All rows are
/// read at once: others may be stepped while these are looked at. Only in reads of one state, where
/// a statement without parameters gives a whole table, they come in pieces, by a cursor.
class PostgresStatement final : public StatementEngine {
 public:
  PostgresStatement(PostgresConnection& connection, const std::string& sql)
      : connection_(connection),
        text_(postgres_text(sql)) {}

  ~PostgresStatement() override;

  void bind_text(int place, std::string_view text) override;
  void bind_integer(int place, std::int64_t value) override;
  void bind_real(int place, double value) override;
  void bind_null(int place) override;
  void bind_blob(int place, const void* bytes, std::size_t size) override;
  void reset() override;
  void clear() override;
  Result<bool> step() override;
  Result<std::int64_t> insert(const char* number) override;

  [[nodiscard]] std::size_t runs_at_once() const override { return 128; }

  void queue_run() override;
  Status next_run() override;
  Result<std::int64_t> next_inserted(const char* number) override;
  [[nodiscard]] std::string text(int column) const override;
  [[nodiscard]] std::int64_t integer(int column) const override;
  [[nodiscard]] std::optional<double> real(int column) const override;

  /// Prepares it where that is needed, and runs it. @errors As of Link::checked().
  Result<Rows> execute(Link& link);
  /// The same with all that is queued, in one message. @return  The rows of each run.
  Result<std::vector<Rows>> execute_queued(Link& link);

 private:
  PostgresValue& value_at(int place);
  void ask_for(const char* number);
  /// Adds to what is bound what the statement has besides.
  void complete_values(const Link& link);
  /// Whether what is prepared takes values of these kinds.
  [[nodiscard]] bool fits(const PostgresValues& values) const;
  Status prepare(Link& link, const PostgresValues& values);
  [[nodiscard]] bool reads_table() const;
  /// Gets the next rows of the cursor, which is opened first.
  Status fetch();
  /// Lets go of what is prepared.
  void forget();
  /// Null: the column of the current row is NULL, or there is none.
  [[nodiscard]] const char* cell(int column) const;

  PostgresConnection& connection_;
  PostgresText text_;
  std::string returning_;  ///< The column that insert() asks for.
  PostgresValues values_;
  std::vector<PostgresValues> queued_;
  std::deque<Rows> answered_;  ///< The rows of the runs that were queued, from the next one on.
  std::string name_;           ///< The name under which it is prepared; empty: it is not.
  std::vector<Oid> types_;
  std::int64_t generation_ = 0;
  std::string cursor_;  ///< Its name; empty: there is none.
  Rows rows_;
  int row_ = -1;
};

}  // namespace ws
