#include "runtime/judge/inputs.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <doctest/doctest.h>

#include "runtime/judge/fills.h"
#include "runtime/judge/poison.h"
#include "runtime/judge/test_inputs.h"

namespace ws {

TEST_SUITE("judge.inputs") {
  double mean_of(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  }

  bool all_whole(const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(),
                       [](double value) { return value == std::floor(value); });
  }

  struct RangeCase {
    DType type;
    Fill fill;
    double low;
    double high;
    bool whole;
  };

  TEST_CASE("each fill stays in its range and uses all of it") {
    const RangeCase cases[] = {
        {DType::kF32, {"uniform", {}}, 0, 1, false},
        {DType::kF32, {"uniform", {{"low", -3}, {"high", 5}}}, -3, 5, false},
        {DType::kI32, {"uniform", {{"low", -3}, {"high", 5}}}, -3, 5, true},
        {DType::kBool, {"uniform", {}}, 0, 1, true},
        {DType::kU8, {"normal", {}}, 0, 255, true},
        {DType::kF32, {"log_uniform", {}}, 1e-3, 1e3, false},
        {DType::kF32, {"exact_integers", {{"limit", 6}}}, -6, 6, true},
        {DType::kI32, {"range", {{"low", 10}, {"high", 20}}}, 10, 19, true},
        {DType::kI32, {"range", {}}, 0, 4095, true},
        {DType::kF16, {"ones", {}}, 1, 1, true},
        {DType::kI8, {"zeros", {}}, 0, 0, true},
        {DType::kI32, {"iota", {{"start", 5}, {"step", 2}}}, 5, 5 + 2 * 4095, true},
        {DType::kI32, {"permutation", {}}, 0, 4095, true},
        {DType::kI64, {"sorted_offsets", {{"high", 777}}}, 0, 777, true},
    };
    for (const RangeCase& c : cases) {
      CAPTURE(c.fill.kind);
      const auto values = filled(argument(c.type, c.fill), {64, 64}, Distribution::kDeclared);
      const auto [least, most] = std::minmax_element(values.begin(), values.end());
      CHECK(*least >= c.low);
      CHECK(*most <= c.high);
      const double width = c.high - c.low;
      CHECK((*least <= c.low + 0.02 * width && *most >= c.low + 0.4 * width));
      CHECK(all_whole(values) == c.whole);
    }
  }

  TEST_CASE("a permutation has every value once, and is not in order") {
    auto values = filled(argument(DType::kI32, {"permutation", {{"start", 3}}}), {1000},
                         Distribution::kDeclared);
    CHECK_FALSE(std::is_sorted(values.begin(), values.end()));
    std::sort(values.begin(), values.end());
    for (std::size_t i = 0; i < values.size(); ++i) {
      CHECK(values[i] == static_cast<double>(i) + 3);
    }
  }

  TEST_CASE("sorted offsets ascend from low to exactly high") {
    const auto values = filled(argument(DType::kI32, {"sorted_offsets", {{"high", 500}}}), {101},
                               Distribution::kDeclared);
    CHECK(std::is_sorted(values.begin(), values.end()));
    CHECK(values.front() == 0);
    CHECK(values.back() == 500);
  }

  TEST_CASE("computed elements are their expression's values, by number and dims") {
    ArgSpec arg = argument(DType::kI32, {"computed", {}});
    arg.fill.sizes["value"] = "-1 if i % 4 > 1 else n - i";
    TestBuffer buffer(dense_spec(arg.type, {2, 3}));
    buffer.spec.fill_sizes = {{"n", 9}};
    REQUIRE(fill_input(arg, buffer.spec, Distribution::kDeclared, 1, buffer.span(), 1).has_value());
    const std::vector<double> wanted = {9, 8, -1, -1, 5, 4};
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      CHECK(buffer.get(static_cast<std::int64_t>(i)) == wanted[i]);
    }
    CHECK(filled(argument(DType::kI32, {"computed", {{"value", 7}}}), {2},
                 Distribution::kDeclared) == std::vector<double>{7, 7});
    arg.fill.sizes["value"] = "n // (2 - i)";
    const Status failed =
        fill_input(arg, buffer.spec, Distribution::kDeclared, 1, buffer.span(), 1);
    REQUIRE_FALSE(failed);
    CHECK(failed.error().message ==
          "argument \"A\": element 2: expression `n // (2 - i)`: division by zero at column 3");
    const auto too_many = [&](std::vector<std::int64_t> shape, const std::string& elements,
                              const std::string& most) {
      TestBuffer large(dense_spec(arg.type, std::move(shape)));
      const Status many = fill_input(arg, large.spec, Distribution::kDeclared, 1, large.span(), 1);
      REQUIRE_FALSE(many);
      CHECK(to_text(many.error()) ==
            "invalid_argument: argument \"A\" has " + elements +
                " elements, and the fill `computed` makes " + most +
                " at most by this expression; take smaller dims, a shorter expression, or another "
                "fill");
    };
    too_many({2048, 2049}, "4196352", "4194304");
    std::string sum = "i";
    for (int i = 0; i < 63; ++i) {
      sum += " + i";  // 127 steps together.
    }
    arg.fill.sizes["value"] = sum;
    too_many({1, 528417}, "528417", "528416");
    const Status wrong = validate_fill(argument(DType::kF32, {"computed", {}}));
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().message ==
          "argument \"A\": fill \"computed\" needs an integer type, got f32");
  }

  TEST_CASE("structured patterns are what the table says") {
    const auto made = [](double pattern) {
      return filled(argument(DType::kF32, {"structured", {{"pattern", pattern}}}), {8, 8},
                    Distribution::kDeclared);
    };
    const auto identity = made(0);
    const auto diagonal = made(1);
    const auto rows = made(2);
    for (std::size_t i = 0; i < 64; ++i) {
      CHECK(identity[i] == (i / 8 == i % 8 ? 1 : 0));
      CHECK((diagonal[i] != 0) == (i / 8 == i % 8));
      CHECK(rows[i] == rows[i % 8]);
    }
    CHECK(all_whole(made(3)));
  }

  TEST_CASE("dominant matrices have large diagonals, and definite ones are symmetric as well") {
    for (const double pattern : {4.0, 5.0}) {
      const auto values = filled(argument(DType::kF32, {"structured", {{"pattern", pattern}}}),
                                 {3, 8, 8}, Distribution::kDeclared);
      bool symmetric = true;
      std::set<double> diagonal;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t matrix = i / 64 * 64;
        const std::size_t row = i % 64 / 8;
        const std::size_t column = i % 8;
        CHECK((row == column ? values[i] >= 9 && values[i] <= 18 : std::abs(values[i]) <= 1));
        if (row == column) {
          diagonal.insert(values[i]);
        }
        symmetric = symmetric && values[i] == values[matrix + column * 8 + row];
      }
      CHECK(symmetric == (pattern == 5));
      CHECK(diagonal.size() == 24);
      CHECK(values[1] != values[65]);
    }
    ArgSpec narrow = argument(DType::kF32, {"structured", {{"pattern", 4}}});
    narrow.domain = std::pair{-1.0, 17.0};
    TestBuffer buffer(dense_spec(DType::kF32, {8, 8}));
    const auto refused =
        fill_input(narrow, buffer.spec, Distribution::kDeclared, 1, buffer.span(), 8);
    REQUIRE_FALSE(refused.has_value());
    CHECK(to_text(refused.error()) ==
          "invalid_argument: argument \"A\": a dominant diagonal of up to 18 beside values from -1 "
          "to 1 does not fit f32 and the domain");
  }

  TEST_CASE("rows of the judge's normal differ in scale and have a mean that is not zero") {
    const auto values =
        filled(argument(DType::kF32, {"normal", {}}), {64, 256}, Distribution::kNormalRowScale);
    double least = 1e30;
    double most = 0;
    for (std::size_t row = 0; row < 64; ++row) {
      const std::vector<double> line(values.begin() + static_cast<std::ptrdiff_t>(row * 256),
                                     values.begin() + static_cast<std::ptrdiff_t>(row * 256 + 256));
      double squares = 0;
      for (const double value : line) {
        squares += value * value;
      }
      const double size = std::sqrt(squares / 256);
      least = std::min(least, size);
      most = std::max(most, size);
      CHECK(std::abs(mean_of(line)) > 0.05 * size);
    }
    CHECK(most / least > 32);
  }

  TEST_CASE("sums of K products of exact integers stay exact in the type") {
    for (const DType type : {DType::kF32, DType::kF16, DType::kBf16}) {
      for (const double length : {1.0, 64.0, 1024.0, 65536.0}) {
        CAPTURE(name_of(type));
        CAPTURE(length);
        const auto values =
            filled(argument(type, {"normal", {}}), {65536}, Distribution::kExactIntegers, length);
        std::vector<double> doubled(values);
        std::ranges::for_each(doubled, [](double& value) { value *= 2; });
        CHECK(all_whole(doubled));
        double size = 0;
        for (const double value : values) {
          size += std::abs(value) / 65536;
        }
        CHECK(size > 0);
        const double bits = type == DType::kF32 ? 24 : (type == DType::kF16 ? 11 : 8);
        CHECK(size * size * length <= std::exp2(bits));  // Expected sum of |a * b|.
      }
    }
  }

  TEST_CASE("exact integers are whole numbers with one seed and halves with another one") {
    const ArgSpec arg = argument(DType::kF32, {"normal", {}});
    std::set<bool> whole;
    for (std::uint64_t seed = 0; seed < 16; ++seed) {
      whole.insert(all_whole(filled(arg, {64}, Distribution::kExactIntegers, 64, seed)));
    }
    CHECK(whole.size() == 2);
  }

  TEST_CASE("the sparse mixture is mostly zeros, the uniform one positive") {
    const ArgSpec arg = argument(DType::kF32, {"normal", {}});
    const auto sparse = filled(arg, {100, 100}, Distribution::kSparse);
    const auto zeros = std::count(sparse.begin(), sparse.end(), 0.0);
    CHECK(zeros > 8800);
    CHECK(zeros < 9200);
    const auto row = filled(arg, {100000}, Distribution::kSparse);
    const auto others = 100000 - std::count(row.begin(), row.end(), 0.0);
    CHECK(others > 190);
    CHECK(others < 330);
    CHECK(row.front() != 0);
    CHECK(row.back() != 0);
    const auto uniform = filled(arg, {10000}, Distribution::kUniform);
    CHECK(*std::min_element(uniform.begin(), uniform.end()) >= 0);
    CHECK(mean_of(uniform) == doctest::Approx(0.5).epsilon(0.05));
  }

  TEST_CASE("every mixture stays inside the domain") {
    for (const auto& domain : {std::pair{0.5, 2.0}, {0.1, 0.9}, {100.0, 300.0}, {-1.0, 0.0}}) {
      ArgSpec arg = argument(DType::kF32, {"normal", {}});
      arg.domain = domain;
      for (const Distribution distribution :
           {Distribution::kDeclared, Distribution::kNormalRowScale, Distribution::kUniform,
            Distribution::kExactIntegers, Distribution::kSparse}) {
        CAPTURE(name_of(distribution));
        CAPTURE(domain.first);
        for (const double value : filled(arg, {2000}, distribution)) {
          CHECK(value >= domain.first - 1e-6);
          CHECK(value <= domain.second + 1e-6);
        }
      }
    }
  }

  TEST_CASE("every mixture of a uniform fill stays in its range, or in a domain that is wider") {
    ArgSpec arg = argument(DType::kF32, {"uniform", {{"low", 0.1}, {"high", 10}}});
    for (const Distribution distribution :
         {Distribution::kDeclared, Distribution::kNormalRowScale, Distribution::kUniform,
          Distribution::kExactIntegers, Distribution::kSparse}) {
      CAPTURE(name_of(distribution));
      const auto values = filled(arg, {2000}, distribution);
      CHECK(*std::min_element(values.begin(), values.end()) >= 0.1 - 1e-6);
      CHECK(*std::max_element(values.begin(), values.end()) <= 10 + 1e-5);
    }
    arg.domain = std::pair{-1000.0, 1000.0};
    const auto wider = filled(arg, {200, 10}, Distribution::kNormalRowScale);
    CHECK(*std::max_element(wider.begin(), wider.end()) > 10);
  }

  TEST_CASE("an argument with another fill keeps it under every distribution") {
    for (const ArgSpec& arg :
         {argument(DType::kF32, {"iota", {}}), argument(DType::kI32, {"uniform", {}})}) {
      const auto declared = filled(arg, {100}, Distribution::kDeclared);
      CHECK(filled(arg, {100}, Distribution::kNormalRowScale) == declared);
      CHECK(filled(arg, {100}, Distribution::kExactIntegers) == declared);
    }
  }

  TEST_CASE("the same seed gives the same input, another seed or name another") {
    ArgSpec arg = argument(DType::kF32, {"normal", {}});
    const auto first = filled(arg, {100}, Distribution::kUniform, 1, 1);
    CHECK(filled(arg, {100}, Distribution::kUniform, 1, 1) == first);
    CHECK(filled(arg, {100}, Distribution::kUniform, 1, 2) != first);
    arg.name = "B";
    CHECK(filled(arg, {100}, Distribution::kUniform, 1, 1) != first);
  }

  TEST_CASE("the gaps of a strided input are poison, its elements are not") {
    const ArgSpec arg = argument(DType::kF32, {"ones", {}});
    TestBuffer buffer(pitched_spec(DType::kF32, 4, 6, 9));
    REQUIRE(fill_input(arg, buffer.spec, Distribution::kDeclared, 1, buffer.span()).has_value());
    const Poison poison(DType::kF32, derive_seed(1, "input A"));
    CHECK_FALSE(poison.first_gap_change(buffer.spec, buffer.view()).has_value());
    for (std::int64_t row = 0; row < 4; ++row) {
      for (std::int64_t column = 0; column < 6; ++column) {
        CHECK(buffer.get(row * 9 + column) == 1);
      }
    }
  }

  struct BadFill {
    DType type;
    Fill fill;
    const char* text;
  };

  TEST_CASE("a bad fill is refused with its whole message") {
    const BadFill cases[] = {
        {DType::kF32,
         {"norml", {}},
         "invalid_argument: argument \"A\": unknown fill \"norml\"; did you mean `normal`?"},
        {DType::kF32,
         {"normal", {{"stdd", 1}}},
         "invalid_argument: argument \"A\": fill \"normal\" has no parameter \"stdd\"; "
         "did you mean `std`?"},
        {DType::kF32,
         {"ones", {{"value", 1}}},
         "invalid_argument: argument \"A\": fill \"ones\" has no parameter \"value\"; "
         "it takes none"},
        {DType::kI32,
         {"range", {}, {{"hihg", "n"}}},
         "invalid_argument: argument \"A\": fill \"range\" has no parameter \"hihg\"; "
         "did you mean `high`?"},
        {DType::kI32,
         {"range", {}, {}, "row_ptr"},
         "invalid_argument: argument \"A\": fill \"range\" has no parameter \"offsets\"; "
         "known: low, high"},
        {DType::kF32,
         {"permutation", {}},
         "invalid_argument: argument \"A\": fill \"permutation\" needs an integer type, got f32"},
        {DType::kF32,
         {"uniform", {{"low", 3}, {"high", 1}}},
         "invalid_argument: argument \"A\": fill \"uniform\" needs low below high, got 3 and 1"},
        {DType::kF32,
         {"sparse", {{"density", 1.5}}},
         "invalid_argument: argument \"A\": fill parameter \"density\" must be 0 to 1, got 1.5"},
        {DType::kF32,
         {"log_uniform", {{"low", 0}}},
         "invalid_argument: argument \"A\": fill \"log_uniform\" needs low above 0, got 0"},
        {DType::kI8,
         {"permutation", {}},
         "invalid_argument: argument \"A\": a permutation of 200 elements does not fit i8 and the "
         "domain"},
    };
    for (const BadFill& c : cases) {
      CAPTURE(c.fill.kind);
      TestBuffer buffer(dense_spec(c.type, {200}));
      const Status status = fill_input(argument(c.type, c.fill), buffer.spec,
                                       Distribution::kDeclared, 1, buffer.span());
      REQUIRE_FALSE(status.has_value());
      CHECK(to_text(status.error()) == c.text);
    }
  }

  TEST_CASE("every distribution has a word") {
    CHECK(name_of(Distribution::kTies) == "ties");
    CHECK(name_of(Distribution::kDeclared) == "declared");
    CHECK(name_of(Distribution::kNormalRowScale) == "normal");
    CHECK(name_of(Distribution::kUniform) == "uniform");
    CHECK(name_of(Distribution::kExactIntegers) == "exact_integers");
    CHECK(name_of(Distribution::kSparse) == "sparse");
  }
}

}  // namespace ws
