// The value of a kernel for a training loop.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/base/verdict.h"
#include "runtime/bench/statistics.h"

namespace ws {

/// Makora's published offset: a kernel as fast as its baseline earns sigmoid(0.2), about 0.55.
inline constexpr double kRewardOffset = 1.8;

/// The speed-up that gives the reward. For a faster or slower kernel it is the lower end of the
/// interval; a kernel that equals its baseline within noise gets the baseline's reward, and one of
/// which a noisy device cannot say whether it does gets no more than the interval allows. By the
/// ratio itself, the best of many tries would be the luckiest.
/// @param verdict  One that is right_when_timed. @param ratio  The 95 % interval; not used for
/// equals.
double paid_speedup(Verdict verdict, const Interval& ratio);

/// How the speed-up is found that a reward is for.
enum class RewardFrom : std::uint8_t {
  kTime,   ///< Kernel and baseline are timed.
  kModel,  ///< An H100's times are modelled by what both do on an emulated device.
};

/// The one list: the schema and --reward-from have the same names.
inline constexpr std::array kRewardFrom = {
    std::pair{RewardFrom::kTime, std::string_view("time")},
    std::pair{RewardFrom::kModel, std::string_view("model")},
};

std::string_view name_of(RewardFrom from);
/// kTime for an unknown name.
RewardFrom reward_from(std::string_view name);

/// The conditions of a reward beside the times.
struct RewardTerms {
  bool emulated = false;      ///< The device is, and its own times are what counts.
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
