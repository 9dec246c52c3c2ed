// The buffers of a plan after a launch, and whether two launches left the same in them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/device/arena.h"

namespace ws::survey {

/// The bytes of each buffer.
using Contents = std::vector<std::vector<std::byte>>;

Contents contents_of(const Arena& arena);

/// "" or where two results differ by more than rounding in another order may change: a quarter of
/// the square root of the type's roundoff in f32, all of it in other types, as a share of the value
/// or of the buffer's root mean square. Integers must be equal.
std::string difference(const ResolvedPlan& plan, const Contents& one, const Contents& other);

/// The number of elements whose bytes are not the same.
std::size_t changed(const ResolvedPlan& plan, const Contents& before, const Contents& after);

}  // namespace ws::survey
