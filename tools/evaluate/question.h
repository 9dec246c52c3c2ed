// The question of an evaluation: the kernel, the device and the terms of the reward.
#pragma once

#include <stop_token>
#include <string>

#include "runtime/evaluate/subject.h"
#include "runtime/session/services.h"
#include "tools/evaluate/evaluation.h"

namespace ws {

/// A kernel on a device, and the terms of its reward.
struct EvaluateQuestion {
  Subject subject;
  Device* device = nullptr;
  Json params = Json::object();
  std::string baseline;
  std::string level;
  double offset = kRewardOffset;
  RewardFrom from = RewardFrom::kTime;
  std::string withheld;  ///< Why there is no reward for a speed-up; may be empty.
  CommonParams common;

  /// Equal keys are the same question. @param on  The device's id or key.
  [[nodiscard]] std::string key(const std::string& on) const;
};

/// Finds the device, and finds or makes the kernel that the arguments name.
/// @errors kInvalidArgument: a baseline without a speed, or a modelled reward on a GPU; those of
/// choose_kernel and Archive::ref.
Result<EvaluateQuestion> evaluate_question(Services& services, const EvaluateParams& params,
                                           const std::stop_token& stop);

}  // namespace ws
