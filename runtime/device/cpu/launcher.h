// Runs the launches of a plan over all cores: blocks are dealt out to OS threads in chunks.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/device/cpu/block_runner.h"
#include "runtime/device/cpu/block_worker.h"
#include "runtime/device/cpu/doorbell.h"
#include "runtime/device/cpu/launch.h"
#include "runtime/device/cpu/loader.h"
#include "runtime/device/cpu/placed_arena.h"
#include "runtime/device/cpu/races/race_watch.h"
#include "runtime/device/cpu/region.h"
#include "runtime/device/cpu/warp_profiler.h"
#include "runtime/device/run_plan.h"

namespace ws::cpu {

class Launcher {
 public:
  /// `arena` is the file of the plan's shared memory. All must outlive the launcher.
  Launcher(LoadedImage& image, const Image& description, const RunPlan& plan, Region& region,
           int arena);

  /// Takes local and shared memory for `threads` OS threads, and places the arena. Call it before
  /// run(). @errors kIo: there is no such room.
  Status reserve(unsigned threads);

  /// Address space for the stacks and the records of blocks that live at the same time, on all
  /// `threads` OS threads.
  [[nodiscard]] std::uint64_t live_bytes(unsigned threads) const;

  ~Launcher();
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  /// Starts `count` helper threads: after the sandbox is entered, from the worker's main thread.
  void start_threads(unsigned count);

  /// Runs every step in order. Does not return when a kernel goes wrong: the process reports and
  /// ends. The poison is the secret that shared and local memory are filled from first.
  /// @errors kIo: the arena cannot be moved.
  Status run(const Doorbell& doorbell);

  /// The first of the image's symbols that is not as it was before the last run; kNoPlace: none.
  /// Those that the plan fills do not count.
  [[nodiscard]] std::uint32_t changed_variable() const;

  /// The races of the last run; none unless the image is a watched build.
  [[nodiscard]] RaceReport races() const { return watch_ ? watch_->report() : RaceReport{}; }

  /// The counts of all runs so far; zeros unless the image is a profile build.
  [[nodiscard]] ProfileCounters counters() const;

 private:
  /// Puts the arena at another place than before.
  Status place_arena();
  void bind_arguments(const RunStep& step, Launch& launch) const;
  /// Runs it on all OS threads that come in time, and waits for these.
  void share_out(Launch& launch);
  void run_step(const RunStep& step, std::uint64_t poison, const Doorbell& doorbell);
  void fill_symbols();
  /// So many of the OS threads run blocks: of a watched build only one, the last, does.
  [[nodiscard]] unsigned running(unsigned threads) const;
  /// Whether the image calls a function of the runtime.
  [[nodiscard]] bool calls(std::string_view function) const;
  /// Whether blocks may run while another one is held between a read and the write that follows.
  [[nodiscard]] bool nests() const;
  void helper_main(std::size_t index);
  [[nodiscard]] std::uint64_t shared_bytes(const RunStep& step) const;
  /// Threads of a block that run at the same time, and have local memory each.
  /// @param yields  Those of some blocks may take turns.
  [[nodiscard]] std::uint64_t threads_at_once(const RunStep& step, bool yields) const;
  [[nodiscard]] LocalMemory local_memory(const RunStep& step) const;
  /// The memory of a block, whether its threads take turns or not.
  [[nodiscard]] BlockBytes block_bytes(const RunStep& step) const;
  /// The stack that the functions need which a profile or watched build calls.
  [[nodiscard]] std::uint64_t tool_stack_bytes() const;
  /// As Launch::live, for `threads` OS threads.
  [[nodiscard]] std::uint64_t live_blocks(const RunStep& step, std::uint64_t threads) const;
  /// @param thread  The calling OS thread: a helper's index, or their number.
  void work(Launch& launch, std::size_t thread);
  [[nodiscard]] WarpProfiler* profiler_of(std::size_t thread) const;

  LoadedImage& image_;
  const Image& description_;
  const RunPlan& plan_;
  Region& region_;
  PlacedArena arena_;
  std::vector<std::unique_ptr<WarpProfiler>> profilers_;  ///< By thread; none in other builds.
  std::unique_ptr<RaceWatch> watch_;                      ///< Null in other than watched builds.
  std::vector<BlockSpace> memory_;                        ///< By thread.
  std::mutex mutex_;
  std::condition_variable changed_;    ///< Helpers wait for a launch.
  std::condition_variable done_;       ///< The caller of run() waits for helpers.
  Launch* launch_ = nullptr;           // guarded by mutex_
  std::uint64_t generation_ = 0;       // guarded by mutex_
  unsigned busy_helpers_ = 0;          // guarded by mutex_
  bool stopping_ = false;              // guarded by mutex_
  std::vector<std::jthread> helpers_;  ///< The last member: they use the others until they end.
};

}  // namespace ws::cpu
