// Runs the threads of one block phase by phase (PhasedCode), without stacks of their own. A unit's
// threads run a phase together where they all begin it, thread by thread in the order in use
// elsewhere. What CUDA leaves undefined is found as on fibers (block_runner.h), and reported alike.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "runtime/compile/compile.h"
#include "runtime/device/cpu/abi.h"
#include "runtime/device/cpu/run_order.h"
#include "runtime/device/cpu/warp_ops.h"
#include "runtime/device/run_reply.h"

namespace ws::cpu {

/// The functions of a kernel that is cut into phases.
struct PhaseFunctions {
  cpu_abi::TurnFn turn = nullptr;  ///< Null: it is not cut.
  cpu_abi::RowsFn rows = nullptr;  ///< Null: there is none.
  const PhasedCode* code = nullptr;
};

/// The memory that the phases of a block of `threads` take for what threads carry over stops.
std::uint64_t phase_memory_bytes(const PhasedCode& code, std::uint64_t threads);

/// Tells the phases of `block` where that memory is. Its dimensions are known.
void place_phase_memory(const PhasedCode& code, char* memory, cpu_abi::Block& block);

/// One per OS thread.
class PhaseRunner {
 public:
  /// Runs all threads of block.block_idx. Does not return when the kernel goes wrong.
  ///
  /// @param order    Of the block's threads.
  /// @param rows     Threads of a unit may run together: the order is ascending.
  /// @param current  Gets the number of each thread before it runs alone.
  void run(const PhaseFunctions& kernel, cpu_abi::Block& block, void** args,
           const ThreadOrder& order, bool rows, std::size_t& current);

 private:
  enum class Wait : std::uint8_t { kNone, kBarrier, kWarp, kEnded };

  /// Thread ids: low <= id < high on each axis.
  struct Box {
    std::array<std::uint32_t, 3> low = {0, 0, 0};
    std::array<std::uint32_t, 3> high = {0, 0, 0};
  };

  /// A warp, or the whole block.
  struct Unit {
    std::size_t first = 0;
    std::size_t size = 0;
    std::size_t live = 0;  ///< Those that have not ended.
    /// All of these are at the same place, which is `phase` and `wait` here and not those of the
    /// threads.
    bool whole = true;
    std::uint32_t phase = 0;
    Wait wait = Wait::kNone;
    bool is_box = false;  ///< They are those of `box`, which a RowsFn takes.
    Box box;
  };

  void start(const PhaseFunctions& kernel, cpu_abi::Block& block);
  /// The units of a block as it begins: the same for all blocks of a launch.
  void find_fresh_units();
  /// Until each of its threads waits or has ended. @param turn  Of its first thread in the order.
  void run_unit(Unit& unit, std::size_t turn);
  /// @return  False: they have to run unit.phase one by one.
  bool run_together(Unit& unit);
  bool run_one_by_one(Unit& unit, std::size_t turn);
  void arrive(Unit& unit, std::size_t thread, std::uint32_t phase);
  void part(Unit& unit);
  void join(Unit& unit);
  void find_box(Unit& unit) const;
  void end_all(Unit& unit);
  [[nodiscard]] Wait wait_behind(std::uint32_t phase) const;

  [[nodiscard]] const PhaseStop& stop_before(std::uint32_t phase) const {
    return stops_[phase - 1];
  }

  void exchange_whole(Unit& unit);
  bool exchange_parts(Unit& unit);
  void load_lanes(const Unit& unit);
  [[nodiscard]] const PhaseStop& common_barrier() const;
  void release_barrier();
  [[noreturn]] void report_waiting(RunStatus status) const;
  [[noreturn]] void report_lost() const;

  template <typename Field>
  [[nodiscard]] Field* field(unsigned offset) const {
    return reinterpret_cast<Field*>(block_->thread_values +
                                    std::uint64_t{offset} * block_->padded_threads);
  }

  /// Calls visit(thread, its wait, its phase) for each thread that has not ended.
  template <typename Visit>
  void for_each_waiting(const Visit& visit) const;

  const PhaseFunctions* kernel_ = nullptr;
  cpu_abi::Block* block_ = nullptr;
  void** args_ = nullptr;
  const ThreadOrder* order_ = nullptr;
  std::size_t* current_ = nullptr;
  bool rows_ = false;
  std::size_t count_ = 0;
  std::size_t live_ = 0;
  std::size_t unit_count_ = 0;
  char* units_values_ = nullptr;  ///< Those of the first unit.
  std::uint64_t unit_bytes_ = 0;  ///< From the values of one unit to those of the next.
  std::span<const PhaseStop> stops_;
  std::array<Unit, kMaxBlockThreads / kWarpSize> units_;
  std::array<Unit, kMaxBlockThreads / kWarpSize> fresh_units_;
  std::array<std::uint32_t, 3> fresh_dim_{};  ///< The dimensions that they are for.
  bool fresh_warps_ = false;
  std::array<std::uint32_t, kMaxBlockThreads> phases_{};
  std::array<Wait, kMaxBlockThreads> waits_{};
  std::array<Fiber, kWarpSize> lanes_;  ///< The lanes of a warp operation, as WarpView wants them.
};

}  // namespace ws::cpu
