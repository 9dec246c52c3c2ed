// Watches the accesses of a launch's threads and finds those that race: two threads use the same
// bytes, one of them writes, not both by strong accesses, and nothing orders them
// (known_events.h). A volatile read races with a volatile write of another warp, though each is
// strong: only a thread that waits for a word may read it while another one writes. Also reads of
// memory that nobody wrote.
//
// Whether two accesses race does not depend on which of them happened to be first: one run in any
// order shows the races of all the code that it runs. A write that changes nothing races with
// nobody: threads that all set the same flag are right.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "runtime/device/cpu/abi.h"
#include "runtime/device/cpu/placed_arena.h"
#include "runtime/device/cpu/races/access_history.h"
#include "runtime/device/cpu/races/known_events.h"
#include "runtime/device/cpu/races/race_report.h"
#include "runtime/device/cpu/run_order.h"
#include "runtime/device/run_plan.h"

namespace ws::cpu {

/// One access, as a watched build tells it.
struct WatchedAccess {
  std::uint64_t address = 0;
  std::uint64_t base = 0;  ///< The start of the variable; 0: none is known.
  std::uint64_t bytes = 0;
  std::uint32_t flags = 0;   ///< cpu_abi::kWatch...
  std::uint32_t object = 0;  ///< Index into Image::objects, where `base` is not 0.
  std::uint64_t value = 0;   ///< The value that is written, with kWatchValue.
  std::uint32_t site = 0;

  [[nodiscard]] bool reads() const { return (flags & cpu_abi::kWatchRead) != 0; }

  [[nodiscard]] bool writes() const { return (flags & cpu_abi::kWatchWrite) != 0; }

  [[nodiscard]] bool is_strong() const { return (flags & cpu_abi::kWatchStrong) != 0; }

  [[nodiscard]] bool is_loose() const { return (flags & cpu_abi::kWatchLoose) != 0; }

  [[nodiscard]] bool is_narrow() const { return (flags & cpu_abi::kWatchBlock) != 0; }
};

/// Looks at one launch of a plan. One thread uses it.
class RaceWatch {
 public:
  /// About as many words are looked at; a launch that uses more is not looked at to its end.
  static constexpr std::uint64_t kMostWork = 20'000'000;
  /// The stack that it may need in a thread beyond what other calls of the worker do.
  static constexpr std::uint64_t kStackBytes = 16384;

  /// @param arena  The plan's memory; outlives the watch. @param variables  The image's data.
  RaceWatch(const RunPlan& plan, const PlacedArena& arena, const char* variables,
            std::uint64_t variables_bytes);

  void start_step(std::uint32_t step);
  /// A block begins, which runs from now on. Of those that live at the same time each has a place.
  void start_block(const cpu_abi::Block& block, std::size_t place);

  /// The block at this place runs from now on.
  void go_on(std::size_t place) { block_ = &blocks_.at(place); }

  /// Thread `thread` of the block is about to do this. A store has not changed memory yet.
  void access(std::size_t thread, const WatchedAccess& access);
  /// @param narrow  For the threads of its block only.
  void fence(std::size_t thread, bool narrow);
  /// All threads of the block that have not ended are at a barrier.
  void barrier();
  /// All threads of the grid are at a barrier of the whole grid: each knows what all have done.
  void grid_barrier();
  /// The thread arrives at a barrier of its block that has a number: at its present phase.
  void arrive(std::uint32_t number, std::size_t thread);

  /// The thread has ended: others of its warp arrive for it.
  void end(std::size_t thread) { block_->threads.at(thread).ended = true; }

  /// That phase is over, and the next one begins. @param all  It was one of the whole block.
  void release(std::uint32_t number, bool all);
  /// The thread has waited for the phase that was released last: it knows what those that arrived
  /// at it had done.
  void learn(std::uint32_t number, std::size_t thread);
  /// The thread calls a warp operation with a mask that lacks it.
  void note_mask(std::size_t thread, std::uint32_t site);
  /// These two threads of a warp meet in different calls of a reduction.
  void note_meeting(std::size_t thread, std::uint32_t site, std::size_t other,
                    std::uint32_t other_site);
  /// These lanes of a warp are at a __syncwarp().
  void sync_warp(std::size_t warp, std::uint32_t lanes);

  /// The rest need not run.
  [[nodiscard]] bool tired() const { return !report_.complete; }

  [[nodiscard]] const RaceReport& report() const { return report_; }

 private:
  struct Thread {
    std::uint32_t clock = 0;
    bool ended = false;
    LaneClocks known{};         ///< The clocks of its warp.
    Knowledge acquired;         ///< From strong accesses to what others have published.
    Knowledge fenced;           ///< The part that it publishes by a strong write,
    Knowledge fenced_in_block;  ///< and the one that it publishes to its block.
  };

  /// Threads that meet at a barrier with a number know this together.
  struct Shared {
    Knowledge acquired;
    Knowledge fenced;
    Knowledge fenced_in_block;
  };

  /// One of a block's barriers with a number.
  struct Meeting {
    /// By warp: the lanes that have arrived at the present phase.
    std::array<std::uint32_t, kMaxBlockThreads / kWarpSize> lanes{};
    Shared arrived;    ///< Known to those that have arrived at the present phase,
    KnownEvents here;  ///< which is to become its `acquired`,
    Shared over;       ///< and to those that had arrived at the last one.
    Knowledge added;   ///< `here` has got this last.
    Knowledge before;  ///< The last thread to learn from `over` knew this,
    Knowledge after;   ///< and knows this since.
  };

  /// By address of a strong write.
  using Published = std::unordered_map<std::uint64_t, Knowledge>;

  struct Block {
    std::uint32_t number = 0;  ///< Its linear index in the grid.
    std::uint32_t epoch = 0;
    std::vector<Thread> threads;
    std::optional<AccessHistory> shared;
    Published published;  ///< To its own threads.
    std::array<Meeting, cpu_abi::kNamedBarriers> meetings;
  };

  /// The places of both accesses, and whether the second one writes. A first one that writes
  /// comes first, so that it does not matter which happened first.
  using Pair = std::tuple<std::uint32_t, std::uint32_t, bool>;

  AccessHistory* history_of(const WatchedAccess& access);
  [[nodiscard]] bool is_given(std::uint64_t address) const;
  /// An event of the thread, now, at a place of the code.
  [[nodiscard]] Event event_of(std::size_t thread, std::uint32_t site) const;
  /// The thread of `now` knows that `before` is over.
  [[nodiscard]] bool knows(const Event& now, const Event& before) const;
  [[nodiscard]] bool races(const Event& before, const Event& now) const;
  void acquire(Thread& thread, std::uint64_t address, bool narrow);
  void publish(const Thread& thread, const WatchedAccess& access, bool narrow);
  void publish(Published& published, const WatchedAccess& access, const Knowledge& fenced);
  /// Those that have arrived know all that the lanes of a warp did which have ended instead.
  void add_ended(Meeting& meeting, std::uint32_t warp) const;
  Knowledge join(const Knowledge& one, const Knowledge& other);
  void look_at(WordHistory& word, const WatchedAccess& access, const Event& now, bool silent);
  void remember_read(WordHistory& word, const Event& now) const;
  /// The record of a pair, counted; null: there are too many.
  RaceRecord* record_of(const Pair& pair);
  void note(const Event& before, bool before_writes, const Event& now, const WatchedAccess& access);
  void note_unwritten(const Event& now, const WatchedAccess& access);
  void place(RaceRecord& record, const WatchedAccess& access) const;
  [[nodiscard]] RacingAccess side(const Event& event, bool write) const;

  const RunPlan& plan_;
  const PlacedArena& arena_;
  std::vector<AccessHistory> global_;  ///< The arena and the variables.
  std::vector<Block> blocks_;          ///< By place.
  Block* block_ = nullptr;             ///< The one that runs.
  Published published_;                ///< To all threads.
  std::map<Pair, std::size_t> known_;  ///< Index into the report's records.
  RaceReport report_;
  std::uint64_t work_ = 0;  ///< Words that were looked at, and other work of that size.
  std::uint32_t step_ = 0;
  std::array<std::uint32_t, 3> grid_dim_{};
  std::array<std::uint32_t, 3> block_dim_{};
};

}  // namespace ws::cpu
