#include "runtime/judge/random.h"

#include <cmath>

#include <doctest/doctest.h>

namespace ws {

TEST_SUITE("judge.random") {
  struct KnownAnswer {
    std::array<std::uint32_t, 4> counter;
    std::array<std::uint32_t, 2> key;
    std::array<std::uint32_t, 4> want;
  };

  // From the known-answer file of the authors' Random123 library (kat_vectors, philox4x32 10).
  constexpr KnownAnswer kKnownAnswers[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
       {0xffffffff, 0xffffffff},
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       {0xa4093822, 0x299f31d0},
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };

  TEST_CASE("the generator gives the published numbers") {
    for (const KnownAnswer& c : kKnownAnswers) {
      CHECK(philox4x32(c.counter, c.key) == c.want);
    }
  }

  TEST_CASE("normals have mean 0, variance 1 and the tails of a normal") {
    Random random(7);
    constexpr int kCount = 1'000'000;
    double sum = 0;
    double squares = 0;
    int beyond_two = 0;
    for (int i = 0; i < kCount; ++i) {
      const double x = random.normal();
      sum += x;
      squares += x * x;
      beyond_two += std::abs(x) > 2 ? 1 : 0;
    }
    CHECK(std::abs(sum / kCount) < 0.005);
    CHECK(squares / kCount == doctest::Approx(1).epsilon(0.01));
    CHECK(static_cast<double>(beyond_two) / kCount == doctest::Approx(0.0455).epsilon(0.03));
  }

  TEST_CASE("below(n) stays below n and reaches every value") {
    Random random(3);
    std::array<int, 7> seen{};
    for (int i = 0; i < 7000; ++i) {
      ++seen.at(random.below(7));
    }
    for (const int count : seen) {
      CHECK(count > 850);
    }
  }

  TEST_CASE("another seed gives another stream") {
    CHECK(Random(1).next_u64() != Random(2).next_u64());
  }
}

}  // namespace ws
