// How old something is that bears a time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/base/clock.h"

namespace ws {

/// Whole seconds since a time in milliseconds since the Unix epoch; 0 where the clock was set back
/// behind it.
inline std::int64_t age_in_s(std::int64_t since_ms) {
  return std::max<std::int64_t>(0, unix_ms() - since_ms) / 1000;
}

}  // namespace ws
