#include "runtime/ir/exec/philox.h"

namespace ws::ir {
namespace {

constexpr std::uint64_t kFirstFactor = 0xD2511F53;
constexpr std::uint64_t kSecondFactor = 0xCD9E8D57;
constexpr std::uint32_t kFirstStep = 0x9E3779B9;   // The golden ratio,
constexpr std::uint32_t kSecondStep = 0xBB67AE85;  // and the square root of 3, less 1.
constexpr unsigned kWord = 32;

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::uint64_t key,
                                    std::int64_t rounds) {
  auto low = static_cast<std::uint32_t>(key);
  auto high = static_cast<std::uint32_t>(key >> kWord);
  for (std::int64_t round = 0; round < rounds; ++round) {
    const std::uint64_t first = kFirstFactor * counter[0];
    const std::uint64_t second = kSecondFactor * counter[2];
    counter = {static_cast<std::uint32_t>(second >> kWord) ^ counter[1] ^ low,
               static_cast<std::uint32_t>(second),
               static_cast<std::uint32_t>(first >> kWord) ^ counter[3] ^ high,
               static_cast<std::uint32_t>(first)};
    low += kFirstStep;
    high += kSecondStep;
  }
  return counter;
}

}  // namespace ws::ir
