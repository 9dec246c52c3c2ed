#include "runtime/device/cpu/warp_profiler.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "runtime/compile/gpu_latency.h"

namespace ws::cpu {
namespace {

constexpr std::uint64_t kSectorBytes = 32;
constexpr std::uint64_t kSectorsOfLine = 4;
constexpr std::uint32_t kBankBytes = 4;
/// The bytes that shared memory gives in one pass: 32 banks of 4 bytes.
constexpr std::uint32_t kPassBytes = kWarpSize * kBankBytes;
/// The widest access of one instruction; more is a copy of a block of memory.
constexpr std::uint32_t kWidestAccess = 16;
/// Makes a row of 4096 of a hash.
constexpr unsigned kUpdateShift = 52;

std::uint64_t units(std::uint64_t bytes, std::uint64_t unit) {
  return (bytes + unit - 1) / unit;
}

bool inside(std::uint64_t address, std::uint64_t low, std::uint64_t high) {
  return address >= low && address < high;
}

}  // namespace

WarpProfiler::WarpProfiler(const ProfileMap& map, std::size_t steps)
    : map_(map),
      counters_(map, steps),
      addresses_(std::size_t{kMaxBlockThreads} * ProfiledStretch::kMostAccesses),
      bytes_(addresses_.size()) {
  work_of_.reserve(map.stretches.size());
  for (const ProfiledStretch& stretch : map.stretches) {
    work_of_.push_back(1 + stretch.length() + StepCounters::kAccessWork * stretch.accesses);
    barrier_.push_back(std::any_of(
        stretch.instructions.begin(), stretch.instructions.end(),
        [](const ProfiledInstructions& row) { return row.kind == InstrClass::kBarrier; }));
  }
}

void WarpProfiler::block_done(bool counted, std::uint64_t work) {
  StepCounters& step = counters_.steps[step_];
  ++step.blocks;
  step.work += work;
  step.longest_work = std::max(step.longest_work, work);
  if (counted) {
    ++step.sampled;
    step.sampled_work += work;
    step.chain += clock_.slowest_cycles();
  }
}

void WarpProfiler::start_block(std::size_t threads, const BlockMemory& memory) {
  threads_ = threads;
  memory_ = memory;
  noted_.fill(0);
  slept_.fill(0);
  cache_.clear();
  clock_.start();
}

std::size_t WarpProfiler::slot(std::size_t warp, std::uint32_t access, std::size_t lane) const {
  return (warp * ProfiledStretch::kMostAccesses + access) * kWarpSize + lane;
}

void WarpProfiler::note(std::size_t thread, std::uint64_t address, std::uint32_t bytes) {
  std::uint32_t& count = noted_[thread];
  if (count < ProfiledStretch::kMostAccesses) {
    const std::size_t at = slot(thread / kWarpSize, count, thread % kWarpSize);
    addresses_[at] = address;
    bytes_[at] = bytes;
    ++count;
  }
}

void WarpProfiler::sleep(std::size_t thread, std::uint32_t nanoseconds) {
  slept_[thread] += std::min(nanoseconds, kMostSleepNs);
}

void WarpProfiler::enter(std::size_t warp, std::uint32_t lanes, std::uint32_t stretch) {
  stretches_[warp] = stretch;
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    noted_[warp * kWarpSize + static_cast<std::size_t>(std::countr_zero(left))] = 0;
  }
}

void WarpProfiler::leave(std::size_t warp, std::uint32_t lanes, bool divergent) {
  const std::uint32_t index = stretches_[warp];
  if (index >= map_.stretches.size()) {
    return;
  }
  const auto active = static_cast<std::uint64_t>(std::popcount(lanes));
  StretchCounters& row = counters_.stretches[index];
  ++row.warps;
  row.threads += active;
  row.present += std::min<std::uint64_t>(kWarpSize, threads_ - warp * kWarpSize);
  row.divergent += divergent ? 1 : 0;
  const ProfiledStretch& stretch = map_.stretches[index];
  events_ += active * (1 + stretch.accesses);
  slowest_load_ = 0;
  for (std::uint32_t i = 0; i < stretch.accesses; ++i) {
    gather(warp, lanes, i);
    if (request_.lanes != 0) {
      count_request(map_.accesses[stretch.first_access + i],
                    counters_.accesses[stretch.first_access + i]);
    }
  }
  std::uint64_t slept = 0;
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const std::size_t thread = warp * kWarpSize + static_cast<std::size_t>(std::countr_zero(left));
    slept = std::max(slept, std::exchange(slept_[thread], 0));
  }
  clock_.sleep(warp, static_cast<std::uint64_t>(static_cast<double>(slept) * kHopperCyclesPerNs));
  clock_.pass(warp, index, stretch, slowest_load_, barrier_[index]);
}

void WarpProfiler::gather(std::size_t warp, std::uint32_t lanes, std::uint32_t index) {
  request_.lanes = 0;
  request_.widest = 0;
  request_.total = 0;
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    const std::size_t at = slot(warp, index, lane);
    if (noted_[warp * kWarpSize + lane] <= index || bytes_[at] == 0) {
      continue;
    }
    request_.addresses[lane] = addresses_[at];
    request_.bytes[lane] = bytes_[at];
    request_.lanes |= 1U << lane;
    request_.widest = std::max(request_.widest, bytes_[at]);
    request_.total += bytes_[at];
  }
}

MemorySpace WarpProfiler::space_of(const ProfiledAccess& access) const {
  if (access.space != MemorySpace::kGeneric) {
    return access.space;
  }
  // Where the lanes' memories differ, the request counts as one of global memory, which costs most.
  std::optional<MemorySpace> all;
  for (std::uint32_t left = request_.lanes; left != 0; left &= left - 1) {
    const std::uint64_t address =
        request_.addresses[static_cast<std::size_t>(std::countr_zero(left))];
    const MemorySpace own =
        inside(address, memory_.shared_low, memory_.shared_high) ? MemorySpace::kShared
        : inside(address, memory_.local_low, memory_.local_high) ? MemorySpace::kLocal
                                                                 : MemorySpace::kGlobal;
    if (all.value_or(own) != own) {
      return MemorySpace::kGlobal;
    }
    all = own;
  }
  return all.value_or(MemorySpace::kGlobal);
}

std::uint64_t WarpProfiler::count_words() {
  std::size_t count = 0;
  for (std::uint32_t left = request_.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    units_[count++] = request_.addresses[lane] / kBankBytes;
  }
  auto* const end = units_.begin() + static_cast<std::ptrdiff_t>(count);
  std::sort(units_.begin(), end);
  return static_cast<std::uint64_t>(std::unique(units_.begin(), end) - units_.begin());
}

void WarpProfiler::count_request(const ProfiledAccess& access, AccessCounters& row) {
  const MemorySpace space = space_of(access);
  request_.kind = access.kind;
  ++row.requests[static_cast<std::size_t>(space)];
  row.bytes[static_cast<std::size_t>(space)] += request_.total;
  // The last of its lines or passes comes so much later than the first.
  std::uint64_t latency = kHopperLatency.l1;
  if (space == MemorySpace::kGlobal) {
    const AccessCounters before = row;
    count_sectors(row);
    latency = (row.l2_sectors > before.l2_sectors ? kHopperLatency.beyond : kHopperLatency.l1) +
              (row.lines - before.lines - 1);
  } else if (space == MemorySpace::kShared) {
    const std::uint64_t before = row.passes;
    count_passes(row);
    latency = kHopperLatency.shared + (row.passes - before - 1);
  } else if (space == MemorySpace::kConstant) {
    // The cache of constants gives one word at a time. That is no conflict of banks.
    const std::uint64_t more = count_words() - 1;
    row.passes += more;
    row.ideal_passes += more;
    latency += more;
  }
  if (access.kind != AccessKind::kStore) {
    // A thread that copies a block of memory does so word by word.
    const std::uint64_t words =
        request_.widest > kWidestAccess ? units(request_.widest, kBankBytes) : 1;
    slowest_load_ = std::max(slowest_load_, static_cast<std::uint32_t>(latency * words));
  }
}

void WarpProfiler::count_sectors(AccessCounters& row) {
  row.ideal_sectors += units(request_.total, kSectorBytes);
  if (request_.widest > kWidestAccess) {
    const std::uint64_t sectors = units(request_.total, kSectorBytes);
    row.sectors += sectors;
    row.l2_sectors += sectors;
    row.lines += units(request_.widest, kBankBytes) *
                 static_cast<std::uint64_t>(std::popcount(request_.lanes));
    return;
  }
  const std::uint64_t count = find_sectors();
  row.sectors += count;
  std::uint64_t line = ~std::uint64_t{0};
  for (std::uint64_t i = 0; i < count; ++i) {
    row.lines += units_[i] / kSectorsOfLine == line ? 0U : 1U;
    line = units_[i] / kSectorsOfLine;
    const bool loaded = request_.kind == AccessKind::kLoad;
    row.l2_sectors += loaded && cache_.has(units_[i]) ? 0U : 1U;
    if (!loaded) {
      cache_.drop(units_[i]);
    }
  }
  if (request_.kind == AccessKind::kAtomic) {
    count_updates();
  }
}

/// The sectors of the request in order, each once, into units_. @returns How many.
std::uint64_t WarpProfiler::find_sectors() {
  std::size_t count = 0;
  for (std::uint32_t left = request_.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    const std::uint64_t first = request_.addresses[lane] / kSectorBytes;
    const std::uint64_t last = (request_.addresses[lane] + request_.bytes[lane] - 1) / kSectorBytes;
    units_[count++] = first;
    if (last != first) {
      units_[count++] = last;
    }
  }
  std::sort(units_.begin(), units_.begin() + static_cast<std::ptrdiff_t>(count));
  const auto* const end =
      std::unique(units_.begin(), units_.begin() + static_cast<std::ptrdiff_t>(count));
  return static_cast<std::uint64_t>(end - units_.begin());
}

void WarpProfiler::count_updates() {
  StepCounters& step = counters_.steps[step_];
  for (std::uint32_t left = request_.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    const std::uint64_t sector = request_.addresses[lane] / kSectorBytes;
    std::uint64_t& updates = updates_[sector * 0x9e3779b97f4a7c15ULL >> kUpdateShift];
    step.hottest = std::max(step.hottest, ++updates);
  }
}

void WarpProfiler::count_passes(AccessCounters& row) {
  if (request_.widest > kWidestAccess) {
    row.passes += units(request_.total, kPassBytes);
    row.ideal_passes += units(request_.total, kPassBytes);
    return;
  }
  // Wide accesses are served a half or a quarter of the warp at a time.
  const std::uint32_t words =
      std::bit_ceil(static_cast<std::uint32_t>(units(request_.widest, kBankBytes)));
  const std::uint32_t lanes = kWarpSize / words;
  for (std::uint32_t first = 0; first < kWarpSize; first += lanes) {
    const std::uint32_t passes = phase_passes(first, lanes);
    row.passes += passes;
    row.ideal_passes += passes == 0 ? 0 : 1;
  }
}

std::uint32_t WarpProfiler::phase_passes(std::uint32_t first_lane, std::uint32_t lanes) {
  std::size_t count = 0;
  for (std::uint32_t lane = first_lane; lane < first_lane + lanes; ++lane) {
    if ((request_.lanes >> lane & 1U) == 0) {
      continue;
    }
    const std::uint64_t end = request_.addresses[lane] + request_.bytes[lane];
    for (std::uint64_t at = request_.addresses[lane] / kBankBytes;
         at * kBankBytes < end && count < units_.size(); ++at) {
      units_[count++] = at;
    }
  }
  auto* end = units_.begin() + static_cast<std::ptrdiff_t>(count);
  // Threads that read one word share it; atomic updates of one word go one after another.
  if (request_.kind != AccessKind::kAtomic) {
    std::sort(units_.begin(), end);
    end = std::unique(units_.begin(), end);
  }
  banks_.fill(0);
  std::uint32_t most = 0;
  for (const auto* at = units_.begin(); at != end; ++at) {
    most = std::max(most, ++banks_[*at % kWarpSize]);
  }
  return most;
}

}  // namespace ws::cpu
