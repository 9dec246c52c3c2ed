// The work of a kernel of tiles, counted by line of its source: for its profile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/kernel/dtype.h"

namespace ws {

/// kArithmetic: an addition, comparison, selection, or a step of a reduction. kSpecial: divisions,
/// roots, exponentials.
enum class TileWorkKind : std::uint8_t {
  kLoad,
  kStore,
  kAtomic,
  kProduct,
  kArithmetic,
  kSpecial,
  kConvert,
};

constexpr bool is_access(TileWorkKind kind) {
  return kind <= TileWorkKind::kAtomic;
}

/// In the order of TileWorkKind.
inline constexpr std::array kTileWorkNames = {"load",       "store",   "atomic", "product",
                                              "arithmetic", "special", "convert"};

/// One kind of work of one line on elements of one type, added up over all blocks of one launch.
struct TileWork {
  std::size_t program = 0;  ///< Launches that differ are different programs.
  std::int64_t line = 0;    ///< 0: of no line.
  TileWorkKind kind = TileWorkKind::kLoad;
  DType type = DType::kF32;  ///< kProduct: the type of its factors.
  double times = 0;          ///< The tiles that were loaded, stored or computed.
  double elements = 0;       ///< Their elements; for a reduction, those that it reads.
  double used = 0;           ///< Accesses: the elements inside the array and the mask.
  double sectors = 0;        ///< Accesses: the sectors of 32 bytes that the tiles touch.
  double ideal_sectors = 0;  ///< As many as the used elements would fill if they were contiguous.
  double flops = 0;          ///< Operations on floats; a multiply-add of a product is two.

  /// The columns that add up.
  static constexpr std::array<double TileWork::*, 6> amounts();
};

constexpr std::array<double TileWork::*, 6> TileWork::amounts() {
  return {&TileWork::times,   &TileWork::elements,      &TileWork::used,
          &TileWork::sectors, &TileWork::ideal_sectors, &TileWork::flops};
}

/// All launches of one program, added up.
struct TileProgramWork {
  double launches = 0;
  double blocks = 0;
  /// The work of all blocks in sectors; arithmetic weighs as much as sectors that take as long.
  double work = 0;
  double longest_work = 0;  ///< The work of the block with most.
};

/// The counts of one run of a plan.
struct TileCounters {
  std::vector<TileWork> rows;
  std::vector<TileProgramWork> programs;
  std::vector<std::size_t> steps;  ///< For each launch of the plan its program.
};

}  // namespace ws
