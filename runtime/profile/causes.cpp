#include "runtime/profile/causes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/base/numbers.h"

namespace ws {

std::string percent_text(double share) {
  constexpr double kPercent = 100;
  return std::to_string(std::lround(kPercent * share)) + " %";
}

double quotient(double a, double b) {
  return b > 0 ? a / b : 0;
}

std::vector<int> heaviest(const CauseContext& context,
                          const std::function<double(const Counts&)>& of) {
  constexpr double kLeast = 0.1;
  std::vector<std::pair<double, int>> rows;
  double sum = 0;
  for (const LineCounts& line : context.input.counts.lines) {
    const double amount = of(line.counts);
    sum += amount;
    if (line.region == "source" && amount > 0) {
      rows.emplace_back(-amount, line.line);
    }
  }
  std::sort(rows.begin(), rows.end());
  std::vector<int> lines;
  for (const auto& [amount, line] : rows) {
    if (lines.size() < Finding::kMostLines && -amount >= kLeast * sum) {
      lines.push_back(line);
    }
  }
  return lines;
}

std::string at_lines(const std::vector<int>& lines) {
  if (lines.empty()) {
    return {};
  }
  std::string text = lines.size() == 1 ? "line " : "lines ";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool last = i + 1 == lines.size();
    text += (i == 0 ? "" : last ? " and " : ", ") + std::to_string(lines[i]);
  }
  return text + ": ";
}

double next_longest(const Model& model, std::initializer_list<Part> without) {
  double longest = 0;
  for (std::size_t i = 0; i < kParts; ++i) {
    const bool left_out =
        std::find(without.begin(), without.end(), static_cast<Part>(i)) != without.end();
    longest = left_out ? longest : std::max(longest, model.cycles[i]);
  }
  return longest;
}

Finding launch_bound(const CauseContext& context) {
  const Model& model = context.model;
  const double work = model.total_us - model.launch_us;
  Finding finding;
  finding.metric = "us_per_launch";
  finding.value = quotient(work, static_cast<double>(context.input.launches.size()));
  finding.unit = "us";
  finding.meaning = std::to_string(context.input.launches.size()) + " launches of about " +
                    three_digits(finding.value) + " us each, and " +
                    three_digits(kHopper.launch_us) + " us to start one";
  finding.advice =
      "do more in one launch: fuse launches, let one launch loop over the work of several, or give "
      "it a larger problem";
  // Below one part in two a launch is not what the time is lost to.
  finding.may_explain = model.launch_us > work ? quotient(model.launch_us, model.total_us) : 0;
  return finding;
}

}  // namespace ws
