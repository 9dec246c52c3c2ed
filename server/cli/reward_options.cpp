#include "server/cli/reward_options.h"

#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace ws::server {
namespace {

using Json = nlohmann::json;

std::string complaint_about_params(const std::string& text) {
  return Json::parse(text, nullptr, false).is_object()
             ? std::string()
             : "not a JSON object, such as {} or {\"TILE\": 16}: " + text;
}

}  // namespace

void add_reward_options(CLI::App& serve, RewardPins& pins) {
  CLI::Option_group* const group = serve.add_option_group(
      "rewards", "Arguments of evaluate that no call may give another value");
  group->add_option("--reward-device", pins.device, "A device's id, such as cuda:0");
  group->add_option("--reward-level", pins.level, "quick or standard")
      ->check(CLI::IsMember({"quick", "standard"}));
  group->add_option("--reward-baseline", pins.baseline,
                    "reference, or the id or ref of a kernel of the only problem");
  group->add_option("--reward-offset", pins.offset, "What reward_offset is")
      ->check(CLI::Range(kLeastRewardOffset, kMostRewardOffset));
  group->add_option("--reward-from", pins.from, "time, or model for an emulated device")
      ->check(CLI::IsMember({"time", "model"}));
  group
      ->add_option("--reward-params", pins.params,
                   "The parameters of kernels as JSON; {}: each kernel's defaults")
      ->check(complaint_about_params);
}

}  // namespace ws::server
