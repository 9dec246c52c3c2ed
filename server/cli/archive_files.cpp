#include "server/cli/archive_files.h"

#include <algorithm>
#include <iterator>

#include "runtime/archive/store/restore.h"
#include "runtime/archive/store/upgrade.h"
#include "server/text_format.h"

namespace ws::server {
namespace {

/// A line on stderr for each tenth of a copy of more than a moment.
CopyProgress progress_of(const char* what, const Tell& tell) {
  return [what, tell, told = std::int64_t{0}](std::int64_t done, std::int64_t pages) mutable {
    constexpr std::int64_t kTenths = 10;
    constexpr std::int64_t kQuick = 25'000;  // 100 MB.
    const std::int64_t tenth = pages > 0 ? done * kTenths / pages : kTenths;
    if (pages >= kQuick && tenth > told) {
      told = tenth;
      tell(std::string(what) + ": " + std::to_string(tenth * kTenths) + " %");
    }
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
  WS_TRY(const BackupReport report, backup_archive(options.services.data_dir, options.file,
                                                   options.force, progress_of("copied", tell)));
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
  WS_TRY(const RestoreReport report,
         restore_archive(options.services.data_dir, options.file, progress_of("restored", tell)));
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
