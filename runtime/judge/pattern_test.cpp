#include "runtime/judge/pattern.h"

#include <algorithm>
#include <limits>

#include <doctest/doctest.h>

#include "runtime/base/mix64.h"
#include "runtime/judge/test_patterns.h"

namespace ws {

TEST_SUITE("judge.pattern") {
  struct PatternCase {
    const char* name;
    std::vector<std::int64_t> shape;
    Broken got;
    const char* code;
    const char* text;
  };

  const PatternCase kCases[] = {
      {"last columns unwritten",
       {67, 67},
       [](auto r, auto c, const Want& w) { return c >= 64 ? kUnwritten : w(r, c); },
       "tail_columns",
       "the last 3 of 67 columns are wrong and never written"},
      {"last columns zero",
       {40, 67},
       [](auto r, auto c, const Want& w) { return c >= 64 ? 0.0 : w(r, c); },
       "tail_columns",
       "the last 3 of 67 columns are wrong"},
      {"last column",
       {256, 256},
       [](auto r, auto c, const Want& w) { return c == 255 ? kUnwritten : w(r, c); },
       "tail_columns",
       "the last of 256 columns is wrong and never written"},
      {"last rows",
       {50, 33},
       [](auto r, auto c, const Want& w) { return r >= 48 ? 1e3 : w(r, c); },
       "tail_rows",
       "the last 2 of 50 rows are wrong"},
      {"rows and columns",
       {67, 67},
       [](auto r, auto c, const Want& w) { return r >= 64 || c >= 64 ? kUnwritten : w(r, c); },
       "tail_rows_and_columns",
       "the last 3 of 67 rows and the last 3 of 67 columns are wrong and never written"},
      {"tail of a vector",
       {1003},
       [](auto r, auto c, const Want& w) { return c >= 1000 ? kUnwritten : w(r, c); },
       "tail_elements",
       "the last 3 of 1003 elements are wrong and never written"},
      {"every fourth column",
       {32, 64},
       [](auto r, auto c, const Want& w) { return c % 4 == 3 ? 9.0 : w(r, c); },
       "every_kth",
       "every 4th column is wrong, from column 3 on"},
      {"every second row",
       {32, 64},
       [](auto r, auto c, const Want& w) { return r % 2 == 0 ? kUnwritten : w(r, c); },
       "every_kth",
       "every 2nd row is wrong and never written, from row 0 on"},
      {"only every eighth element",
       {1000},
       [](auto r, auto c, const Want& w) { return c % 8 == 0 ? w(r, c) : kUnwritten; },
       "every_kth",
       "only every 8th element is right, from element 0 on; the others are wrong and never "
       "written"},
      {"every 7th element across rows",
       {20, 32},
       [](auto r, auto c, const Want& w) { return (r * 32 + c) % 7 == 2 ? 9.0 : w(r, c); },
       "every_kth",
       "every 7th element is wrong, from element 2 on"},
      {"one element",
       {64, 64},
       [](auto r, auto c, const Want& w) { return r == 10 && c == 20 ? 9.0 : w(r, c); },
       "single_element",
       "only one element is wrong: row 10, column 20"},
      {"nothing written",
       {64, 64},
       [](auto, auto, const Want&) { return kUnwritten; },
       "unwritten",
       "no element was ever written"},
      {"three quarters unwritten",
       {64, 64},
       [](auto r, auto c, const Want& w) { return r >= 16 ? kUnwritten : w(r, c); },
       "unwritten",
       " elements were never written (rows 16 to 63, columns 0 to 63)"},
      {"all zero",
       {64, 64},
       [](auto, auto, const Want&) { return 0.0; },
       "all_zero",
       " wrong elements are zero"},
      {"transposed",
       {64, 64},
       [](auto r, auto c, const Want& w) { return w(c, r); },
       "transposed",
       "the result is transposed: rows stand where columns belong"},
      {"transposed layout",
       {48, 20},
       [](auto r, auto c, const Want& w) {
         const auto flat = r * 20 + c;
         return w(flat % 48, flat / 48);
       },
       "transposed",
       "the result is transposed: rows stand where columns belong"},
      {"next column",
       {64, 64},
       [](auto r, auto c, const Want& w) { return c < 63 ? w(r, c + 1) : 7.0; },
       "shifted_by_one",
       "every value stands one column too early: the result is shifted by one column"},
      {"previous row",
       {64, 64},
       [](auto r, auto c, const Want& w) { return r > 0 ? w(r - 1, c) : w(r, c); },
       "shifted_by_one",
       "every value stands one row too late: the result is shifted by one row"},
      {"next element",
       {500},
       [](auto, auto c, const Want& w) { return c < 499 ? w(0, c + 1) : 7.0; },
       "shifted_by_one",
       "every value stands one element too early: the result is shifted by one element"},
      {"half of it",
       {64, 64},
       [](auto r, auto c, const Want& w) { return 0.5 * w(r, c); },
       "constant_ratio",
       "every wrong value is 0.5 times the right one"},
      {"negated block",
       {64, 64},
       [](auto r, auto c, const Want& w) {
         return r >= 16 && r < 32 && c >= 32 && c < 48 ? -w(r, c) : w(r, c);
       },
       "constant_ratio",
       "every wrong value is -1 times the right one (rows 16 to 31, columns 32 to 47)"},
      {"an offset",
       {64, 64},
       [](auto r, auto c, const Want& w) { return w(r, c) + 3; },
       "constant_offset",
       "every wrong value is 3 more than the right one"},
      {"rows not divided",
       {64, 64},
       [](auto r, auto c, const Want& w) { return w(r, c) * static_cast<double>(r + 2); },
       "row_ratio",
       "each row is the right one times a number of its own, 2 to 65"},
      {"one tile",
       {128, 128},
       [](auto r, auto c, const Want& w) { return r / 32 == 1 && c / 32 == 2 ? w(c, r) : w(r, c); },
       "one_block",
       "one block of 32x32 is wrong: rows 32 to 63, columns 64 to 95"},
      {"first row",
       {64, 64},
       [](auto r, auto c, const Want& w) { return r == 0 ? 9.0 : w(r, c); },
       "one_block",
       "one block of 1x64 is wrong: row 0, columns 0 to 63"},
      {"slightly off",
       {64, 64},
       [](auto r, auto c, const Want& w) {
         return w(r, c) + (static_cast<double>((r * 7 + c) % 5) - 2) * 2e-3;
       },
       "imprecise",
       nullptr},
      {"scattered",
       {64, 64},
       [](auto r, auto c, const Want& w) {
         return mix64(static_cast<std::uint64_t>(r * 64 + c)) % 50 == 0 ? 9.0 : w(r, c);
       },
       "scattered",
       nullptr},
      {"everywhere",
       {64, 64},
       [](auto r, auto c, const Want& w) { return w((r * 5 + 3) % 64, (c * 11 + r) % 64) + 1; },
       "everywhere",
       nullptr},
      {"NaN",
       {64, 64},
       [](auto r, auto c, const Want& w) {
         return mix64(static_cast<std::uint64_t>(r * 64 + c)) % 50 == 0
                    ? std::numeric_limits<double>::quiet_NaN()
                    : w(r, c);
       },
       "not_finite",
       nullptr},
  };

  TEST_CASE("each planted mistake is given its own pattern, whatever poison and values are drawn") {
    for (const PatternCase& c : kCases) {
      for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        const std::string name = c.name;
        CAPTURE(name);
        CAPTURE(seed);
        const MismatchPattern pattern =
            plant({.shape = c.shape, .broken = c.got, .seed = seed}).pattern;
        CHECK(pattern.code == c.code);
        if (c.text != nullptr) {
          CHECK_MESSAGE(pattern.text.ends_with(c.text), pattern.text);  // Counts vary by chance.
        }
        CHECK_FALSE(pattern.hint.empty());
      }
    }
  }

  TEST_CASE("other types give the same patterns") {
    for (const DType type : {DType::kF64, DType::kF16, DType::kI32}) {
      for (const PatternCase& c : kCases) {
        const std::string_view code = c.code;
        // Integers are not slightly off, cannot be NaN, nor hold a half.
        const bool floats_only =
            code == "imprecise" || code == "not_finite" || std::string_view(c.name) == "half of it";
        // f16 poison that looks like data equals the data once in a while.
        if (code == "everywhere" || (floats_only && !is_float(type)) || code == "scattered" ||
            (type == DType::kF16 && code == "imprecise")) {
          continue;
        }
        const std::string name = c.name;
        CAPTURE(name);
        CAPTURE(name_of(type));
        CHECK(plant({.shape = c.shape, .broken = c.got, .type = type, .seed = 3}).pattern.code ==
              c.code);
      }
    }
  }

  TEST_CASE("every code is planted by a case and listed once") {
    for (const std::string_view code : pattern_codes()) {
      CAPTURE(code);
      CHECK(std::count(pattern_codes().begin(), pattern_codes().end(), code) == 1);
      const bool ordered = code != kMissingRows;  // unordered_test.cpp plants those.
      CHECK((!ordered || std::any_of(std::begin(kCases), std::end(kCases),
                                     [&](const PatternCase& c) { return code == c.code; })));
    }
  }

  TEST_CASE("the hint of a tail names the size, the likely tile and what to check") {
    const Broken tail = [](auto r, auto c, const Want& w) {
      return c >= 64 ? kUnwritten : w(r, c);
    };
    CHECK(plant({.shape = {50, 67}, .broken = tail, .names = {"m", "n"}}).pattern.hint ==
          "the column tail (n % 32) is not handled: check the bound of the column index and that "
          "the grid uses cdiv(n, ...)");
    const Broken last = [](auto r, auto c, const Want& w) {
      return c == 63 ? kUnwritten : w(r, c);
    };
    CHECK(plant({.shape = {50, 64}, .broken = last, .names = {"m", "n"}}).pattern.hint ==
          "the bound of the column index stops 1 short of n: check its comparison (< against <=, "
          "a - 1)");
  }

  TEST_CASE("a pattern among a million elements is found by sampling") {
    const Broken half = [](auto r, auto c, const Want& w) { return 0.5 * w(r, c); };
    CHECK(plant({.shape = {1024, 1024}, .broken = half}).pattern.code == "constant_ratio");
  }
}

}  // namespace ws
