// The map of a profile build: its stretches of code and its accesses, by the numbers that the
// counters of a run go by. The plug-in writes it, the worker counts by it, and the server reads the
// counts with it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ws {

/// Kinds of instructions as a GPU has them. The one list: kInstrClassNames follows it.
enum class InstrClass : std::uint8_t {
  kF16,
  kF32,
  kF64,
  kInteger,
  kSpecial,  ///< Division, roots, exponentials: a unit of its own, or a sequence.
  kConvert,
  kMemory,
  kControl,
  kBarrier,
  kWarp,  ///< Shuffles, votes, warp reductions.
  kOther,
  kTensor,  ///< Products of tiles: each 4096 operations on 16-bit numbers, or what takes as long.
};

inline constexpr std::array kInstrClassNames = {"f16",     "f32",     "f64",    "integer",
                                                "special", "convert", "memory", "control",
                                                "barrier", "warp",    "other",  "tensor"};
inline constexpr std::size_t kInstrClasses = kInstrClassNames.size();

/// kGeneric is found out at run time, by the address.
enum class MemorySpace : std::uint8_t { kGlobal, kShared, kLocal, kConstant, kGeneric };

inline constexpr std::array kMemorySpaceNames = {"global", "shared", "local", "constant"};
inline constexpr std::size_t kMemorySpaces = kMemorySpaceNames.size();

enum class AccessKind : std::uint8_t { kLoad, kStore, kAtomic };

struct ProfiledAccess {
  std::uint32_t site = 0;   ///< Index into Image::sites.
  std::uint32_t bytes = 0;  ///< The bytes of one thread; 0 = known at run time only.
  MemorySpace space = MemorySpace::kGeneric;
  AccessKind kind = AccessKind::kLoad;
};

/// Instructions of one class on one line.
struct ProfiledInstructions {
  std::uint32_t site = 0;
  InstrClass kind = InstrClass::kOther;
  std::uint32_t count = 0;
  std::uint32_t flops = 0;  ///< The sum over all `count`.
};

/// Instructions that run one after another: a basic block, or a part of one. Numbered so that, of
/// threads that are at different stretches, those at the lowest number run first and the others are
/// met again after the branch.
struct ProfiledStretch {
  static constexpr std::uint32_t kNone = 0xffffffffU;
  /// Most accesses in one: bounds what a worker remembers of a warp.
  static constexpr std::uint32_t kMostAccesses = 32;

  std::uint32_t entry = kNone;     ///< Index into Image::entries; kNone: a function of several.
  std::uint32_t first_access = 0;  ///< Index into ProfileMap::accesses.
  std::uint32_t accesses = 0;
  std::uint32_t branch_site = kNone;  ///< The conditional branch at its end; kNone: none.
  // A warp's own time, by GpuLatency.
  std::uint32_t chain = 0;   ///< Cycles of the longest chain of dependent instructions.
  std::uint32_t depth = 0;   ///< Loads of the stretch that have to arrive one after another in it.
  std::uint32_t waits = 0;   ///< It uses what others loaded: 1 in the end, 2 at once.
  std::uint32_t rounds = 1;  ///< Rounds of a loop that run side by side.
  std::vector<ProfiledInstructions> instructions;

  /// The instructions of one pass through it.
  [[nodiscard]] std::uint32_t length() const {
    std::uint32_t sum = 0;
    for (const ProfiledInstructions& row : instructions) {
      sum += row.count;
    }
    return sum;
  }
};

/// Empty in other builds.
struct ProfileMap {
  std::vector<ProfiledStretch> stretches;
  std::vector<ProfiledAccess> accesses;
  /// By entry: the most 32-bit values of a thread that are alive at a time.
  std::vector<std::uint32_t> live_words;
};

}  // namespace ws
