// The frame that makes a run worker of the CPU engine launch its plan.
#pragma once

#include <cstdint>

#include "runtime/device/run_mode.h"

namespace ws::cpu {

struct Doorbell {
  std::uint64_t poison = 0;  ///< As Session::run.
  RunOrder order = RunOrder::kAscending;
  // Each 1: as RunMode.
  std::uint8_t keep_variables = 0;
  std::uint8_t watch_variables = 0;
  std::uint8_t zero_memory = 0;
  std::uint8_t ascending_blocks = 0;
  std::uint8_t sparse = 0;
  std::uint8_t elsewhere = 0;  ///< 1: the buffers move to another place first.
};

}  // namespace ws::cpu
