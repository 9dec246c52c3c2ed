#include "server/cli/replay_session.h"

#include <algorithm>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/base/units.h"
#include "runtime/base/verdict.h"
#include "server/text_format.h"

namespace ws::server {
namespace {

constexpr int kQuickBudgetMs = 200;

// Columns.
constexpr std::size_t kLabelWidth = 34;
constexpr std::size_t kTimeWidth = 13;
constexpr std::size_t kSpeedupWidth = 23;
constexpr std::size_t kOutcomeWidth = 14;

std::string time_text(double us) {
  return us < kUsPerMs ? decimal(us, 1) + " us" : decimal(us / kUsPerMs, 2) + " ms";
}

/// "1.62x (1.58 to 1.66)", or a line where nothing was measured.
std::string speedup_text(const Json& row, const std::string& field) {
  if (!row.contains(field)) {
    return "-";
  }
  const Json& interval = row[field + "_ci"];
  return decimal(row[field], 2) + "x (" + decimal(interval.at(0), 2) + " to " +
         decimal(interval.at(1), 2) + ")";
}

bool is_too_short(const Json& times) {
  return times.value("verdict", "") == name_of(Verdict::kResolutionLimited);
}

/// Puts a benchmark's ratio and interval into the row. Launches that are too short to compare have
/// none; then the row says so.
std::optional<double> put_ratio(const Json& times, const std::string& field, Json& row) {
  row["verdict"] = times["verdict"];
  if (is_too_short(times)) {
    row["notes"].push_back(times["summary"]);
    return std::nullopt;
  }
  row[field] = times["ratio"];
  row[field + "_ci"] = times["ratio_ci"];
  return row[field].get<double>();
}

}  // namespace

ReplaySession::ReplaySession(StdioClient& client, const DemoScreen& screen,
                             const Workflow& workflow, std::string device, bool quick)
    : client_(client),
      screen_(screen),
      workflow_(workflow),
      device_(std::move(device)),
      quick_(quick) {
  report_ = {{"workflow", workflow.name},
             {"title", workflow.title},
             {"quick", quick},
             {"steps", Json::array()}};
}

Result<Json> ReplaySession::call(const std::string& tool, Json arguments) {
  arguments["device"] = device_;
  return client_.call_tool(tool, std::move(arguments), [this](const std::string& message) {
    screen_.progress(doing_, message);
  });
}

Status ReplaySession::choose_device() {
  WS_TRY(const Json listed, client_.request("tools/list", Json::object(), nullptr));
  for (const Json& tool : listed.value("tools", Json::array())) {
    tools_.insert(tool.value("name", ""));
  }
  const Json asked = device_.empty() ? Json::object() : Json{{"device", device_}};
  WS_TRY(const Json devices, client_.call_tool("list_devices", asked, nullptr));
  if (device_.empty()) {
    device_ = devices.value("default_device", "");
  }
  for (const Json& device : devices["devices"]) {
    if (device["id"] == device_) {
      backend_ = device.value("backend", "");
      arch_ = device.value("arch", "");
      report_["device"] = {{"id", device_},
                           {"name", device.value("name", "")},
                           {"arch", arch_},
                           {"emulated", device.value("emulated", false)}};
      screen_.line(workflow_.name + (workflow_.title.empty() ? "" : ": " + workflow_.title));
      screen_.line("on " + device_ + ": " + device.value("name", "") + ", " + arch_ +
                   (device.value("emulated", false) ? ", emulated" : "") + "\n");
    }
  }
  return {};
}

Status ReplaySession::begin() {
  group_.label = "first kernel: " + workflow_.kernel.value("name", "kernel");
  doing_ = group_.label + " ";
  WS_TRY(const Json compiled, call("compile_kernel", {{"problem", workflow_.problem},
                                                      {"kernel", workflow_.kernel},
                                                      {"ref", workflow_.name + "@replay"}}));
  if (compiled["verdict"] != "compiled") {
    return fail(ErrorCode::kInternal, "the first kernel: " + compiled.value("summary", ""));
  }
  root_ = previous_ = kernel_ = compiled["kernel_id"];
  WS_TRY(const Json validated, call("validate", {{"kernel_id", kernel_}}));
  if (validated["verdict"] != "passed") {
    return fail(ErrorCode::kInternal, "the first kernel: " + validated.value("summary", ""));
  }
  const Json row = {{"label", group_.label}, {"kernel_id", root_}, {"verdict", "passed"}};
  screen_.line(padded("step", kLabelWidth) + padded("time", kTimeWidth) +
               padded("cumulative (95 %)", kSpeedupWidth) +
               padded("step-wise (95 %)", kSpeedupWidth) + padded("verdict", kOutcomeWidth) +
               "kernel");
  show(row);
  report_["steps"].push_back(row);
  group_ = {};
  return {};
}

Status ReplaySession::run() {
  WS_CHECK(choose_device());
  WS_CHECK(begin());
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < workflow_.steps.size(); ++i) {
    if (is_for(workflow_.steps[i].devices, backend_, arch_)) {
      chosen.push_back(i);
    }
  }
  for (std::size_t at = 0; at < chosen.size(); ++at) {
    const WorkflowStep& step = workflow_.steps[chosen[at]];
    const bool last = at + 1 == chosen.size();
    const WorkflowStep* const next = last ? nullptr : &workflow_.steps[chosen[at + 1]];
    Status status = run_step(step);
    if (status && (last || step.transformation.empty() ||
                   next->transformation != step.transformation || next->pass == 1)) {
      status = end_group(last);
    }
    if (!status) {
      Error error = std::move(status).error();
      error.message.insert(
          0, "step " + std::to_string(chosen[at] + 1) + " (" + step_name(step) + "): ");
      return fail(std::move(error));
    }
  }
  report_["for_other_devices"] = workflow_.steps.size() - chosen.size();
  report_["kernel_id"] = kernel_;
  return {};
}

Status ReplaySession::run_step(const WorkflowStep& step) {
  group_.label = step.transformation.empty() ? step_name(step) : step.transformation;
  doing_ = group_.label + " ";
  if (!step.note.empty()) {
    group_.notes.push_back(step.note);
  }
  if (!step.tune.is_null()) {
    return make_tune(step);
  }
  if (!step.target_ir.empty()) {
    return make_lowering(step);
  }
  return step.transformation.empty() ? make_edit(step) : make_pass(step);
}

/// The kernel becomes one of another problem: there is nothing that it could be timed against.
Status ReplaySession::make_lowering(const WorkflowStep& step) {
  Json arguments = {
      {"kernel_id", kernel_}, {"target_ir", step.target_ir}, {"ref", workflow_.name + "@replay"}};
  if (!step.problem.is_null()) {
    arguments["problem"] = step.problem;
  }
  if (!step.edits.is_null()) {
    arguments["edits"] = step.edits;
  }
  if (!step.set.is_null()) {
    arguments["set"] = step.set;
  }
  WS_TRY(const Json made, call("apply_transformation", std::move(arguments)));
  if (made["applied"] != true) {
    return fail(ErrorCode::kInternal, made.value("summary", ""));
  }
  root_ = previous_ = kernel_ = made["kernel_id"];
  ++group_.passes;
  return {};
}

Status ReplaySession::make_pass(const WorkflowStep& step) {
  Json arguments = {{"kernel_id", kernel_},
                    {"transformation", step.transformation},
                    {"ref", workflow_.name + "@replay"}};
  if (step.pass) {
    arguments["pass"] = *step.pass;
  }
  if (!step.edits.is_null()) {
    arguments["edits"] = step.edits;
  }
  if (!step.set.is_null()) {
    arguments["set"] = step.set;
  }
  WS_TRY(const Json made, call("apply_transformation", std::move(arguments)));
  if (made["applied"] != true && made["verdict"] != "skipped") {
    return fail(ErrorCode::kInternal, made.value("summary", ""));
  }
  if (made["applied"] == true) {
    ++group_.passes;
  }
  kernel_ = made["kernel_id"];
  return {};
}

Status ReplaySession::change(Json arguments) {
  arguments["base"] = kernel_;
  arguments["ref"] = workflow_.name + "@replay";
  WS_TRY(const Json compiled, call("compile_kernel", std::move(arguments)));
  if (compiled["verdict"] != "compiled") {
    return fail(ErrorCode::kInternal, compiled.value("summary", ""));
  }
  kernel_ = compiled["kernel_id"];
  WS_TRY(const Json validated,
         call("validate", {{"kernel_id", kernel_}, {"level", quick_ ? "quick" : "standard"}}));
  if (validated["verdict"] != "passed") {
    return fail(ErrorCode::kInternal, validated.value("summary", ""));
  }
  ++group_.passes;
  return {};
}

Status ReplaySession::make_edit(const WorkflowStep& step) {
  Json arguments = Json::object();
  if (!step.edits.is_null()) {
    arguments["edits"] = step.edits;
  }
  if (!step.set.is_null()) {
    arguments["set"] = step.set;
  }
  return change(std::move(arguments));
}

Status ReplaySession::make_tune(const WorkflowStep& step) {
  Json params = step.params;
  if (!tools_.contains("tune")) {
    group_.notes.emplace_back("the tool tune is not available: using the recorded parameters");
  } else if (!quick_) {
    Json arguments = step.tune;
    arguments["kernel_id"] = kernel_;
    const Json timing = timing_arguments();
    if (!arguments.contains("workloads") && timing.contains("workloads")) {
      arguments["workloads"] =
          timing["workloads"];  // The best choice for other workloads may be slow here.
    }
    WS_TRY(const Json tuned, call("tune", std::move(arguments)));
    group_.notes.push_back(tuned.value("summary", ""));
    if (tuned.value("verdict", "") != "faster") {
      return {};  // The defaults were not beaten: they stay.
    }
    params = tuned.value("best_params", params);
  }
  return change({{"set", {{"defaults", params}}}});
}

Json ReplaySession::timing_arguments() const {
  const auto here = std::find_if(
      workflow_.timings.begin(), workflow_.timings.end(),
      [this](const WorkflowTiming& timing) { return is_for(timing.devices, backend_, arch_); });
  return here == workflow_.timings.end() ? Json::object() : here->arguments;
}

Result<Json> ReplaySession::time_against(const std::string& baseline) {
  Json arguments = timing_arguments();
  arguments["kernel_id"] = kernel_;
  arguments["baseline"] = baseline;
  if (quick_) {
    arguments["time_budget_ms"] = kQuickBudgetMs;
  }
  WS_TRY(Json times, call("benchmark", std::move(arguments)));
  if (!times.contains("ratio") && !is_too_short(times)) {  // Wrong, or not to be believed.
    return fail(ErrorCode::kInternal, times.value("summary", ""));
  }
  return times;
}

Status ReplaySession::measure(Json& row, SpeedupPoint& point) {
  WS_TRY(const Json total, time_against(root_));
  point.total = put_ratio(total, "total", row);
  if (point.total) {
    row["us"] = total["workloads"].at(0)["median_us"];
  }
  if (!quick_) {
    WS_TRY(const Json step, previous_ == root_ ? Result<Json>(total) : time_against(previous_));
    point.step = put_ratio(step, "step", row);
  }
  previous_ = kernel_;
  return {};
}

Status ReplaySession::end_group(bool last) {
  const Group group = std::exchange(group_, {});
  Json row = {{"label", group.label},   {"seconds", elapsed_ms(since_) / 1000},
              {"passes", group.passes}, {"notes", group.notes},
              {"kernel_id", kernel_},   {"verdict", group.passes == 0 ? "skipped" : "passed"}};
  if (group.passes > 1) {
    row["label"] = group.label + ", " + std::to_string(group.passes) + " passes";
  }
  if (kernel_ != root_ && (quick_ ? last : group.passes > 0)) {
    SpeedupPoint point{.label = row["label"], .total = {}, .step = {}};
    WS_CHECK(measure(row, point));
    points_.push_back(std::move(point));
  }
  show(row);
  report_["steps"].push_back(std::move(row));
  since_ = std::chrono::steady_clock::now();
  return {};
}

void ReplaySession::show(const Json& row) {
  screen_.progress("", "");  // Empties the line.
  screen_.line(padded(row["label"].get<std::string>(), kLabelWidth) +
               padded(row.contains("us") ? time_text(row["us"]) : "-", kTimeWidth) +
               padded(speedup_text(row, "total"), kSpeedupWidth) +
               padded(speedup_text(row, "step"), kSpeedupWidth) +
               padded(row["verdict"].get<std::string>(), kOutcomeWidth) +
               row["kernel_id"].get<std::string>());
  for (const Json& note : row.value("notes", Json::array())) {
    screen_.line("    " + note.get<std::string>());
  }
}

}  // namespace ws::server
