// Mistakes of kernels as they are made, each with the code and the words that must come out.
#include <cmath>

#include "runtime/base/mix64.h"
#include "runtime/judge/test_patterns.h"

namespace ws {
namespace {

struct Fault {
  const char* name;
  std::vector<std::int64_t> shape;
  Broken got;
  const char* code;
  const char* text;  ///< How the text ends; null: it depends on the draw.
  const char* hint;  ///< A part of the hint; null: any.
};

bool chance(std::int64_t row, std::int64_t column, std::uint64_t one_of) {
  return mix64(static_cast<std::uint64_t>(row * 1000 + column)) % one_of == 0;
}

const Fault kPlaces[] = {
    {"the first column of each tile of 16",
     {40, 64},
     [](auto r, auto c, const Want& w) { return c % 16 == 0 ? 9.0 : w(r, c); },
     "every_kth",
     "every 16th column is wrong, from column 0 on",
     "edge of a tile"},
    {"the last row of each tile of 8",
     {64, 40},
     [](auto r, auto c, const Want& w) { return r % 8 == 7 ? w(r, c) + w(r - 1, c) : w(r, c); },
     "every_kth",
     "every 8th row is wrong, from row 7 on",
     "one of 8 is missed"},
    {"the last two columns of each tile of 16",
     {40, 128},
     [](auto r, auto c, const Want& w) { return c % 16 >= 14 ? kUnwritten : w(r, c); },
     "every_kth",
     "2 of every 16 columns are wrong and never written, from column 14 on",
     "2 of 16 are missed"},
    {"three rows at the edges of tiles",
     {96, 33},
     [](auto r, auto c, const Want& w) { return (r + 1) % 24 < 3 ? 9.0 : w(r, c); },
     "every_kth",
     "3 of every 24 rows are wrong, from row 23 on",
     "3 of 24 are missed"},
    {"half a warp",
     {1024},
     [](auto r, auto c, const Want& w) { return c % 32 >= 16 ? kUnwritten : w(r, c); },
     "every_kth",
     "16 of every 32 elements are wrong and never written, from element 16 on",
     "16 of 32 are missed"},
    {"the corners of tiles",
     {96, 96},
     [](auto r, auto c, const Want& w) { return r % 16 == 15 && c % 16 == 15 ? 9.0 : w(r, c); },
     "every_kth",
     "the result is wrong where every 16th row, from row 15 on, crosses every 16th column, from "
     "column 15 on",
     "both directions"},
    {"a part of every 8th row",
     {96, 96},
     [](auto r, auto c, const Want& w) { return r % 8 == 0 && c < 20 ? 9.0 : w(r, c); },
     "every_kth",
     "every 8th row, from row 0 on, is wrong in columns 0 to 19",
     "both directions"},
    {"an odd row stride",
     {100, 30},
     [](auto r, auto c, const Want& w) { return (r * 30 + c) % 128 >= 120 ? 9.0 : w(r, c); },
     "every_kth",
     "8 of every 128 elements are wrong, from element 120 on",
     "8 of 128 are missed"},
    {"transposed matrices of a batch",
     {6, 24, 24},
     [](auto r, auto c, const Want& w) { return w(r / 24 * 24 + c, r % 24); },
     "transposed",
     "rows stand where columns belong",
     "swap"},
    {"one row too far",
     {50, 20},
     [](auto r, auto c, const Want& w) { return r < 49 ? w(r + 1, c) : 0.0; },
     "shifted_by_one",
     "shifted by one row",
     "off by one"},
    {"the last block of rows is not done",
     {100, 64},
     [](auto r, auto c, const Want& w) { return r >= 96 ? kUnwritten : w(r, c); },
     "tail_rows",
     "the last 4 of 100 rows are wrong and never written",
     "cdiv"},
    {"a race that few threads lose",
     {64, 64},
     [](auto r, auto c, const Want& w) { return chance(r, c, 60) ? w(r, c) + 2 : w(r, c) * 1; },
     "constant_offset",
     "every wrong value is 2 more than the right one",
     nullptr},
    {"values of other threads",
     {64, 64},
     [](auto r, auto c, const Want& w) {
       return chance(r, c, 40) ? w((r * 7 + 5) % 64, (c * 3 + 1) % 64) + 1 : w(r, c);
     },
     "scattered",
     nullptr,
     "race"},
};

const Fault kValues[] = {
    {"counted twice",
     {64, 48},
     [](auto r, auto c, const Want& w) { return 2 * w(r, c); },
     "constant_ratio",
     "every wrong value is 2 times the right one",
     "every term is added 2 times"},
    {"the mean is not divided",
     {64, 48},
     [](auto r, auto c, const Want& w) { return 48 * w(r, c); },
     "constant_ratio",
     "every wrong value is 48 times the right one",
     "a division by n is missing"},
    {"divided once more",
     {64, 48},
     [](auto r, auto c, const Want& w) { return w(r, c) / 64; },
     "constant_ratio",
     "every wrong value is 0.01562 times the right one",
     "divided by m once too often"},
    {"no scale of a score",
     {64, 48},
     [](auto r, auto c, const Want& w) { return std::sqrt(48.0) * w(r, c); },
     "constant_ratio",
     "every wrong value is 6.928 times the right one",
     "the root of n: a scale is missing"},
    {"each of four warps adds its sum",
     {500},
     [](auto r, auto c, const Want& w) { return 4 * w(r, c); },
     "constant_ratio",
     "every wrong value is 4 times the right one",
     "one thread only"},
    {"the sign",
     {64, 48},
     [](auto r, auto c, const Want& w) { return -w(r, c); },
     "constant_ratio",
     "every wrong value is -1 times the right one",
     "the sign is wrong"},
    {"n - 1 for n",
     {64, 48},
     [](auto r, auto c, const Want& w) { return w(r, c) * 256 / 255; },
     "constant_ratio",
     "times the right one",
     "a count that is off by one"},
    {"a tile is counted three times",
     {96, 96},
     [](auto r, auto c, const Want& w) { return r < 32 && c >= 64 ? 3 * w(r, c) : w(r, c); },
     "constant_ratio",
     "3 times the right one (rows 0 to 31, columns 64 to 95)",
     "every term is added 3 times"},
    {"a bias twice",
     {64, 48},
     [](auto r, auto c, const Want& w) { return w(r, c) + 0.75; },
     "constant_offset",
     "every wrong value is 0.75 more than the right one",
     "a bias"},
    {"a small offset",
     {64, 48},
     [](auto r, auto c, const Want& w) { return w(r, c) - 0.004; },
     "constant_offset",
     nullptr,
     "an epsilon"},
    {"counters that start at one",
     {300},
     [](auto r, auto c, const Want& w) { return w(r, c) + 1; },
     "constant_offset",
     "every wrong value is 1 more than the right one",
     "an initial value"},
    {"a softmax that is not divided by its sum",
     {40, 64},
     [](auto r, auto c, const Want& w) { return w(r, c) * (3 + std::sin(static_cast<double>(r))); },
     "row_ratio",
     nullptr,
     "its sum, its norm"},
    {"a large number in the place of all",
     {64, 48},
     [](auto, auto, const Want&) { return 1e5; },
     "everywhere",
     nullptr,
     nullptr},
    {"a lost term",
     {64, 64},
     [](auto r, auto c, const Want& w) {
       return w(r, c) + 0.04 * std::sin(static_cast<double>(r * 64 + c));
     },
     "everywhere",
     nullptr,
     nullptr},
};

void check(const Fault& fault, DType type, std::uint64_t seed) {
  CAPTURE(std::string(fault.name));
  CAPTURE(seed);
  const bool line = fault.shape.size() == 1;
  const std::vector<std::string> names =
      line ? std::vector<std::string>{"n"} : std::vector<std::string>{"m", "n"};
  const MismatchPattern found =
      plant({.shape = fault.shape,
             .broken = fault.got,
             .type = type,
             .seed = seed,
             .names = fault.shape.size() > 2 ? std::vector<std::string>{} : names})
          .pattern;
  CHECK(found.code == fault.code);
  if (fault.text != nullptr) {
    CHECK_MESSAGE(found.text.ends_with(fault.text), found.text);
  }
  if (fault.hint != nullptr) {
    CHECK_MESSAGE(found.hint.find(fault.hint) != std::string::npos, found.hint);
  }
}

}  // namespace

TEST_SUITE("judge.pattern") {
  TEST_CASE("a mistake that comes back is named with its period, others with their place") {
    for (const Fault& fault : kPlaces) {
      for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        check(fault, DType::kF32, seed);
      }
    }
  }

  TEST_CASE("a factor and an offset are named with their size and their likely reason") {
    for (const Fault& fault : kValues) {
      for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        check(fault, DType::kF32, seed);
      }
      const std::string_view name = fault.name;
      if (name != "a small offset" && name != "a lost term") {
        check(fault, DType::kF64, 3);
      }
    }
  }
}

}  // namespace ws
