#include "runtime/judge/poison.h"

#include <cmath>
#include <set>

#include <doctest/doctest.h>

#include "runtime/judge/test_buffers.h"

namespace ws {

TEST_SUITE("judge.poison") {
  constexpr DType kTypes[] = {DType::kF64, DType::kF32, DType::kF16, DType::kBf16, DType::kF8e4m3,
                              DType::kI64, DType::kI32, DType::kU16, DType::kU8,   DType::kBool};

  TEST_CASE("what was filled is unchanged, and one flipped bit is found at its byte") {
    for (const DType type : kTypes) {
      CAPTURE(name_of(type));
      for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Poison poison(type, seed);
        std::vector<std::byte> bytes(8 * 13 + 5);
        poison.fill(bytes);
        CHECK_FALSE(poison.first_change(bytes).has_value());
        for (const std::size_t place : {std::size_t{0}, std::size_t{50}, bytes.size() - 1}) {
          bytes[place] ^= std::byte{1};
          CHECK(poison.first_change(bytes) == place);
          bytes[place] ^= std::byte{1};
        }
      }
    }
  }

  TEST_CASE("an element that still holds its poison differs from a written one") {
    for (const DType type : kTypes) {
      CAPTURE(name_of(type));
      const Poison poison(type, 5);
      std::vector<std::byte> bytes(size_of(type) * 9);
      poison.fill(bytes);
      PoisonReader reader(poison);
      for (std::int64_t i = 0; i < 9; ++i) {
        CHECK(reader.holds(bytes.data(), i));
      }
      bytes[size_of(type) * 4] ^= std::byte{1};
      CHECK_FALSE(reader.holds(bytes.data(), 4));
      CHECK(reader.holds(bytes.data(), 5));
    }
  }

  TEST_CASE("single elements read as they were filled, on both sides of a piece's end") {
    const Poison poison(DType::kF32, 5);
    std::vector<std::byte> bytes(20000);
    poison.fill(bytes);
    PoisonReader reader(poison);
    for (const std::int64_t i : {0, 255, 256, 2047, 2048, 4999, 1}) {
      CAPTURE(i);
      CHECK(reader.holds(bytes.data(), i));
      bytes[static_cast<std::size_t>(i) * 4 + 3] ^= std::byte{0x80};
      CHECK_FALSE(reader.holds(bytes.data(), i));
    }
  }

  TEST_CASE("parts that cores fill at the same time are what one of them would have filled") {
    const Poison poison(DType::kF16, 5);
    constexpr std::int64_t kElements = 1'000'003;
    TestBuffer buffer(dense_spec(DType::kF16, {kElements}));
    poison.fill(buffer.span());
    CHECK_FALSE(poison.first_change(buffer.view()).has_value());
    CHECK(poison.held(buffer.spec, buffer.view()) == kElements);
    for (const std::int64_t i :
         {std::int64_t{0}, std::int64_t{262'143}, std::int64_t{262'144}, kElements - 1}) {
      buffer.bytes[static_cast<std::size_t>(i) * 2] ^= std::byte{1};
    }
    CHECK(poison.held(buffer.spec, buffer.view()) == kElements - 4);
  }

  TEST_CASE("a word of plain poison does not give away the next one") {
    // The inverse of SplitMix64: a generator that it takes back to a counter fails here.
    const auto unmix = [](std::uint64_t x) {
      x ^= x >> 31U ^ x >> 62U;
      x *= 0x319642B2D24D8EC3ULL;
      x ^= x >> 27U ^ x >> 54U;
      x *= 0x96DE1B173F119089ULL;
      x ^= x >> 30U ^ x >> 60U;
      return x - 0x9E3779B97F4A7C15ULL;
    };
    int predicted = 0;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      std::array<std::uint64_t, 2> words{};
      Poison(DType::kU8, seed).fill(std::as_writable_bytes(std::span(words)));
      predicted += unmix(words[0]) + 0x9E3779B97F4A7C15ULL == unmix(words[1]) ? 1 : 0;
    }
    CHECK(predicted == 0);
  }

  TEST_CASE("seeds draw NaN, huge, data-like and plain poison") {
    for (const DType type : {DType::kF64, DType::kF32, DType::kF16, DType::kBf16}) {
      CAPTURE(name_of(type));
      int all_nan = 0;
      int all_huge = 0;
      int all_small = 0;
      for (std::uint64_t seed = 0; seed < 100; ++seed) {
        TestBuffer buffer(dense_spec(type, {64}));
        Poison(type, seed).fill(buffer.span());
        int nan = 0;
        int huge = 0;
        int small = 0;
        for (std::int64_t i = 0; i < 64; ++i) {
          const double value = std::abs(buffer.get(i));
          nan += std::isnan(value) ? 1 : 0;
          huge += std::isfinite(value) && value > std::sqrt(max_finite(type)) ? 1 : 0;
          small += value >= 0x1p-7 && value < 4 ? 1 : 0;
        }
        all_nan += nan == 64 ? 1 : 0;
        all_huge += huge == 64 ? 1 : 0;
        all_small += small == 64 ? 1 : 0;
      }
      CHECK(all_nan > 5);
      CHECK(all_huge > 5);
      CHECK(all_small > 5);
      CHECK(all_nan + all_huge + all_small < 95);
    }
  }

  TEST_CASE("only the gaps of a strided buffer are poisoned, and a written gap is found") {
    TestBuffer buffer(pitched_spec(DType::kF32, 3, 5, 8));
    const Poison poison(DType::kF32, 11);
    poison.fill_gaps(buffer.spec, buffer.span());
    for (const std::int64_t used : {0, 4, 8, 12, 16, 20}) {
      CHECK(buffer.get(used) == 0);
    }
    CHECK(PoisonReader(poison).holds(buffer.bytes.data(), 5));
    CHECK_FALSE(poison.first_gap_change(buffer.spec, buffer.view()).has_value());
    buffer.set(8, 1);  // An element of the shape: no gap.
    CHECK_FALSE(poison.first_gap_change(buffer.spec, buffer.view()).has_value());
    buffer.set(14, 1);
    CHECK(poison.first_gap_change(buffer.spec, buffer.view()) == 14);
  }

  TEST_CASE("another seed gives other bits") {
    std::set<std::vector<std::byte>> seen;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      std::vector<std::byte> bytes(32);
      Poison(DType::kF32, seed).fill(bytes);
      seen.insert(bytes);
    }
    CHECK(seen.size() == 50);
  }

  TEST_CASE("plain poison holds no small numbers, whatever the seed") {
    BufferSpec spec = dense_spec(DType::kU32, {4096});
    std::vector<std::uint32_t> numbers(4096);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = static_cast<std::uint32_t>(i % 1024);
    }
    const auto bytes = std::as_bytes(std::span(numbers));
    int mistaken = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      CHECK(Poison::random_bits(DType::kU32, seed).held(spec, bytes) == 0);
      mistaken += Poison(DType::kU32, seed).held(spec, bytes) > 0 ? 1 : 0;
    }
    CHECK(mistaken > 0);
  }

  TEST_CASE("zeros fill every byte, and what is written over them is seen") {
    const Poison zeros = Poison::zeros(DType::kF32);
    std::vector<std::byte> bytes(10'000, std::byte{7});
    zeros.fill(bytes);
    CHECK(std::all_of(bytes.begin(), bytes.end(),
                      [](std::byte byte) { return byte == std::byte{0}; }));
    CHECK_FALSE(zeros.first_change(bytes).has_value());
    bytes[4321] = std::byte{1};
    CHECK(zeros.first_change(bytes) == std::size_t{4321});
  }
}

}  // namespace ws
