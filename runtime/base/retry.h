// Repeats an operation that failed for a passing reason.
#pragma once

#include "runtime/base/result.h"

namespace ws {

/// How often what lost its device or worker is done again.
inline constexpr int kRetriesWhenLost = 2;

/// once(), and again while it ends with kDeviceLost: a worker that somebody killed (the system,
/// when memory was short) says nothing about what ran in it.
/// @param once  Callable without arguments, gives a Result; starts from nothing each time.
template <typename Once>
auto retry_when_lost(const Once& once) {
  auto result = once();
  for (int i = 0; i < kRetriesWhenLost && !result && result.error().code == ErrorCode::kDeviceLost;
       ++i) {
    result = once();
  }
  return result;
}

}  // namespace ws
