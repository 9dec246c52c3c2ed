// RaceWatch's part for what orders accesses: fences with strong accesses, and barriers of all
// kinds.
#include <algorithm>
#include <utility>

#include "runtime/device/cpu/races/race_watch.h"

namespace ws::cpu {
void RaceWatch::acquire(Thread& thread, std::uint64_t address, bool narrow) {
  if (const auto at = published_.find(address); at != published_.end() && !narrow) {
    thread.acquired = join(thread.acquired, at->second);
  }
  if (const auto at = block_->published.find(address); at != block_->published.end()) {
    thread.acquired = join(thread.acquired, at->second);
  }
}

Knowledge RaceWatch::join(const Knowledge& one, const Knowledge& other) {
  Knowledge both = joined(one, other);
  work_ += both == one || both == other ? 0 : both->blocks();
  return both;
}

void RaceWatch::publish(Published& published, const WatchedAccess& access,
                        const Knowledge& fenced) {
  if (fenced == nullptr && published.empty()) {
    return;
  }
  Knowledge& here = published[access.address];
  // An update of what others have published goes on with it.
  here = access.reads() ? join(here, fenced) : fenced;
}

void RaceWatch::publish(const Thread& thread, const WatchedAccess& access, bool narrow) {
  publish(published_, access, narrow ? nullptr : thread.fenced);
  publish(block_->published, access, thread.fenced_in_block);
}

void RaceWatch::fence(std::size_t thread, bool narrow) {
  Thread& own = block_->threads.at(thread);
  LaneClocks clocks = own.known;
  clocks.at(thread % kWarpSize) = ++own.clock;
  auto fenced = std::make_shared<KnownEvents>();
  if (own.acquired != nullptr) {
    fenced->add(*own.acquired);
  }
  fenced->add(block_->number, block_->epoch, static_cast<std::uint32_t>(thread / kWarpSize),
              clocks);
  work_ += fenced->blocks();
  own.fenced_in_block = std::move(fenced);
  if (!narrow) {
    own.fenced = own.fenced_in_block;
  }
}

void RaceWatch::barrier() {
  ++block_->epoch;
  Knowledge acquired;
  Knowledge fenced;
  Knowledge fenced_in_block;
  for (const Thread& thread : block_->threads) {
    acquired = join(acquired, thread.acquired);
    fenced = join(fenced, thread.fenced);
    fenced_in_block = join(fenced_in_block, thread.fenced_in_block);
  }
  for (Thread& thread : block_->threads) {
    thread.acquired = acquired;
    thread.fenced = fenced;
    thread.fenced_in_block = fenced_in_block;
  }
}

void RaceWatch::sync_warp(std::size_t warp, std::uint32_t lanes) {
  const std::size_t first = warp * kWarpSize;
  Thread all;
  for (std::size_t lane = 0; lane < kWarpSize && first + lane < block_->threads.size(); ++lane) {
    if ((lanes >> lane & 1U) == 0) {
      continue;
    }
    Thread& thread = block_->threads[first + lane];
    thread.known.at(lane) = ++thread.clock;
    std::ranges::transform(thread.known, all.known, all.known.begin(),
                           [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); });
    all.acquired = join(all.acquired, thread.acquired);
    all.fenced = join(all.fenced, thread.fenced);
    all.fenced_in_block = join(all.fenced_in_block, thread.fenced_in_block);
  }
  for (std::size_t lane = 0; lane < kWarpSize && first + lane < block_->threads.size(); ++lane) {
    if ((lanes >> lane & 1U) != 0) {
      all.clock = block_->threads[first + lane].clock;
      block_->threads[first + lane] = all;
    }
  }
}

void RaceWatch::grid_barrier() {
  published_.clear();
  for (AccessHistory& history : global_) {
    history.forget();
  }
}

void RaceWatch::arrive(std::uint32_t number, std::size_t thread) {
  Thread& own = block_->threads.at(thread);
  Meeting& meeting = block_->meetings.at(number);
  const auto warp = static_cast<std::uint32_t>(thread / kWarpSize);
  LaneClocks clocks = own.known;
  clocks.at(thread % kWarpSize) = ++own.clock;
  meeting.here.add(block_->number, block_->epoch, warp, clocks);
  meeting.lanes.at(warp) |= 1U << (thread % kWarpSize);
  if (own.acquired != nullptr && own.acquired != meeting.added) {
    meeting.here.add(*own.acquired);
    meeting.added = own.acquired;
  }
  work_ += meeting.here.blocks();
  meeting.arrived.fenced = join(meeting.arrived.fenced, own.fenced);
  meeting.arrived.fenced_in_block = join(meeting.arrived.fenced_in_block, own.fenced_in_block);
}

void RaceWatch::add_ended(Meeting& meeting, std::uint32_t warp) const {
  const std::size_t first = std::size_t{warp} * kWarpSize;
  LaneClocks clocks{};
  for (std::size_t lane = 0; lane < kWarpSize && first + lane < block_->threads.size(); ++lane) {
    const bool arrived = (meeting.lanes.at(warp) >> lane & 1U) != 0;
    clocks.at(lane) = block_->threads[first + lane].ended && !arrived ? Event::kNever : 0;
  }
  meeting.here.add(block_->number, block_->epoch, warp, clocks);
}

void RaceWatch::release(std::uint32_t number, bool all) {
  Meeting& meeting = block_->meetings.at(number);
  for (std::uint32_t warp = 0; warp * kWarpSize < block_->threads.size(); ++warp) {
    if (all || meeting.lanes.at(warp) != 0) {
      add_ended(meeting, warp);
    }
  }
  meeting.arrived.acquired = std::make_shared<KnownEvents>(std::move(meeting.here));
  Meeting next;
  next.over = std::move(meeting.arrived);
  meeting = std::move(next);
}

void RaceWatch::learn(std::uint32_t number, std::size_t thread) {
  Thread& own = block_->threads.at(thread);
  Meeting& meeting = block_->meetings.at(number);
  // Threads that wait together have mostly learned the same before: one copy serves them all.
  if (meeting.after == nullptr || meeting.before != own.acquired) {
    meeting.before = own.acquired;
    meeting.after = join(own.acquired, meeting.over.acquired);
  }
  own.acquired = meeting.after;
  own.fenced = join(own.fenced, meeting.over.fenced);
  own.fenced_in_block = join(own.fenced_in_block, meeting.over.fenced_in_block);
}

}  // namespace ws::cpu
