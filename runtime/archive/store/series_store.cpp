#include "runtime/archive/store/series_store.h"

#include <mutex>
#include <utility>

#include "runtime/archive/store/sqlite.h"

namespace ws {
namespace {

Result<std::vector<SeriesRow>> rows_of(Connection& connection, const std::string& series) {
  WS_TRY(Statement rows, connection.prepare("SELECT kernel_id, value FROM series WHERE name = ? "
                                            "ORDER BY seq"));
  return read_rows(rows.bind(series), [](const Statement& row) {
    return SeriesRow{.kernel_id = row.text(0), .value = row.real(1).value_or(0)};
  });
}

}  // namespace

class SeriesStore::Impl {
 public:
  explicit Impl(Connection connection)
      : connection_(std::move(connection)) {}

  Result<std::vector<SeriesRow>> add(const std::string& series, const SeriesRow& row) {
    const std::lock_guard lock(mutex_);
    Transaction transaction(connection_);
    WS_CHECK(transaction.begin());
    WS_TRY(Statement insert, connection_.prepare("INSERT INTO series(name, kernel_id, value) "
                                                 "VALUES(?, ?, ?)"));
    WS_CHECK(insert.bind(series).bind(row.kernel_id).bind_real(row.value).run());
    WS_TRY(std::vector<SeriesRow> all, rows_of(connection_, series));
    WS_CHECK(transaction.commit());
    return all;
  }

  Result<std::vector<SeriesRow>> rows(const std::string& series) {
    const std::lock_guard lock(mutex_);
    return rows_of(connection_, series);
  }

 private:
  std::mutex mutex_;
  Connection connection_;
};

SeriesStore::SeriesStore(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)) {}

SeriesStore::~SeriesStore() = default;

Result<std::unique_ptr<SeriesStore>> SeriesStore::open(const std::filesystem::path& folder) {
  WS_TRY(Connection connection, Connection::open((folder / "archive.db").string(), false));
  WS_CHECK(connection.execute("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON"));
  return std::unique_ptr<SeriesStore>(
      new SeriesStore(std::make_unique<Impl>(std::move(connection))));
}

Result<std::vector<SeriesRow>> SeriesStore::add(const std::string& series, const SeriesRow& row) {
  return impl_->add(series, row);
}

Result<std::vector<SeriesRow>> SeriesStore::rows(const std::string& series) {
  return impl_->rows(series);
}

}  // namespace ws
