#include "runtime/ir/diff/diff.h"

#include <cstring>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/ir/syntax/parser.h"

namespace ws::ir {
namespace {

const char* const kSource = R"(class Rows(KernelBase):
    def __init__(self, X, Y, BM=32, causal=False):
        self.gridDim = (cdiv(X.shape[0], BM), 1, 1)
        self.X = X
        self.Y = Y
        self.causal = causal
        self.steps = X.shape[1] // 64
        self.s = alloc((2, 32, 64), "shared", "f32")
        self.full = barrier(2)
        self.full.init(1)

    def fetch(self):
        for j in range(self.steps):  # @ rows.cu:10-12 R7
            self.full[j % 2].arrive_expect_tx(8192)
            copy_async(self.s[j % 2], self.X[0:32, j * 64:j * 64 + 64], self.full[j % 2], "tma")

    def work(self, wg):
        m = full((32, 1), -inf, "f32")
        total = zeros((32, 64), "f32")
        for j in range(self.steps):
            b = j % 2
            self.full[b].wait(j // 2 % 2)
            x = self.s[b] * 0.5  # @ rows.cu:20-24
            m = maximum(m, max(x, 1, keepdim=True))
            total = total + x
            cta_sync()
        store(self.Y, (blockIdx.x, 0), total - m)

    def run(self):
        self.bind(self.fetch, "warp", 0)
        self.bind(self.work, "warpgroup", 1)
        self.commit()
)";

// `from` occurs once.
std::string with(const std::string& from, const std::string& to) {
  std::string text = kSource;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  REQUIRE(text.find(from, at + 1) == std::string::npos);
  return text.replace(at, from.size(), to);
}

Program parsed(const std::string& text) {
  Result<Program> program = parse_program(text);
  REQUIRE_MESSAGE(program, program.error().hint);
  return *std::move(program);
}

ProgramDiff diff_with(const std::string& from, const std::string& to) {
  Result<ProgramDiff> diff = diff_programs(parsed(kSource), parsed(with(from, to)));
  REQUIRE(diff);
  return *std::move(diff);
}

std::string words(const Rules& rules) {
  std::string text;
  for (const Rule rule : rules.list()) {
    text += (text.empty() ? "" : " ") + std::string(word_of(rule));
  }
  return text;
}

std::string breaches(const ProgramDiff& diff) {
  std::string text;
  for (const Breach& breach : diff.breaches) {
    text += std::string(word_of(breach.rule)) + " " + breach.message + ", lines " +
            std::to_string(breach.source.line) + " and " + std::to_string(breach.target.line) +
            "\n";
  }
  return text;
}

std::string changes(const ProgramDiff& diff) {
  std::string text;
  for (const RegionDiff& region : diff.regions) {
    if (region.change != Change::kKept) {
      text += region.region + " " + std::string(word_of(region.change)) + " " +
              words(region.rules) + "\n";
    }
  }
  return text;
}

struct Edit {
  const char* name;
  const char* from;
  const char* to;
  const char* changes;  // Regions, how they changed, by which rules.
  const char* breaches;
};

// Edits that carry the kernel to another computation.
constexpr Edit kTransfers[] = {
    {"a comment", "        m = full", "        # Nothing seen yet.\n        m = full", "", ""},
    {"another factor", "* 0.5", "* 0.25", "rows.cu:20-24 changed R3\n", ""},
    {"another sum", "total = total + x", "total = total + x * x", "work 3.4 changed R3\n", ""},
    {"another reduction", "max(x, 1, keepdim=True)", "max(abs(x), 1, keepdim=True)",
     "work 3.4 changed R4\n", ""},
    {"another first value", "full((32, 1), -inf", "full((32, 1), 0.0", "work 1 changed R4\n", ""},
    {"another result", "total - m)", "total)", "work 4 changed R4\n", ""},
    {"half the columns", "in range(self.steps):\n            b",
     "in range(self.steps // 2):\n            b", "work 3 changed R1\n", ""},
    {"another number of steps", "shape[1] // 64", "shape[1] // 64 - 1", "__init__ 4 changed R1\n",
     ""},
    {"another grid", "cdiv(X.shape[0], BM), 1, 1)", "cdiv(X.shape[0], BM), 2, 1)",
     "__init__ 1 changed R1\n", ""},
    {"an early exit", "            b = j % 2",
     "            if j > 3:\n                break\n            b = j % 2",
     "work 3.1 of the target added R1\n", ""},
    {"a mask", "            total = total",
     "            if self.causal:\n                x = where(x > 0.0, x, 0.0)\n            total = "
     "total",
     "work 3.4 changed R3\n", ""},
};

// Edits of the orchestration, which rule R2 keeps.
constexpr Edit kPlanted[] = {
    {"a barrier less", "            cta_sync()\n", "", "work 3.6 removed \n",
     "R2 `cta_sync()` is gone from `work`, lines 26 and 23\n"},
    {"a barrier more", "            total = total",
     "            cta_sync()\n            total = total", "work 3.5 of the target added \n",
     "R2 `cta_sync()` is new in `work`, lines 23 and 25\n"},
    {"a wait for another phase", "wait(j // 2 % 2)", "wait(j // 2 % 2 ^ 1)", "work 3.1 changed \n",
     "R2 `self.full[b].wait(j // 2 % 2)` became `self.full[b].wait(j // 2 % 2 ^ 1)` in `work`, "
     "lines 22 and 22\n"},
    {"another stage", "b = j % 2", "b = (j + 1) % 2", "work 3.1 changed \n",
     "R2 `b = j % 2` became `b = (j + 1) % 2` in `work`, lines 21 and 21\n"},
    {"other bytes", "arrive_expect_tx(8192)", "arrive_expect_tx(4096)", "rows.cu:10-12 changed \n",
     "R2 `self.full[j % 2].arrive_expect_tx(8192)` became "
     "`self.full[j % 2].arrive_expect_tx(4096)` in `fetch`, lines 14 and 14\n"
     "R7 region rows.cu:10-12 is marked R7 and was changed, lines 14 and 14\n"},
    {"a role on another warp", "\"warp\", 0", "\"warp\", 1", "run 1 changed \n",
     "R2 `self.bind(self.fetch, \"warp\", 0)` became `self.bind(self.fetch, \"warp\", 1)` in "
     "`run`, lines 30 and 30\n"},
    {"a smaller buffer", "alloc((2, 32, 64)", "alloc((1, 32, 64)", "__init__ 6 changed \n",
     "R2 `self.s = alloc((2, 32, 64), \"shared\", \"f32\")` became `self.s = alloc((1, 32, 64), "
     "\"shared\", \"f32\")` in `__init__`, lines 8 and 8\n"},
    {"a loop less", "        for j in range(self.steps):  # @ rows.cu:10-12 R7",
     "        if True:", "rows.cu:10-12 changed \n",
     "R2 `if True` is new in `fetch`, lines 12 and 13\nR2 `for j` is gone from `fetch`, lines 13 "
     "and 12\nR7 region rows.cu:10-12 is marked R7 and was changed, lines 13 and 13\n"},
};

struct Addition {
  const char* name;
  const char* rules;
  std::vector<std::pair<const char*, const char*>> edits;
};

const std::vector<Addition> kAdditions = {
    {"a new input of one number",
     "R3 R5",
     {{"causal=False", "causal=False, slope=2.0"},
      {"        self.causal = causal", "        self.causal = causal\n        self.slope = slope"},
      {"* 0.5 ", "* self.slope "}}},
    {"a new input that is loaded",
     "R3 R5",
     {{"X, Y, BM", "X, Y, Bias, BM"},
      {"        self.causal = causal", "        self.causal = causal\n        self.Bias = Bias"},
      {"            total = total",
       "            bias = load(self.Bias, (0, j), (32, 64))\n            x = x + bias\n"
       "            total = total"}}},
    {"a new input that is copied to a new buffer",
     "R3 R5 R6",
     {{"X, Y, BM", "X, Y, Bias, BM"},
      {"        self.causal = causal", "        self.causal = causal\n        self.Bias = Bias"},
      {"        self.full = ",
       "        self.bias = alloc((32, 64), \"shared\", \"f32\")\n        self.full = "},
      {"            total = total",
       "            if j == 0:\n                copy(self.bias, self.Bias[0:32, 0:64])\n           "
       " total = total + self.bias\n"
       "            total = total"}}},
    {"a new method",
     "R3 R4 R6",
     {{"    def run(self):",
       "    def capped(self, x):\n        return minimum(x, 4.0)\n\n    def run(self):"},
      {"            m = maximum(m, max(x, 1, keepdim=True))",
       "            top = self.capped(x)\n            m = maximum(m, max(top, 1, keepdim=True))"}}},
};

TEST_SUITE("ir.diff") {
  TEST_CASE("a program is equal to itself") {
    const Result<ProgramDiff> diff = diff_programs(parsed(kSource), parsed(kSource));
    REQUIRE(diff);
    CHECK(changes(*diff) == "");
    CHECK(words(diff->rules) == "");
    CHECK(diff->orchestration_kept);
    CHECK(diff->windows.empty());
    CHECK(diff->regions.size() > 8);
  }

  TEST_CASE("an edit tells its region and its rules, and keeps the orchestration") {
    for (const Edit& edit : kTransfers) {
      CAPTURE(std::string(edit.name));
      const ProgramDiff diff = diff_with(edit.from, edit.to);
      CHECK(changes(diff) == std::string(edit.changes));
      CHECK(breaches(diff) == std::string(edit.breaches));
      CHECK(diff.orchestration_kept);
    }
  }

  TEST_CASE("a planted change of the orchestration is reported with both lines") {
    for (const Edit& edit : kPlanted) {
      CAPTURE(std::string(edit.name));
      const ProgramDiff diff = diff_with(edit.from, edit.to);
      CHECK(changes(diff) == std::string(edit.changes));
      CHECK(breaches(diff) == std::string(edit.breaches));
      CHECK_FALSE(diff.orchestration_kept);
    }
  }

  TEST_CASE("what is new needs no place in the source's orchestration") {
    for (const Addition& addition : kAdditions) {
      CAPTURE(std::string(addition.name));
      std::string text = kSource;
      for (const auto& [from, to] : addition.edits) {
        text.replace(text.find(from), std::strlen(from), to);
      }
      const Result<ProgramDiff> diff = diff_programs(parsed(kSource), parsed(text));
      REQUIRE(diff);
      CHECK(words(diff->rules) == std::string(addition.rules));
      CHECK(breaches(*diff) == "");
      // The other way round something is lost.
      const Result<ProgramDiff> back = diff_programs(parsed(text), parsed(kSource));
      REQUIRE(back);
      CHECK((words(back->rules) != "" || !back->orchestration_kept));
    }
  }

  TEST_CASE("an operation that moved is reported once") {
    const ProgramDiff diff =
        diff_with("            total = total + x\n            cta_sync()\n        store(",
                  "            total = total + x\n        cta_sync()\n        store(");
    CHECK(breaches(diff) == "R2 `cta_sync()` moved in `work`, lines 26 and 26\n");
  }

  TEST_CASE("an edit may touch the lines of the regions that changed") {
    const ProgramDiff diff = diff_with("* 0.5", "* 0.25");
    REQUIRE(diff.windows.size() == 2);
    CHECK(diff.windows[0].file == "");
    CHECK(diff.windows[0].lines.first == 23);
    CHECK(diff.windows[0].lines.last == 23);
    CHECK(diff.windows[1].file == "rows.cu");
    CHECK(diff.windows[1].lines.first == 20);
    CHECK(diff.windows[1].lines.last == 24);
  }

  TEST_CASE("how often a loop runs may change, also where a stage is computed from it") {
    const std::string source = with("for j in range(self.steps):\n            b = j % 2",
                                    "steps = 4\n        self.full[(steps - 1) % 2].wait(0)\n"
                                    "        for j in range(steps):\n            b = j % 2");
    std::string target = source;
    target.replace(target.find("steps = 4\n"), 9, "steps = minimum(4, 2)");
    const Result<ProgramDiff> diff = diff_programs(parsed(source), parsed(target));
    REQUIRE(diff);
    CHECK(breaches(*diff).empty());
    CHECK(words(diff->rules) == "R1");
  }

  TEST_CASE("one index in parentheses is the same place") {
    const ProgramDiff diff =
        diff_programs(parsed(with("total - m", "total - load(self.X, (blockIdx.x,), (32,))")),
                      parsed(with("total - m", "total - 2.0 * load(self.X, blockIdx.x, (32,))")))
            .value();
    CHECK(breaches(diff).empty());
  }

  TEST_CASE("a role that is gone breaks the structure") {
    const std::string text = kSource;
    const std::size_t from = text.find("    def fetch");
    const std::string without = text.substr(0, from) + text.substr(text.find("    def work"));
    const Result<ProgramDiff> diff = diff_programs(parsed(text), parsed(without));
    REQUIRE(diff);
    CHECK(breaches(*diff) ==
          "R2 `fetch`, which orchestrates, is gone, lines 12 and 0\n"
          "R7 region rows.cu:10-12 is marked R7 and was removed, lines 13 and 0\n");
  }

  TEST_CASE("malformed source marks are refused with their place") {
    const char* const marks[] = {"# @ rows.cu",        "# @ :3-4",           "# @ rows.cu:9-3",
                                 "# @ rows.cu:3-x R7", "# @ rows.cu:3-4 R8", "# @"};
    for (const char* mark : marks) {
      const Result<ProgramDiff> diff =
          diff_programs(parsed(kSource), parsed(with("# @ rows.cu:20-24", mark)));
      REQUIRE_FALSE(diff);
      CHECK(diff.error().message == "23:13: malformed source mark `" + std::string(mark) + "`");
    }
  }

  TEST_CASE("programs that have nothing in common are refused when they are long") {
    std::string one = "class A(KernelBase):\n    def run(self):\n";
    std::string two = one;
    for (int i = 0; i < 5000; ++i) {
      one += "        x = " + std::to_string(i) + "\n";
      two += "        y = " + std::to_string(i) + "\n";
    }
    const Result<ProgramDiff> diff = diff_programs(parsed(one), parsed(two));
    REQUIRE_FALSE(diff);
    CHECK(diff.error().message == "the programs differ in too many lines to be compared");
  }
}

}  // namespace
}  // namespace ws::ir
