// Options of the sub-commands on what is stored, and on what comes from elsewhere.
#include <functional>
#include <string>

#include <CLI/CLI.hpp>

#include "server/cli/command_line.h"

namespace ws::server {
namespace {

void add_tune(CLI::App& app, CommandLine& line) {
  CLI::App* tune = app.add_subcommand("tune", "Trade tuning results and search spaces");
  tune->require_subcommand(1);
  CLI::App* out = tune->add_subcommand("export", "Print what `tune` measured of a kernel");
  out->add_option("KERNEL", line.tune.kernel, "Its id, or a ref name@branch")->required();
  out->add_option("--device", line.tune.device,
                  "As results name it; default: the one with the most points");
  out->add_option("--format", "The format of the output")
      ->check(CLI::IsMember({"kernel-tuner"}))
      ->default_str("kernel-tuner");
  add_data(*out, line);
  add_store(*out, line);
  out->callback([&line] { line.tune.action = "export"; });
  CLI::App* in = tune->add_subcommand("import", "Print a T1 file's search space as kernel fields");
  in->add_option("FILE", line.tune.file, "A file, or - for stdin")->required();
  in->callback([&line] { line.tune.action = "import"; });
}

/// One action of `archive`, which is what the command line is asked for when it is named.
CLI::App* add_archive_action(CLI::App& archive, CommandLine& line, const std::string& name,
                             const std::string& what) {
  CLI::App* action = archive.add_subcommand(name, what);
  action->add_flag("--json", line.archive.json, "One JSON object, no text");
  add_data(*action, line);
  if (name != "backup" && name != "restore" && name != "migrate") {  // They are of a file.
    add_store(*action, line);
  }
  action->callback([&line, name] { line.archive.action = name; });
  return action;
}

void add_archive_files(const std::function<CLI::App*(const char*, const char*)>& add,
                       ArchiveOptions& options) {
  CLI::App* backup = add("backup", "Copy the archive into one file, while servers use it");
  backup->add_option("FILE", options.file, "Where the copy goes")->required();
  backup->add_flag("--force", options.force, "Replace the file if it is there");
  add("restore", "Put a backup in the place of the archive, which is kept; no server may run")
      ->add_option("FILE", options.file, "What `backup` wrote")
      ->required();
  CLI::App* move =
      add("move", "Copy the archive from the data folder into a database, or from --store back");
  move->add_option("--to", options.target, "postgres://USER@HOST:PORT/DATABASE, or a folder")
      ->required();
  move->add_flag("--force", options.force, "Also while servers use it; what they add stays behind");
  add("migrate", "Bring the archive to this version, as each command does when it opens it")
      ->add_flag("--dry-run", options.dry_run, "Only say what would change");
}

void add_archive(CLI::App& app, CommandLine& line) {
  CLI::App* archive = app.add_subcommand("archive", "Maintain the archive: kernels, evidence");
  archive->require_subcommand(1);
  const auto add = [&](const char* name, const char* what) {
    return add_archive_action(*archive, line, name, what);
  };
  add("export", "Write everything as JSON lines")
      ->add_option("FILE", line.archive.file, "A file, or - for stdout")
      ->required();
  CLI::App* import = add("import", "Read JSON lines, or tuning results; they are not trusted");
  import->add_option("FILE", line.archive.file, "A file, or - for stdin")->required();
  import->add_option("--kernel", line.archive.kernel,
                     "FILE is a cache of Kernel Tuner, or T4 results, of this kernel");
  add_archive_files(add, line.archive);
  CLI::App* gc = add("gc", "Find what is old and nothing needs: kernels and evidence");
  gc->add_option("--days", line.archive.rules.days, "Keep what is younger")
      ->check(CLI::Range(0, 36500))
      ->capture_default_str();
  gc->add_option("--max-bytes", line.archive.rules.max_bytes,
                 "Also younger kernels, the oldest first, until so much is in use, such as 10GB")
      ->transform(CLI::AsSizeValue(false));
  gc->add_option("--principal", line.archive.rules.owner,
                 "Only what belongs to this principal of a server alone");
  gc->add_flag("--delete", line.archive.remove, "Delete them; else they are only counted");
  gc->add_flag("--force", line.archive.force, "Allow --days 0, if no server runs");
  CLI::App* verify = add("verify", "Read every row, and compare and repair the search index");
  verify->alias("check");
  verify->add_option("--rerun", line.archive.rerun, "Validate this many passed kernels once more")
      ->check(CLI::Range(0, 100000));
  add_devices(*verify, line.archive.services);
  for (CLI::App* label : {add("note", "Add a note to a kernel; search finds it"),
                          add("tag", "Give a kernel a short name; search finds it")}) {
    label->add_option("KERNEL", line.archive.kernel, "Its id, or a ref name@branch")->required();
    label->add_option("TEXT", line.archive.text, "Up to 2000 bytes; a tag 64")->required();
  }
  for (CLI::App* sharing :
       {add("share", "Let all principals of a server see a kernel, with its problem and evidence"),
        add("unshare", "Let only its owners see a kernel and its evidence")}) {
    sharing
        ->add_option("ID", line.archive.id,
                     "Of a kernel, a problem, evidence or a job that a principal stored")
        ->required();
  }
  for (const char* name :
       {"import", "restore", "move", "migrate", "gc", "note", "tag", "share", "unshare"}) {
    archive->get_subcommand(name)->add_option("--audit", line.archive.audit_file,
                                              "Append what changed to this file, as serve does");
  }
}

void add_problems(CLI::App& app, CommandLine& line) {
  CLI::App* problems = app.add_subcommand("problems", "Make sets of problems");
  problems->require_subcommand(1);
  CLI::App* curate = problems->add_subcommand(
      "curate", "Difficulty and weight of each problem in a folder, without near-duplicates");
  curate->add_option("DIR", line.problems.folder, "Its *.json files, and those below")
      ->required()
      ->check(CLI::ExistingDirectory);
  curate->add_option("--least-us", line.problems.least_us, "Leave out what takes less, or unknown")
      ->check(CLI::NonNegativeNumber);
  curate->add_option("--most-us", line.problems.most_us, "Leave out what takes more, or unknown")
      ->check(CLI::NonNegativeNumber);
  curate->add_flag("--json", line.problems.json, "One JSON object, no table");
  add_data(*curate, line);
  add_store(*curate, line);
}

void add_export(CLI::App& app, CommandLine& line) {
  CLI::App* command =
      app.add_subcommand("export", "Write a kernel as files of another program, with its evidence");
  command->add_option("REF", line.exports.ref, "Its id, or a ref name@branch")->required();
  command->add_option("--as", line.exports.form, "The program")
      ->required()
      ->check(CLI::IsMember({"cuda", "pytorch", "cupy", "triton", "cuir", "flashinfer",
                             "kernelbench", "kernel-tuner"}));
  command->add_option("-o,--output", line.exports.folder, "A new or empty folder")->required();
  command->add_option("--device", line.exports.device, "Whose evidence counts first");
  command->add_flag("--allow-unverified", line.exports.allow_unverified,
                    "Also without a passed validation");
  add_devices(*command, line.exports.services);
  add_data(*command, line);
  add_store(*command, line);
}

void add_report(CLI::App& app, CommandLine& line) {
  CLI::App* report =
      app.add_subcommand("report", "A page about a kernel: its line, its evidence, its source");
  report->add_option("REF", line.report.ref, "Its id, or a name@branch")->required();
  report->add_option("-o,--output", line.report.file, "The HTML file to write")->required();
  report->add_option("--device", line.report.device,
                     "The device of the speeds, as evidence names it; default: that of the newest "
                     "benchmark");
  add_data(*report, line);
  add_store(*report, line);
}

void add_view(CLI::App& app, CommandLine& line) {
  CLI::App* view =
      app.add_subcommand("view", "A page about the data folder, for a browser on this machine");
  view->add_option("--port", line.view.port, "The port on 127.0.0.1; default: a free one")
      ->check(CLI::Range(0, 65535));
  add_data(*view, line);
  add_store(*view, line);
}

}  // namespace

void add_stored(CLI::App& app, CommandLine& line) {
  add_tune(app, line);
  add_archive(app, line);
  add_problems(app, line);
  add_import(app, line);
  add_export(app, line);
  add_report(app, line);
  add_view(app, line);
}

}  // namespace ws::server
