#include "tests/support/archive_copy.h"

#include "runtime/archive/store/archive_folder.h"
#include "runtime/archive/store/sqlite.h"

namespace ws::test {

Status copy_archive(const std::filesystem::path& from, const std::filesystem::path& to) {
  WS_TRY(Connection archive, Connection::open((from / kArchiveFile).string(), false));
  return archive.execute("VACUUM INTO '" + (to / kArchiveFile).string() + "'");
}

}  // namespace ws::test
