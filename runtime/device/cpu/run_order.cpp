#include "runtime/device/cpu/run_order.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "runtime/base/mix64.h"
#include "runtime/base/units.h"

namespace ws::cpu {
namespace {

/// The Fisher-Yates shuffle of 0, 1, 2, ...
void shuffled(std::span<std::uint8_t> row, std::uint64_t seed) {
  std::iota(row.begin(), row.end(), std::uint8_t{0});
  for (std::size_t left = row.size(); left > 1; --left) {
    std::swap(row[left - 1], row[mix64(seed + left) % left]);
  }
}

}  // namespace

void ThreadOrder::start(RunOrder order, std::uint64_t seed, std::size_t threads) {
  if (order != RunOrder::kRandom && order == order_ && threads == count_) {
    return;
  }
  order_ = order;
  count_ = threads;
  if (order == RunOrder::kRandom) {
    shuffle(seed, threads);
    return;
  }
  for (std::size_t i = 0; i < threads; ++i) {
    const std::size_t thread = order == RunOrder::kAscending ? i : threads - 1 - i;
    threads_[i] = static_cast<std::uint16_t>(thread);
    turns_[thread] = static_cast<std::uint16_t>(i);
  }
}

void ThreadOrder::shuffle(std::uint64_t seed, std::size_t threads) {
  std::array<std::uint8_t, kMaxBlockThreads / kWarpSize> warps{};
  std::array<std::uint8_t, kWarpSize> lanes{};
  const std::size_t warp_count = (threads + kWarpSize - 1) / kWarpSize;
  shuffled(std::span(warps).first(warp_count), seed);
  shuffled(lanes, ~seed);
  std::size_t turn = 0;
  for (std::size_t w = 0; w < warp_count; ++w) {
    for (const std::uint8_t lane : lanes) {
      const std::size_t thread = std::size_t{warps.at(w)} * kWarpSize + lane;
      if (thread < threads) {
        threads_[turn] = static_cast<std::uint16_t>(thread);
        turns_[thread] = static_cast<std::uint16_t>(turn);
        ++turn;
      }
    }
  }
}

BlockOrder::BlockOrder(RunOrder order, std::uint64_t seed, std::uint64_t blocks)
    : blocks_(blocks) {
  if (order == RunOrder::kAscending || blocks < 2) {
    return;
  }
  if (order == RunOrder::kDescending) {
    step_ = blocks - 1;
    first_ = blocks - 1;
    return;
  }
  first_ = mix64(seed) % blocks;
  step_ = 1 + mix64(~seed) % (blocks - 1);
  while (std::gcd(step_, blocks) != 1) {
    step_ = step_ + 1 == blocks ? 1 : step_ + 1;
  }
}

std::uint64_t BlockOrder::block_at(std::uint64_t turn) const {
  if (step_ == 1 && first_ == 0) {
    return turn;
  }
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((Wide{turn} * step_ + first_) % blocks_);
}

}  // namespace ws::cpu
