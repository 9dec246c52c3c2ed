// What a device shows as a difference between equals: measured once per device by timing a fixed
// kernel against itself, and kept in the archive for a day.
#pragma once

#include <optional>

#include "runtime/archive/archive.h"
#include "runtime/device/backend.h"

namespace ws {

/// Nothing when it was not measured yet.
std::optional<double> stored_noise_floor(Archive& archive, const DeviceInfo& device);

/// The stored one, or a fresh measurement (about two seconds) that is stored then.
/// @errors those of compiling, running and storing; kCancelled.
Result<double> noise_floor_of(Archive& archive, Backend& backend, const std::stop_token& stop);

}  // namespace ws
