#include "server/cli/demo_steps.h"

#include <algorithm>
#include <vector>

#include "runtime/base/units.h"
#include "runtime/kernel/form/lines.h"
#include "server/text_format.h"

namespace ws::server {
namespace {

using Lines = std::vector<std::string>;

constexpr std::array kSpeedVerdicts = {"faster", "slower", "equivalent", "inconclusive"};
/// Longer changes are counted, not shown.
constexpr std::size_t kMaxEditLines = 4;

std::string verdict_of(const Json& answer) {
  return answer.value("verdict", answer.value("status", "no verdict"));
}

bool has(const Json& answer, std::string_view pointer) {
  return pointer.empty() || answer.contains(Json::json_pointer(std::string(pointer)));
}

Lines diagnostic_lines(const Json& answer) {
  Lines lines;
  for (const Json& item : answer.value("diagnostics", Json::array())) {
    lines.push_back(item.value("region", "") + ":" + std::to_string(item.value("line", 0)) + ":" +
                    std::to_string(item.value("column", 0)) + ": " + item.value("severity", "") +
                    ": " + item.value("message", ""));
    for (const std::string& line : split_lines(item.value("snippet", ""))) {
      lines.push_back(line);
    }
  }
  return lines;
}

Lines edit_lines(const Json& arguments) {
  Lines lines;
  std::size_t changed = 0;
  const Json edits = arguments.value("edits", Json::array());
  for (const Json& edit : edits) {
    for (const std::string& line : split_lines(edit.value("old", ""))) {
      lines.push_back("- " + line);
    }
    const Lines added = split_lines(edit.value("text", ""));
    changed += added.size();
    for (const std::string& line : added) {
      lines.push_back("+ " + line);
    }
  }
  if (lines.size() > kMaxEditLines) {
    lines = {"edits: " + std::to_string(edits.size()) + ", with " + std::to_string(changed) +
             " new lines"};
  }
  const Json set = arguments.value("set", Json::object());
  if (set.contains("launches")) {
    const Json& launch = set["launches"].at(0);
    lines.push_back("set: launches with grid " + launch.value("grid", Json()).dump() + ", block " +
                    launch.value("block", Json()).dump());
  }
  return lines;
}

Lines validation_lines(const Json& answer) {
  if (answer.contains("fault")) {
    return {answer["fault"].value("message", "")};
  }
  if (answer.contains("mismatch")) {
    return {answer.value("message", ""), "hint: " + answer["mismatch"].value("hint", "")};
  }
  double worst = 0;
  std::string sizes;
  for (const Json& run : answer.value("runs", Json::array())) {
    worst = std::max(worst, run.value("max_rel_error", 0.0));
    const Json workload = run.value("workload", Json::object());
    sizes += (sizes.empty() ? "" : ", ") + std::to_string(workload.value("m", 0)) + "x" +
             std::to_string(workload.value("n", 0)) + "x" + std::to_string(workload.value("k", 0));
  }
  return {"m x n x k: " + sizes + "; largest relative error " +
          (worst > 0 ? decimal(worst * 1e6, 2) + "e-6" : "0")};
}

Lines time_lines(const Json& answer) {
  Lines lines;
  for (const Json& row : answer.value("workloads", Json::array())) {
    lines.push_back("k = " + std::to_string(row["workload"].value("k", 0)) + ": " +
                    decimal(row.value("median_us", 0.0) / kUsPerMs, 2) + " ms, baseline " +
                    decimal(row.value("baseline_median_us", 0.0) / kUsPerMs, 2) + " ms, " +
                    std::to_string(row.value("samples", 0)) + " pairs");
  }
  return lines;
}

}  // namespace

bool is_measured(const DemoStep& step) {
  return step.tool == "benchmark";
}

bool as_expected(const DemoStep& step, const Json& answer) {
  return verdict_of(answer) == step.expected;
}

std::string step_failure(const DemoStep& step, const Json& answer) {
  const std::string verdict = verdict_of(answer);
  const bool speed =
      std::find(kSpeedVerdicts.begin(), kSpeedVerdicts.end(), verdict) != kSpeedVerdicts.end();
  if (is_measured(step) ? !speed : !as_expected(step, answer)) {
    return std::string(step.tool) + " of " + std::string(step.kernel) + " should give " +
           std::string(step.expected) + ", and gave " + verdict + ": " +
           answer.value("summary", "");
  }
  if (!has(answer, step.shown)) {
    return std::string(step.tool) + " of " + std::string(step.kernel) + " should say " +
           std::string(step.shown) + ", and its answer lacks it";
  }
  return {};
}

Lines details_of(const DemoStep& step, const Json& arguments, const Json& answer) {
  if (step.tool == "compile_kernel") {
    return arguments.contains("base") ? edit_lines(arguments) : diagnostic_lines(answer);
  }
  return is_measured(step) ? time_lines(answer) : validation_lines(answer);
}

}  // namespace ws::server
