#include "runtime/judge/poison.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "runtime/base/parallel.h"
#include "runtime/judge/layout.h"

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

/// A few of the cipher's calls for a large buffer, and on the stack.
constexpr std::size_t kPieceBytes = 8192;
/// Pieces that one core makes at a time: some hundred microseconds.
constexpr std::size_t kPartBytes = 64 * kPieceBytes;

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
    : key_(derive_key(seed, "poison")),
      size_(size_of(type)) {
  const auto style = static_cast<Style>(derive_seed(seed, "style of poison") % kStyleCount);
  const Mask mask = mask_of(type, style);
  keep_ = repeat_lane(mask.keep, size_);
  set_ = repeat_lane(mask.set, size_);
}

Poison Poison::random_bits(DType type, std::uint64_t seed) {
  Poison poison(type, seed);
  poison.keep_ = kOnes;
  poison.set_ = 0;
  return poison;
}

Poison Poison::zeros(DType type) {
  Poison poison(type, 0);
  poison.keep_ = 0;
  poison.set_ = 0;
  return poison;
}

void Poison::disguise(std::span<std::byte> random) const {
  for (std::size_t at = 0; at < random.size(); at += sizeof keep_) {
    const std::size_t count = std::min(sizeof keep_, random.size() - at);
    std::uint64_t value = 0;
    std::memcpy(&value, random.data() + at, count);
    value = (value & keep_) | set_;
    std::memcpy(random.data() + at, &value, count);
  }
}

void Poison::for_each_piece(Range bytes, const UsePiece& use) const {
  std::array<std::byte, kPieceBytes> piece{};
  KeyedStream stream(key_);
  for (std::size_t at = bytes.begin; at < bytes.end; at += piece.size()) {
    const std::span<std::byte> pattern(piece.data(), std::min(piece.size(), bytes.end - at));
    stream.read(at, pattern);
    disguise(pattern);
    if (!use(at, pattern)) {
      return;
    }
  }
}

void Poison::for_all_pieces(std::size_t bytes, const UsePiece& use) const {
  parallel_for((bytes + kPartBytes - 1) / kPartBytes, [&](std::size_t part) {
    for_each_piece({part * kPartBytes, std::min(bytes, (part + 1) * kPartBytes)}, use);
  });
}

void Poison::fill(std::span<std::byte> bytes) const {
  for_all_pieces(bytes.size(), [&](std::size_t at, std::span<const std::byte> pattern) {
    std::copy(pattern.begin(), pattern.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
    return true;
  });
}

std::int64_t Poison::held(const BufferSpec& spec, std::span<const std::byte> bytes) const {
  if (!spec.contiguous()) {
    const RowView view(spec);
    PoisonReader reader(*this);
    std::int64_t count = 0;
    for (std::int64_t element = 0; element < spec.elements; ++element) {
      count += reader.holds(bytes.data(), view.offset_of(element)) ? 1 : 0;
    }
    return count;
  }
  std::atomic<std::int64_t> count = 0;
  for_all_pieces(bytes.size(), [&](std::size_t at, std::span<const std::byte> pattern) {
    std::int64_t own = 0;
    for (std::size_t lane = 0; lane < pattern.size(); lane += size_) {
      own += std::memcmp(bytes.data() + at + lane, pattern.data() + lane, size_) == 0 ? 1 : 0;
    }
    count += own;
    return true;
  });
  return count;
}

void Poison::fill_gaps(const BufferSpec& spec, std::span<std::byte> bytes) const {
  if (spec.contiguous()) {
    return;
  }
  const std::vector<bool> used = used_elements(spec);
  PoisonReader reader(*this);
  for (std::int64_t i = 0; i < spec.span; ++i) {
    if (!used[static_cast<std::size_t>(i)]) {
      reader.store(bytes.data(), i);
    }
  }
}

std::optional<std::size_t> Poison::first_change(std::span<const std::byte> bytes) const {
  std::optional<std::size_t> changed;
  for_each_piece({0, bytes.size()}, [&](std::size_t at, std::span<const std::byte> pattern) {
    const std::byte* const begin = bytes.data() + at;
    if (std::memcmp(begin, pattern.data(), pattern.size()) == 0) {
      return true;
    }
    const auto differs = std::mismatch(pattern.begin(), pattern.end(), begin);
    changed = at + static_cast<std::size_t>(differs.first - pattern.begin());
    return false;
  });
  return changed;
}

std::optional<std::int64_t> Poison::first_gap_change(const BufferSpec& spec,
                                                     std::span<const std::byte> bytes) const {
  if (spec.contiguous()) {
    return std::nullopt;
  }
  const std::vector<bool> used = used_elements(spec);
  PoisonReader reader(*this);
  for (std::int64_t i = 0; i < spec.span; ++i) {
    if (!used[static_cast<std::size_t>(i)] && !reader.holds(bytes.data(), i)) {
      return i;
    }
  }
  return std::nullopt;
}

PoisonReader::PoisonReader(const Poison& poison)
    : poison_(poison),
      stream_(poison.key_) {}

const std::byte* PoisonReader::element(std::size_t offset) {
  const std::size_t begin = offset / piece_.size() * piece_.size();
  if (at_ != begin) {
    stream_.read(begin, piece_);
    poison_.disguise(piece_);
    at_ = begin;
  }
  return piece_.data() + (offset - begin);
}

bool PoisonReader::holds(const void* data, std::int64_t index) {
  const std::size_t at = static_cast<std::size_t>(index) * poison_.size_;
  return std::memcmp(static_cast<const std::byte*>(data) + at, element(at), poison_.size_) == 0;
}

void PoisonReader::store(std::byte* data, std::int64_t index) {
  const std::size_t at = static_cast<std::size_t>(index) * poison_.size_;
  std::memcpy(data + at, element(at), poison_.size_);
}

}  // namespace ws
