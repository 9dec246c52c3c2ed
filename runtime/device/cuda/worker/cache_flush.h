// Memory that takes the place of everything in the last cache when it is written.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/device/cuda/worker/context.h"

namespace ws::cuda {

/// To be written with overwrite(), whole. @errors As allocate_pages().
inline Result<Region> flush_region(Context& context) {
  constexpr std::uint64_t kLeast = std::uint64_t{128} << 20U;
  return allocate_pages(context.driver(), std::max(context.device().l2_bytes * 2 + 4096, kLeast));
}

}  // namespace ws::cuda
