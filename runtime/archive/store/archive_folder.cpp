#include "runtime/archive/store/archive_folder.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "runtime/archive/store/sqlite.h"
#include "runtime/base/files.h"
#include "runtime/base/private_files.h"

namespace ws {

Status make_data_folder(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kArchiveFile;
  std::error_code ignored;
  const bool own =
      std::filesystem::exists(file, ignored) || std::filesystem::is_empty(folder, ignored);
  if (const std::error_code code = make_private_folder(folder)) {
    return fail(ErrorCode::kIo, "the archive's folder `" + folder.string() + "` cannot be made",
                "choose another one with --data DIR", "mkdir: " + code.message());
  }
  if (own) {
    keep_private(folder);
  }
  return {};
}

Status make_archive_folder(const std::filesystem::path& folder) {
  WS_CHECK(make_data_folder(folder));
  const std::filesystem::path file = folder / kArchiveFile;
  // SQLite gives its other files the same permissions.
  constexpr mode_t kOwner = 0600;
  const Fd made(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kOwner));
  if (made.valid()) {
    ::fchmod(made.get(), kOwner);  // The umask may have left more or fewer rights.
  }
  for (const char* ending : {"", "-wal", "-shm"}) {
    keep_private(file.string() + ending);
  }
  return {};
}

Result<std::vector<std::string>> damage_of_archive(const std::filesystem::path& folder) {
  WS_TRY(Connection connection, Connection::open((folder / kArchiveFile).string(), true));
  WS_TRY(Statement rows, connection.prepare("PRAGMA integrity_check(20)"));
  WS_TRY(std::vector<std::string> found,
         read_rows(rows, [](const Statement& row) { return row.text(0); }));
  if (found == std::vector<std::string>{"ok"}) {
    found.clear();
  }
  WS_TRY(Statement lost,
         connection.prepare("SELECT 'row ' || coalesce(rowid, '') || ' of ' || \"table\" || "
                            "' refers to a row of ' || parent || ' that is not there' "
                            "FROM pragma_foreign_key_check LIMIT 20"));
  WS_TRY(const std::vector<std::string> references, texts(lost));
  found.insert(found.end(), references.begin(), references.end());
  return found;
}

}  // namespace ws
