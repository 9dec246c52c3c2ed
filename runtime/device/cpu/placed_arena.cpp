#include "runtime/device/cpu/placed_arena.h"

#include <algorithm>

#include "runtime/device/arena.h"

namespace ws::cpu {
namespace {

constexpr std::uint64_t kWholePage = Region::kPageBytes;

std::uint64_t address_of(const char* place) {
  return reinterpret_cast<std::uint64_t>(place);
}

}  // namespace

PlacedArena::PlacedArena(const RunPlan& plan, int file)
    : file_(file) {
  std::vector<RunRange> buffers = plan.buffers;
  std::ranges::sort(buffers, {}, &RunRange::low);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const std::uint64_t low = buffers[i].low;
    // With the guard before it and that behind it, in whole pages.
    const std::uint64_t first =
        (low - std::min<std::uint64_t>(low, Arena::kGuardBytes)) / kWholePage * kWholePage;
    const std::uint64_t high = (buffers[i].high + kWholePage - 1) / kWholePage * kWholePage;
    const std::uint64_t end = i + 1 < buffers.size()
                                  ? std::max(high, buffers[i + 1].low / kWholePage * kWholePage)
                                  : plan.arena_bytes;
    parts_.push_back({.offset = first, .bytes = std::min(end, plan.arena_bytes) - first});
  }
  if (parts_.empty()) {
    parts_.push_back({.offset = 0, .bytes = plan.arena_bytes});
  }
}

Status PlacedArena::place(Region& region) {
  WS_TRY(places_, region.place_file(parts_, file_));
  return {};
}

char* PlacedArena::at(std::uint64_t offset) const {
  std::size_t part = 0;
  while (part + 1 < parts_.size() && offset >= parts_[part + 1].offset + Arena::kGuardBytes) {
    ++part;
  }
  return places_[part] + (offset - parts_[part].offset);
}

std::uint64_t PlacedArena::offset_of(std::uint64_t address) const {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const std::uint64_t in_part = address - address_of(places_[i]);
    if (in_part < parts_[i].bytes) {
      return parts_[i].offset + in_part;
    }
  }
  return kNowhere;
}

std::uint64_t PlacedArena::low() const {
  return address_of(places_.front());
}

std::uint64_t PlacedArena::bytes() const {
  return address_of(places_.back()) + parts_.back().bytes - low();
}

}  // namespace ws::cpu
