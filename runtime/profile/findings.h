// The findings of a profile: a few causes of lost time, the heaviest first, with what to do.
#pragma once

#include <string>
#include <vector>

#include "runtime/profile/model.h"

namespace ws {

struct Finding {
  std::string cause;  ///< uncoalesced | bank_conflicts | divergent | ...: a row of docs/profile.md
  std::string metric;
  double value = 0;
  std::string unit;
  std::string meaning;
  std::string advice;      ///< The change to try.
  std::vector<int> lines;  ///< Lines of the source, the heaviest first; at most kMostLines.
  double may_explain = 0;  ///< Share of the modelled time that would go at most: 0 to 1.

  static constexpr std::size_t kMostLines = 3;
};

inline constexpr std::size_t kMostFindings = 5;

/// Ranked by may_explain; at most kMostFindings. Empty: nothing of it weighs enough.
std::vector<Finding> findings_of(const ProfileInput& input, const Model& model);

}  // namespace ws
