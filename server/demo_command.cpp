#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/base/files.h"
#include "server/app.h"
#include "server/client_setup.h"
#include "server/commands.h"
#include "server/demo_edits.h"
#include "server/demo_kernels.h"
#include "server/demo_screen.h"
#include "server/demo_steps.h"
#include "server/stdio_client.h"
#include "server/text_format.h"

namespace ws {
namespace {

/// Of the second try of a benchmark that was inconclusive.
constexpr int kLargerBudgetMs = 6000;

/// A folder that is gone at the end.
class TempFolder {
 public:
  static Result<std::unique_ptr<TempFolder>> make() {
    std::string name = "/tmp/warpsmith-demo-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) {
      return fail_errno("mkdtemp", "cannot make a folder in /tmp", "name one with --data DIR");
    }
    return std::unique_ptr<TempFolder>(new TempFolder(name));
  }

  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  TempFolder(TempFolder&&) = delete;
  TempFolder& operator=(TempFolder&&) = delete;

  ~TempFolder() {
    std::error_code ignored;  // A destructor cannot report, and /tmp is cleaned in time.
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  explicit TempFolder(std::filesystem::path path)
      : path_(std::move(path)) {}

  const std::filesystem::path path_;
};

std::string ratio_text(const Json& answer) {
  if (!answer.contains("ratio")) {
    return {};
  }
  const Json& interval = answer["ratio_ci"];
  return decimal(answer["ratio"], 2) + "x (" + decimal(interval.at(0), 2) + " to " +
         decimal(interval.at(1), 2) + ")";
}

class Demo {
 public:
  Demo(StdioClient& client, DemoScreen& screen)
      : client_(client),
        screen_(screen) {}

  /// Says who serves and on what device.
  Status introduce() {
    WS_TRY(const Json found, client_.request("server/discover", Json::object(), nullptr));
    report_["version"] = version();
    report_["protocol"] = found.value("supportedVersions", Json::array());
    WS_TRY(const Json devices, client_.call_tool("list_devices", Json::object(), nullptr));
    const Json& device = devices["devices"].at(0);
    report_["device"] = device;
    screen_.line(std::string("warpsmith ") + version() + ", MCP " + std::string(name_of(kModern)) +
                 " over stdio");
    screen_.line("device " + device.value("id", "") + ": " +
                 device.value("name", "its compiler is missing, see `warpsmith doctor`") + ", " +
                 device.value("arch", "") + ", " + device.value("toolkit", "") +
                 (device.value("emulated", false) ? ", emulated" : ""));
    screen_.line("");
    return {};
  }

  /// @errors kInternal: a step did not give what it should; what the client says.
  Status run_steps() {
    report_["steps"] = Json::array();
    screen_.headings();
    std::size_t number = 0;
    for (const DemoStep& step : kDemoSteps) {
      WS_CHECK(run_step(step, ++number));
    }
    return {};
  }

  [[nodiscard]] Json& report() { return report_; }

 private:
  Status run_step(const DemoStep& step, std::size_t number) {
    const auto start = std::chrono::steady_clock::now();
    screen_.begin(number, step.title, step.tool);
    Json arguments = arguments_of(step);
    Result<Json> answer = call(step, arguments);
    std::string first;
    if (answer && is_measured(step) && answer->value("verdict", "") == "inconclusive") {
      first = "measured again for longer; at first inconclusive, " + ratio_text(*answer);
      arguments["time_budget_ms"] = kLargerBudgetMs;
      arguments["fresh"] = true;
      answer = call(step, arguments);
    }
    if (!answer) {
      screen_.abandon();
      return fail(std::move(answer).error());
    }
    if (answer->contains("kernel_id")) {
      ids_[std::string(step.kernel)] = (*answer)["kernel_id"];
    }
    problem_id_ = answer->value("problem_id", problem_id_);
    const std::string failure = step_failure(step, *answer);
    show(step, arguments, *answer, first, elapsed_ms(start));
    report_["steps"].back()["ok"] = failure.empty();
    if (!failure.empty()) {
      return fail(ErrorCode::kInternal, "step " + std::to_string(number) + ": " + failure);
    }
    return {};
  }

  Result<Json> call(const DemoStep& step, const Json& arguments) {
    return client_.call_tool(std::string(step.tool), arguments,
                             [this](const std::string& message) { screen_.progress(message); });
  }

  [[nodiscard]] std::string id_of(std::string_view kernel) const {
    const auto known = ids_.find(kernel);
    return known == ids_.end() ? std::string(kernel) : known->second;
  }

  [[nodiscard]] Json arguments_of(const DemoStep& step) const {
    if (step.tool == "validate") {
      // Fresh: a folder given with --data may know the answer of another day.
      return {{"kernel_id", id_of(step.kernel)}, {"level", "quick"}, {"fresh", true}};
    }
    if (step.tool == "benchmark") {
      return {{"kernel_id", id_of(step.kernel)}, {"baseline", id_of(step.from)}};
    }
    const Json kernel = Json::parse(demo_kernel(step.kernel));
    if (step.from.empty()) {
      return {{"problem", Json::parse(demo_kernel("problem"))}, {"kernel", kernel}};
    }
    const Json base = Json::parse(demo_kernel(step.from));
    return {{"problem_id", problem_id_},
            {"base", id_of(step.from)},
            {"edits",
             line_edits(base["source"].get<std::string>(), kernel["source"].get<std::string>())},
            {"set", plan_changes(base, kernel)}};
  }

  void show(const DemoStep& step, const Json& arguments, const Json& answer,
            const std::string& first, double ms) {
    DemoRow row{.title = std::string(step.title),
                .tool = std::string(step.tool),
                .verdict = answer.value("verdict", ""),
                .ratio = ratio_text(answer),
                .ms = ms,
                .details = details_of(step, arguments, answer)};
    if (!first.empty()) {
      row.details.push_back(first);
    }
    const bool expected = as_expected(step, answer);
    if (expected && !step.why.empty()) {
      row.details.emplace_back(step.why);
    } else if (!expected && is_measured(step)) {
      row.details.push_back(std::string(step.expected) +
                            " is usual here; this is what was measured now");
    }
    screen_.end(row);
    Json form = {{"title", row.title},
                 {"tool", row.tool},
                 {"kernel", step.kernel},
                 {"expected", step.expected},
                 {"verdict", row.verdict},
                 {"ms", ms},
                 {"summary", answer.value("summary", "")},
                 {"details", row.details}};
    for (const char* field : {"ratio", "ratio_ci", "noise_floor", "mismatch", "fault"}) {
      if (answer.contains(field)) {
        form[field] = answer[field];
      }
    }
    report_["steps"].push_back(std::move(form));
  }

  StdioClient& client_;
  DemoScreen& screen_;
  std::map<std::string, std::string, std::less<>> ids_;
  std::string problem_id_;
  Json report_ = Json::object();
};

void show_setups(const DemoScreen& screen, Json& report) {
  screen.line("\nTo add this server to a client:");
  report["clients"] = Json::array();
  for (const ClientSetup& setup : client_setups(executable_path())) {
    screen.line("\n" + setup.client + " (" + setup.how + "):\n" + setup.text);
    report["clients"].push_back(
        {{"client", setup.client}, {"how", setup.how}, {"text", setup.text}});
  }
}

Status run(const DemoOptions& options, DemoScreen& screen, Json& report) {
  const auto start = std::chrono::steady_clock::now();
  std::unique_ptr<TempFolder> temporary;
  std::filesystem::path data_dir = options.data_dir;
  if (data_dir.empty()) {
    WS_TRY(temporary, TempFolder::make());
    data_dir = temporary->path();
  }
  WS_TRY(const auto client, StdioClient::start(executable_path(), data_dir));
  Demo demo(*client, screen);
  Status status = demo.introduce();
  if (status) {
    status = demo.run_steps();
  }
  report = std::move(demo.report());
  report["seconds"] = elapsed_ms(start) / 1000;
  WS_CHECK(std::move(status));
  screen.line("\nEach step gave what it must, in " + decimal(report["seconds"], 1) + " s.");
  show_setups(screen, report);
  return {};
}

}  // namespace

int demo_command(const DemoOptions& options) {
  DemoScreen screen(options.json ? DemoScreen::Kind::kNothing : DemoScreen::kind_of_stdout());
  Json report = Json::object();
  const Status status = run(options, screen, report);
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
  return status ? kExitOk : kExitFailed;
}

}  // namespace ws
