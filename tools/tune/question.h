// The question of a tuning: the arguments, and the kernel and the device that they name.
#pragma once

#include <optional>
#include <string>

#include "runtime/evaluate/subject.h"
#include "runtime/session/services.h"
#include "runtime/tune/strategy.h"
#include "tools/answer/envelope.h"

namespace ws {

/// The arguments of `tune`.
struct TuneParams {
  CommonParams common;
  std::string kernel_id;
  Json workloads = Json::array();  ///< As sent.
  double budget_s = 60;
  std::optional<std::size_t> max_evaluations;
  std::string strategy{tune::strategy_names().front()};
  std::string objective = "time";
};

void from_json(const Json& arguments, TuneParams& params);

struct TuneQuestion {
  Subject subject;
  Device* device = nullptr;
  TuneParams asked;

  /// Equal keys are the same question. @param on  The device's id or key.
  [[nodiscard]] std::string key(const std::string& on) const;
};

}  // namespace ws
