// How one draw of inputs serves many timed launches: each finds the contents of a buffer rotated by
// an amount of its own, so that no launch sees the inputs of another one and a stored result is
// worth nothing.
#pragma once

#include <cstdint>

#include "runtime/kernel/plan/plan.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// The step of such a rotation, in elements: whole rows of the last dimension where there are many,
/// else single elements. Of an argument that is written, too, only whole rows, as each is judged by
/// its own scale. 0: the buffer's contents stay where they are, because it is no input, has
/// gaps or holds one element, or because the order of its values means something (offsets that
/// ascend, a diagonal matrix).
std::int64_t rotation_step(const ArgSpec& arg, const BufferSpec& spec);

}  // namespace ws
