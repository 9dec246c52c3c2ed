#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/base/files.h"
#include "runtime/base/temp_folder.h"
#include "server/cli/commands.h"
#include "server/cli/interrupt.h"
#include "server/cli/replay_session.h"
#include "server/text_format.h"

namespace ws::server {
namespace {

/// Added to a signal's number: the exit status by which a shell shows that a signal ended a
/// program.

std::vector<std::string> server_options(const ReplayOptions& options,
                                        const std::filesystem::path& data_dir) {
  std::vector<std::string> words = {"--data", data_dir.string()};
  if (!options.gpus) {
    words.emplace_back("--no-gpu");
  }
  if (!options.skills_dir.empty()) {
    words.insert(words.end(), {"--skills", options.skills_dir});
  }
  return words;
}

Status run_replay(const ReplayOptions& options, const DemoScreen& screen, Json& report) {
  const auto start = std::chrono::steady_clock::now();
  WS_TRY(const Workflow workflow, read_workflow(options.workflow));
  std::unique_ptr<TempFolder> temporary;
  std::filesystem::path data_dir = options.data_dir;
  if (data_dir.empty()) {
    WS_TRY(temporary, TempFolder::make());
    data_dir = temporary->path();
  }
  WS_TRY(const auto client,
         StdioClient::start(executable_path(), server_options(options, data_dir)));
  end_server_on_interrupt(client->server());
  ReplaySession session(*client, screen, workflow, options.device, options.quick);
  Status status = session.run();
  report = session.report();
  report["seconds"] = elapsed_ms(start) / 1000;
  WS_CHECK(std::move(status));
  if (!options.svg.empty()) {
    const std::string title = workflow.name + " on " + report["device"]["name"].get<std::string>();
    WS_CHECK(write_file(options.svg, speedup_chart(title, session.points())));
  }
  screen.line("\nEvery step holds, in " + decimal(report["seconds"], 1) + " s.");
  return {};
}

}  // namespace

int replay_command(const ReplayOptions& options) {
  const DemoScreen screen(options.json ? DemoScreen::Kind::kNothing : DemoScreen::kind_of_stdout());
  Json report = Json::object();
  Status status = run_replay(options, screen, report);
  if (!status && interrupted_by() != 0) {
    status = fail(ErrorCode::kCancelled, "it was interrupted");
  }
  report["ok"] = status.has_value();
  if (!status) {
    const std::string why =
        status.error().message + (status.error().hint.empty() ? "" : "; " + status.error().hint);
    report["failure"] = why;
    const std::string text = "the replay failed: " + why + "\n";
    std::fputs(text.c_str(), stderr);
  }
  if (options.json) {
    const std::string text = to_line(report) + "\n";
    std::fputs(text.c_str(), stdout);
  }
  if (status) {
    return kExitOk;
  }
  return interrupted_by() == 0 ? kExitFailed : kSignalled + interrupted_by();
}

}  // namespace ws::server
