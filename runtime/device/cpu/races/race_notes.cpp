// RaceWatch's part for what it has found: records of both sides, with the place in memory.
#include <algorithm>
#include <utility>

#include "runtime/device/cpu/races/race_watch.h"

namespace ws::cpu {
namespace {

constexpr std::size_t kMostRecords = 64;

std::array<std::uint32_t, 3> triple(std::uint32_t linear, const std::array<std::uint32_t, 3>& dim) {
  return {linear % dim[0], linear / dim[0] % dim[1], linear / dim[0] / dim[1]};
}

}  // namespace

RacingAccess RaceWatch::side(const Event& event, bool write) const {
  return {.site = event.site,
          .write = write,
          .strong = event.strong != 0,
          .narrow = event.narrow != 0,
          .loose = event.loose != 0,
          .block = triple(event.block, grid_dim_),
          .thread = triple(event.thread, block_dim_)};
}

void RaceWatch::place(RaceRecord& record, const WatchedAccess& access) const {
  record.step = step_;
  record.bytes = access.bytes;
  record.shared = block_->shared->holds(access.address, access.bytes);
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
  RacingAccess other = side(now, access.writes());
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
    record->first = side(event_of(thread, site), /*write=*/false);
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
    return side(event_of(of, at), /*write=*/false);
  };
  record->kind = RaceKind::kMeeting;
  record->first = call(thread, site);
  record->second = call(other, other_site);
  record->step = step_;
}

}  // namespace ws::cpu
