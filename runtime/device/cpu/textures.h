// The textures of a plan, as kernels of the CPU engine read them: a handle is a number that stands
// for one of them, and gives its sizes and modes and the address of its buffer.
#pragma once

#include <cstdint>

#include "runtime/device/cpu/placed_arena.h"
#include "runtime/device/run_plan.h"

namespace ws::cpu {

/// From now on kernels read these. Call it while no kernel runs.
void set_textures(const RunPlan& plan, const PlacedArena& arena);

/// The handle of texture `index` of the plan; never 0.
std::uint64_t texture_object(std::int32_t index);

}  // namespace ws::cpu
