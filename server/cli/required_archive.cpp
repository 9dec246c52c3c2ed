#include "server/cli/required_archive.h"

#include <filesystem>

#include "runtime/archive/store/postgres_store.h"

namespace ws::server {

bool has_archive(const ArchivePlace& place) {
  std::error_code missing;
  return !place.store.empty() || std::filesystem::exists(place.folder / "archive.db", missing);
}

Status require_archive(const ArchivePlace& place) {
  if (!place.store.empty()) {
    return require_postgres_tables(place.store);
  }
  if (has_archive(place)) {
    return {};
  }
  return fail(ErrorCode::kNotFound, "there is no archive in " + place.folder.string(),
              "name the data folder of a server with --data DIR");
}

}  // namespace ws::server
