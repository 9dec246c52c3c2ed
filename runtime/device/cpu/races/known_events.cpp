#include "runtime/device/cpu/races/known_events.h"

#include <algorithm>

namespace ws::cpu {

KnownEvents::Block& KnownEvents::block_of(std::uint32_t number) {
  const auto at = std::ranges::lower_bound(blocks_, number, {}, &Block::number);
  if (at != blocks_.end() && at->number == number) {
    return *at;
  }
  return *blocks_.insert(at, {.number = number, .epoch = 0, .warps = {}});
}

void KnownEvents::add(Block& block, std::uint32_t warp, const LaneClocks& clocks) {
  const auto at = std::ranges::find(block.warps, warp, &Warp::number);
  if (at == block.warps.end()) {
    block.warps.push_back({warp, clocks});
    return;
  }
  std::ranges::transform(at->clocks, clocks, at->clocks.begin(),
                         [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); });
}

void KnownEvents::add(std::uint32_t block, std::uint32_t epoch, std::uint32_t warp,
                      const LaneClocks& clocks) {
  Block& own = block_of(block);
  own.epoch = std::max(own.epoch, epoch);
  add(own, warp, clocks);
}

void KnownEvents::add(const KnownEvents& other) {
  for (const Block& block : other.blocks_) {
    Block& own = block_of(block.number);
    own.epoch = std::max(own.epoch, block.epoch);
    for (const Warp& warp : block.warps) {
      add(own, warp.number, warp.clocks);
    }
  }
}

bool KnownEvents::has(const Event& event) const {
  const auto block = std::ranges::lower_bound(blocks_, event.block, {}, &Block::number);
  if (block == blocks_.end() || block->number != event.block) {
    return false;
  }
  if (event.epoch < block->epoch) {
    return true;
  }
  const auto warp = std::ranges::find(block->warps, event.thread / kWarpSize, &Warp::number);
  return warp != block->warps.end() && event.clock < warp->clocks.at(event.thread % kWarpSize);
}

Knowledge joined(const Knowledge& one, const Knowledge& other) {
  if (one == other || other == nullptr) {
    return one;
  }
  if (one == nullptr) {
    return other;
  }
  auto both = std::make_shared<KnownEvents>(*one);
  both->add(*other);
  return both;
}

}  // namespace ws::cpu
