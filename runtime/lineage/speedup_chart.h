// A drawing of what each step of a workflow gained.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ws {

/// One step; what was not measured has no bar.
struct SpeedupPoint {
  std::string label;
  std::optional<double> total;  ///< Against the first kernel.
  std::optional<double> step;   ///< Against the step before.
};

/// SVG 1.1 with a row for each point, at most 60, and two bars in it: the cumulative and the
/// step-wise speed-up, both on logarithmic axes that begin at 1. Labels are cut and escaped.
std::string speedup_chart(const std::string& title, const std::vector<SpeedupPoint>& points);

}  // namespace ws
