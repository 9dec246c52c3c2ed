// Where an archive is kept.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "runtime/base/result.h"

namespace ws {

/// A file in a folder; or a PostgreSQL database, which several servers on several machines may
/// share. The folder is then for what belongs to this machine alone.
struct ArchivePlace {
  ArchivePlace() = default;

  // NOLINTNEXTLINE(google-explicit-constructor): a folder is a place.
  ArchivePlace(std::filesystem::path data_folder, std::string store_url = {})
      : folder(std::move(data_folder)),
        store(std::move(store_url)) {}

  std::filesystem::path folder;
  std::string store;  ///< postgres://USER@HOST:PORT/DATABASE; empty: archive.db in the folder.
};

/// A URL of a store as messages and logs have it: without what follows a `?`.
/// @errors kInvalidArgument: it is no such URL, or has a password in it, which is not repeated.
Result<std::string> store_name(const std::string& url);

}  // namespace ws
