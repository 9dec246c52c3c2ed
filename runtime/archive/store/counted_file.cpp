#include "runtime/archive/store/counted_file.h"

#include "runtime/archive/store/shared_connection.h"
#include "runtime/archive/store/visible.h"
#include "runtime/base/viewer.h"

namespace ws {

Status count_file(const ArchivePlace& place, const std::string& file, std::int64_t bytes) {
  if (current_viewer().owner.empty()) {
    return {};
  }
  WS_TRY(const auto shared, SharedConnection::open(place));
  return shared->use([&](Connection& connection) -> Status {
    const std::string id = "file_" + file;
    Transaction transaction(connection);
    WS_CHECK(transaction.begin());
    WS_TRY(Statement forget,
           connection.prepare("DELETE FROM owners WHERE id = ? AND owner = viewer()"));
    WS_CHECK(forget.bind(id).run());
    if (bytes > 0) {
      WS_CHECK(store::claim_result(connection, id, bytes));
    }
    return transaction.commit();
  });
}

}  // namespace ws
