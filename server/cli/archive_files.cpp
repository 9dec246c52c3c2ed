#include "server/cli/archive_files.h"

#include <algorithm>
#include <iterator>

#include "runtime/archive/move/archive_move.h"
#include "runtime/archive/store/postgres_store.h"
#include "runtime/archive/store/restore.h"
#include "runtime/archive/store/upgrade.h"
#include "server/text_format.h"

namespace ws::server {
namespace {

/// A line on stderr for each tenth of what takes more than a moment.
/// @param quick  Fewer parts than that take no time.
CopyProgress progress_of(const std::string& what, const Tell& tell, std::int64_t quick) {
  return [what, tell, quick, told = std::int64_t{0}](std::int64_t done, std::int64_t all) mutable {
    constexpr std::int64_t kTenths = 10;
    const std::int64_t tenth = all > 0 ? done * kTenths / all : kTenths;
    if (all >= quick && tenth > told) {
      told = tenth;
      tell(what + ": " + std::to_string(tenth * kTenths) + " %");
    }
  };
}

constexpr std::int64_t kQuickPages = 25'000;  // 100 MB.

/// The same of each step of a move.
MoveProgress move_progress(const Tell& tell) {
  constexpr std::int64_t kQuickRows = 2'000;  // About two seconds.
  return [tell, step = std::string(), part = CopyProgress()](
             std::string_view now, std::int64_t done, std::int64_t all) mutable {
    if (step != now) {
      step = now;
      part = progress_of(step, tell, kQuickRows);
    }
    part(done, all);
  };
}

std::string content_of(const BackupReport& report) {
  return std::to_string(report.kernels) + " kernels, " + std::to_string(report.evidence) +
         " evidence, " + size_text(report.bytes);
}

Result<ArchiveDone> back_up(const ArchiveOptions& options, const Tell& tell) {
  if (options.file == "-") {
    return fail(ErrorCode::kInvalidArgument, "a backup cannot be written to stdout",
                "name a file; `warpsmith archive export -` writes lines");
  }
  WS_TRY(const BackupReport report,
         backup_archive(options.services.data_dir, options.file, options.force,
                        progress_of("copied", tell, kQuickPages)));
  ArchiveDone done;
  done.json = {{"action", "backup"},
               {"file", options.file},
               {"kernels", report.kernels},
               {"evidence", report.evidence},
               {"bytes", report.bytes}};
  done.text = content_of(report) + " written to " + options.file + "\n";
  return done;
}

Result<ArchiveDone> restore(const ArchiveOptions& options, const Tell& tell) {
  WS_TRY(const RestoreReport report, restore_archive(options.services.data_dir, options.file,
                                                     progress_of("restored", tell, kQuickPages)));
  ArchiveDone done;
  done.json = {{"action", "restore"},
               {"file", options.file},
               {"kernels", report.restored.kernels},
               {"evidence", report.restored.evidence},
               {"bytes", report.restored.bytes},
               {"kept", report.kept.string()}};
  done.text = content_of(report.restored) + " restored from " + options.file + "\n" +
              (report.kept.empty() ? "there was no archive before\n"
                                   : "the archive before is now " + report.kept.string() + "\n");
  return done;
}

/// The place that `--to` names.
Result<ArchivePlace> target_of(const std::string& name) {
  if (name.find("://") == std::string::npos) {
    return ArchivePlace(name);
  }
  WS_TRY([[maybe_unused]] const std::string known, store_name_of(name, "--to"));
  return ArchivePlace({}, name);
}

Result<ArchiveDone> move_to(const ArchiveOptions& options, const Tell& tell) {
  WS_TRY(const ArchivePlace target, target_of(options.target));
  WS_TRY(const MoveReport report, move_archive(options.services.archive(), target,
                                               {.force = options.force}, move_progress(tell)));
  ArchiveDone done;
  done.json = {
      {"action", "move"}, {"from", report.from}, {"to", report.to}, {"added", report.added}};
  std::string counts;
  for (const MovedRowCount& table : report.tables) {
    done.json["rows"][table.table] = table.rows;
    if (table.rows > 0) {
      counts += (counts.empty() ? "" : ", ") + std::to_string(table.rows) + " " + table.table;
    }
  }
  done.json["evidence_sha256"] = report.evidence_sha256;
  done.text = report.to + " has all of " + report.from +
              " now: " + (counts.empty() ? "nothing" : counts) + "\n" +
              std::to_string(report.added) + " rows were added; evidence " +
              report.evidence_sha256 + "\n";
  if (!report.source_user.empty()) {
    done.json["source_user"] = report.source_user;
    done.text += report.from + " is in use by " + report.source_user +
                 ", and what it stored meanwhile is not moved: stop it, and move once more\n";
  }
  return done;
}

Result<ArchiveDone> upgrade(const ArchiveOptions& options, const Tell& /*tell*/) {
  WS_TRY(const UpgradePlan plan, plan_upgrade(options.services.data_dir));
  if (!options.dry_run) {
    WS_TRY([[maybe_unused]] const auto archive, Archive::open(options.services.data_dir));
  }
  ArchiveDone done;
  done.json = {{"action", "migrate"},
               {"changed", !options.dry_run && !plan.steps.empty()},
               {"from", plan.from},
               {"to", plan.to},
               {"steps", plan.steps},
               {"rebuilds_index", plan.rebuilds_index},
               {"backup", plan.backup.string()}};
  if (plan.steps.empty()) {
    done.text = "the archive has version " + std::to_string(plan.to) + ", the newest\n";
    return done;
  }
  done.text = std::string(options.dry_run ? "would go" : "went") + " from version " +
              std::to_string(plan.from) + " to " + std::to_string(plan.to) + ":\n";
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    done.text += std::to_string(plan.from + static_cast<int>(i) + 1) + ": " + plan.steps[i] + "\n";
  }
  if (plan.rebuilds_index) {
    done.text +=
        "the search index is made anew, which takes about as long as storing all kernels\n";
  }
  done.text += "a copy of the old version " + std::string(options.dry_run ? "would be " : "is ") +
               plan.backup.string() + "\n";
  return done;
}

constexpr ArchiveFileAction kFileActions[] = {
    {"backup", &back_up},
    {"restore", &restore},
    {"move", &move_to},
    {"migrate", &upgrade},
};

}  // namespace

const ArchiveFileAction* find_file_action(std::string_view name) {
  const auto* const row =
      std::find_if(std::begin(kFileActions), std::end(kFileActions),
                   [&](const ArchiveFileAction& action) { return action.name == name; });
  return row == std::end(kFileActions) ? nullptr : row;
}

}  // namespace ws::server
