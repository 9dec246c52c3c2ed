#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/base/files.h"
#include "runtime/base/temp_folder.h"
#include "server/cli/client_setup.h"
#include "server/cli/commands.h"
#include "server/cli/demo_screen.h"
#include "server/cli/demo_session.h"
#include "server/cli/interrupt.h"
#include "server/cli/stdio_client.h"
#include "server/text_format.h"

namespace ws::server {
namespace {

/// Added to a signal's number: the exit status by which a shell shows that a signal ended a
/// program.

void show_setups(const DemoScreen& screen, Json& report) {
  screen.line("\nTo add this server to a client:");
  report["clients"] = Json::array();
  for (const ClientSetup& setup : client_setups(executable_path())) {
    screen.line("\n" + setup.client + " (" + setup.how + "):\n" + setup.text);
    report["clients"].push_back(
        {{"client", setup.client}, {"how", setup.how}, {"text", setup.text}});
  }
}

Status run_demo(const DemoOptions& options, const DemoScreen& screen, Json& report) {
  const auto start = std::chrono::steady_clock::now();
  std::unique_ptr<TempFolder> temporary;
  std::filesystem::path data_dir = options.data_dir;
  if (data_dir.empty()) {
    WS_TRY(temporary, TempFolder::make());
    data_dir = temporary->path();
  }
  // The CPU engine alone: the steps need the lines that only it names.
  WS_TRY(const auto client,
         StdioClient::start(executable_path(), {"--data", data_dir.string(), "--no-gpu"}));
  end_server_on_interrupt(client->server());
  DemoSession session(*client, screen);
  Status status = session.introduce();
  if (status) {
    status = session.run_steps();
  }
  report = session.report();
  report["seconds"] = elapsed_ms(start) / 1000;
  WS_CHECK(std::move(status));
  screen.line("\nEach step gave the expected result, in " + decimal(report["seconds"], 1) + " s.");
  show_setups(screen, report);
  return {};
}

}  // namespace

int demo_command(const DemoOptions& options) {
  const DemoScreen screen(options.json ? DemoScreen::Kind::kNothing : DemoScreen::kind_of_stdout());
  Json report = Json::object();
  Status status = run_demo(options, screen, report);
  if (!status && interrupted_by() != 0) {
    status = fail(ErrorCode::kCancelled, "it was interrupted");
  }
  report["ok"] = status.has_value();
  if (!status) {
    report["failure"] = status.error().message;
    const std::string text = "the demo failed: " + status.error().message +
                             (status.error().hint.empty() ? "" : "; " + status.error().hint) + "\n";
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
