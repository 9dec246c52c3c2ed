// Runs the threads of one block: as a plain loop when the kernel has no barriers, else as fibers on
// one OS thread. Barriers and warp operations switch fibers; what CUDA leaves undefined (threads of
// a block at different barriers, everybody waiting) is found here and reported.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/device/cpu/abi.h"
#include "runtime/device/cpu/block_barrier.h"
#include "runtime/device/cpu/fiber.h"
#include "runtime/device/cpu/fiber_stacks.h"
#include "runtime/device/cpu/named_barrier.h"
#include "runtime/device/cpu/run_order.h"
#include "runtime/device/cpu/turn_set.h"
#include "runtime/device/cpu/warp_profiler.h"
#include "runtime/device/run_reply.h"

namespace ws::cpu {

class PhaseRunner;
class RaceWatch;
struct PhaseFunctions;
struct WatchedAccess;

/// Ticks from one look at a kernel's clock to the next.
inline constexpr std::uint64_t kClockStep = 64;

/// Why a block on fibers does not go on for now.
enum class Progress : std::uint8_t {
  kEnded,
  kHeld,           ///< Its threads have yielded, or wait for what others write.
  kAtGridBarrier,  ///< They wait for all threads of the grid.
};

/// One per OS thread, and others for blocks that live while that one's block does.
class BlockRunner {
 public:
  BlockRunner();
  /// Its fibers have the stacks from `first_stack` on, which are reserved already.
  BlockRunner(FiberStacks& stacks, std::size_t first_stack);
  ~BlockRunner();
  BlockRunner(const BlockRunner&) = delete;
  BlockRunner& operator=(const BlockRunner&) = delete;

  /// Begins block.block_idx, which go_on() runs. Stays in use until it has ended.
  void start_fibers(cpu_abi::ThreadFn thread, cpu_abi::Block& block, void** args,
                    const StackNeed& stack);
  /// Runs the block's threads until they cannot, or need not, go on: after kAtGridBarrier, call it
  /// when all blocks are there. Does not return when the kernel goes wrong.
  Progress go_on();
  /// Runs all threads of block.block_idx. Does not return when the kernel goes wrong.
  void run_loop(cpu_abi::BlockFn function, cpu_abi::Block& block, void** args);
  /// The same for a kernel that is cut into phases.
  void run_phases(const PhaseFunctions& kernel, cpu_abi::Block& block, void** args);
  /// As run_loop(), thread by thread in the order in use.
  void run_turns(cpu_abi::ThreadFn thread, cpu_abi::Block& block, void** args);

  /// The next block's threads take their turns in this order. @param seed  Decides a random one.
  /// Profile builds know the ascending order only.
  void use_order(RunOrder order, std::uint64_t seed) {
    order_kind_ = order;
    order_seed_ = seed;
  }

  /// Whether the next block's threads go on by turns at the places where they yield.
  void interleave(bool on) { interleaves_ = on; }

  [[nodiscard]] bool interleaves() const { return interleaves_; }

  /// Whether go_on() returns kHeld: all threads have yielded, or wait for those that have.
  void hold(bool on) { holds_ = on; }

  /// The blocks of this runner run while `held` holds one, and let it go on from time to time: they
  /// may wait for it.
  void run_beside(BlockRunner& held) { held_ = &held; }

  /// The block of the last start_fibers() has ended.
  [[nodiscard]] bool ended() const { return live_ == 0; }

  /// Which thread looked last for what others write, and from where.
  struct Look {
    const void* from = nullptr;  ///< In the kernel's code; null: unknown.
    std::array<std::uint32_t, 3> thread = {0, 0, 0};
  };

  [[nodiscard]] const Look& last_look() const { return last_look_; }

  /// The OS thread runs this runner's block from now on.
  void take_over();

  /// The block waits for the whole grid, and so many of its blocks have ended.
  [[noreturn]] void report_ended_blocks(std::uint64_t ended) const;

  /// From now on threads have this local memory.
  void use_local(const LocalMemory& local) { local_ = local; }

  /// From now on blocks are counted into `profiler`, which outlives them; null: they are not. Only
  /// profile builds tell what there is to count, and those run as fibers.
  /// @param work  By stretch: what each thread adds to work() with it; null: nothing.
  void count_into(WarpProfiler* profiler, const std::vector<std::uint32_t>* work) {
    profiler_ = profiler;
    work_of_ = work;
    work_ = 0;
  }

  /// The work of the threads since count_into(), whether they were counted or not.
  [[nodiscard]] std::uint64_t work() const { return work_; }

  /// The same for a watched build: from now on `watch` is told of accesses and barriers.
  void tell(RaceWatch* watch) { watch_ = watch; }

  /// The next block's clock begins here.
  void start_clock(std::uint64_t ticks) { clock_ = ticks; }

  // The kernel's side, called on a fiber's stack.
  /// A clock that knows no time: each look at it finds it a little later.
  std::uint64_t read_clock() { return clock_ += kClockStep; }

  std::uint32_t barrier(cpu_abi::BarrierMode mode, bool predicate, std::uint32_t site);
  void grid_barrier(std::uint32_t site);
  /// Counts the thread at one of the block's barriers with a number. @param wanted  The threads
  /// that it waits for; 0: all that have not ended. @param flags  cpu_abi::kBarrier...
  /// @return The barrier's phase, for wait_at().
  std::uint32_t arrive_at(std::uint32_t number, std::uint32_t wanted, std::uint32_t flags,
                          std::uint32_t site);
  /// Waits until all have arrived in that phase. @return So many predicates were true.
  std::uint32_t wait_at(std::uint32_t number, std::uint32_t phase, std::uint32_t site);
  std::uint64_t warp_op(cpu_abi::WarpMode mode, std::uint32_t mask, std::uint64_t value,
                        std::uint32_t lane, std::uint32_t width, std::uint32_t site);
  /// The lanes of the thread's warp that come to this place before none of its lanes can go on
  /// elsewhere: those that ended, or wait at other places or for a word of memory, are not among
  /// them.
  std::uint32_t active_mask(std::uint32_t site);
  /// Lets the other threads go first that can, until they yield or wait.
  void yield();
  /// A thread that waits for a word of memory has not found what it waits for: the others go on, in
  /// every order.
  /// @param from  The place in the kernel; null: unknown.
  void look_again(const void* from);
  /// The same, and a profile build counts the time.
  void sleep(std::uint32_t nanoseconds);
  void enter_stretch(std::uint32_t stretch);
  void note_access(std::uint64_t address, std::uint32_t bytes);
  void watch(const WatchedAccess& access);
  /// @param flags  kWatchBlock, or none.
  void watch_fence(std::uint32_t flags);
  /// Local memory for one call of a function, given back in reverse order; null: there is no more.
  void* take_local(std::uint64_t bytes);
  void give_local(std::uint64_t bytes);
  /// True when [address, address + bytes) lies in the running thread's local memory.
  [[nodiscard]] bool in_own_local(std::uint64_t address, std::uint64_t bytes) const;
  [[noreturn]] void fiber_main(std::size_t index);

  [[nodiscard]] const cpu_abi::Block* block() const { return block_; }

  /// The running fiber; null in run_loop().
  [[nodiscard]] const Fiber* running() const {
    return fibers_running_ ? &fibers_[current_] : nullptr;
  }

 private:
  void prepare_fiber(std::size_t index);
  void switch_to_next();
  void set_ready(std::size_t index);
  void release_barrier_if_complete();
  void resolve_warp(std::size_t warp);
  void look_at_calls(std::size_t warp, std::uint32_t group);
  void resolve_meetings(std::size_t warp);
  [[nodiscard]] bool can_go_on(std::size_t index) const;
  void advance_warp(std::size_t warp);
  [[nodiscard]] std::uint32_t next_group(std::size_t warp);

  std::uint64_t& local_used() {
    return fibers_running_ ? fibers_[current_].local_used : loop_local_used_;
  }

  [[nodiscard]] char* own_local() const {
    return local_.base + (fibers_running_ || phases_running_ ? current_ * local_.stride : 0);
  }

  /// The held block goes on until it is held again or ends.
  void resume_held();
  void leave();
  void check_barrier(std::uint32_t number, std::uint32_t wanted, std::uint32_t flags,
                     std::uint32_t site) const;
  [[nodiscard]] std::uint32_t lanes_gone(std::size_t warp) const;
  void release_named(std::uint32_t number);
  void let_named_go(std::uint32_t number);
  [[nodiscard]] bool is_joined() const;
  void meet_at_zero();
  /// The thread has ended: nobody waits for it any more.
  void leave_barriers(std::size_t thread);
  [[noreturn]] void report_waiting(RunStatus status) const;
  [[noreturn]] void report_grid_divergence(std::uint32_t ended, std::uint64_t count) const;

  std::vector<Fiber> fibers_;
  RunOrder order_kind_ = RunOrder::kAscending;
  std::uint64_t order_seed_ = 0;
  std::uint64_t clock_ = 0;
  ThreadOrder order_;
  TurnSet ready_;
  TurnSet yielded_;  ///< Those that go on when nobody else can.
  BlockBarrier barrier_;
  bool at_grid_barrier_ = false;  ///< All threads that have not ended are.
  std::array<NamedBarrier, cpu_abi::kNamedBarriers> named_;
  bool uses_named_ = false;  ///< The block has come to one of them.
  std::unique_ptr<FiberStacks> own_stacks_;
  FiberStacks& stacks_;
  std::size_t first_stack_ = 0;
  std::size_t current_ = 0;
  std::size_t live_ = 0;
  std::size_t at_warp_op_ = 0;  ///< Fibers that wait in a warp operation.
  std::size_t at_meeting_ = 0;  ///< Fibers that ask which lanes are here.
  std::uint64_t looks_ = 0;     ///< Calls of look_again() so far.
  bool fibers_running_ = false;
  bool phases_running_ = false;
  std::unique_ptr<PhaseRunner> phase_runner_;  ///< Once it was needed.
  bool interleaves_ = false;
  bool holds_ = false;
  Progress progress_ = Progress::kEnded;
  BlockRunner* held_ = nullptr;  ///< Its block waits while this one's run; null: none does.
  std::uint64_t yields_beside_ = 0;
  Look last_look_;
  void* scheduler_stack_ = nullptr;
  cpu_abi::Block* block_ = nullptr;
  cpu_abi::ThreadFn thread_ = nullptr;
  void** args_ = nullptr;
  WarpProfiler* profiler_ = nullptr;
  const std::vector<std::uint32_t>* work_of_ = nullptr;
  std::uint64_t work_ = 0;
  RaceWatch* watch_ = nullptr;
  LocalMemory local_;
  std::uint64_t loop_local_used_ = 0;  ///< As Fiber::local_used, in run_loop().
  std::array<std::uint32_t, kMaxBlockThreads / kWarpSize> groups_{};  ///< Lanes that went last.
};

/// The calling thread's runner, null outside a launch.
BlockRunner* current_runner();

/// Fills block and thread of the kernel thread that runs on the calling OS thread.
void describe_running_thread(RunReply& reply);

}  // namespace ws::cpu
