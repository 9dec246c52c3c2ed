// The command line. The only file that reads the environment.
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "runtime/base/log.h"
#include "runtime/worker/run_worker.h"
#include "server/cli/app.h"
#include "server/cli/commands.h"
#include "server/cli/config_options.h"
#include "server/cli/reward_options.h"

namespace {

const std::map<std::string, ws::LogLevel> kLevelsByName = {{"debug", ws::LogLevel::kDebug},
                                                           {"info", ws::LogLevel::kInfo},
                                                           {"warning", ws::LogLevel::kWarning},
                                                           {"error", ws::LogLevel::kError},
                                                           {"off", ws::LogLevel::kOff}};

constexpr const char* kLevelWords = "debug, info, warning, error or off";

/// The folder that a variable names, or else `otherwise`.
std::filesystem::path folder_in(const char* name, const std::filesystem::path& otherwise) {
  const char* folder = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): before any thread
  return folder != nullptr && *folder == '/' ? std::filesystem::path(folder) : otherwise;
}

/// The XDG base directory specification: $XDG_DATA_HOME, else ~/.local/share.
std::filesystem::path default_data_dir() {
  const std::filesystem::path share = folder_in("HOME", "/var/tmp") / ".local/share";
  return folder_in("XDG_DATA_HOME", share) / "warpsmith";
}

/// $XDG_CONFIG_HOME, else ~/.config.
std::filesystem::path config_home() {
  return folder_in("XDG_CONFIG_HOME", folder_in("HOME", "/") / ".config");
}

/// Where a user's own transformations lie.
std::filesystem::path config_dir() {
  return config_home() / "warpsmith";
}

/// The whole paths that the variables hold, in their order.
std::vector<std::string> folders_of(std::initializer_list<const char*> names) {
  std::vector<std::string> folders;
  for (const char* name : names) {
    const char* folder = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no thread yet
    if (folder != nullptr && *folder == '/') {
      folders.emplace_back(folder);
    }
  }
  return folders;
}

/// Nothing where it is not set.
std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no thread yet
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

/// Where Triton and PyTorch may be installed: the interpreter that the user names, those of the
/// environment in which the server is started, and the system's.
std::vector<std::string> interpreters() {
  std::vector<std::string> paths = folders_of({"WARPSMITH_PYTHON"});
  for (const std::string& folder : folders_of({"VIRTUAL_ENV", "CONDA_PREFIX"})) {
    paths.push_back(folder + "/bin/python3");
  }
  for (const char* path :
       {"/usr/bin/python3", "/usr/local/bin/python3", "/opt/conda/bin/python3"}) {
    paths.emplace_back(path);
  }
  return paths;
}

struct CommandLine {
  std::string skills_dir;  ///< --skills, or empty.
  std::string data_dir = default_data_dir();
  ws::LogLevel log_level = ws::LogLevel::kInfo;
  ws::server::ServeOptions serve;
  ws::server::CallOptions call;
  ws::server::DemoOptions demo;
  ws::server::DoctorOptions doctor;
  ws::server::ConfigOptions config;
  ws::server::CacheOptions cache;
  ws::server::ReplayOptions replay;
  ws::server::StatsOptions stats;
  ws::server::TuneOptions tune;
  ws::server::ArchiveOptions archive;
  ws::server::ProblemsOptions problems;
  ws::server::ImportOptions imports;
  ws::server::ExportOptions exports;
  ws::server::ReportOptions report;
};

void add_data(CLI::App& command, CommandLine& line) {
  command.add_option("--data", line.data_dir, "The archive's folder")->capture_default_str();
  const auto known = [](const std::string& word) {
    return kLevelsByName.contains(word) ? std::string()
                                        : "no level \"" + word + "\"; use " + kLevelWords;
  };
  command
      .add_option_function<std::string>(
          "--log-level",
          [&line](const std::string& word) { line.log_level = kLevelsByName.at(word); },
          kLevelWords)
      ->check(known)
      ->type_name("LEVEL");
}

void add_devices(CLI::App& command, ws::ServicesOptions& services) {
  command.add_flag_callback(
      "--no-gpu", [&services] { services.gpus = false; }, "Use only the CPU engine, no GPU");
}

void add_skills(CLI::App& command, CommandLine& line) {
  command
      .add_option("--skills", line.skills_dir,
                  "A folder of your own transformations; goes before ~/.config/warpsmith")
      ->check(CLI::ExistingDirectory);
}

void add_token(CLI::App& command, ws::server::TokenSource& token) {
  command.add_option("--token-file", token.file,
                     "File with the token of HTTP requests, mode 0600; default: WARPSMITH_TOKEN");
}

void add_serve(CLI::App& app, CommandLine& line) {
  CLI::App* serve = app.add_subcommand("serve", "Run the MCP server");
  CLI::Option_group* transport = serve->add_option_group("transport");
  transport->add_flag("--stdio", line.serve.stdio, "One message a line on stdin and stdout");
  transport->add_option("--http", line.serve.http,
                        "HOST:PORT, such as 127.0.0.1:7411; beyond loopback with a token only");
  transport->require_option(1);
  add_token(*serve, line.serve.token);
  serve->add_flag("--allow-python-reference", line.serve.python_reference,
                  "Over HTTP: run references that problems bring as Python, in a sandbox");
  serve
      ->add_option("--cache-size", line.serve.services.cache_bytes,
                   "Limit of the compile cache on disk, such as 512MB; default: 2 GiB")
      ->transform(CLI::AsSizeValue(false));
  ws::server::add_reward_options(*serve, line.serve.rewards);
  add_devices(*serve, line.serve.services);
  add_skills(*serve, line);
  add_data(*serve, line);
}

void add_call(CLI::App& app, CommandLine& line) {
  CLI::App* call = app.add_subcommand("call", "Call one tool and print its result as JSON");
  call->add_option("TOOL", line.call.tool, "Its name")->required();
  call->add_option("JSON", line.call.arguments, "Its arguments: JSON, @file, or - for stdin")
      ->required();
  call->add_option("--server", line.call.server_url,
                   "URL of a running server, http://HOST:PORT/mcp");
  add_token(*call, line.call.token);
  add_devices(*call, line.call.services);
  add_skills(*call, line);
  add_data(*call, line);
}

void add_demo(CLI::App& app, CommandLine& line) {
  CLI::App* demo = app.add_subcommand("demo", "Show the main job: broken, fixed, judged, timed");
  demo->add_option("--data", line.demo.data_dir,
                   "Keep what is made here; default: a folder in /tmp");
  demo->add_flag("--json", line.demo.json, "One JSON object at the end, no table");
}

void add_doctor(CLI::App& app, CommandLine& line) {
  CLI::App* doctor =
      app.add_subcommand("doctor", "Show what is installed, what is missing and the fix");
  doctor->add_flag("--json", line.doctor.json, "One JSON object, no table");
  add_skills(*doctor, line);
  add_data(*doctor, line);
}

void add_cache(CLI::App& app, CommandLine& line) {
  CLI::App* cache = app.add_subcommand("cache", "Maintain the compile cache on disk");
  cache->add_option("ACTION", line.cache.action, "stats, clear or verify")
      ->required()
      ->check(CLI::IsMember(ws::server::cache_actions()));
  cache->add_flag("--json", line.cache.json, "One JSON object, no text");
  add_data(*cache, line);
}

std::vector<std::filesystem::path> skill_folders(const CommandLine& line) {
  std::vector<std::filesystem::path> folders = {config_dir() / "transformations"};
  if (!line.skills_dir.empty()) {
    folders.insert(folders.begin(), line.skills_dir);
  }
  return folders;
}

void add_replay(CLI::App& app, CommandLine& line) {
  CLI::App* replay =
      app.add_subcommand("replay", "Run a recorded workflow again: every step judged and timed");
  replay
      ->add_option("WORKFLOW", line.replay.workflow, "A folder with workflow.json, or such a file")
      ->required();
  replay->add_option("--data", line.replay.data_dir,
                     "Keep what is made here; default: a folder in /tmp");
  replay->add_option("--device", line.replay.device, "Such as cuda:0; default: the first device");
  replay->add_option("--svg", line.replay.svg, "Write a chart of the speed-ups to this file");
  replay->add_flag("--quick", line.replay.quick, "Time only the last kernel, and search nothing");
  replay->add_flag("--json", line.replay.json, "One JSON object at the end, no table");
  replay->add_flag_callback(
      "--no-gpu", [&line] { line.replay.gpus = false; }, "Use only the CPU engine, no GPU");
  add_skills(*replay, line);
}

void add_stats(CLI::App& app, CommandLine& line) {
  CLI::App* stats =
      app.add_subcommand("stats", "Show which passes of transformations fail, and why");
  stats->add_flag("--json", line.stats.json, "One JSON object, no table");
  add_data(*stats, line);
}

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
  action->callback([&line, name] { line.archive.action = name; });
  return action;
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
  CLI::App* gc = add("gc", "Find kernels that nothing refers to and that were never judged");
  gc->add_option("--days", line.archive.days, "Keep younger ones")
      ->check(CLI::Range(0, 36500))
      ->capture_default_str();
  gc->add_flag("--delete", line.archive.remove, "Delete them; else they are only counted");
  gc->add_flag("--force", line.archive.force, "Allow --days 0, if no server runs");
  CLI::App* verify = add("verify", "Read every row, and compare and repair the search index");
  verify->add_option("--rerun", line.archive.rerun, "Validate this many passed kernels once more")
      ->check(CLI::Range(0, 100000));
  add_devices(*verify, line.archive.services);
  for (CLI::App* label : {add("note", "Add a note to a kernel; search finds it"),
                          add("tag", "Give a kernel a short name; search finds it")}) {
    label->add_option("KERNEL", line.archive.kernel, "Its id, or a ref name@branch")->required();
    label->add_option("TEXT", line.archive.text, "Up to 2000 bytes; a tag 64")->required();
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
}

void add_import(CLI::App& app, CommandLine& line) {
  CLI::App* import = app.add_subcommand("import", "Make problems of what others have written");
  import->require_subcommand(1);
  CLI::App* pytorch = import->add_subcommand(
      "pytorch", "The problem of a PyTorch module: Model, get_inputs() and get_init_inputs()");
  pytorch->add_option("FILE", line.imports.file, "The module's Python file")
      ->required()
      ->check(CLI::ExistingFile);
}

void add_export(CLI::App& app, CommandLine& line) {
  CLI::App* command =
      app.add_subcommand("export", "Write a kernel as files of another program, with its evidence");
  command->add_option("REF", line.exports.ref, "Its id, or a ref name@branch")->required();
  command->add_option("--as", line.exports.form, "The program")
      ->required()
      ->check(CLI::IsMember({"cuda", "pytorch", "cupy", "triton", "cuir"}));
  command->add_option("-o,--output", line.exports.folder, "A new or empty folder")->required();
  command->add_option("--device", line.exports.device, "Whose evidence counts first");
  command->add_flag("--allow-unverified", line.exports.allow_unverified,
                    "Also without a passed validation");
  add_devices(*command, line.exports.services);
  add_data(*command, line);
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
}

/// Runs the sub-command that was asked for.
int dispatch(const CLI::App& app, const CommandLine& line) {
  const std::string& command = app.get_subcommands().front()->get_name();
  if (command == "serve") {
    return ws::server::serve_command(line.serve);
  }
  if (command == "call") {
    return ws::server::call_command(line.call);
  }
  if (command == "config") {
    return ws::server::config_command(line.config);
  }
  if (command == "cache") {
    return ws::server::cache_command(line.cache);
  }
  if (command == "replay") {
    return ws::server::replay_command(line.replay);
  }
  if (command == "stats") {
    return ws::server::stats_command(line.stats);
  }
  if (command == "tune") {
    return ws::server::tune_command(line.tune);
  }
  if (command == "archive") {
    return ws::server::archive_command(line.archive);
  }
  if (command == "problems") {
    return ws::server::problems_command(line.problems);
  }
  if (command == "import") {
    return ws::server::import_command(line.imports);
  }
  if (command == "export") {
    return ws::server::export_command(line.exports);
  }
  if (command == "report") {
    return ws::server::report_command(line.report);
  }
  return command == "demo" ? ws::server::demo_command(line.demo)
                           : ws::server::doctor_command(line.doctor);
}

int run(int argc, char** argv) {
  CommandLine line;
  CLI::App app("GPU kernel tools for AI agents: compile, validate, benchmark", "warpsmith");
  app.set_version_flag("--version", ws::server::version());
  app.require_subcommand(1);
  add_serve(app, line);
  add_call(app, line);
  add_demo(app, line);
  add_doctor(app, line);
  add_config(app, line.config);
  add_cache(app, line);
  add_replay(app, line);
  add_stats(app, line);
  add_tune(app, line);
  add_archive(app, line);
  add_problems(app, line);
  add_import(app, line);
  add_export(app, line);
  add_report(app, line);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? ws::server::kExitOk : ws::server::kExitUsage;
  }
  ws::set_log_level(line.log_level);
  line.replay.skills_dir = line.skills_dir;
  line.config.folders = {folder_in("HOME", "/"), config_home(), folder_in("CLAUDE_CONFIG_DIR", ""),
                         folder_in("CODEX_HOME", "")};
  line.serve.services.data_dir = line.call.services.data_dir = line.data_dir;
  line.tune.data_dir = line.doctor.data_dir = line.stats.data_dir = line.cache.data_dir =
      line.archive.services.data_dir = line.problems.data_dir = line.report.data_dir =
          line.data_dir;
  // The user's own goes before the one of the build environment.
  line.serve.services.cuda_folders = line.call.services.cuda_folders = line.doctor.cuda_folders =
      folders_of({"WARPSMITH_CUDA", "CUDA_HOME", "CUDA_PATH"});
  line.serve.services.interpreters = line.call.services.interpreters = line.doctor.interpreters =
      line.imports.interpreters = interpreters();
  line.serve.services.hip_folders = line.call.services.hip_folders = line.doctor.hip_folders =
      folders_of({"WARPSMITH_HIP", "ROCM_PATH", "HIP_PATH"});
  line.serve.services.skills = line.call.services.skills = line.doctor.skills = skill_folders(line);
  line.serve.services.cuda_visible = line.call.services.cuda_visible = line.doctor.cuda_visible =
      variable("CUDA_VISIBLE_DEVICES");
  line.serve.services.hip_visible = line.call.services.hip_visible =
      variable("HIP_VISIBLE_DEVICES");
  line.serve.token.environment = line.call.token.environment = variable("WARPSMITH_TOKEN");
  const bool gpus = line.exports.services.gpus;
  line.exports.services = line.call.services;
  line.exports.services.gpus = gpus;
  return dispatch(app, line);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    // Not a sub-command of CLI11's: started by the server, often, and never by hand.
    const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
    if (arguments.size() == 4 && std::string_view(arguments[1]) == "worker" &&
        std::string_view(arguments[2]) == "--role") {
      return ws::worker_main(arguments[3]);
    }
    return run(argc, argv);
  } catch (const std::exception& error) {
    ws::log(ws::LogLevel::kError, "main", error.what());
    return ws::server::kExitFailed;
  }
}
