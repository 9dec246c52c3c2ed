#include "runtime/session/reward_pins.h"

#include <nlohmann/json.hpp>

namespace ws {

void to_json(nlohmann::json& form, const RewardPins& pins) {
  form = nlohmann::json::object();
  const auto put = [&form](const char* field, const auto& value) {
    if (value) {
      form[field] = *value;
    }
  };
  put("device", pins.device);
  put("level", pins.level);
  put("baseline", pins.baseline);
  put("reward_offset", pins.offset);
  put("reward_from", pins.from);
  if (pins.params) {
    form["params"] = nlohmann::json::parse(*pins.params, nullptr, false);
  }
}

}  // namespace ws
