#include "runtime/device/cpu/warp_ops.h"

#include <algorithm>
#include <bit>

#include "runtime/base/mix64.h"

namespace ws::cpu {
namespace {

using cpu_abi::WarpMode;

/// A lane that is not there gives a value that is mixed from the reader's own and this.
constexpr std::uint64_t kNonsense = 0x5ca1ab1e0ddba115;

template <typename Visit>
void for_each_lane(std::uint32_t group, const Visit& visit) {
  for (std::uint32_t left = group; left != 0; left &= left - 1) {
    visit(static_cast<std::size_t>(std::countr_zero(left)));
  }
}

/// One step of a reduction over 32-bit values.
std::uint32_t combine(WarpMode mode, std::uint32_t a, std::uint32_t b) {
  const auto sa = static_cast<std::int32_t>(a);
  const auto sb = static_cast<std::int32_t>(b);
  switch (mode) {
    case WarpMode::kMinU:
      return std::min(a, b);
    case WarpMode::kMaxU:
      return std::max(a, b);
    case WarpMode::kMinS:
      return static_cast<std::uint32_t>(std::min(sa, sb));
    case WarpMode::kMaxS:
      return static_cast<std::uint32_t>(std::max(sa, sb));
    case WarpMode::kAnd:
      return a & b;
    case WarpMode::kOr:
      return a | b;
    case WarpMode::kXor:
      return a ^ b;
    default:
      return a + b;
  }
}

}  // namespace

std::uint32_t WarpView::complete_group(const Fiber& fiber) const {
  std::uint32_t group = 0;
  for (std::size_t lane = 0; lane < count_; ++lane) {
    const Fiber& other = lanes_[lane];
    if ((fiber.mask >> lane & 1U) == 0 || other.state == FiberState::kDone) {
      continue;
    }
    if (other.state != FiberState::kAtWarpOp || other.mask != fiber.mask) {
      return 0;
    }
    group |= 1U << lane;
  }
  return group;
}

bool WarpView::same_mode(std::uint32_t group) const {
  const WarpMode mode = lanes_[std::countr_zero(group)].mode;
  bool same = true;
  for_each_lane(group, [&](std::size_t lane) { same = same && lanes_[lane].mode == mode; });
  return same;
}

std::uint64_t WarpView::shuffled(std::uint32_t group, std::size_t lane) const {
  const Fiber& fiber = lanes_[lane];
  const std::uint32_t width = std::bit_floor(std::clamp(fiber.width, 1U, std::uint32_t{kWarpSize}));
  const auto self = static_cast<std::uint32_t>(lane);
  const std::uint32_t base = self / width * width;
  std::uint32_t source = self;
  switch (fiber.mode) {
    case WarpMode::kShfl:
      source = base + fiber.lane % width;
      break;
    case WarpMode::kShflUp:
      source = self >= base + fiber.lane ? self - fiber.lane : self;
      break;
    case WarpMode::kShflDown:
      source = fiber.lane < width && self + fiber.lane < base + width ? self + fiber.lane : self;
      break;
    default:
      source = (self ^ fiber.lane) < base + width ? self ^ fiber.lane : self;
      break;
  }
  if (source >= count_) {
    return fiber.value;  // The block has no such thread.
  }
  return (group >> source & 1U) != 0 ? lanes_[source].value : mix64(fiber.value ^ kNonsense);
}

std::uint64_t WarpView::reduced(std::uint32_t group) const {
  const auto first = static_cast<std::size_t>(std::countr_zero(group));
  const WarpMode mode = lanes_[first].mode;
  auto total = static_cast<std::uint32_t>(lanes_[first].value);
  for_each_lane(group & (group - 1), [&](std::size_t lane) {
    total = combine(mode, total, static_cast<std::uint32_t>(lanes_[lane].value));
  });
  return total;
}

std::uint64_t WarpView::matched(std::uint32_t group, std::size_t lane) const {
  std::uint32_t equal = 0;
  for_each_lane(group, [&](std::size_t other) {
    equal |= lanes_[other].value == lanes_[lane].value ? 1U << other : 0U;
  });
  return equal;
}

std::array<std::uint64_t, kWarpSize> WarpView::results(std::uint32_t group) const {
  std::array<std::uint64_t, kWarpSize> out{};
  const WarpMode mode = lanes_[std::countr_zero(group)].mode;
  std::uint32_t votes = 0;
  for_each_lane(group,
                [&](std::size_t lane) { votes |= lanes_[lane].value != 0 ? 1U << lane : 0U; });
  for_each_lane(group, [&](std::size_t lane) {
    switch (mode) {
      case WarpMode::kSync:
        break;
      case WarpMode::kShfl:
      case WarpMode::kShflUp:
      case WarpMode::kShflDown:
      case WarpMode::kShflXor:
        out.at(lane) = shuffled(group, lane);
        break;
      case WarpMode::kAll:
        out.at(lane) = votes == group ? 1 : 0;
        break;
      case WarpMode::kAny:
        out.at(lane) = votes != 0 ? 1 : 0;
        break;
      case WarpMode::kBallot:
        out.at(lane) = votes;
        break;
      case WarpMode::kMatchAny:
        out.at(lane) = matched(group, lane);
        break;
      default:
        out.at(lane) = reduced(group);
        break;
    }
  });
  return out;
}

}  // namespace ws::cpu
