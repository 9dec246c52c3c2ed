// The options of `serve` that set the terms of rewards.
#pragma once

#include "runtime/session/reward_pins.h"

namespace CLI {
class App;
}

namespace ws::server {

/// Adds --reward-device and the others, which write into `pins`.
void add_reward_options(CLI::App& serve, RewardPins& pins);

}  // namespace ws::server
