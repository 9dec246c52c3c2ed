// A short summary of one output after a launch: cheap enough to take after every timed launch, on
// the device, and enough to tell that the launch computed what another one did from the same
// inputs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/kernel/dtype.h"

namespace ws {

/// A buffer is divided into so many parts of the same length, give or take one element.
inline constexpr std::size_t kDigestParts = 16;

struct OutputDigest {
  struct Part {
    /// Each element, with a sign of its own that follows from a secret, added up. Small errors with
    /// unrelated signs stay small in it; values that have nothing to do with each other do not.
    double signed_sum = 0;
    double squares = 0;  ///< The sum of the elements' squares.
  };

  std::uint64_t launch = 0;  ///< Which of the launches that both sides share.
  std::uint64_t buffer = 0;  ///< Index into RunPlan::buffers.
  std::array<Part, kDigestParts> parts = {};
};

/// Floats of eight bits have none: what rounding may change in them is as large as what is to be
/// found.
constexpr bool has_digest(DType type) {
  return type != DType::kF8e4m3 && type != DType::kF8e5m2;
}

/// The first element of a part, of `elements` in all; that of part kDigestParts is the end.
constexpr std::uint64_t digest_part_begin(std::uint64_t elements, std::uint64_t part) {
  return elements * part / kDigestParts;
}

}  // namespace ws
