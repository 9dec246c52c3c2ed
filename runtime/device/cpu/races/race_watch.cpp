#include "runtime/device/cpu/races/race_watch.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ws::cpu {
namespace {

constexpr std::size_t kMostRecords = 64;
/// Memory for the histories: 350 MB.
constexpr std::size_t kMostPages = 16384;
constexpr std::uint64_t kWordBytes = 4;
/// A thread costs as much as so many accesses when it starts.
constexpr std::uint64_t kThreadCost = 8;

std::array<std::uint32_t, 3> triple(std::uint32_t linear, const std::array<std::uint32_t, 3>& dim) {
  return {linear % dim[0], linear / dim[0] % dim[1], linear / dim[0] / dim[1]};
}

bool writes(const WatchedAccess& access) {
  return (access.flags & cpu_abi::kWatchWrite) != 0;
}

bool is_narrow(const WatchedAccess& access) {
  return (access.flags & cpu_abi::kWatchBlock) != 0;
}

bool reads(const WatchedAccess& access) {
  return (access.flags & cpu_abi::kWatchRead) != 0;
}

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

void RaceWatch::start_block(const cpu_abi::Block& block) {
  grid_dim_ = block.grid_dim;
  block_dim_ = block.block_dim;
  const auto& at = block.block_idx;
  block_ = (at[2] * grid_dim_[1] + at[1]) * grid_dim_[0] + at[0];
  epoch_ = 0;
  work_ += kThreadCost * block_dim_[0] * block_dim_[1] * block_dim_[2];
  threads_.assign(std::size_t{block_dim_[0]} * block_dim_[1] * block_dim_[2], {});
  published_in_block_.clear();
  shared_.emplace(reinterpret_cast<std::uint64_t>(block.shared), block.shared_bytes);
}

AccessHistory* RaceWatch::history_of(const WatchedAccess& access) {
  if (shared_->holds(access.address, access.bytes)) {
    return &*shared_;
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
  Thread& own = threads_.at(thread);
  const Event now{.block = block_,
                  .epoch = epoch_,
                  .clock = own.clock,
                  .site = access.site,
                  .thread = static_cast<std::uint16_t>(thread),
                  .strong = (access.flags & cpu_abi::kWatchStrong) != 0,
                  .narrow = is_narrow(access)};
  if (now.strong && reads(access)) {
    acquire(own, access.address, now.narrow);
  }
  const bool silent = changes_nothing(access);
  history->visit(access.address, access.bytes,
                 [&](WordHistory& word) { look_at(word, access, now, silent); });
  if (now.strong && writes(access)) {
    publish(own, access, now.narrow);
  }
}

bool RaceWatch::races(const Event& before, const Event& now) const {
  const bool apart = before.block != now.block && (before.narrow || now.narrow);
  if (!before.happened() || (before.strong && now.strong && !apart)) {
    return false;
  }
  const Thread& own = threads_[now.thread];
  if (before.block == block_) {
    const bool same_warp = before.thread / kWarpSize == now.thread / kWarpSize;
    if (before.thread == now.thread || before.epoch < epoch_ ||
        (same_warp && before.clock < own.known.at(before.thread % kWarpSize))) {
      return false;
    }
  }
  return own.acquired == nullptr || !own.acquired->has(before);
}

void RaceWatch::look_at(WordHistory& word, const WatchedAccess& access, const Event& now,
                        bool silent) {
  if (reads(access) && !word.written && !is_given(access.address)) {
    note_unwritten(now, access);
  }
  for (const Event* write : {&word.write, &word.strong_write}) {
    if (!silent && races(*write, now)) {
      note(*write, /*before_writes=*/true, now, access);
    }
  }
  if (!writes(access)) {
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
                                      .strong = false,
                                      .narrow = false});
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

void RaceWatch::acquire(Thread& thread, std::uint64_t address, bool narrow) {
  if (const auto at = published_.find(address); at != published_.end() && !narrow) {
    thread.acquired = join(thread.acquired, at->second);
  }
  if (const auto at = published_in_block_.find(address); at != published_in_block_.end()) {
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
  here = reads(access) ? join(here, fenced) : fenced;
}

void RaceWatch::publish(const Thread& thread, const WatchedAccess& access, bool narrow) {
  publish(published_, access, narrow ? nullptr : thread.fenced);
  publish(published_in_block_, access, thread.fenced_in_block);
}

void RaceWatch::fence(std::size_t thread, bool narrow) {
  Thread& own = threads_.at(thread);
  LaneClocks clocks = own.known;
  clocks.at(thread % kWarpSize) = ++own.clock;
  auto fenced = std::make_shared<KnownEvents>();
  if (own.acquired != nullptr) {
    fenced->add(*own.acquired);
  }
  fenced->add(block_, epoch_, static_cast<std::uint32_t>(thread / kWarpSize), clocks);
  work_ += fenced->blocks();
  own.fenced_in_block = std::move(fenced);
  if (!narrow) {
    own.fenced = own.fenced_in_block;
  }
}

void RaceWatch::barrier() {
  ++epoch_;
  Knowledge acquired;
  Knowledge fenced;
  Knowledge fenced_in_block;
  for (const Thread& thread : threads_) {
    acquired = join(acquired, thread.acquired);
    fenced = join(fenced, thread.fenced);
    fenced_in_block = join(fenced_in_block, thread.fenced_in_block);
  }
  for (Thread& thread : threads_) {
    thread.acquired = acquired;
    thread.fenced = fenced;
    thread.fenced_in_block = fenced_in_block;
  }
}

void RaceWatch::sync_warp(std::size_t warp, std::uint32_t lanes) {
  const std::size_t first = warp * kWarpSize;
  Thread all;
  for (std::size_t lane = 0; lane < kWarpSize && first + lane < threads_.size(); ++lane) {
    if ((lanes >> lane & 1U) == 0) {
      continue;
    }
    Thread& thread = threads_[first + lane];
    thread.known.at(lane) = ++thread.clock;
    std::ranges::transform(thread.known, all.known, all.known.begin(),
                           [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); });
    all.acquired = join(all.acquired, thread.acquired);
    all.fenced = join(all.fenced, thread.fenced);
    all.fenced_in_block = join(all.fenced_in_block, thread.fenced_in_block);
  }
  for (std::size_t lane = 0; lane < kWarpSize && first + lane < threads_.size(); ++lane) {
    if ((lanes >> lane & 1U) != 0) {
      all.clock = threads_[first + lane].clock;
      threads_[first + lane] = all;
    }
  }
}

bool RaceWatch::is_given(std::uint64_t address) const {
  const std::uint64_t offset = arena_.offset_of(address);
  if (shared_->holds(address, 1)) {
    return false;
  }
  const auto at = std::ranges::find_if(plan_.buffers, [offset](const RunRange& range) {
    return offset >= range.low && offset < range.high;
  });
  return at == plan_.buffers.end() || at->given || at->zero;
}

RacingAccess RaceWatch::side(const Event& event, bool write) const {
  return {.site = event.site,
          .write = write,
          .strong = event.strong,
          .narrow = event.narrow,
          .block = triple(event.block, grid_dim_),
          .thread = triple(event.thread, block_dim_)};
}

void RaceWatch::place(RaceRecord& record, const WatchedAccess& access) const {
  record.step = step_;
  record.bytes = access.bytes;
  record.shared = shared_->holds(access.address, access.bytes);
  const std::uint64_t offset = arena_.offset_of(access.address);
  for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
    const RunRange& range = plan_.buffers[i];
    if (!record.shared && offset >= range.low && offset < range.high) {
      record.buffer = static_cast<std::int64_t>(i);
      record.offset = offset - range.low;
      return;
    }
  }
  if (access.base != 0 && access.address >= access.base) {
    record.object = access.object;
    record.offset = access.address - access.base;
  }
}

RaceRecord* RaceWatch::record_of(const Pair& pair) {
  const auto [at, is_new] = known_.try_emplace(pair, report_.records.size());
  if (is_new && report_.records.size() < kMostRecords) {
    report_.records.emplace_back();
  }
  if (at->second >= report_.records.size()) {
    return nullptr;
  }
  RaceRecord& record = report_.records[at->second];
  ++record.count;
  return &record;
}

void RaceWatch::note(const Event& before, bool before_writes, const Event& now,
                     const WatchedAccess& access) {
  RacingAccess one = side(before, before_writes);
  RacingAccess other = side(now, writes(access));
  const auto rank = [](const RacingAccess& each) { return std::pair(!each.write, each.site); };
  if (rank(other) < rank(one)) {
    std::swap(one, other);
  }
  RaceRecord* const record = record_of({one.site, other.site, other.write});
  const RaceScope scope = before.block != now.block                             ? RaceScope::kGrid
                          : before.thread / kWarpSize != now.thread / kWarpSize ? RaceScope::kBlock
                                                                                : RaceScope::kWarp;
  if (record != nullptr && (record->count == 1 || record->scope < scope)) {
    record->first = one;
    record->second = other;
    record->scope = scope;
    place(*record, access);
  }
}

void RaceWatch::note_unwritten(const Event& now, const WatchedAccess& access) {
  RaceRecord* const record = record_of({now.site, Event::kNever, false});
  if (record != nullptr && record->count == 1) {
    record->kind = RaceKind::kUnwritten;
    record->first = side(now, /*write=*/false);
    record->second = record->first;
    place(*record, access);
  }
}

void RaceWatch::note_mask(std::size_t thread, std::uint32_t site) {
  RaceRecord* const record = record_of({site, Event::kNever, true});
  if (record != nullptr && record->count == 1) {
    record->kind = RaceKind::kMask;
    record->first =
        side({.block = block_, .site = site, .thread = static_cast<std::uint16_t>(thread)},
             /*write=*/false);
    record->second = record->first;
    record->step = step_;
  }
}

void RaceWatch::note_meeting(std::size_t thread, std::uint32_t site, std::size_t other,
                             std::uint32_t other_site) {
  RaceRecord* const record =
      record_of({std::min(site, other_site), std::max(site, other_site), true});
  if (record == nullptr || record->count != 1) {
    return;
  }
  const auto call = [&](std::size_t of, std::uint32_t at) {
    return side({.block = block_, .site = at, .thread = static_cast<std::uint16_t>(of)},
                /*write=*/false);
  };
  record->kind = RaceKind::kMeeting;
  record->first = call(thread, site);
  record->second = call(other, other_site);
  record->step = step_;
}

}  // namespace ws::cpu
