#include "runtime/archive/store/series_store.h"

#include <utility>

#include "runtime/archive/store/shared_connection.h"
#include "runtime/archive/store/visible.h"
#include "runtime/base/viewer.h"

namespace ws {
namespace {

/// The name in the table: a viewer that does not share has series of its own.
std::string stored_name(const std::string& series) {
  const Viewer& viewer = current_viewer();
  return viewer.shares ? series : viewer.owner + "\n" + series;
}

Result<std::vector<SeriesRow>> rows_of(Connection& connection, const std::string& series) {
  WS_TRY(Statement rows, connection.prepare("SELECT kernel_id, value FROM series WHERE name = ? "
                                            "ORDER BY seq"));
  return read_rows(rows.bind(stored_name(series)), [](const Statement& row) {
    return SeriesRow{.kernel_id = row.text(0), .value = row.real(1).value_or(0)};
  });
}

}  // namespace

SeriesStore::SeriesStore(std::unique_ptr<SharedConnection> connection)
    : connection_(std::move(connection)) {}

SeriesStore::~SeriesStore() = default;

Result<std::unique_ptr<SeriesStore>> SeriesStore::open(const ArchivePlace& place) {
  WS_TRY(auto connection, SharedConnection::open(place));
  return std::unique_ptr<SeriesStore>(new SeriesStore(std::move(connection)));
}

Result<std::vector<SeriesRow>> SeriesStore::add(const std::string& series, const SeriesRow& row) {
  return connection_->use([&](Connection& connection) -> Result<std::vector<SeriesRow>> {
    Transaction transaction(connection);
    WS_CHECK(transaction.begin());
    WS_TRY(Statement insert, connection.prepare("INSERT INTO series(name, kernel_id, value) "
                                                "VALUES(?, ?, ?)"));
    const std::string name = stored_name(series);
    insert.bind(name).bind(row.kernel_id).bind_real(row.value);
    WS_TRY(const std::int64_t seq, insert.insert("seq"));
    // The row of the table says for whom it counts; its name, who sees it.
    WS_CHECK(store::claim_result(connection, store::series_id(seq),
                                 store::counted_bytes({name, row.kernel_id})));
    WS_TRY(std::vector<SeriesRow> all, rows_of(connection, series));
    WS_CHECK(transaction.commit());
    return all;
  });
}

Result<std::vector<SeriesRow>> SeriesStore::rows(const std::string& series) {
  return connection_->use([&](Connection& connection) { return rows_of(connection, series); });
}

}  // namespace ws
