// Integers in parts of a word on the CPU engine, each beside its definition for one part.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"
#include "tests/support/expression_bench.h"

namespace ws::test {
namespace {

/// Computes one part in a number that is wide enough for every result.
using PartFn = int (*)(int a, int b, int high);

/// Into the range of a signed part whose largest number is `high`.
int saturated(int value, int high) {
  return std::clamp(value, -high - 1, high);
}

struct SimdRow {
  const char* name;  ///< Without the 2 or the 4 at its end.
  bool is_signed;    ///< How its parts are read.
  PartFn part;
};

const SimdRow kPairs[] = {
    {"__vadd", false, [](int a, int b, int) { return a + b; }},
    {"__vsub", false, [](int a, int b, int) { return a - b; }},
    {"__vaddus", false, [](int a, int b, int high) { return std::min(a + b, high); }},
    {"__vsubus", false, [](int a, int b, int) { return std::max(a - b, 0); }},
    {"__vaddss", true, [](int a, int b, int high) { return saturated(a + b, high); }},
    {"__vsubss", true, [](int a, int b, int high) { return saturated(a - b, high); }},
    {"__vmaxs", true, [](int a, int b, int) { return std::max(a, b); }},
    {"__vmins", true, [](int a, int b, int) { return std::min(a, b); }},
    {"__vmaxu", false, [](int a, int b, int) { return std::max(a, b); }},
    {"__vminu", false, [](int a, int b, int) { return std::min(a, b); }},
    {"__vabsdiffu", false, [](int a, int b, int) { return std::abs(a - b); }},
    {"__vabsdiffs", true, [](int a, int b, int) { return std::abs(a - b); }},
    {"__vavgu", false, [](int a, int b, int) { return (a + b + 1) / 2; }},
    {"__vavgs", true, [](int a, int b, int) { return (a + b + (a + b >= 0 ? 1 : 0)) >> 1; }},
    {"__vhaddu", false, [](int a, int b, int) { return (a + b) / 2; }},
    {"__vcmpeq", false, [](int a, int b, int) { return a == b ? -1 : 0; }},
    {"__vcmpne", false, [](int a, int b, int) { return a != b ? -1 : 0; }},
    {"__vcmpgts", true, [](int a, int b, int) { return a > b ? -1 : 0; }},
    {"__vcmpgtu", false, [](int a, int b, int) { return a > b ? -1 : 0; }},
    {"__vcmpges", true, [](int a, int b, int) { return a >= b ? -1 : 0; }},
    {"__vcmpgeu", false, [](int a, int b, int) { return a >= b ? -1 : 0; }},
    {"__vcmplts", true, [](int a, int b, int) { return a < b ? -1 : 0; }},
    {"__vcmpltu", false, [](int a, int b, int) { return a < b ? -1 : 0; }},
    {"__vcmples", true, [](int a, int b, int) { return a <= b ? -1 : 0; }},
    {"__vcmpleu", false, [](int a, int b, int) { return a <= b ? -1 : 0; }},
    {"__vseteq", false, [](int a, int b, int) { return a == b ? 1 : 0; }},
    {"__vsetne", false, [](int a, int b, int) { return a != b ? 1 : 0; }},
    {"__vsetgts", true, [](int a, int b, int) { return a > b ? 1 : 0; }},
    {"__vsetgtu", false, [](int a, int b, int) { return a > b ? 1 : 0; }},
    {"__vsetges", true, [](int a, int b, int) { return a >= b ? 1 : 0; }},
    {"__vsetgeu", false, [](int a, int b, int) { return a >= b ? 1 : 0; }},
    {"__vsetlts", true, [](int a, int b, int) { return a < b ? 1 : 0; }},
    {"__vsetltu", false, [](int a, int b, int) { return a < b ? 1 : 0; }},
    {"__vsetles", true, [](int a, int b, int) { return a <= b ? 1 : 0; }},
    {"__vsetleu", false, [](int a, int b, int) { return a <= b ? 1 : 0; }},
};

/// These take one word, so that `b` counts for nothing.
const SimdRow kSingles[] = {
    {"__vabs", true, [](int a, int, int) { return std::abs(a); }},
    {"__vneg", true, [](int a, int, int) { return -a; }},
    {"__vabsss", true, [](int a, int, int high) { return saturated(std::abs(a), high); }},
    {"__vnegss", true, [](int a, int, int high) { return saturated(-a, high); }},
};

/// Words whose parts are numbers at the edges of a part's range, in all pairs.
std::vector<std::pair<unsigned, unsigned>> edge_words(unsigned bits) {
  const unsigned most = (1U << bits) - 1;
  const unsigned sign = 1U << (bits - 1);
  const std::vector<unsigned> edges = {0, 1, 2, sign - 2, sign - 1, sign, sign + 1, most - 1, most};
  std::vector<std::pair<unsigned, unsigned>> words;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    for (std::size_t j = 0; j < edges.size(); ++j) {
      std::pair<unsigned, unsigned> word;
      for (unsigned part = 0; part < 32 / bits; ++part) {
        word.first |= edges[(i + part) % edges.size()] << part * bits;
        word.second |= edges[(j + 2 * part) % edges.size()] << part * bits;
      }
      words.push_back(word);
    }
  }
  return words;
}

int part_of(unsigned word, unsigned at, unsigned bits, bool is_signed) {
  const auto part = static_cast<int>(word >> at & ((1U << bits) - 1));
  return is_signed && part >= 1 << (bits - 1) ? part - (1 << bits) : part;
}

unsigned wanted(const SimdRow& row, unsigned a, unsigned b, unsigned bits) {
  unsigned word = 0;
  const int high = (1 << (row.is_signed ? bits - 1 : bits)) - 1;
  for (unsigned at = 0; at < 32; at += bits) {
    const int part =
        row.part(part_of(a, at, bits, row.is_signed), part_of(b, at, bits, row.is_signed), high);
    word |= (static_cast<unsigned>(part) & ((1U << bits) - 1)) << at;
  }
  return word;
}

std::vector<SimdRow> all_rows() {
  std::vector<SimdRow> rows(std::begin(kPairs), std::end(kPairs));
  rows.insert(rows.end(), std::begin(kSingles), std::end(kSingles));
  return rows;
}

std::string calls_of_all(const std::string& parts) {
  std::string source =
      "__global__ void k(unsigned* y, const unsigned* a, const unsigned* b) {\n"
      "  int i = blockIdx.x;\n";
  const std::vector<SimdRow> rows = all_rows();
  for (std::size_t f = 0; f < rows.size(); ++f) {
    const bool pair = f < std::size(kPairs);
    source += "  y[i * " + std::to_string(rows.size()) + " + " + std::to_string(f) +
              "] = " + rows[f].name + parts + (pair ? "(a[i], b[i]);\n" : "(a[i]);\n");
  }
  return source + "}\n";
}

}  // namespace

TEST_SUITE("device.cpu.simd_headers") {
  TEST_CASE("each part of a word becomes what its own numbers say, at the edges of their ranges") {
    for (const unsigned bits : {8U, 16U}) {
      const auto words = edge_words(bits);
      const std::vector<SimdRow> rows = all_rows();
      EngineRun run;
      run.source = calls_of_all(std::to_string(32 / bits));
      run.entry = "k";
      run.grid = {static_cast<std::int64_t>(words.size()), 1, 1};
      const auto count = static_cast<std::int64_t>(words.size());
      run.buffers = {buffer_of("y", DType::kU32, count * static_cast<std::int64_t>(rows.size())),
                     buffer_of("a", DType::kU32, count), buffer_of("b", DType::kU32, count)};
      const EngineResult result = run_engine(run, [&](EngineResult& made) {
        for (std::size_t i = 0; i < words.size(); ++i) {
          made.buffer<unsigned>(1)[i] = words[i].first;
          made.buffer<unsigned>(2)[i] = words[i].second;
        }
      });
      REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
      for (std::size_t i = 0; i < words.size(); ++i) {
        for (std::size_t f = 0; f < rows.size(); ++f) {
          CAPTURE(std::string(rows[f].name));
          CAPTURE(words[i].first);
          CAPTURE(words[i].second);
          CHECK(result.buffer<unsigned>(0)[i * rows.size() + f] ==
                wanted(rows[f], words[i].first, words[i].second, bits));
        }
      }
    }
  }

  TEST_CASE("sums and the largest of three go together, for words and for halves of them") {
    constexpr ExpressionValue kValues[] = {
        {"__vimax3_s32(-5, 3 * one, 2)", 3},
        {"__vimin3_u32(4000000000u, 7u * one, 9u)", 7},
        {"__viaddmax_s32(-5, 3 * one, -4)", -2},
        {"__viaddmax_u32(4294967295u, 2u * one, 0u)", 1},
        {"__viaddmin_s32(2147483647, one, 5)", -0x1p31},
        {"__vimax_s32_relu(-5, -3 * one)", 0},
        {"__viaddmin_s32_relu(4, 3 * one, 5)", 5},
        {"__vimax3_s16x2(0xffff0001u, 0x00020003u * one, 0x00010002u)", 0x00020003},
        {"__vimin3_u16x2(0xffff0005u, 0x00020003u * one, 0x00010009u)", 0x00010003},
        {"__viaddmax_s16x2(0x7fff0001u, 0x00010001u * one, 0u)", 0x00000002},
        {"__viaddmax_s16x2_relu(0xfff00001u, 0x00010001u * one, 0xfffeffffu)", 0x00000002},
    };
    check_expressions("", kValues);
  }
}

}  // namespace ws::test
