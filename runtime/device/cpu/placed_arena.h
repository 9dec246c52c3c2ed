// The arena of a plan as its kernel sees it: the buffers of one file, each at a place of its own
// with its guards, so that their distances differ from launch to launch as their places do.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/device/cpu/region.h"
#include "runtime/device/run_plan.h"

namespace ws::cpu {

class PlacedArena {
 public:
  /// @param file  The arena's.
  PlacedArena(const RunPlan& plan, int file);

  /// Puts all parts elsewhere. @errors kIo: there is no room.
  Status place(Region& region);

  /// Where a byte of the arena is: that of the buffer that it belongs to, or guards.
  [[nodiscard]] char* at(std::uint64_t offset) const;
  /// The offset in the arena of an address in a buffer or its guards; kNowhere for others.
  [[nodiscard]] std::uint64_t offset_of(std::uint64_t address) const;

  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

  /// From the first part to the end of the last.
  [[nodiscard]] std::uint64_t low() const;
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  int file_;
  std::vector<Region::Part> parts_;  ///< One for each buffer, in the order of the file.
  std::vector<char*> places_;
};

}  // namespace ws::cpu
