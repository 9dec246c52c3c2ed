#include "runtime/device/cpu/races/race_watch.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ws::cpu {
namespace {

/// Memory for the histories: 350 MB.
constexpr std::size_t kMostPages = 16384;
constexpr std::uint64_t kWordBytes = 4;
/// A thread costs as much as so many accesses when it starts.
constexpr std::uint64_t kThreadCost = 8;

/// Whether memory holds already what is written.
bool changes_nothing(const WatchedAccess& access) {
  if ((access.flags & cpu_abi::kWatchValue) == 0) {
    return false;
  }
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the address that the kernel is about to use.
  const auto* memory = reinterpret_cast<const char*>(access.address);
  return std::memcmp(memory, &access.value, access.bytes) == 0;
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
  report_.complete = work_ < kMostWork && history->pages() < kMostPages;
  if (tired()) {
    return;
  }
  Thread& own = block_->threads.at(thread);
  const Event now{.block = block_->number,
                  .epoch = block_->epoch,
                  .clock = own.clock,
                  .site = access.site,
                  .thread = static_cast<std::uint16_t>(thread),
                  .strong = (access.flags & cpu_abi::kWatchStrong) != 0,
                  .narrow = access.is_narrow(),
                  .loose = access.is_loose()};
  if (now.strong && access.reads()) {
    acquire(own, access.address, now.narrow);
  }
  const bool silent = changes_nothing(access);
  history->visit(access.address, access.bytes,
                 [&](WordHistory& word) { look_at(word, access, now, silent); });
  if (now.strong && access.writes()) {
    publish(own, access, now.narrow);
  }
}

bool RaceWatch::races(const Event& before, const Event& now) const {
  const bool apart = before.block != now.block && (before.narrow || now.narrow);
  const bool same_warp =
      before.block == now.block && before.thread / kWarpSize == now.thread / kWarpSize;
  const bool ordered_by_nobody = before.loose && now.loose && !same_warp;
  if (!before.happened() || (before.strong && now.strong && !apart && !ordered_by_nobody)) {
    return false;
  }
  const Thread& own = block_->threads[now.thread];
  if (before.block == block_->number) {
    if (before.thread == now.thread || before.epoch < block_->epoch ||
        (same_warp && before.clock < own.known.at(before.thread % kWarpSize))) {
      return false;
    }
  }
  return own.acquired == nullptr || !own.acquired->has(before);
}

void RaceWatch::look_at(WordHistory& word, const WatchedAccess& access, const Event& now,
                        bool silent) {
  if (access.reads() && !word.written && !is_given(access.address)) {
    note_unwritten(now, access);
  }
  for (const Event* write : {&word.write, &word.strong_write}) {
    // Those who take turns by a volatile word write to it one after another.
    const bool turns = write->loose && now.loose && access.writes();
    if (!silent && !turns && races(*write, now)) {
      note(*write, /*before_writes=*/true, now, access);
    }
  }
  if (!access.writes()) {
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
    word.strong_write = now;  // It hides nothing of what came before it without being strong.
  } else {
    word = {.write = now, .strong_write = {}, .reads = {}, .written = true};
  }
}

/// Keeps a read of another thread beside the last one, and prefers one that has less in common with
/// it: a write that is ordered behind both is then most likely ordered behind all.
void RaceWatch::remember_read(WordHistory& word, const Event& now) const {
  auto& [last, other] = word.reads;
  const bool replaces = !last.happened() ||
                        (last.block == now.block && last.thread == now.thread) ||
                        !races(last, {.block = now.block,
                                      .epoch = now.epoch,
                                      .clock = now.clock,
                                      .site = now.site,
                                      .thread = now.thread,
                                      .strong = false});
  if (replaces) {
    last = now;
    return;
  }
  const auto nearness = [](const Event& a, const Event& b) {
    return a.block != b.block ? 0 : a.thread / kWarpSize != b.thread / kWarpSize ? 1 : 2;
  };
  if (!other.happened() || !races(other, now) || nearness(last, now) < nearness(last, other)) {
    other = now;
  }
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
