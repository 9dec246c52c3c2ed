#include "runtime/judge/poison.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "runtime/judge/layout.h"
#include "runtime/judge/random.h"

namespace ws {
namespace {

enum Style : std::uint8_t { kNan, kHuge, kLikeData, kRandomBits, kStyleCount };

struct Mask {
  std::uint64_t keep;
  std::uint64_t set;
};

struct MaskRow {
  DType type;
  std::array<Mask, kStyleCount> styles;
};

constexpr std::uint64_t kOnes = ~std::uint64_t{0};

// One element's bits: (random & keep) | set. Sign and low mantissa bits stay random everywhere.
// clang-format off
constexpr MaskRow kMasks[] = {
    //               NaN with payload                     huge: top of the exponent            like data: about 2^-7 to 2^1
    {DType::kF64,  {{{kOnes, 0x7FF8000000000000}, {0x801FFFFFFFFFFFFF, 0x7FC0000000000000}, {0x807FFFFFFFFFFFFF, 0x3F80000000000000}, {kOnes, 0}}}},
    {DType::kF32,  {{{kOnes, 0x7FC00000},         {0x81FFFFFF, 0x7C000000},                 {0x83FFFFFF, 0x3C000000},                 {kOnes, 0}}}},
    {DType::kTf32, {{{kOnes, 0x7FC00000},         {0x81FFFFFF, 0x7C000000},                 {0x83FFFFFF, 0x3C000000},                 {kOnes, 0}}}},
    {DType::kF16,  {{{kOnes, 0x7E00},             {0x87FF, 0x7000},                         {0x9FFF, 0x2000},                         {kOnes, 0}}}},
    {DType::kBf16, {{{kOnes, 0x7FC0},             {0x81FF, 0x7C00},                         {0x83FF, 0x3C00},                         {kOnes, 0}}}},
    {DType::kI64,  {{{kOnes, 0},                  {kOnes, 0x4000000000000000},               {0x3FF, 0},                               {kOnes, 0}}}},
    {DType::kU64,  {{{kOnes, 0},                  {kOnes, 0x4000000000000000},               {0x3FF, 0},                               {kOnes, 0}}}},
    {DType::kI32,  {{{kOnes, 0},                  {kOnes, 0x40000000},                       {0x3FF, 0},                               {kOnes, 0}}}},
    {DType::kU32,  {{{kOnes, 0},                  {kOnes, 0x40000000},                       {0x3FF, 0},                               {kOnes, 0}}}},
};
// clang-format on

// Types of one byte and short integers: too few bits for a disguise, so all of them are random.
constexpr Mask kPlain = {kOnes, 0};

Mask mask_of(DType type, Style style) {
  for (const MaskRow& row : kMasks) {
    if (row.type == type) {
      return row.styles[style];
    }
  }
  return kPlain;
}

std::uint64_t repeat_lane(std::uint64_t lane, std::size_t size) {
  if (size == 8) {
    return lane;
  }
  lane &= (std::uint64_t{1} << (8 * size)) - 1;
  std::uint64_t all = 0;
  for (std::size_t at = 0; at < 8; at += size) {
    all |= lane << (8 * at);
  }
  return all;
}

}  // namespace

Poison::Poison(DType type, std::uint64_t seed)
    : seed_(mix64(seed)),
      size_(size_of(type)) {
  const auto style = static_cast<Style>(seed_ % kStyleCount);
  const Mask mask = mask_of(type, style);
  keep_ = repeat_lane(mask.keep, size_);
  set_ = repeat_lane(mask.set, size_);
}

std::uint64_t Poison::word(std::uint64_t index) const {
  return (mix64(seed_ + index * 0x9E3779B97F4A7C15ULL) & keep_) | set_;
}

void Poison::fill(std::span<std::byte> bytes) const {
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    const std::uint64_t value = word(at / 8);
    std::memcpy(bytes.data() + at, &value, std::min<std::size_t>(8, bytes.size() - at));
  }
}

void Poison::store(std::byte* data, std::int64_t index) const {
  const std::size_t at = static_cast<std::size_t>(index) * size_;
  const std::uint64_t value = word(at / 8) >> (8 * (at % 8));
  std::memcpy(data + at, &value, size_);
}

bool Poison::holds(const void* data, std::int64_t index) const {
  const std::size_t at = static_cast<std::size_t>(index) * size_;
  const std::uint64_t value = word(at / 8) >> (8 * (at % 8));
  return std::memcmp(static_cast<const std::byte*>(data) + at, &value, size_) == 0;
}

std::int64_t Poison::held(const BufferSpec& spec, std::span<const std::byte> bytes) const {
  std::int64_t count = 0;
  if (!spec.contiguous()) {
    const RowView view(spec);
    for (std::int64_t element = 0; element < spec.elements; ++element) {
      count += holds(bytes.data(), view.offset_of(element)) ? 1 : 0;
    }
    return count;
  }
  // Large outputs are dense: each word of the pattern is made once.
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    const std::uint64_t want = word(at / 8);
    std::array<std::byte, 8> lanes{};
    std::memcpy(lanes.data(), &want, sizeof want);
    const std::size_t length = std::min<std::size_t>(8, bytes.size() - at);
    for (std::size_t lane = 0; lane < length; lane += size_) {
      count += std::memcmp(bytes.data() + at + lane, lanes.data() + lane, size_) == 0 ? 1 : 0;
    }
  }
  return count;
}

void Poison::fill_gaps(const BufferSpec& spec, std::span<std::byte> bytes) const {
  if (spec.contiguous()) {
    return;
  }
  const std::vector<bool> used = used_elements(spec);
  for (std::int64_t i = 0; i < spec.span; ++i) {
    if (!used[static_cast<std::size_t>(i)]) {
      store(bytes.data(), i);
    }
  }
}

std::optional<std::size_t> Poison::first_change(std::span<const std::byte> bytes) const {
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    const std::uint64_t value = word(at / 8);
    const std::size_t count = std::min<std::size_t>(8, bytes.size() - at);
    if (std::memcmp(bytes.data() + at, &value, count) == 0) {
      continue;
    }
    std::array<std::byte, 8> want{};
    std::memcpy(want.data(), &value, sizeof value);
    const auto* begin = bytes.data() + at;
    const auto differs = std::mismatch(begin, begin + count, want.begin());
    return at + static_cast<std::size_t>(differs.first - begin);
  }
  return std::nullopt;
}

std::optional<std::int64_t> Poison::first_gap_change(const BufferSpec& spec,
                                                     std::span<const std::byte> bytes) const {
  if (spec.contiguous()) {
    return std::nullopt;
  }
  const std::vector<bool> used = used_elements(spec);
  for (std::int64_t i = 0; i < spec.span; ++i) {
    if (!used[static_cast<std::size_t>(i)] && !holds(bytes.data(), i)) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace ws
