// jobs, sessions, top and metrics.
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include <unistd.h>

#include "runtime/base/metrics.h"
#include "server/cli/admin_client.h"
#include "server/cli/operate_text.h"

namespace ws::server {
namespace {

constexpr auto kBeat = std::chrono::seconds(1);

void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

int report_error(const Error& error) {
  const std::string line = to_text(error) + "\n";
  std::fputs(line.c_str(), stderr);
  return kExitFailed;
}

/// The jobs of the server that is named, or is on this machine; else those in the data folder.
Result<Json> jobs_of(const OperateOptions& options) {
  Result<Json> status = send_order(options, {{"action", "status"}});
  if (!status && status.error().code == ErrorCode::kIo && options.server_url.empty()) {
    return stored_jobs(options);
  }
  return status;
}

/// Until the server ends, or this is interrupted.
int follow(const OperateOptions& options) {
  Json before = Json::object();
  for (;;) {
    const Result<Json> status = send_order(options, {{"action", "status"}});
    if (!status) {
      return report_error(status.error());
    }
    if (options.json) {
      print(to_line(*status) + "\n");
    } else {
      print(changes_text(before, *status));
    }
    before = *status;
    std::this_thread::sleep_for(kBeat);
  }
}

}  // namespace

int jobs_command(const OperateOptions& options) {
  if (!options.cancel.empty()) {
    const Result<Json> ended =
        send_order(options, {{"action", "cancel"}, {"job_id", options.cancel}});
    if (!ended) {
      return report_error(ended.error());
    }
    print(options.json
              ? to_line(*ended) + "\n"
              : options.cancel + " is told to stop: " + (*ended).value("state", "") + "\n");
    return kExitOk;
  }
  if (options.follow) {
    return follow(options);
  }
  const Result<Json> status = jobs_of(options);
  if (!status) {
    return report_error(status.error());
  }
  print(options.json ? to_line(Json{{"jobs", (*status)["jobs"]}}) + "\n" : jobs_text(*status));
  return kExitOk;
}

int sessions_command(const OperateOptions& options) {
  const Result<Json> status = send_order(options, {{"action", "status"}});
  if (!status) {
    return report_error(status.error());
  }
  print(options.json ? to_line(Json{{"sessions", (*status)["sessions"]}}) + "\n"
                     : sessions_text(*status));
  return kExitOk;
}

int top_command(const OperateOptions& options) {
  const bool screen = !options.json && ::isatty(STDOUT_FILENO) != 0;
  Json before;
  for (;;) {
    const Result<Json> status = send_order(options, {{"action", "status"}});
    if (!status) {
      return report_error(status.error());
    }
    print((screen ? "\x1b[H\x1b[J" : "") +
          (options.json ? to_line(*status) + "\n" : top_text(*status, before)));
    if (!screen) {
      return kExitOk;
    }
    before = *status;
    std::this_thread::sleep_for(2 * kBeat);
  }
}

int metrics_command() {
  print(metrics_table());
  return kExitOk;
}

}  // namespace ws::server
