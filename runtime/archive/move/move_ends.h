// The two archives of a move: opened, or refused before anything is changed.
#pragma once

#include <optional>
#include <string>

#include "runtime/archive/store/archive_lock.h"
#include "runtime/archive/store/archive_place.h"
#include "runtime/archive/store/sqlite.h"
#include "runtime/base/result.h"

namespace ws::store {

struct MoveEnd {
  ArchivePlace place;
  std::string name;                 ///< The folder, or the URL without its parameters.
  std::optional<ArchiveLock> lock;  ///< Null in a database.
  Connection connection;
};

/// The archive that is read. @param force  Servers may use it meanwhile.
/// @errors kNotFound: there is none; kIo: its tables are of an older or a newer version; kBusy: a
/// server uses it, or jobs wait in it for nodes; kConflict: it is itself a part of a move. As
/// open_postgres().
Result<MoveEnd> open_move_source(const ArchivePlace& place, bool force);

/// The server or node that uses an archive, in words; empty: none does. @errors kIo.
Result<std::string> user_of(MoveEnd& end);

/// @errors kBusy: a server uses the archive that is written.
Status check_target_unused(MoveEnd& target);

/// The archive that is written; it is made where there is none.
/// @errors kConflict: the folder has other things in it; kBusy: a server uses it. As
/// Archive::open().
Result<MoveEnd> open_move_target(const ArchivePlace& place);

}  // namespace ws::store
