#include "tools/evaluate/pinned.h"

#include <utility>

namespace ws {
namespace {

/// Whether the call may go on: it leaves the field out, or sends what the server has set.
Status check_field(const Json& asked, const std::string& field, const Json& set) {
  const auto sent = asked.find(field);
  if (sent == asked.end() || *sent == set) {
    return {};
  }
  const bool named = field == "reward_offset" || field == "reward_from";
  const std::string option =
      named ? "--reward-" + field.substr(std::string("reward_").size()) : "--reward-" + field;
  return fail(ErrorCode::kInvalidArgument,
              "`" + field + "`: this server gives rewards with " + set.dump() +
                  " only (its option " + option + "), got " + sent->dump(),
              "leave `" + field + "` out");
}

}  // namespace

Result<EvaluateParams> pinned(const RewardPins* pins, EvaluateParams params) {
  if (pins == nullptr) {
    return params;
  }
  const Json terms = *pins;
  for (const auto& [field, set] : terms.items()) {
    WS_CHECK(check_field(*params.common.asked, field, set));
  }
  params.common.device = pins->device.value_or(params.common.device);
  params.level = pins->level.value_or(params.level);
  params.baseline = pins->baseline ? pins->baseline : params.baseline;
  params.reward_offset = pins->offset.value_or(params.reward_offset);
  params.reward_from = pins->from ? reward_from(*pins->from) : params.reward_from;
  params.params = terms.value("params", params.params);
  if (params.kernels) {
    for (EvaluateParams& one : *params.kernels) {
      WS_TRY(one, pinned(pins, std::move(one)));
    }
  }
  return params;
}

}  // namespace ws
