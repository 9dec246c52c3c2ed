// The terms of rewards that whoever runs a server sets, so that no client can choose them.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace ws {

/// The least and the greatest `reward_offset`. The speed-up that earns one half is the offset less
/// 1: below 0 every right kernel would earn more than half, above 10 hardly any would earn at all.
inline constexpr double kLeastRewardOffset = 1;
inline constexpr double kMostRewardOffset = 11;

/// Arguments of `evaluate` that no call may give another value; nothing: each call chooses.
struct RewardPins {
  std::optional<std::string> device;
  std::optional<std::string> level;
  std::optional<std::string> baseline;
  std::optional<double> offset;
  std::optional<std::string> from;    ///< A value of `reward_from`.
  std::optional<std::string> params;  ///< The text of a JSON object.
};

/// {device, level, baseline, reward_offset, reward_from, params}: those that are set.
void to_json(nlohmann::json& form, const RewardPins& pins);

}  // namespace ws
