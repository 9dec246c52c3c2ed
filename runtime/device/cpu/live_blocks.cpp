// BlockWorker's part for blocks that live at the same time: those of a cooperative launch, which
// meet at barriers of the whole grid, and those that look for what others write.
#include <algorithm>

#include <sched.h>

#include "runtime/base/mix64.h"
#include "runtime/device/cpu/block_worker.h"
#include "runtime/device/cpu/live_turns.h"
#include "runtime/device/cpu/races/race_watch.h"

namespace ws::cpu {

static_assert(sizeof(BlockRunner) <= kLiveRecordBytes);

void BlockWorker::run_live() {
  FiberStacks stacks;
  stacks.reserve(launch_.live * threads_of(*launch_.step), launch_.stack);
  live_.resize(launch_.live);
  LiveTurns turns(launch_.live);
  for (;;) {
    if (watch_ != nullptr && watch_->tired()) {
      return;
    }
    if (turns.any_waits() && launch_.grid_barrier.has_passed(barrier_)) {
      turns.pass();
    }
    const bool moved = turns.turn([this](std::size_t place) { return go_on(place); });
    if (moved || begin_live(stacks, turns)) {
      continue;
    }
    if (!turns.any_lives()) {
      return;
    }
    wait_for_others(turns);
  }
}

bool BlockWorker::begin_live(FiberStacks& stacks, LiveTurns& turns) {
  const std::size_t wanted = turns.wanted();
  std::size_t begun = 0;
  while (begun < wanted) {
    const std::optional<std::size_t> place = turns.free_place();
    const bool first = !turns.any_lives();
    const std::optional<std::uint64_t> turn = place ? claim(/*tells=*/first) : std::nullopt;
    if (!turn) {
      break;
    }
    begin_live(*place, *turn, stacks);
    turns.begin();
    ++begun;
  }
  return begun != 0;
}

void BlockWorker::begin_live(std::size_t number, std::uint64_t turn, FiberStacks& stacks) {
  LiveBlock& live = live_[number];
  if (live.runner == nullptr) {
    fill(number);
    live.runner = std::make_unique<BlockRunner>(stacks, number * threads_of(*launch_.step));
    live.block = in_memory(space(number));
    live.runner->use_local(local_in(space(number)));
    live.runner->tell(watch_);
  }
  const std::uint64_t index = index_of(turn);
  place(live.block, index);
  live.counted = profiler_ != nullptr && !profiler_->tired() && !counting_;
  counting_ = counting_ || live.counted;
  if (watch_ != nullptr) {
    watch_->start_block(live.block, number);
  }
  BlockRunner& runner = *live.runner;
  runner.count_into(live.counted ? profiler_ : nullptr,
                    profiler_ == nullptr ? nullptr : &profiler_->work_of());
  runner.interleave(interleaves(turn));
  runner.hold(true);
  runner.use_order(launch_.order, mix64(launch_.order_seed ^ mix64(index)));
  runner.start_clock(launch_.clock);
  runner.start_fibers(launch_.thread, live.block, launch_.args.data(), launch_.stack);
}

Progress BlockWorker::go_on(std::size_t place) {
  LiveBlock& live = live_[place];
  if (watch_ != nullptr) {
    watch_->go_on(place);
  }
  const Progress progress = live.runner->go_on();
  if (progress == Progress::kAtGridBarrier) {
    barrier_ = launch_.grid_barrier.arrive();
    if (watch_ != nullptr && launch_.grid_barrier.has_passed(barrier_)) {
      watch_->grid_barrier();
    }
  } else if (progress == Progress::kEnded) {
    launch_.grid_barrier.end();
    if (profiler_ != nullptr) {
      profiler_->block_done(live.counted, live.runner->work());
      counting_ = counting_ && !live.counted;
    }
  }
  return progress;
}

void BlockWorker::wait_for_others(const LiveTurns& turns) {
  if (!turns.any_waits()) {
    ::sched_yield();
    return;
  }
  if (!turns.any_looks()) {
    launch_.grid_barrier.wait_for(barrier_);
  }
  if (const std::uint64_t ended = launch_.grid_barrier.missing();
      ended != 0 && !launch_.grid_barrier.has_passed(barrier_)) {
    live_[turns.waiting()].runner->report_ended_blocks(ended);
  }
}

}  // namespace ws::cpu
