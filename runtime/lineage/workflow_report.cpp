// The report of a line of kernels.
#include <algorithm>

#include "runtime/base/numbers.h"
#include "runtime/base/text.h"
#include "runtime/lineage/speedup_chart.h"
#include "runtime/lineage/workflow_export.h"
#include "runtime/search/kernel_source.h"
#include "runtime/search/text_diff.h"

namespace ws {
namespace {

constexpr std::size_t kMaxDiff = 6000;      // Bytes of one step's.
constexpr std::size_t kMaxReport = 400000;  // Then diffs are left out.

std::string times(const std::optional<double>& ratio) {
  return ratio ? fixed_digits(*ratio, 2) + "x" : "";
}

/// Code that a kernel's author wrote, between fences that it cannot end.
std::string fenced(const std::string& text) {
  std::size_t longest = 2;
  for (std::size_t at = 0, run = 0; at < text.size(); ++at) {
    run = text[at] == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fence + "diff\n" + text + (text.empty() || text.back() != '\n' ? "\n" : "") + fence + "\n";
}

std::vector<SpeedupPoint> points_of(const std::vector<LineKernel>& line) {
  std::vector<SpeedupPoint> points;
  for (const LineKernel& kernel : line) {
    if (kernel.speed.total) {
      points.push_back({kernel.made_by(), kernel.speed.total, kernel.speed.step});
    }
  }
  return points;
}

}  // namespace

std::string report_table(const std::vector<LineKernel>& line, const std::string& device) {
  const KernelRow& last = line.back().row;
  std::string text = "# " + last.id + "\n\nSolves " + last.problem_id + ". Made of " +
                     line.front().row.id + " in " + std::to_string(line.size() - 1) +
                     " steps; speeds are those of " + device +
                     ". A step-wise speed-up with ~ is a quotient of cumulative ones.\n\n"
                     "| # | step | kernel | time, us | cumulative | step-wise |\n"
                     "| --- | --- | --- | --- | --- | --- |\n";
  for (std::size_t i = 0; i < line.size(); ++i) {
    const LineSpeed& speed = line[i].speed;
    text += "| " + std::to_string(i) + " | " + line[i].made_by() + " | " + line[i].row.id + " | " +
            (speed.us ? fixed_digits(*speed.us, 1) : "") + " | " + times(speed.total) + " | " +
            (speed.worked_out ? "~" : "") + times(speed.step) + " |\n";
  }
  return text;
}

std::string whole_report(const std::vector<LineKernel>& line, const std::string& device) {
  std::string text = report_table(line, device);
  const std::vector<SpeedupPoint> points = points_of(line);
  if (!points.empty()) {
    text += "\n" + speedup_chart(line.back().row.id + " on " + device, points);
  }
  for (std::size_t i = 1; i < line.size(); ++i) {
    const TextDiff diff =
        unified_diff(kernel_source(line[i - 1].row.json), kernel_source(line[i].row.json));
    text += "\n## " + std::to_string(i) + ". " + line[i].made_by() + "\n\n";
    if (diff.text.empty()) {
      text += "Only the plan was changed.\n";
    } else if (text.size() > kMaxReport) {
      text += std::to_string(diff.added) + " lines added, " + std::to_string(diff.removed) +
              " removed.\n";
    } else {
      text += fenced(quoted(diff.text, kMaxDiff));
    }
  }
  return text;
}

}  // namespace ws
