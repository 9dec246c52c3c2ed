#include "runtime/archive/store/counted_file.h"

#include <string_view>
#include <system_error>
#include <vector>

#include "runtime/archive/store/shared_connection.h"
#include "runtime/archive/store/visible.h"
#include "runtime/base/viewer.h"

namespace ws {
namespace {

constexpr std::string_view kPrefix = "file_";

}  // namespace

Status count_file(const ArchivePlace& place, const std::string& file, std::int64_t bytes) {
  if (current_viewer().owner.empty()) {
    return {};
  }
  WS_TRY(const auto shared, SharedConnection::open(place));
  return shared->use([&](Connection& connection) -> Status {
    const std::string id = std::string(kPrefix) + file;
    Transaction transaction(connection);
    WS_CHECK(transaction.begin());
    WS_TRY(Statement forget,
           connection.prepare(current_viewer().lease
                                  ? "SELECT node_forget_file(?, viewer())"
                                  : "DELETE FROM owners WHERE id = ? AND owner = viewer()"));
    WS_CHECK(forget.bind(id).run());
    if (bytes > 0) {
      WS_CHECK(store::claim_result(connection, id, bytes));
    }
    return transaction.commit();
  });
}

Status forget_gone_files(const ArchivePlace& place, const std::filesystem::path& folder) {
  WS_TRY(const auto shared, SharedConnection::open(place));
  return shared->use([&](Connection& connection) -> Status {
    Transaction transaction(connection);
    WS_CHECK(transaction.begin());
    WS_TRY(
        Statement rows,
        connection.prepare("SELECT DISTINCT id FROM owners WHERE id >= 'file_' AND id < 'file`'"));
    WS_TRY(const std::vector<std::string> ids, texts(rows));
    WS_TRY(Statement forget, connection.prepare("DELETE FROM owners WHERE id = ?"));
    for (const std::string& id : ids) {
      std::error_code ignored;
      if (!std::filesystem::exists(folder / id.substr(kPrefix.size()), ignored)) {
        WS_CHECK(forget.reset().bind(id).run());
      }
    }
    return transaction.commit();
  });
}

}  // namespace ws
