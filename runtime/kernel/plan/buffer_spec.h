// Sizes of a buffer, from its shape and strides.
#pragma once

#include <cstdint>

#include "runtime/base/result.h"
#include "runtime/kernel/plan/plan.h"

namespace ws {

/// Most elements of a buffer: keeps every size in bytes far inside 64 bits. What a device can hold
/// is checked by the device.
inline constexpr std::int64_t kMaxElements = std::int64_t{1} << 40U;

/// Fills in `elements` and `span` from shape and strides; empty strides become row-major ones.
/// @errors kInvalidArgument: over kMaxElements; overlapping elements in a buffer that is written.
Status measure_buffer(BufferSpec& buffer);

}  // namespace ws
