#include "tools/evaluate/reward.h"

#include <algorithm>
#include <cmath>

namespace ws {

std::string_view name_of(RewardFrom from) {
  return std::ranges::find(kRewardFrom, from, &std::pair<RewardFrom, std::string_view>::first)
      ->second;
}

RewardFrom reward_from(std::string_view name) {
  const auto* const at =
      std::ranges::find(kRewardFrom, name, &std::pair<RewardFrom, std::string_view>::second);
  return at == kRewardFrom.end() ? RewardFrom::kTime : at->first;
}

double paid_speedup(Verdict verdict, const Interval& ratio) {
  if (verdict == Verdict::kFaster || verdict == Verdict::kSlower) {
    return ratio.low;
  }
  return verdict == Verdict::kInconclusive ? std::min(1.0, ratio.high) : 1;
}

std::string reward_withheld(const RewardTerms& terms) {
  if (terms.emulated && !terms.device_named) {
    return "times on an emulated device say little about a GPU; name the device to get a reward "
           "for them";
  }
  if (terms.own_baseline) {
    return "the baseline is a kernel of the archive, which the rewarded client may have chosen; "
           "give "
           "the problem a reference kernel to get a reward";
  }
  return {};
}

double reward(double speedup, double offset) {
  return 1 / (1 + std::exp(offset - 1 - std::max(0.0, speedup)));
}

}  // namespace ws
