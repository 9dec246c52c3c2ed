// Philox against the known answers of its authors' library Random123 (tests/kat_vectors).
#include "runtime/ir/exec/philox.h"

#include <doctest/doctest.h>

namespace ws::ir {
namespace {

struct KnownAnswer {
  std::int64_t rounds;
  std::array<std::uint32_t, 4> counter;
  std::uint64_t key;
  std::array<std::uint32_t, 4> words;
};

constexpr std::array<std::uint32_t, 4> kOnes = {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff};
constexpr std::array<std::uint32_t, 4> kPi = {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344};
constexpr std::uint64_t kPiKey = 0x299f31d0a4093822;

constexpr KnownAnswer kAnswers[] = {
    {7, {}, 0, {0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48}},
    {7, kOnes, ~std::uint64_t{0}, {0x5207ddc2, 0x45165e59, 0x4d8ee751, 0x8c52f662}},
    {7, kPi, kPiKey, {0x4dfccaba, 0x190a87f0, 0xc47362ba, 0xb6b5242a}},
    {10, {}, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {10, kOnes, ~std::uint64_t{0}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {10, kPi, kPiKey, {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

}  // namespace

TEST_SUITE("ir.philox") {
  TEST_CASE("random bits are those of the published generator") {
    for (const KnownAnswer& known : kAnswers) {
      CAPTURE(known.rounds);
      CAPTURE(known.key);
      CHECK(philox(known.counter, known.key, known.rounds) == known.words);
    }
  }
}

}  // namespace ws::ir
