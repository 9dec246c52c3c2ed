// An archive that goes from a folder into a database, or back.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/archive/store/archive_place.h"
#include "runtime/base/result.h"

namespace ws {

struct MovedRowCount {
  std::string table;
  std::int64_t rows = 0;
};

struct MoveReport {
  std::string from;  ///< The folder, or the URL without its parameters.
  std::string to;
  std::vector<MovedRowCount> tables;  ///< The rows that both have.
  std::int64_t added = 0;             ///< Rows of these that were not there before.
  std::string evidence_sha256;        ///< Over all evidence, in both.
  std::string source_user;  ///< The server or node that uses the source at the end; empty: none.
};

/// @param step  "compared", "copied", "checked" or "indexed".
/// @param done  Rows, of `all`.
using MoveProgress =
    std::function<void(std::string_view step, std::int64_t done, std::int64_t all)>;

struct MoveOptions {
  bool force = false;               ///< Also while servers use the source.
  std::int64_t rows_at_once = 500;  ///< In one transaction.
};

/// Copies all rows of an archive as they are at one moment, with their ids, numbers and times, into
/// one that is empty or has some of them already; makes the search index there anew, and compares.
/// The source stays as it is. Killed at any time, the target is refused by Archive::open() until
/// the same move has ended.
///
/// @errors kInvalidArgument: not one of the two is a folder, or a text does not go into a
/// database; kConflict: the target has rows that the source has not, is moved into from elsewhere,
/// or its folder is no data folder; kIo: also where the rows differ afterwards. As
/// open_move_source() and open_move_target() (move_ends.h).
Result<MoveReport> move_archive(const ArchivePlace& from, const ArchivePlace& to,
                                const MoveOptions& options, const MoveProgress& progress = {});

}  // namespace ws
