// BlockWorker's part for blocks that live at the same time: those of a cooperative launch, which
// meet at barriers of the whole grid, and those that look for what others write.
#include <algorithm>

#include <sched.h>

#include "runtime/base/mix64.h"
#include "runtime/device/cpu/block_worker.h"

namespace ws::cpu {

static_assert(sizeof(BlockRunner) <= kLiveRecordBytes);

void BlockWorker::run_live() {
  FiberStacks stacks;
  stacks.reserve(launch_.live * threads_of(*launch_.step), launch_.stack);
  live_.reserve(launch_.live);  // Runners know where their blocks are.
  bool left = start_live(stacks);
  while (left || std::ranges::any_of(live_, &LiveBlock::runs)) {
    if (turn_live()) {
      continue;
    }
    left = start_live(stacks);
    if (!left) {
      wait_for_others();
    }
  }
}

bool BlockWorker::start_live(FiberStacks& stacks) {
  auto free = std::ranges::find(live_, false, &LiveBlock::runs);
  if (free == live_.end() && live_.size() == launch_.live) {
    return false;
  }
  const std::optional<std::uint64_t> turn = claim(/*tells=*/live_.empty());
  if (!turn) {
    return false;
  }
  const auto number = static_cast<std::size_t>(free - live_.begin());
  if (free == live_.end()) {
    fill(number);
    LiveBlock made{
        .runner = std::make_unique<BlockRunner>(stacks, number * threads_of(*launch_.step)),
        .block = in_memory(space(number))};
    made.runner->use_local(local_in(space(number)));
    free = live_.insert(live_.end(), std::move(made));
  }
  const std::uint64_t index = index_of(*turn);
  place(free->block, index);
  free->runs = true;
  free->counted = profiler_ != nullptr && !profiler_->tired() && !counting_;
  counting_ = counting_ || free->counted;
  BlockRunner& runner = *free->runner;
  runner.count_into(free->counted ? profiler_ : nullptr,
                    profiler_ == nullptr ? nullptr : &profiler_->work_of());
  runner.interleave(interleaves(*turn));
  runner.hold(true);
  runner.use_order(launch_.order, mix64(launch_.order_seed ^ mix64(index)));
  runner.start_clock(launch_.clock);
  runner.start_fibers(launch_.thread, free->block, launch_.args.data(), launch_.stack);
  return true;
}

bool BlockWorker::turn_live() {
  bool moved = false;
  for (LiveBlock& live : live_) {
    const bool waits = live.barrier != 0 && !launch_.grid_barrier.has_passed(live.barrier);
    if (live.runs && !waits) {
      moved = go_on(live) || moved;
    }
  }
  return moved;
}

bool BlockWorker::go_on(LiveBlock& live) {
  live.barrier = 0;
  switch (live.runner->go_on()) {
    case Progress::kHeld:
      return false;
    case Progress::kAtGridBarrier:
      live.barrier = launch_.grid_barrier.arrive();
      break;
    case Progress::kEnded:
      live.runs = false;
      launch_.grid_barrier.end();
      if (profiler_ != nullptr) {
        profiler_->block_done(live.counted, live.runner->work());
        counting_ = counting_ && !live.counted;
      }
      break;
  }
  return true;
}

void BlockWorker::wait_for_others() {
  const LiveBlock* at_barrier = nullptr;
  bool looks = false;
  for (const LiveBlock& live : live_) {
    looks = looks || (live.runs && live.barrier == 0);
    at_barrier = at_barrier == nullptr && live.runs && live.barrier != 0 ? &live : at_barrier;
  }
  if (at_barrier == nullptr) {
    if (looks) {
      ::sched_yield();
    }
    return;
  }
  if (!looks) {
    launch_.grid_barrier.wait_for(at_barrier->barrier);
  }
  if (const std::uint64_t ended = launch_.grid_barrier.missing();
      ended != 0 && !launch_.grid_barrier.has_passed(at_barrier->barrier)) {
    at_barrier->runner->report_ended_blocks(ended);
  }
}

}  // namespace ws::cpu
