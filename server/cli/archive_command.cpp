#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "runtime/archive/store/archive_folder.h"
#include "runtime/archive/store/counted_file.h"
#include "runtime/archive/store/usage.h"
#include "runtime/archive/transfer/transfer.h"
#include "runtime/base/files.h"
#include "runtime/tune/journal.h"
#include "server/cli/archive_audit.h"
#include "server/cli/archive_files.h"
#include "server/cli/archive_rerun.h"
#include "server/cli/commands.h"
#include "server/protocol/protocol.h"
#include "server/text_format.h"

namespace ws::server {
namespace {

constexpr std::uint64_t kProgressLines = 5000;

using Done = ArchiveDone;

void tell(const std::string& text) {
  std::fputs((text + "\n").c_str(), stderr);
}

Result<Done> export_archive(Archive& archive, const ArchiveOptions& options) {
  const bool to_stdout = options.file == "-";
  const std::filesystem::path part = options.file + ".part";
  std::ofstream file;
  if (!to_stdout) {
    file.open(part, std::ios::binary);
  }
  std::ostream& out = to_stdout ? std::cout : file;
  std::uint64_t lines = 0;
  WS_CHECK(archive.export_lines([&](std::string_view line) -> Status {
    out << line << '\n';
    if (++lines % kProgressLines == 0) {
      tell(std::to_string(lines) + " lines");
    }
    return out ? Status()
               : fail(ErrorCode::kIo, "`" + options.file + "` cannot be written",
                      "choose another file, or free some space");
  }));
  out.flush();
  if (!to_stdout) {
    file.close();
    std::error_code code;
    std::filesystem::rename(part, options.file, code);
    if (code || !file) {
      return fail(ErrorCode::kIo, "`" + options.file + "` cannot be written", {}, code.message());
    }
  }
  Done done;
  done.json = {{"action", "export"}, {"file", options.file}, {"lines", lines}};
  done.text = std::to_string(lines) + " lines written to " + options.file + "\n";
  return done;
}

std::string counts_of(const ImportReport& report) {
  return std::to_string(report.lines) + " lines: " + std::to_string(report.added) +
         " rows added, " + std::to_string(report.known) + " were there, " +
         std::to_string(report.refused) + " refused";
}

Result<ImportReport> read_import(Archive& archive, const ArchiveOptions& options) {
  const std::string path = options.file == "-" ? "/dev/stdin" : options.file;
  if (!options.kernel.empty()) {
    WS_TRY(const std::string text, read_file(path, kMaxTuningFile));
    return import_tuning(archive, text, options.kernel);
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    return fail(ErrorCode::kIo, "`" + options.file + "` cannot be read");
  }
  return import_lines(archive, in, [](const ImportReport& report) {
    if (report.lines % kProgressLines == 0) {
      tell(counts_of(report));
    }
  });
}

Result<Done> import_archive(Archive& archive, const ArchiveOptions& options) {
  WS_TRY(const ImportReport report, read_import(archive, options));
  Done done;
  done.json = {{"action", "import"},    {"lines", report.lines},     {"added", report.added},
               {"known", report.known}, {"refused", report.refused}, {"refusals", report.refusals}};
  done.text = counts_of(report) + "\n";
  for (const std::string& refusal : report.refusals) {
    done.text += refusal + "\n";
  }
  done.status = report.refused > 0 ? kExitFailed : kExitOk;
  return done;
}

Result<Done> collect_garbage(Archive& archive, const ArchiveOptions& options) {
  if (options.remove && options.rules.days < 1 && !options.force) {
    return fail(ErrorCode::kInvalidArgument,
                "--days 0 with --delete could delete kernels that a server is working on",
                "keep the last day, or add --force if no server runs");
  }
  WS_TRY(const auto usage, ArchiveUsage::open(options.services.archive()));
  WS_TRY(const std::uint64_t shared, usage->garbage_of_others(options.rules));
  WS_TRY(const GarbageReport report, archive.collect_garbage(options.rules, options.remove));
  if (options.remove && options.services.store.empty()) {
    WS_CHECK(forget_gone_files(options.services.archive(),
                               options.services.data_dir / tune::kJournalFolder));
  }
  Done done;
  done.json = {{"action", "gc"},
               {"deleted", options.remove},
               {"kernels", report.kernels},
               {"evidence", report.evidence},
               {"problems", report.problems},
               {"bytes", report.bytes},
               {"ids", report.ids}};
  if (!options.rules.owner.empty()) {
    done.json["kept_for_others"] = shared;
  }
  done.text = std::to_string(report.kernels) + " kernels, " + std::to_string(report.evidence) +
              " evidence and " + std::to_string(report.problems) + " problems, about " +
              size_text(report.bytes) + ", " +
              (options.remove ? "deleted\n" : "could go; --delete deletes them\n");
  if (shared > 0) {
    done.text += std::to_string(shared) +
                 " old kernels stay, as they or kernels made from them are other principals' too\n";
  }
  for (const std::string& id : report.ids) {
    done.text += id + "\n";
  }
  return done;
}

/// Anything that is read from a damaged file means nothing.
Done damaged(const std::vector<std::string>& findings) {
  Done done;
  done.json = {{"action", "verify"}, {"file", findings}};
  done.text = "the file is damaged; restore a backup, or export what can be read:\n";
  for (const std::string& finding : findings) {
    done.text += finding + "\n";
  }
  done.status = kExitFailed;
  return done;
}

Result<Done> verify_archive(Archive& archive, const ArchiveOptions& options) {
  WS_TRY(const ArchiveCheck check, archive.check());
  Done done;
  done.json = {{"action", "verify"},           {"problems", check.problems},
               {"kernels", check.kernels},     {"evidence", check.evidence},
               {"claims", check.claims},       {"damaged", check.damaged},
               {"findings", check.findings},   {"misindexed", check.misindexed},
               {"rerun", OrderedJson::array()}};
  done.text = std::to_string(check.problems) + " problems, " + std::to_string(check.kernels) +
              " kernels, " + std::to_string(check.evidence) + " evidence, " +
              std::to_string(check.claims) + " claims read; " + std::to_string(check.damaged) +
              " damaged\n";
  for (const std::string& finding : check.findings) {
    done.text += finding + "\n";
  }
  if (check.misindexed > 0) {
    done.text += std::to_string(check.misindexed) +
                 " entries of the search index were wrong; it was rebuilt\n";
  }
  done.status = check.damaged + check.misindexed > 0 ? kExitFailed : kExitOk;
  if (options.rerun > 0) {
    WS_TRY(
        const std::vector<Rerun> reruns,
        rerun_sample(options.services, options.rerun, [](const std::string& line) { tell(line); }));
    for (const Rerun& rerun : reruns) {
      done.json["rerun"].push_back({{"kernel_id", rerun.kernel_id}, {"verdict", rerun.verdict}});
      done.text += rerun.kernel_id + ": " + rerun.verdict + "\n";
      done.status = rerun.verdict == "passed" ? done.status : kExitFailed;
    }
  }
  return done;
}

Result<Done> add_label(Archive& archive, const ArchiveOptions& options) {
  WS_CHECK(archive.put_label({options.kernel, options.action, options.text}));
  WS_TRY(const KernelRow kernel, archive.kernel(options.kernel));
  Done done;
  done.json = {{"action", options.action}, {"kernel_id", kernel.id}, {"text", options.text}};
  done.text = kernel.id + " has the " + options.action + " now\n";
  return done;
}

Result<Done> set_sharing(Archive& archive, const ArchiveOptions& options) {
  const bool shared = options.action == "share";
  WS_TRY(const Sharing sharing, archive.share(options.id, shared));
  Done done;
  done.json = {{"action", options.action}, {"id", sharing.id}, {"rows", sharing.rows}};
  done.text = sharing.id +
              (shared ? " is seen by all principals now, with what belongs to it: "
                      : " is seen by its owners only now, with its evidence: ") +
              std::to_string(sharing.rows) + " rows changed\n";
  return done;
}

struct ActionRow {
  std::string_view name;
  Result<Done> (*run)(Archive& archive, const ArchiveOptions& options);
};

constexpr ActionRow kActions[] = {
    {"export", &export_archive}, {"import", &import_archive}, {"gc", &collect_garbage},
    {"verify", &verify_archive}, {"note", &add_label},        {"tag", &add_label},
    {"share", &set_sharing},     {"unshare", &set_sharing},
};

Result<Done> run_action(const ArchiveOptions& options) {
  if (const ArchiveFileAction* const on_files = find_file_action(options.action)) {
    return on_files->run(options, &tell);
  }
  const auto* const row =
      std::find_if(std::begin(kActions), std::end(kActions),
                   [&](const ActionRow& r) { return r.name == options.action; });
  if (row == std::end(kActions)) {
    return fail(ErrorCode::kInternal, "no action `" + options.action + "`");
  }
  WS_TRY(const auto archive, Archive::open(options.services.archive()));
  if (options.action == "verify" && options.services.store.empty()) {
    WS_TRY(const std::vector<std::string> found, damage_of_archive(options.services.data_dir));
    if (!found.empty()) {
      return damaged(found);
    }
  }
  return row->run(*archive, options);
}

}  // namespace

int archive_command(const ArchiveOptions& options) {
  if (const Status begun = begin_audit(options); !begun) {
    tell(to_text(begun.error()));
    return kExitFailed;
  }
  const Result<Done> done = run_action(options);
  audit_action(options, done);
  if (!done) {
    tell(to_text(done.error()));
    return done.error().code == ErrorCode::kInvalidArgument ? kExitUsage : kExitFailed;
  }
  const std::string text = options.json ? to_line(done->json) + "\n" : done->text;
  // Beside an export to stdout there is no room for words.
  const bool is_dump = options.action == "export" && options.file == "-";
  std::fputs(text.c_str(), is_dump ? stderr : stdout);
  return done->status;
}

}  // namespace ws::server
