// How long each warp of a block would take if it had an SM for itself: its instructions one after
// another, and its loads until somebody needs them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/base/units.h"
#include "runtime/compile/profile_map.h"
#include "runtime/device/cpu/run_order.h"

namespace ws::cpu {

class WarpClock {
 public:
  void start() {
    now_.fill(0);
    arrival_.fill(0);
    barriers_.fill(0);
    meeting_.fill(0);
    last_.fill(0);
    needed_.fill(false);
  }

  /// @param number  The stretch's. @param load  Cycles until the last of its loads is there; 0: it
  /// loads nothing.
  /// @param barrier  It ends at one.
  void pass(std::size_t warp, std::uint32_t number, const ProfiledStretch& stretch,
            std::uint32_t load, bool barrier) {
    const std::uint64_t rounds = std::max<std::uint32_t>(stretch.rounds, 1);
    std::uint64_t& now = now_[warp];
    if (barriers_[warp] != 0) {  // All have been at the last barrier that it came from.
      now = std::max(now, meeting_[barriers_[warp] % 2]);
    }
    // A GPU's compiler moves loads ahead of what uses their values, but not out of a round of a
    // loop: stretches are numbered in the order of the code.
    const bool again = number <= last_[warp];
    last_[warp] = number;
    if (stretch.waits > 1 || (needed_[warp] && again)) {
      now = std::max(now, arrival_[warp]);
      needed_[warp] = false;
    }
    needed_[warp] = needed_[warp] || stretch.waits != 0;
    const std::uint64_t inside = std::uint64_t{stretch.depth} * load;
    // Rounds that run side by side share it.
    now += kParts * (stretch.chain + inside) / rounds;
    arrival_[warp] = std::max(arrival_[warp], now + (load == 0 ? 0 : kParts * load / rounds));
    if (barrier && needed_[warp]) {
      now = std::max(now, arrival_[warp]);
      needed_[warp] = false;
    }
    if (barrier) {
      std::uint64_t& meeting = meeting_[++barriers_[warp] % 2];
      meeting = std::max(meeting, now);
    }
  }

  /// The warp does nothing for so many cycles.
  void sleep(std::size_t warp, std::uint64_t cycles) { now_[warp] += kParts * cycles; }

  /// Those of the warp that takes longest.
  [[nodiscard]] std::uint64_t slowest_cycles() const {
    std::uint64_t slowest = 0;
    for (std::size_t warp = 0; warp < kWarps; ++warp) {
      slowest = std::max(slowest, needed_[warp] ? arrival_[warp] : now_[warp]);
    }
    return slowest / kParts;
  }

 private:
  static constexpr std::uint64_t kParts = 4;  ///< A cycle has so many.
  static constexpr std::size_t kWarps = kMaxBlockThreads / kWarpSize;

  std::array<std::uint64_t, kWarps> now_{};       ///< By warp, in parts of a cycle.
  std::array<std::uint64_t, kWarps> arrival_{};   ///< When all that it has asked for is there.
  std::array<std::uint32_t, kWarps> last_{};      ///< The number of its last stretch.
  std::array<bool, kWarps> needed_{};             ///< Something uses what is on its way.
  std::array<std::uint32_t, kWarps> barriers_{};  ///< Barriers that it has come to.
  /// When the last warp came to a barrier of an even and of an odd number. Nobody is two ahead.
  std::array<std::uint64_t, 2> meeting_{};
};

}  // namespace ws::cpu
