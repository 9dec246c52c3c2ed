// Inputs with ties: rows of two values.
#include <algorithm>
#include <limits>
#include <set>

#include "runtime/judge/test_inputs.h"

namespace ws {

TEST_SUITE("judge.ties") {
  TEST_CASE("ties are two values in each row, of the declared fill and equally many") {
    for (const Fill& fill :
         {Fill{"uniform", {}}, Fill{"normal", {}}, Fill{"exact_integers", {{"limit", 60}}}}) {
      CAPTURE(fill.kind);
      const ArgSpec arg = argument(DType::kI32, fill);
      CHECK(takes_ties(arg));
      const auto declared = filled(arg, {20, 50}, Distribution::kDeclared);
      const auto values = filled(arg, {20, 50}, Distribution::kTies);
      CHECK(std::set<double>(values.begin(), values.end()).size() <= 4);
      int tied = 0;
      for (auto row = values.begin(); row != values.end(); row += 50) {
        const auto count = std::count(row, row + 50, *row);
        CHECK((count == 25 || count == 50));
        tied += count == 25 ? 1 : 0;
        CHECK(std::find(declared.begin(), declared.end(), *row) != declared.end());
      }
      CHECK(tied >= 5);
    }
  }

  TEST_CASE("an input that is one row of ties has two values, so it is not all zeros") {
    struct Case {
      DType type;
      double low;
      double high;
    };

    const Case cases[] = {{DType::kI32, -1000, 1000}, {DType::kI32, 0, 1000}, {DType::kU32, 0, 1e6},
                          {DType::kI32, 0, 16},       {DType::kU8, 0, 2},     {DType::kI32, -3, 0}};
    for (const Case& c : cases) {
      CAPTURE(c.low);
      CAPTURE(c.high);
      const ArgSpec arg = argument(c.type, {"range", {{"low", c.low}, {"high", c.high}}});
      for (std::uint64_t seed = 0; seed < 200; ++seed) {
        CAPTURE(seed);
        const auto values = filled(arg, {1000}, Distribution::kTies, 1024, seed);
        CHECK(std::set<double>(values.begin(), values.end()).size() == 2);
      }
    }
  }

  TEST_CASE("two of a range's ends and zero are among its ties") {
    const double most = std::numeric_limits<int>::max();
    const double least = std::numeric_limits<int>::min();
    const ArgSpec all = argument(DType::kI32, {"range", {{"low", least}, {"high", most + 1}}});
    const auto values = filled(all, {400, 50}, Distribution::kTies);
    const std::set<double> seen(values.begin(), values.end());
    CHECK(seen.size() == 4);
    CHECK(seen.contains(least) + seen.contains(0) + seen.contains(most) == 2);
    const ArgSpec some = argument(DType::kI32, {"range", {{"low", 5}, {"high", 900}}});
    for (const double value : filled(some, {400, 50}, Distribution::kTies)) {
      CHECK(value >= 5);
      CHECK(value < 900);
    }
  }

  TEST_CASE("only integers whose elements are drawn one by one tie") {
    for (const ArgSpec& arg :
         {argument(DType::kI32, {"permutation", {}}), argument(DType::kI32, {"iota", {}}),
          argument(DType::kI32, {"sorted_offsets", {}}), argument(DType::kI32, {"structured", {}}),
          argument(DType::kF32, {"normal", {}}), argument(DType::kF32, {"exact_integers", {}})}) {
      CAPTURE(arg.fill.kind);
      CHECK_FALSE(takes_ties(arg));
      CHECK(filled(arg, {100}, Distribution::kTies) == filled(arg, {100}, Distribution::kDeclared));
    }
  }
}

}  // namespace ws
