// The command line. The only file that reads the environment.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "runtime/base/log.h"
#include "runtime/worker/run_worker.h"
#include "server/cli/command_line.h"
#include "server/cli/commands.h"
#include "server/cli/serve_config_options.h"
#include "server/cli/version.h"

namespace {

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

std::vector<std::filesystem::path> skill_folders(const ws::server::CommandLine& line) {
  std::vector<std::filesystem::path> folders = {config_dir() / "transformations"};
  if (!line.skills_dir.empty()) {
    folders.insert(folders.begin(), line.skills_dir);
  }
  return folders;
}

/// Where the key of a bucket may be, as other tools of S3 look for it.
ws::server::S3KeySource s3_key_source() {
  return {.environment = {variable("AWS_ACCESS_KEY_ID").value_or(""),
                          variable("AWS_SECRET_ACCESS_KEY").value_or(""),
                          variable("AWS_SESSION_TOKEN").value_or("")},
          .file = variable("AWS_SHARED_CREDENTIALS_FILE")
                      .value_or(folder_in("HOME", "/") / ".aws" / "credentials"),
          .profile = variable("AWS_PROFILE").value_or("")};
}

/// Runs the sub-command that was asked for.
int dispatch(const CLI::App& app, const ws::server::CommandLine& line) {
  const std::string& command = app.get_subcommands().front()->get_name();
  if (command == "serve") {
    return ws::server::serve_command(line.serve);
  }
  if (command == "node") {
    return ws::server::node_command(line.node);
  }
  if (command == "nodes") {
    return ws::server::nodes_command(line.nodes);
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
  if (command == "manual") {
    return ws::server::manual_command(app, line.manual);
  }
  if (command == "jobs") {
    return ws::server::jobs_command(line.operate);
  }
  if (command == "sessions") {
    return ws::server::sessions_command(line.operate);
  }
  if (command == "top") {
    return ws::server::top_command(line.operate);
  }
  if (command == "token") {
    return ws::server::token_command(line.token);
  }
  if (command == "metrics") {
    return ws::server::metrics_command();
  }
  if (command == "report") {
    return ws::server::report_command(line.report);
  }
  if (!line.look.action.empty()) {
    return ws::server::look_command(line.look);
  }
  if (command == "view") {
    return ws::server::view_command(line.view);
  }
  return command == "demo" ? ws::server::demo_command(line.demo)
                           : ws::server::doctor_command(line.doctor);
}

/// @param colours  always, never, or auto: as NO_COLOR and the terminal say (no-color.org).
ws::server::Terminal terminal_of(const std::string& colours) {
  const bool shows = ::isatty(STDOUT_FILENO) != 0 && variable("TERM").value_or("dumb") != "dumb";
  const bool wanted = variable("NO_COLOR").value_or("").empty();
  std::string locale;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    locale = locale.empty() ? variable(name).value_or("") : locale;
  }
  std::ranges::transform(locale, locale.begin(), [](unsigned char c) { return std::tolower(c); });
  const bool always = colours == "always";
  return {.colours = always || (colours == "auto" && shows && wanted),
          .unicode = (always || shows) && (locale.ends_with("utf-8") || locale.ends_with("utf8"))};
}

/// Fills in what the environment says, and what several sub-commands share.
void complete(ws::server::CommandLine& line) {
  line.replay.skills_dir = line.skills_dir;
  line.config.folders = {folder_in("HOME", "/"), config_home(), folder_in("CLAUDE_CONFIG_DIR", ""),
                         folder_in("CODEX_HOME", "")};
  line.serve.services.data_dir = line.call.services.data_dir = line.node.services.data_dir =
      line.archive.services.data_dir = line.doctor.data_dir = line.cache.data_dir = line.data_dir;
  line.nodes.store = line.node.services.store = line.serve.services.store =
      line.call.services.store = line.archive.services.store = line.store;
  line.tune.place = line.stats.place = line.problems.place = line.report.place = line.view.place =
      line.look.place = line.operate.place = ws::ArchivePlace(line.data_dir, line.store);
  line.look.terminal = terminal_of(line.colours);
  // The user's own goes before the one of the build environment.
  line.node.services.cuda_folders = line.serve.services.cuda_folders =
      line.call.services.cuda_folders = line.doctor.cuda_folders =
          folders_of({"WARPSMITH_CUDA", "CUDA_HOME", "CUDA_PATH"});
  line.node.services.interpreters = line.serve.services.interpreters =
      line.call.services.interpreters = line.doctor.interpreters = line.imports.interpreters =
          interpreters();
  line.node.services.hip_folders = line.serve.services.hip_folders =
      line.call.services.hip_folders = line.doctor.hip_folders =
          folders_of({"WARPSMITH_HIP", "ROCM_PATH", "HIP_PATH"});
  line.node.services.skills = line.serve.services.skills = line.call.services.skills =
      line.doctor.skills = skill_folders(line);
  line.node.services.cuda_visible = line.serve.services.cuda_visible =
      line.call.services.cuda_visible = line.doctor.cuda_visible = variable("CUDA_VISIBLE_DEVICES");
  line.node.services.hip_visible = line.serve.services.hip_visible =
      line.call.services.hip_visible = variable("HIP_VISIBLE_DEVICES");
  line.node.services.vulkan_drivers = line.serve.services.vulkan_drivers =
      line.call.services.vulkan_drivers = line.doctor.vulkan_drivers = variable("VK_DRIVER_FILES");
  line.node.service = line.serve.service = {variable("NOTIFY_SOCKET").value_or(""),
                                            variable("WATCHDOG_USEC").value_or("")};
  line.node.share.key = line.serve.share.key = s3_key_source();
  line.operate.token.environment = line.serve.token.environment = line.call.token.environment =
      variable("WARPSMITH_TOKEN");
  const bool gpus = line.exports.services.gpus;
  line.exports.services = line.call.services;
  line.exports.services.gpus = gpus;
}

std::string text_of_variable(const std::string& name) {
  return variable(name.c_str()).value_or("");
}

int run(const std::span<char*> words) {
  ws::server::CommandLine line;
  line.data_dir = default_data_dir();
  CLI::App app("GPU kernel tools for AI agents: compile, validate, benchmark", "warpsmith");
  bool json = false;
  app.add_flag("--json", json, "With --version: archive and libraries too, as JSON");
  app.set_version_flag(
      "--version", [&json] { return json ? ws::server::version_json() : ws::server::version(); },
      "Show the version and end");
  app.require_subcommand(1);
  add_running(app, line);
  add_look(app, line);
  add_stored(app, line);
  add_operate(app, line);
  add_nodes(app, line);
  std::vector<std::string> arguments(words.begin() + 1, words.end());
  const ws::Result<ws::server::ServeConfig> config = ws::server::add_config_file(
      *app.get_subcommand("serve"), arguments, config_dir() / "config.toml", &text_of_variable);
  if (!config) {
    std::fputs((to_text(config.error()) + "\n").c_str(), stderr);
    return ws::server::kExitUsage;
  }
  std::reverse(arguments.begin(), arguments.end());  // As CLI11 takes them.
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) {
      std::fputs(place_of(error.what(), *config).c_str(), stderr);
    }
    return app.exit(error) == 0 ? ws::server::kExitOk : ws::server::kExitUsage;
  }
  if (line.print_config) {
    const std::string text =
        settings_text(*app.get_subcommand("serve"), *config, &text_of_variable);
    std::fputs(text.c_str(), stdout);
    return ws::server::kExitOk;
  }
  ws::set_log_level(line.log_level);
  ws::set_log_format(line.log_format);
  complete(line);
  use_values(*config, line.serve);
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
    return run(arguments);
  } catch (const std::exception& error) {
    ws::log(ws::LogLevel::kError, "main", error.what());
    return ws::server::kExitFailed;
  }
}
