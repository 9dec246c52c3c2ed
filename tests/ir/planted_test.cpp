#include "tests/ir/planted.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <doctest/doctest.h>

#include "tests/ir/corpus.h"

namespace ws::ir {
namespace {

/// Changes that leave a program right.
struct Harmless {
  std::string_view base;
  std::string_view what;
  std::string_view reason;
};

constexpr std::string_view kOwnBarrier = "those who meet there may take any barrier that is free";
constexpr std::string_view kSourceRead = "a block may end when the source of its store was read";

constexpr std::array<Harmless, 27> kHarmless = {{
    {"aligned", "another barrier: bar_sync(1, 128)", kOwnBarrier},
    {"chained", "a line too early: self.k_empty[s].arrive()",
     "the producer waits for v_empty before it fills that stage"},
    {"cluster", "left out: wgmma_fence()", "no register was written before the first product"},
    {"cluster", "a line too early: at_block(self.empty[s], 1).arrive()", "two arrivals in a row"},
    {"dropped", "the source read, not the target: wait_group(0, \"tma\")", kSourceRead},
    {"exchange", "another barrier: bar_sync(1, 128)  # written", kOwnBarrier},
    {"exchange", "another barrier: bar_sync(1, 128)  # read", kOwnBarrier},
    {"exchange", "another barrier: bar_sync(1, 128)  # parts", kOwnBarrier},
    {"exchange", "another barrier: bar_sync(2, 128)  # filled", kOwnBarrier},
    {"exchange", "another barrier: bar_sync(2, 128)  # multiplied", kOwnBarrier},
    {"exchange", "another barrier: bar_sync(2, 128)  # staged", kOwnBarrier},
    {"fenced", "another barrier: bar_sync(2, 128)", kOwnBarrier},
    {"fenced", "the source read, not the target: wait_group(0, \"tma\")", kSourceRead},
    {"persistent", "another barrier: bar_sync(1, 128)  # the tile is free", kOwnBarrier},
    {"persistent", "another barrier: bar_sync(1, 128)  # the tile is filled", kOwnBarrier},
    {"persistent", "the source read, not the target: wait_group(0, \"tma\")", kSourceRead},
    {"refilled", "another barrier: bar_sync(1, 128)  # filled", kOwnBarrier},
    {"refilled", "another barrier: bar_sync(1, 128)  # free", kOwnBarrier},
    {"rounds", "the next round: self.ring.acquire(p)", "it waits for one round more"},
    {"rounds", "the next round: self.ring.release(p)", "the producer waits for the round before"},
    {"rounds", "another barrier: bar_sync(3, 256)  # filled", kOwnBarrier},
    {"rounds", "the source read, not the target: wait_group(0, \"tma\")", kSourceRead},
    {"rounds", "another barrier: bar_sync(3, 256)  # stored", kOwnBarrier},
    {"shared_ring", "a line too early: self.empty[s].arrive()", "the stage was read already"},
    {"storing", "left out: wait_group(0, \"tma\")", kSourceRead},
    {"storing", "one group fewer: wait_group(0, \"tma\")", kSourceRead},
    {"storing", "the source read, not the target: wait_group(0, \"tma\")", kSourceRead},
}};

bool is_harmless(const std::string& base, const Planted& planted) {
  return std::ranges::any_of(
      kHarmless, [&](const Harmless& row) { return row.base == base && row.what == planted.what; });
}

RunReport run_planted(const std::string& text) {
  RunOptions options;
  options.max_steps = 20'000;  // Endless loops end sooner.
  options.mode = ValueMode::kNone;
  return run_text(text, arguments_of(text), options);
}

/// Whether the program is silent after at most four rounds of what the first finding says.
bool is_mended(std::string text, RunReport report) {
  for (int round = 0; round < 4 && !report.findings.empty(); ++round) {
    const std::optional<std::string> better = mended(text, report.findings.front());
    if (!better) {
      return false;
    }
    text = *better;
    report = run_planted(text);
  }
  return report.findings.empty();
}

TEST_SUITE("ir.planted") {
  TEST_CASE("every planted mistake is found, and most are told with their cause and a fix") {
    std::size_t planted = 0;
    std::size_t with_cause = 0;
    std::size_t mendable = 0;
    std::size_t with_fix = 0;
    std::size_t harmless = 0;
    for (const std::string& name : base_names()) {
      for (const Planted& one : planted_in(base_text(name))) {
        CAPTURE(name);
        CAPTURE(one.what);
        const RunReport report = run_planted(one.text);
        const bool silent = report.findings.empty();
        CHECK(silent == is_harmless(name, one));
        harmless += silent ? 1U : 0U;
        if (!silent) {
          const Finding& first = report.findings.front();
          ++planted;
          with_cause += names_cause(one, first) ? 1U : 0U;
          const bool mechanical = mended(one.text, first).has_value();
          mendable += mechanical ? 1U : 0U;
          with_fix += mechanical && is_mended(one.text, report) ? 1U : 0U;
        }
      }
    }
    MESSAGE(planted, " planted, the cause first in ", with_cause, "; of ", mendable,
            " fixes that a program can apply ", with_fix, " work");
    CHECK(planted >= 440);
    CHECK(harmless == kHarmless.size());
    CHECK(with_cause * 100 >= planted * 95);
    CHECK(mendable >= 120);
    CHECK(with_fix * 100 >= mendable * 95);
  }
}

}  // namespace
}  // namespace ws::ir
