// The value of a kernel for a training loop.
#pragma once

#include <string>

#include "runtime/base/verdict.h"

namespace ws {

/// Makora's published offset: a kernel as fast as its baseline earns sigmoid(0.2), about 0.55.
inline constexpr double kRewardOffset = 1.8;

/// The speed-up that gives the reward. For a faster or slower kernel it is the lower end of the
/// interval; a kernel that equals its baseline within noise gets the baseline's reward. By the
/// ratio itself, the best of many tries would be the luckiest.
/// @param verdict    One that is right_when_timed. @param ratio_low  The lower end of the 95 %
/// interval; not used for equals.
double paid_speedup(Verdict verdict, double ratio_low);

/// The conditions of a reward beside the times.
struct RewardTerms {
  bool emulated = false;      ///< The device is.
  bool device_named = false;  ///< The caller asked for this device.
  bool own_baseline = false;  ///< The baseline is a kernel of the archive, not the problem's.
};

/// Why there is no reward for a speed-up; empty when there is one.
std::string reward_withheld(const RewardTerms& terms);

/// sigmoid(1 + max(0, speedup) - offset), in (0, 1): a wrong kernel earns 0, so a right one,
/// however slow, earns more.
///
/// @param speedup  Time of the baseline over time of the kernel.
double reward(double speedup, double offset);

}  // namespace ws
