// A profile as JSON: findings, roofline, and the groups of numbers behind them.
#pragma once

#include <optional>
#include <string>

#include "runtime/bench/roofline.h"
#include "runtime/device/hardware_counters.h"
#include "runtime/profile/findings.h"
#include "tools/tool.h"

namespace ws {

inline constexpr double kPercent = 100;

/// The results of a profile.
struct Profile {
  ProfileInput input;
  Model model;
  std::vector<Finding> findings;
  std::optional<HardwareCounters> hardware;  ///< Set for a GPU with counters.
  std::string no_hardware;                   ///< Why there are none.
  std::optional<Roofline> roofline;          ///< Against the device's measured ceilings.
};

/// [{cause, metric, value, unit, meaning, try, lines, may_explain_percent}]
Json findings_form(const Profile& profile);

/// {intensity, bound, percent}: flops per byte; memory | compute; of what that limit allows.
Json roofline_form(const Profile& profile);

/// @param name  A group of the tool's schema. @param full  All lines, not the heaviest.
Json group_form(const Profile& profile, const std::string& name, bool full);

}  // namespace ws
