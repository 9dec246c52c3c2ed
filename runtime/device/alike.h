// Decides which devices can stand for each other.
#pragma once

#include "runtime/device/backend.h"

namespace ws {

/// If two devices are alike, a kernel's results on one hold for the other. Times do not.
inline bool are_alike(const DeviceInfo& a, const DeviceInfo& b) {
  return a.backend == b.backend && a.name == b.name && a.arch == b.arch && a.toolkit == b.toolkit &&
         a.driver == b.driver && a.sm_count == b.sm_count && a.memory_bytes == b.memory_bytes &&
         a.notes == b.notes;
}

}  // namespace ws
