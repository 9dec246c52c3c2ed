#include "runtime/archive/move/archive_move.h"

#include <algorithm>
#include <utility>

#include "runtime/archive/move/move_ends.h"
#include "runtime/archive/move/move_mark.h"
#include "runtime/archive/move/moved_tables.h"
#include "runtime/archive/move/row_compare.h"
#include "runtime/archive/search/index_rebuild.h"

namespace ws {
namespace {

using store::MovedRow;
using store::MovedRows;
using store::MovedTable;

constexpr std::size_t kPieceBytes = std::size_t{8} << 20U;  // Rows in one transaction have so many.

/// One try at a move.
class ArchiveMove {
 public:
  ArchiveMove(store::MoveEnd source, store::MoveEnd target, const MoveOptions& options,
              const MoveProgress& progress)
      : source_(std::move(source)),
        target_(std::move(target)),
        mark_(source_.name),
        rows_at_once_(options.rows_at_once),
        progress_(progress) {}

  Result<MoveReport> run() {
    report_.from = source_.name;
    report_.to = target_.name;
    WS_CHECK(copy_rows());
    WS_CHECK(make_index());
    WS_CHECK(in_piece([&] { return store::MoveMark::remove(target_.connection); }));
    WS_TRY(report_.source_user, store::user_of(source_));
    return std::move(report_);
  }

 private:
  template <typename Body>
  Status in_transaction(const Body& body) {
    Transaction transaction(target_.connection);
    WS_CHECK(transaction.begin());
    WS_CHECK(body());
    return transaction.commit();
  }

  /// A part of this try, as long as no other one has taken over.
  template <typename Body>
  Status in_piece(const Body& body) {
    return in_transaction([&]() -> Status {
      WS_CHECK(mark_.check(target_.connection));
      return body();
    });
  }

  void begin_step(std::string_view step, std::int64_t all) {
    step_ = step;
    done_ = 0;
    all_ = all;
  }

  void note(std::int64_t rows) {
    done_ += rows;
    if (progress_) {
      progress_(step_, done_, all_);
    }
  }

  [[nodiscard]] std::function<void()> noting_rows() {
    return [this] { note(1); };
  }

  /// All that is in the source at one moment. The index does not hold up the source's own upkeep.
  Status copy_rows() {
    Snapshot at_one_moment(source_.connection);
    WS_CHECK(at_one_moment.begin());
    WS_CHECK(count_source());
    WS_CHECK(check_target());
    WS_CHECK(in_transaction([&] { return mark_.set(target_.connection, target_.name); }));
    // One that began before the mark was set does not know of it.
    WS_CHECK(store::check_target_unused(target_));
    WS_CHECK(copy());
    return compare();
  }

  Status count_source() {
    for (const MovedTable& table : store::moved_tables()) {
      WS_TRY(const std::int64_t rows, store::count_moved_rows(source_.connection, table));
      report_.tables.push_back({table.name, rows});
      source_rows_ += rows;
    }
    return {};
  }

  /// Before the mark is set: a target that holds something else is not touched.
  Status check_target() {
    Snapshot at_one_moment(target_.connection);
    WS_CHECK(at_one_moment.begin());
    WS_CHECK(mark_.check_source(target_.connection, target_.name));
    begin_step("compared", source_rows_);
    for (const MovedTable& table : store::moved_tables()) {
      WS_CHECK(store::check_only_rows_of(source_.connection, target_.connection, table,
                                         {source_.name, target_.name}, noting_rows()));
    }
    return {};
  }

  Status copy() {
    begin_step("copied", source_rows_);
    for (std::size_t i = 0; i < store::moved_tables().size(); ++i) {
      const MovedTable& table = store::moved_tables()[i];
      WS_TRY(const std::int64_t there, store::count_moved_rows(target_.connection, table));
      if (there < report_.tables[i].rows) {  // Or else it has all of them.
        WS_CHECK(copy_table(table));
      } else {
        note(there);
      }
    }
    return {};
  }

  Status copy_table(const MovedTable& table) {
    WS_TRY(MovedRows rows, MovedRows::open(source_.connection, table));
    bool more = true;
    while (more) {
      WS_CHECK(in_piece([&]() -> Status {
        WS_TRY(more, copy_piece(rows, table));
        return store::set_next_number(target_.connection, table);
      }));
    }
    return {};
  }

  /// @return False: there are no rows any more.
  Result<bool> copy_piece(MovedRows& rows, const MovedTable& table) {
    std::size_t bytes = 0;
    MovedRow row;
    for (std::int64_t i = 0; i < rows_at_once_ && bytes < kPieceBytes; ++i) {
      WS_TRY(const bool found, rows.next(row));
      if (!found) {
        return false;
      }
      const Result<bool> added = store::add_moved_row(target_.connection, table, row);
      if (!added) {
        Error error = added.error();
        error.message = "the " + name_of_row(table, row) + " cannot be moved: " + error.message;
        return fail(std::move(error));
      }
      report_.added += *added ? 1 : 0;
      bytes += store::bytes_of_row(row).size();
      note(1);
    }
    return true;
  }

  Status compare() {
    Snapshot at_one_moment(target_.connection);
    WS_CHECK(at_one_moment.begin());
    begin_step("checked", 2 * source_rows_);
    for (const MovedTable& table : store::moved_tables()) {
      WS_TRY(const store::RowDigest here,
             store::digest_of(source_.connection, table, noting_rows()));
      WS_TRY(const store::RowDigest there,
             store::digest_of(target_.connection, table, noting_rows()));
      WS_CHECK(store::check_same(here, there, table, {source_.name, target_.name}));
      if (std::string_view(table.name) == "evidence") {
        report_.evidence_sha256 = there.sha256;
      }
    }
    return {};
  }

  Status make_index() {
    // The index is made of the first two tables, problems and kernels.
    begin_step("indexed", report_.tables[0].rows + report_.tables[1].rows);
    store::IndexRebuild rebuild(store::IndexRebuild::kRowsAtOnce,
                                store::IndexRebuild::RefLabels::kLeave);
    bool more = true;
    while (more) {
      WS_CHECK(in_piece([&]() -> Status {
        WS_TRY(more, rebuild.step(target_.connection));
        return {};
      }));
      note(std::min(store::IndexRebuild::kRowsAtOnce, all_ - done_));
    }
    return {};
  }

  store::MoveEnd source_;
  store::MoveEnd target_;
  store::MoveMark mark_;
  const std::int64_t rows_at_once_;
  const MoveProgress& progress_;
  MoveReport report_;
  std::int64_t source_rows_ = 0;  ///< In all tables.
  std::string_view step_;
  std::int64_t done_ = 0;
  std::int64_t all_ = 0;
};

}  // namespace

Result<MoveReport> move_archive(const ArchivePlace& from, const ArchivePlace& to,
                                const MoveOptions& options, const MoveProgress& progress) {
  if (from.store.empty() == to.store.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "an archive is moved from a folder into a database, or from a database into a "
                "folder",
                from.store.empty() ? "`warpsmith archive backup FILE` copies the one of a folder"
                                   : "pg_dump copies the one of a database");
  }
  WS_TRY(store::MoveEnd source, store::open_move_source(from, options.force));
  WS_TRY(store::MoveEnd target, store::open_move_target(to));
  return ArchiveMove(std::move(source), std::move(target), options, progress).run();
}

}  // namespace ws
