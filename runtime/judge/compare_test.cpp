#include "runtime/judge/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <doctest/doctest.h>

#include "runtime/judge/random.h"
#include "runtime/judge/test_buffers.h"

namespace ws {

TEST_SUITE("judge.compare") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr ErrorBound kBound{.rtol = 1e-4, .atol = 1e-4};

  TestBuffer normals(BufferSpec spec, double scale = 1, std::uint64_t seed = 1) {
    TestBuffer buffer(std::move(spec));
    Random random(seed);
    for (std::int64_t i = 0; i < buffer.spec.span; ++i) {
      buffer.set(i, scale * random.normal());
    }
    return buffer;
  }

  TEST_CASE("equal outputs pass with no error at all") {
    const TestBuffer want = normals(dense_spec(DType::kF32, {33, 65}));
    const Comparison result = compare(want.spec, want.view(), want.view(), kBound);
    CHECK(result.passed());
    CHECK(result.verdict() == Verdict::kPassed);
    CHECK(result.elements == 33 * 65);
    CHECK(result.max_abs_error == 0);
    CHECK_FALSE(result.worst.has_value());
    CHECK(result.wrong.empty());
  }

  TEST_CASE("one wrong element among many is found with its index and both values") {
    const TestBuffer want = normals(dense_spec(DType::kF32, {7, 33, 65}));
    TestBuffer got = want;
    const std::int64_t at = (5 * 33 + 31) * 65 + 64;
    got.set(at, got.get(at) + 0.5);
    const Comparison result = compare(want.spec, got.view(), want.view(), kBound);
    CHECK(result.verdict() == Verdict::kIncorrect);
    CHECK(result.mismatches == 1);
    CHECK(result.share() == doctest::Approx(1.0 / (7 * 33 * 65)));
    REQUIRE(result.worst.has_value());
    CHECK(result.worst->index == std::vector<std::int64_t>{5, 31, 64});
    CHECK(result.worst->want == want.get(at));
    CHECK(result.worst->got == got.get(at));
    CHECK(result.max_abs_error == doctest::Approx(0.5));
    CHECK(result.wrong.at(static_cast<std::size_t>(at)));
  }

  TEST_CASE("outputs that several cores share are judged as small ones are") {
    // Rows of a hundred, one row that is longer than a core's part, and no row longer than two.
    for (const std::vector<std::int64_t>& shape :
         {std::vector<std::int64_t>{5000, 100}, {500'000}, {250'000, 2}}) {
      CAPTURE(shape.size());
      TestBuffer want(dense_spec(DType::kF32, shape));
      for (std::int64_t i = 0; i < 500'000; ++i) {
        want.set(i, i % 2 == 0 ? 2.0 : -2.0);
      }
      CHECK(compare(want.spec, want.view(), want.view(), kBound).passed());
      TestBuffer got = want;
      for (const std::int64_t at :
           {std::int64_t{7}, std::int64_t{131'072}, std::int64_t{499'999}}) {
        got.set(at, got.get(at) + 1);
      }
      got.set(300'000, kNan);
      const Comparison result = compare(want.spec, got.view(), want.view(), kBound);
      CHECK(result.mismatches == 4);
      CHECK(result.class_mismatches == 1);
      CHECK(result.max_abs_error == doctest::Approx(1));
      CHECK(result.max_rel_error == doctest::Approx(0.5));
      REQUIRE(result.wrong.size() == 500'000);
      CHECK(std::count(result.wrong.begin(), result.wrong.end(), true) == 4);
      CHECK(result.wrong[131'072]);
      CHECK(result.wrong[499'999]);
      REQUIRE(result.worst.has_value());
      CHECK(std::isnan(result.worst->got));
      got.set(300'000, 2.0);
      const Comparison finite = compare(want.spec, got.view(), want.view(), kBound);
      CHECK(finite.worst->index.back() == (shape.size() == 1 ? 7 : 7 % shape.back()));
      CHECK(finite.max_excess == doctest::Approx(1 / (1e-4 * 4)));
    }
  }

  TEST_CASE("zeros do not pass because the numbers are small") {
    for (const double scale : {1e-30, 1e-6, 1.0, 1e6}) {
      CAPTURE(scale);
      const TestBuffer want = normals(dense_spec(DType::kF32, {64, 64}), scale);
      const TestBuffer zeros(want.spec);
      const Comparison result = compare(want.spec, zeros.view(), want.view(), kBound);
      CHECK(result.share() > 0.99);
      TestBuffer close = want;
      for (std::int64_t i = 0; i < close.spec.elements; ++i) {
        close.set(i, close.get(i) + 5e-5 * scale);
      }
      CHECK(compare(want.spec, close.view(), want.view(), kBound).passed());
    }
  }

  TEST_CASE("a small row is judged by its own scale, not by a large neighbour's") {
    TestBuffer want = normals(dense_spec(DType::kF32, {2, 64}));
    for (std::int64_t i = 0; i < 64; ++i) {
      want.set(i, 1e-6 * want.get(i));
    }
    TestBuffer got = want;
    got.set(3, got.get(3) + 1e-7);
    CHECK(compare(want.spec, got.view(), want.view(), kBound).mismatches == 1);
  }

  TEST_CASE("an element that cancels to zero may carry its row's rounding error") {
    TestBuffer want = normals(dense_spec(DType::kF32, {1, 64}));
    want.set(5, 0);
    TestBuffer got = want;
    got.set(5, 2e-5);
    CHECK(compare(want.spec, got.view(), want.view(), kBound).passed());
    got.set(5, 2e-3);
    CHECK_FALSE(compare(want.spec, got.view(), want.view(), kBound).passed());
  }

  struct ClassCase {
    double got;
    double want;
    const char* verdict;
  };

  TEST_CASE("NaN and infinities must stand exactly where the reference has them") {
    const ClassCase cases[] = {
        {kNan, kNan, "passed"},
        {kInfinity, kInfinity, "passed"},
        {kNan, 1, "incorrect_nan"},
        {1, kNan, "incorrect_nan"},
        {kInfinity, 1, "incorrect_nan"},
        {kInfinity, -kInfinity, "incorrect_nan"},
        {kInfinity, kNan, "incorrect_nan"},
        {1e30, kInfinity, "incorrect_nan"},
    };
    for (const DType type : {DType::kF32, DType::kF16, DType::kF64}) {
      for (const ClassCase& c : cases) {
        CAPTURE(c.got);
        CAPTURE(c.want);
        TestBuffer want = normals(dense_spec(type, {4, 20}));
        want.set(21, c.want);
        TestBuffer got = want;
        got.set(21, c.got);
        if (type == DType::kF16 && c.got == 1e30) {
          continue;  // Rounds to the infinity it is compared with.
        }
        CHECK(compare(want.spec, got.view(), want.view(), kBound).verdict() ==
              verdict_of(c.verdict));
      }
    }
  }

  TEST_CASE("integers are compared bit for bit, also where doubles cannot tell them apart") {
    TestBuffer want(dense_spec(DType::kI64, {3}));
    TestBuffer got = want;
    const std::int64_t large[] = {(std::int64_t{1} << 60) + 1, std::int64_t{1} << 60};
    std::memcpy(want.bytes.data() + 8, &large[0], 8);
    std::memcpy(got.bytes.data() + 8, &large[1], 8);
    const Comparison result = compare(want.spec, got.view(), want.view(), kBound);
    CHECK(result.mismatches == 1);
    CHECK(result.worst->index == std::vector<std::int64_t>{1});
    TestBuffer flag(dense_spec(DType::kBool, {2}));
    TestBuffer odd = flag;
    flag.bytes[0] = std::byte{1};
    odd.bytes[0] = std::byte{90};
    CHECK_FALSE(compare(flag.spec, odd.view(), flag.view(), kBound).passed());
  }

  TEST_CASE("an element that is all of its output is measured by its usual size") {
    TestBuffer want(dense_spec(DType::kF32, {1}));
    want.set(0, -4.9e-15);
    const TestBuffer got(want.spec);  // Zero, as honest arithmetic in f32 may give.
    CHECK_FALSE(compare(want.spec, got.view(), want.view(), kBound).passed());
    ErrorBound bound = kBound;
    bound.lone = 0.8;
    CHECK(compare(want.spec, got.view(), want.view(), bound).passed());
    bound.lone = 1e-12;
    CHECK_FALSE(compare(want.spec, got.view(), want.view(), bound).passed());
  }

  TEST_CASE("an exact bound takes minus zero for zero and nothing else") {
    constexpr ErrorBound kExact{.exact = true};
    TestBuffer want(dense_spec(DType::kF32, {2}));
    want.set(0, 3);
    TestBuffer got = want;
    got.set(1, -0.0);
    CHECK(compare(want.spec, got.view(), want.view(), kExact).passed());
    got.set(0, std::nextafter(3.0F, 4.0F));
    CHECK_FALSE(compare(want.spec, got.view(), want.view(), kExact).passed());
  }

  TEST_CASE("unwritten elements are counted by their poison and are not NaN mismatches") {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      const Poison poison(DType::kF32, seed);
      const TestBuffer want = normals(dense_spec(DType::kF32, {8, 32}));
      TestBuffer got(want.spec);
      poison.fill(got.span());
      for (std::int64_t i = 0; i < 200; ++i) {
        got.set(i, want.get(i));
      }
      const Comparison result = compare(want.spec, got.view(), want.view(), kBound, &poison);
      CHECK(result.mismatches == 56);
      CHECK(result.unwritten == 56);
      CHECK(result.verdict() == Verdict::kIncorrect);
    }
  }

  TEST_CASE("a written gap is out of bounds, though every element is right") {
    const Poison poison(DType::kF32, 4);
    const TestBuffer want = normals(pitched_spec(DType::kF32, 4, 20, 24));
    TestBuffer got = want;
    poison.fill_gaps(got.spec, got.span());
    CHECK(compare(want.spec, got.view(), want.view(), kBound, &poison).passed());
    got.set(24 + 21, 0);
    const Comparison result = compare(want.spec, got.view(), want.view(), kBound, &poison);
    CHECK(result.verdict() == Verdict::kOutOfBounds);
    CHECK(result.touched_gap == 45);
    CHECK_FALSE(result.passed());
  }

  TEST_CASE("column-major and scalar outputs are walked by their strides") {
    BufferSpec spec = dense_spec(DType::kF32, {3, 5});
    spec.strides = {1, 3};
    TestBuffer want = normals(spec);
    TestBuffer got = want;
    got.set(7, got.get(7) + 1);  // Offset 7 = row 1, column 2.
    const Comparison result = compare(spec, got.view(), want.view(), kBound);
    CHECK(result.worst->index == std::vector<std::int64_t>{1, 2});
    TestBuffer one(dense_spec(DType::kF64, {}));
    one.set(0, 2);
    CHECK(compare(one.spec, one.view(), one.view(), kBound).elements == 1);
  }

  TEST_CASE("an output of no elements passes") {
    const TestBuffer none(dense_spec(DType::kF32, {0, 5}));
    CHECK(compare(none.spec, none.view(), none.view(), kBound).passed());
    CHECK(compare(none.spec, none.view(), none.view(), kBound).share() == 0);
  }
}

}  // namespace ws
