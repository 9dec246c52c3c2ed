#include "server/cli/required_archive.h"

namespace ws::server {

Status require_archive(const std::filesystem::path& folder) {
  std::error_code missing;
  if (std::filesystem::exists(folder / "archive.db", missing)) {
    return {};
  }
  return fail(ErrorCode::kNotFound, "there is no archive in " + folder.string(),
              "name the data folder of a server with --data DIR");
}

}  // namespace ws::server
