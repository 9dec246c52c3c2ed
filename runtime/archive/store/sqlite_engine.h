// SQLite as an engine of the archive; the only header that includes sqlite3.h.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <sqlite3.h>

#include "runtime/archive/store/engine.h"

namespace ws {

struct SqliteDeleter {
  void operator()(sqlite3* connection) const noexcept { sqlite3_close_v2(connection); }
};

class SqliteConnection final : public ConnectionEngine {
 public:
  /// @param read_only  Refuses to write, and does not make the file.
  static Result<std::unique_ptr<SqliteConnection>> open(const std::string& path, bool read_only);

  [[nodiscard]] EngineKind kind() const override { return EngineKind::kSqlite; }

  Result<std::unique_ptr<StatementEngine>> prepare(const std::string& sql) override;
  Status execute(const std::string& sql) override;
  Status begin_write() override;
  Status begin_read() override;
  Status commit() override;
  Status roll_back() override;
  [[nodiscard]] int changes() const override;
  [[nodiscard]] std::int64_t total_changes() const override;

  // As Connection has them.
  Status copy_to(SqliteConnection& target,
                 const std::function<void(std::int64_t done, std::int64_t pages)>& progress);
  void write_back_at(int log_pages);

  [[nodiscard]] int log_pages() const { return log_pages_; }

 private:
  explicit SqliteConnection(sqlite3* connection)
      : connection_(connection) {}

  int most_log_pages_ = 0;
  int log_pages_ = 0;  ///< Outlives the connection that notes it.
  std::unique_ptr<sqlite3, SqliteDeleter> connection_;
};

}  // namespace ws
