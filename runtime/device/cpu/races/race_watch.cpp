#include "runtime/device/cpu/races/race_watch.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ws::cpu {
namespace {

/// Memory for the histories: 420 MB.
constexpr std::size_t kMostPages = 16384;
constexpr std::uint64_t kWordBytes = 4;
/// A thread costs as much as so many accesses when it starts.
constexpr std::uint64_t kThreadCost = 8;

static_assert(kMaxBlockThreads == Event::kMostThreads);

/// Whether memory holds already what is written.
bool changes_nothing(const WatchedAccess& access) {
  if ((access.flags & cpu_abi::kWatchValue) == 0) {
    return false;
  }
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the address that the kernel is about to use.
  const auto* memory = reinterpret_cast<const char*>(access.address);
  return std::memcmp(memory, &access.value, access.bytes) == 0;
}

/// How much the threads of two events have in common.
int nearness(const Event& one, const Event& other) {
  return one.block != other.block ? 0 : one.thread / kWarpSize != other.thread / kWarpSize ? 1 : 2;
}

}  // namespace

RaceWatch::RaceWatch(const RunPlan& plan, const PlacedArena& arena, const char* variables,
                     std::uint64_t variables_bytes)
    : plan_(plan),
      arena_(arena) {
  global_.emplace_back(arena.low(), arena.bytes());
  global_.emplace_back(reinterpret_cast<std::uint64_t>(variables), variables_bytes);
}

void RaceWatch::start_step(std::uint32_t step) {
  step_ = step;
  published_.clear();
  for (AccessHistory& history : global_) {
    history.forget();
  }
}

void RaceWatch::start_block(const cpu_abi::Block& block, std::size_t place) {
  grid_dim_ = block.grid_dim;
  block_dim_ = block.block_dim;
  if (place >= blocks_.size()) {
    blocks_.resize(place + 1);
  }
  const auto& at = block.block_idx;
  const std::size_t threads = std::size_t{block_dim_[0]} * block_dim_[1] * block_dim_[2];
  work_ += kThreadCost * threads;
  go_on(place);
  *block_ = {};
  block_->number = (at[2] * grid_dim_[1] + at[1]) * grid_dim_[0] + at[0];
  block_->threads.resize(threads);
  block_->shared.emplace(reinterpret_cast<std::uint64_t>(block.shared), block.shared_bytes);
}

AccessHistory* RaceWatch::history_of(const WatchedAccess& access) {
  if (block_->shared->holds(access.address, access.bytes)) {
    return &*block_->shared;
  }
  const auto at = std::ranges::find_if(global_, [&](const AccessHistory& history) {
    return history.holds(access.address, access.bytes);
  });
  return at == global_.end() ? nullptr : &*at;
}

void RaceWatch::access(std::size_t thread, const WatchedAccess& access) {
  AccessHistory* const history = history_of(access);
  if (history == nullptr || tired()) {
    return;  // The thread's own memory, or a mistake that the check behind this one reports.
  }
  work_ += 1 + access.bytes / kWordBytes;
  report_.complete =
      work_ < kMostWork && history->pages() < kMostPages && access.site < Event::kMostSites;
  if (tired()) {
    return;
  }
  Thread& own = block_->threads.at(thread);
  Event now = event_of(thread, access.site);
  now.strong = access.is_strong() ? 1U : 0U;
  now.narrow = access.is_narrow() ? 1U : 0U;
  now.loose = access.is_loose() ? 1U : 0U;
  if (access.is_strong() && access.reads()) {
    acquire(own, access.address, access.is_narrow());
  }
  const bool silent = changes_nothing(access);
  history->visit(access.address, access.bytes,
                 [&](WordHistory& word) { look_at(word, access, now, silent); });
  if (access.is_strong() && access.writes()) {
    publish(own, access, access.is_narrow());
  }
}

Event RaceWatch::event_of(std::size_t thread, std::uint32_t site) const {
  return {.block = block_->number,
          .epoch = block_->epoch,
          .clock = block_->threads.at(thread).clock,
          .site = site & (Event::kMostSites - 1),
          .thread = static_cast<std::uint32_t>(thread) & (Event::kMostThreads - 1)};
}

bool RaceWatch::knows(const Event& now, const Event& before) const {
  const Thread& own = block_->threads[now.thread];
  if (before.block == now.block) {
    if (before.thread == now.thread || before.epoch < now.epoch) {
      return true;
    }
    const bool same_warp = before.thread / kWarpSize == now.thread / kWarpSize;
    if (same_warp && before.clock < own.known.at(before.thread % kWarpSize)) {
      return true;
    }
  }
  return own.acquired != nullptr && own.acquired->has(before);
}

bool RaceWatch::races(const Event& before, const Event& now) const {
  if (!before.happened()) {
    return false;
  }
  const bool apart = before.block != now.block && (before.narrow || now.narrow);
  const bool same_warp =
      before.block == now.block && before.thread / kWarpSize == now.thread / kWarpSize;
  const bool ordered_by_nobody = before.loose && now.loose && !same_warp;
  const bool both_strong = before.strong && now.strong && !apart && !ordered_by_nobody;
  return !both_strong && !knows(now, before);
}

void RaceWatch::look_at(WordHistory& word, const WatchedAccess& access, const Event& now,
                        bool silent) {
  if (access.reads() && !word.written && !is_given(access.address)) {
    note_unwritten(now, access);
  }
  const auto look_at_write = [&](const Event& write) {
    // Those who take turns by a volatile word write to it one after another.
    const bool turns = write.loose && now.loose && access.writes();
    if (!silent && !turns && races(write, now)) {
      note(write, /*before_writes=*/true, now, access);
    }
  };
  look_at_write(word.write);
  look_at_write(word.strong_write);
  if (!access.writes()) {
    // The thread that counts last may set a counter back, but does not know that a sum is complete.
    look_at_write(word.earlier_strong_write);
    remember_read(word, now);
    return;
  }
  for (const Event& read : word.reads) {
    if (!silent && races(read, now)) {
      note(read, /*before_writes=*/false, now, access);
    }
  }
  word.written = true;
  if (now.narrow) {
    word.write = now;
  } else if (now.strong) {
    // It hides nothing of what came before it without being strong.
    const Event& last = word.strong_write;
    Event& earlier = word.earlier_strong_write;
    const bool replaces =
        !earlier.happened() || knows(now, earlier) || nearness(last, now) <= nearness(earlier, now);
    if (last.happened() && !knows(now, last) && replaces) {
      earlier = last;
    }
    word.strong_write = now;
  } else {
    word = {};
    word.write = now;
    word.written = true;
  }
}

/// Keeps a read in the place of one that its thread knows of. Where there is none it takes the
/// place of the one that has most in common with it: a write that is ordered behind those that have
/// little in common is then most likely ordered behind all.
void RaceWatch::remember_read(WordHistory& word, const Event& now) const {
  Event* nearest = &word.reads.back();
  for (Event& event : word.reads) {
    if (!event.happened() || knows(now, event)) {
      event = now;
      return;
    }
    if (nearness(event, now) > nearness(*nearest, now)) {
      nearest = &event;
    }
  }
  *nearest = now;
}

bool RaceWatch::is_given(std::uint64_t address) const {
  const std::uint64_t offset = arena_.offset_of(address);
  if (block_->shared->holds(address, 1)) {
    return false;
  }
  const auto at = std::ranges::find_if(plan_.buffers, [offset](const RunRange& range) {
    return offset >= range.low && offset < range.high;
  });
  return at == plan_.buffers.end() || at->given || at->zero;
}

}  // namespace ws::cpu
