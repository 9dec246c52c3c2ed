// Which inputs each launch of a timing has, and which launch is kept.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "runtime/device/backend.h"

namespace ws::cuda {

struct ScheduledLaunch {
  std::uint64_t inputs = 0;  ///< The seed of its rotations; 0: the inputs as they are.
  /// Its number among the shared ones; nothing: it is not shared.
  std::optional<std::uint64_t> shared;
  /// Its outputs take the place of those that were kept before it.
  bool kept = false;
};

/// @param request  One launch at least; at most as many shared ones as launches.
/// @param draws    The worker's own, secret.
/// @return  One for each launch. The last one that is kept is any of the shared ones (of all, where
/// the request shares none) with the same chance, whatever became of those before it: a kernel that
/// sees its predecessor kept has learned nothing.
std::vector<ScheduledLaunch> schedule_launches(const TimingRequest& request,
                                               std::mt19937_64& draws);

}  // namespace ws::cuda
