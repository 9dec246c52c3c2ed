// The shape of a kernel's loops, as far as its text tells: what transformations of tiles rest on,
// whatever the problem is called.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "runtime/kernel/kernel.h"

namespace ws {

/// A loop that a transformation may ask for.
enum class LoopNeed : std::uint8_t {
  kSums,      ///< A loop combines elements of arrays into values that outlive its rounds.
  kShares,    ///< That, or several threads read one element, as neighbours do.
  kProducts,  ///< A loop adds up products of elements.
};

/// The word of a transformation's file: "sums", "shares", "products". Nothing: another word.
std::optional<LoopNeed> loop_need(std::string_view word);

/// Whether the kernel's loops have it. Reads the text as tokens: pointers that walk, calls and
/// assembly hide what is read. @return Nothing: the text does not tell.
std::optional<bool> has_loop(const Kernel& kernel, LoopNeed need);

}  // namespace ws
