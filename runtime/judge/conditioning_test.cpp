// A softmax over scores of hundreds: what rounding does to a score, exp amplifies, and where two
// keys nearly tie for the largest the output shows it.
#include "runtime/judge/conditioning.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/judge/compare.h"
#include "runtime/judge/random.h"
#include "runtime/judge/test_buffers.h"

namespace ws {

TEST_SUITE("judge.conditioning") {
  constexpr std::int64_t kQueries = 32;
  constexpr std::int64_t kKeys = 64;
  constexpr std::int64_t kWidth = 32;
  constexpr double kLength = 2 * kKeys;

  struct Inputs {
    TestBuffer q{dense_spec(DType::kF32, {kQueries, kWidth})};
    TestBuffer k{dense_spec(DType::kF32, {kKeys, kWidth})};
    TestBuffer v{dense_spec(DType::kF32, {kKeys, kWidth})};
  };

  /// Rows of their own scales with a mean that is not zero, as the judge draws them.
  void draw(TestBuffer & buffer, Random & random) {
    double scale = 1;
    for (std::int64_t i = 0; i < buffer.spec.elements; ++i) {
      scale = i % kWidth == 0 ? std::exp2(-4 + 8 * random.uniform()) : scale;
      buffer.set(i, scale * (0.5 + random.normal()));
    }
  }

  Inputs drawn(std::uint64_t seed) {
    Random random(seed);
    Inputs inputs;
    draw(inputs.q, random);
    draw(inputs.k, random);
    draw(inputs.v, random);
    return inputs;
  }

  Inputs nudged(Inputs inputs, std::uint64_t seed) {
    const double relative = backward_error(DType::kF32, kLength);
    nudge(inputs.q.spec, inputs.q.span(), relative, seed);
    nudge(inputs.k.spec, inputs.k.span(), relative, seed + 1);
    nudge(inputs.v.spec, inputs.v.span(), relative, seed + 2);
    return inputs;
  }

  /// The value that a kernel sees which keeps only ten bits of a factor (tf32).
  double narrowed(double value) {
    int exponent = 0;
    const double part = std::frexp(value, &exponent);
    return std::ldexp(std::nearbyint(std::ldexp(part, 11)), exponent - 11);
  }

  /// softmax(Q K^T / sqrt(d)) V with all sums in T.
  template <typename T>
  TestBuffer attention(const Inputs& in, bool narrow = false) {
    const auto factor = [&](const TestBuffer& buffer, std::int64_t at) {
      return static_cast<T>(narrow ? narrowed(buffer.get(at)) : buffer.get(at));
    };
    TestBuffer out(dense_spec(DType::kF32, {kQueries, kWidth}));
    std::vector<T> scores(kKeys);
    for (std::int64_t i = 0; i < kQueries; ++i) {
      for (std::int64_t j = 0; j < kKeys; ++j) {
        T dot = 0;
        for (std::int64_t d = 0; d < kWidth; ++d) {
          dot += factor(in.q, i * kWidth + d) * factor(in.k, j * kWidth + d);
        }
        scores[static_cast<std::size_t>(j)] = dot * static_cast<T>(0.17677669F);
      }
      const T most = *std::max_element(scores.begin(), scores.end());
      for (std::int64_t d = 0; d < kWidth; ++d) {
        T sum = 0;
        T weighted = 0;
        for (std::int64_t j = 0; j < kKeys; ++j) {
          const T weight = std::exp(scores[static_cast<std::size_t>(j)] - most);
          sum += weight;
          weighted += weight * factor(in.v, j * kWidth + d);
        }
        out.set(i * kWidth + d, static_cast<double>(weighted / sum));
      }
    }
    return out;
  }

  RowSlack slack_of(const Inputs& inputs, const TestBuffer& want) {
    RowSlack slack(want.spec, want.view());
    for (std::uint64_t k = 0; k < 4; ++k) {
      slack.add(attention<double>(nudged(inputs, 100 + 10 * k)).view());
    }
    return slack;
  }

  ErrorBound bound_of_attention() {
    ArgSpec output;
    output.type = DType::kF32;
    output.role = Role::kOut;
    return error_bound(Problem{}, output, kLength);
  }

  std::int64_t wrong_in(const TestBuffer& got, const TestBuffer& want,
                        std::span<const double> slack) {
    return compare(want.spec, got.view(), want.view(), bound_of_attention(), nullptr,
                   {.rows = slack, .own = {}})
        .mismatches;
  }

  TEST_CASE("honest attention in f32 passes by what nudged inputs show, and not without") {
    int beyond = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      CAPTURE(seed);
      const Inputs inputs = drawn(seed);
      const TestBuffer want = attention<double>(inputs);
      const TestBuffer got = attention<float>(inputs);
      beyond += wrong_in(got, want, {}) > 0 ? 1 : 0;
      CHECK(wrong_in(got, want, slack_of(inputs, want).rows()) == 0);
    }
    CHECK(beyond > 2);  // Eight with glibc 2.36.
  }

  TEST_CASE("factors of ten bits and zeros do not pass by it") {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      CAPTURE(seed);
      const Inputs inputs = drawn(seed);
      const TestBuffer want = attention<double>(inputs);
      const RowSlack slack = slack_of(inputs, want);
      CHECK(wrong_in(attention<float>(inputs, true), want, slack.rows()) > 100);
      CHECK(wrong_in(TestBuffer(want.spec), want, slack.rows()) > 900);
    }
  }

  TEST_CASE("slack is a row's own, and never more than a multiple of the bound") {
    TestBuffer want(dense_spec(DType::kF32, {2, 16}));
    for (std::int64_t i = 0; i < 32; ++i) {
      want.set(i, 1);
    }
    const ErrorBound bound{.rtol = 0, .atol = 1e-4};
    const std::vector<double> slack = {1e-3, 1.0};
    const auto wrong_at = [&](std::int64_t element, double error) {
      TestBuffer got = want;
      got.set(element, 1 + error);
      return compare(want.spec, got.view(), want.view(), bound, nullptr, {.rows = slack, .own = {}})
          .mismatches;
    };
    CHECK(wrong_at(3, 1.05e-3) == 0);
    CHECK(wrong_at(3, 1.15e-3) == 1);
    CHECK(wrong_at(19, 0.99 * kMostWidened * 1e-4) == 0);
    CHECK(wrong_at(19, 1.01 * kMostWidened * 1e-4) == 1);
  }

  TEST_CASE("a row that is zero but for rounding in f64 is judged as a row of zeros") {
    TestBuffer want(dense_spec(DType::kF32, {2, 16}));
    for (std::int64_t i = 0; i < 32; ++i) {
      want.set(i, i < 16 ? (i % 2 == 0 ? 5e-17 : -5e-17) : 1);
    }
    const ErrorBound bound{.rtol = 0, .atol = 1e-5};
    const auto wrong_by = [&](double error, double size, std::span<const double> moves) {
      TestBuffer small = want;
      small.set(3, size);
      TestBuffer got = small;
      got.set(3, size + error);
      return compare(want.spec, got.view(), small.view(), bound, nullptr,
                     {.rows = {}, .own = {}, .moves = moves})
          .mismatches;
    };
    // Nudged inputs made other numbers of the first row, as small.
    const std::vector<double> moved = {4e-17, 1e-6};
    CHECK(wrong_by(1e-7, 5e-17, moved) == 0);
    CHECK(wrong_by(6e-6, 5e-17, moved) == 0);
    CHECK(wrong_by(9e-6, 5e-17, moved) == 1);  // Beyond 1e-5 of the usual size, which is 0.7.
    CHECK(wrong_by(1e-7, 5e-17, {}) == 1);
    // They left them as they were: the row is small, and known.
    CHECK(wrong_by(1e-7, 5e-17, std::vector{1e-23, 1e-6}) == 1);
    // It is no noise of f64.
    CHECK(wrong_by(1e-7, 1e-9, moved) == 1);
  }

  TEST_CASE("a small row is undecided until a nudge has moved it") {
    const double small = 0x1p-50;
    TestBuffer want(dense_spec(DType::kF32, {2, 8}));
    for (std::int64_t i = 0; i < 16; ++i) {
      want.set(i, i < 8 ? small : 1);
    }
    const auto moved_by = [&](double share) {
      TestBuffer moved = want;
      for (std::int64_t i = 0; i < 8; ++i) {
        moved.set(i, small * (1 + share));
      }
      return moved;
    };
    RowSlack slack(want.spec, want.view());
    CHECK(slack.is_undecided());
    slack.add_moves(want.view());
    CHECK(slack.is_undecided());
    slack.add_moves(moved_by(0.02).view());
    CHECK(slack.is_undecided());
    slack.add_moves(moved_by(0.5).view());
    CHECK(!slack.is_undecided());
    slack.add_moves(want.view());
    CHECK(!slack.is_undecided());
    CHECK(slack.moves()[0] == doctest::Approx(small / 2));
    // They allow no larger error.
    CHECK(std::ranges::all_of(slack.rows(), [](double row) { return row == 0; }));
    CHECK(std::ranges::all_of(slack.own(), [](float element) { return element == 0; }));
  }

  TEST_CASE("a row of zeros, one that is not small and one alone are decided") {
    TestBuffer zeros(dense_spec(DType::kF32, {2, 8}));
    zeros.set(8, 1);
    CHECK(!RowSlack(zeros.spec, zeros.view()).is_undecided());
    TestBuffer digits = zeros;
    digits.set(0, 1e-10);
    CHECK(!RowSlack(digits.spec, digits.view()).is_undecided());
    TestBuffer alone(dense_spec(DType::kF32, {1, 8}));
    alone.set(0, 1e-30);
    CHECK(!RowSlack(alone.spec, alone.view()).is_undecided());
  }

  TEST_CASE("one ill-conditioned element makes no row of zeros of a small row that is known") {
    const double small = 0x1p-41;
    TestBuffer want(dense_spec(DType::kF32, {2, 32}));
    for (std::int64_t i = 0; i < 64; ++i) {
      want.set(i, i < 32 ? small : 1);
    }
    // A kernel that is off by 1e-7 in the first row, of which a nudge of the inputs moved `ill`
    // elements by as much as `move` of their size.
    const auto wrong_with = [&](std::int64_t ill, double move) {
      TestBuffer moved = want;
      TestBuffer got = want;
      for (std::int64_t i = 0; i < 32; ++i) {
        moved.set(i, i < ill ? small * (1 + move) : small);
        got.set(i, 1e-7);
      }
      RowSlack slack(want.spec, want.view());
      slack.add(moved.view());
      return compare(want.spec, got.view(), want.view(), {.rtol = 0, .atol = 1e-5}, nullptr,
                     {.rows = slack.rows(), .own = slack.own(), .moves = slack.moves()})
          .mismatches;
    };
    CHECK(wrong_with(32, 1) == 0);
    CHECK(wrong_with(16, 0.04) == 0);
    CHECK(wrong_with(15, 1) == 32);
    CHECK(wrong_with(32, 0.02) == 32);
    CHECK(wrong_with(1, 100) == 32);
    CHECK(wrong_with(0, 0) == 32);
  }

  TEST_CASE("a row that is scaled down may be off by what the output's usual size allows") {
    TestBuffer want(dense_spec(DType::kF32, {2, 16}));
    for (std::int64_t i = 0; i < 32; ++i) {
      want.set(i, i < 16 ? 1e-7 : 1);
    }
    const ErrorBound bound{.rtol = 0, .atol = 1e-5};
    const std::vector<double> slack = {4e-7, 1.0};
    const auto wrong_by = [&](double error, double usual) {
      TestBuffer small(dense_spec(DType::kF32, {1, 16}));
      for (std::int64_t i = 0; i < 16; ++i) {
        small.set(i, 1e-7);
      }
      TestBuffer got = small;
      got.set(3, 1e-7 + error);
      return compare(small.spec, got.view(), small.view(), bound, nullptr,
                     {.rows = std::span(slack).first(1), .own = {}, .usual = usual})
          .mismatches;
    };
    TestBuffer got = want;
    got.set(3, 4e-7);
    CHECK(compare(want.spec, got.view(), want.view(), bound, nullptr, {.rows = slack, .own = {}})
              .mismatches == 0);
    got.set(3, 6e-7);
    CHECK(compare(want.spec, got.view(), want.view(), bound, nullptr, {.rows = slack, .own = {}})
              .mismatches == 1);
    CHECK(compare(want.spec, got.view(), want.view(), bound).mismatches == 1);
    // A row alone does not show the usual size.
    CHECK(wrong_by(3e-7, 0) == 1);
    CHECK(wrong_by(3e-7, 1) == 0);
    CHECK(wrong_by(5e-7, 1) == 1);
  }

  TEST_CASE("an element may be off by what it moves itself, up to a share of the usual size") {
    TestBuffer want(dense_spec(DType::kF32, {32}));
    for (std::int64_t i = 0; i < 32; ++i) {
      want.set(i, 1);
    }
    const ErrorBound bound{.rtol = 0, .atol = 1e-5};
    const std::vector<double> rows = {1.0};
    std::vector<float> own(32, 0.0F);
    own[5] = 0.02F;
    own[6] = 0.5F;
    const auto excess_at = [&](std::int64_t element, double error) {
      TestBuffer got = want;
      got.set(element, 1 + error);
      return compare(want.spec, got.view(), want.view(), bound, nullptr, {.rows = rows, .own = own})
          .max_wide_excess;
    };
    CHECK(excess_at(5, 0.019) == 0);
    CHECK(excess_at(5, 0.021) == doctest::Approx(2100).epsilon(1e-3));
    CHECK(excess_at(4, 0.001) == doctest::Approx(100).epsilon(1e-3));
    CHECK(excess_at(4, 3e-4) == 0);
    CHECK(excess_at(6, 0.06) == 0);
    CHECK(excess_at(6, 0.07) > 0);
  }

  TEST_CASE("a nudge changes each float a little, and nothing else") {
    TestBuffer f32(pitched_spec(DType::kF32, 5, 40, 48));
    TestBuffer f16(dense_spec(DType::kF16, {64}));
    TestBuffer i32(dense_spec(DType::kI32, {64}));
    for (TestBuffer* buffer : {&f32, &f16, &i32}) {
      for (std::int64_t i = 0; i < buffer->spec.span; ++i) {
        buffer->set(i, 3);
      }
      const TestBuffer before = *buffer;
      nudge(buffer->spec, buffer->span(), 1e-5, 7);
      CHECK((buffer->bytes == before.bytes) == (buffer != &f32));
    }
    int up = 0;
    for (std::int64_t i = 0; i < f32.spec.span; ++i) {
      const bool gap = i % 48 >= 40;
      CHECK(std::abs(f32.get(i) - 3) == doctest::Approx(gap ? 0 : 3e-5).epsilon(0.02));
      up += f32.get(i) > 3 ? 1 : 0;
    }
    CHECK(up > 60);
    CHECK(up < 140);
  }

  TEST_CASE("what inputs are changed by follows the length of sums, within bounds") {
    const double unit = unit_roundoff(DType::kF32);
    CHECK(backward_error(DType::kF32, 1) == 2 * unit);
    CHECK(backward_error(DType::kF16, 100) == 10 * unit);  // Its sums are in f32.
    CHECK(backward_error(DType::kF32, 1e6) == 16 * unit);
    CHECK(backward_error(DType::kF64, 1) == 2 * unit_roundoff(DType::kF64));
  }

  TEST_CASE("moved outputs that are not finite give no slack") {
    TestBuffer want(dense_spec(DType::kF32, {2, 4}));
    TestBuffer moved = want;
    moved.set(1, NAN);
    moved.set(6, 0.5);
    RowSlack slack(want.spec, want.view());
    slack.add(moved.view());
    CHECK(slack.rows()[0] == 0);
    CHECK(slack.rows()[1] == 2);
    CHECK(slack.own() == std::vector<float>{0, 0, 0, 0, 0, 0, 2, 0});
    CHECK(slack.moves() == std::vector<double>{0, 0});
  }
}

}  // namespace ws
