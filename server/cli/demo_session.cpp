#include "server/cli/demo_session.h"

#include <chrono>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/lineage/kernel_changes.h"
#include "server/cli/demo_kernels.h"
#include "server/cli/version.h"
#include "server/text_format.h"

namespace ws::server {
namespace {

/// For the second try of a benchmark that was inconclusive.
constexpr int kLargerBudgetMs = 6000;

std::string ratio_text(const Json& answer) {
  if (!answer.contains("ratio")) {
    return {};
  }
  const Json& interval = answer["ratio_ci"];
  return decimal(answer["ratio"], 2) + "x (" + decimal(interval.at(0), 2) + " to " +
         decimal(interval.at(1), 2) + ")";
}

DemoRow row_of(const DemoStep& step, const Json& arguments, const Json& answer) {
  DemoRow row{.verdict = answer.value("verdict", ""),
              .ratio = ratio_text(answer),
              .details = details_of(step, arguments, answer)};
  const bool expected = as_expected(step, answer);
  if (expected && !step.why.empty()) {
    row.details.emplace_back(step.why);
  } else if (!expected && is_measured(step)) {
    row.details.push_back(std::string(step.expected) +
                          " is usual here; this is what was measured now");
  }
  return row;
}

}  // namespace

DemoSession::DemoSession(StdioClient& client, const DemoScreen& screen)
    : client_(client),
      screen_(screen) {}

Status DemoSession::introduce() {
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

Status DemoSession::run_steps() {
  report_["steps"] = Json::array();
  screen_.headings();
  std::size_t number = 0;
  for (const DemoStep& step : kDemoSteps) {
    WS_CHECK(run_step(step, ++number));
  }
  return {};
}

Status DemoSession::run_step(const DemoStep& step, std::size_t number) {
  const auto start = std::chrono::steady_clock::now();
  const std::string half = screen_.begin(number, step.title, step.tool);
  Json arguments = arguments_of(step);
  Result<Json> answer = call(step, half, arguments);
  std::string first;
  if (answer && is_measured(step) && answer->value("verdict", "") == "inconclusive") {
    first = "measured again for longer; at first inconclusive, " + ratio_text(*answer);
    arguments["time_budget_ms"] = kLargerBudgetMs;
    arguments["fresh"] = true;
    answer = call(step, half, arguments);
  }
  if (!answer) {
    screen_.line("");
    return fail(std::move(answer).error());
  }
  ids_[std::string(step.kernel)] = answer->value("kernel_id", id_of(step.kernel));
  problem_id_ = answer->value("problem_id", problem_id_);
  const std::string failure = step_failure(step, *answer);
  DemoRow row = row_of(step, arguments, *answer);
  row.ms = elapsed_ms(start);
  if (!first.empty()) {
    row.details.push_back(std::move(first));
  }
  screen_.end(half, row);
  keep(step, row, *answer, failure.empty());
  if (!failure.empty()) {
    return fail(ErrorCode::kInternal, "step " + std::to_string(number) + ": " + failure);
  }
  return {};
}

Result<Json> DemoSession::call(const DemoStep& step, const std::string& half,
                               const Json& arguments) {
  return client_.call_tool(std::string(step.tool), arguments,
                           [&](const std::string& message) { screen_.progress(half, message); });
}

std::string DemoSession::id_of(std::string_view kernel) const {
  const auto known = ids_.find(kernel);
  return known == ids_.end() ? std::string(kernel) : known->second;
}

Json DemoSession::arguments_of(const DemoStep& step) const {
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
  return {
      {"problem_id", problem_id_},
      {"base", id_of(step.from)},
      {"edits", line_edits(base["source"].get<std::string>(), kernel["source"].get<std::string>())},
      {"set", plan_changes(base, kernel)}};
}

void DemoSession::keep(const DemoStep& step, const DemoRow& row, const Json& answer, bool ok) {
  Json form = {{"title", step.title},
               {"tool", step.tool},
               {"kernel", step.kernel},
               {"expected", step.expected},
               {"verdict", row.verdict},
               {"ms", row.ms},
               {"details", row.details},
               {"ok", ok},
               {"summary", answer.value("summary", "")}};
  for (const char* field : {"ratio", "ratio_ci", "noise_floor", "mismatch", "fault"}) {
    if (answer.contains(field)) {
      form[field] = answer[field];
    }
  }
  report_["steps"].push_back(std::move(form));
}

}  // namespace ws::server
