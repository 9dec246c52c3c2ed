// Lowerings that a machine makes: what it proposes is right, and it proposes nothing else.
#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "tests/support/golden.h"
#include "tests/support/lower_bench.h"

namespace ws::test {
namespace {

std::string recorded_target(const std::string& variant) {
  const auto text = read_file(source_dir() / ("examples/workflows/attention/" + variant + ".cuir"));
  REQUIRE(text.has_value());
  return *text;
}

struct Row {
  const char* variant;
  std::size_t line;
  const char* text;
};

// Masks by index comparison, and changes of the score.
constexpr Row kProposed[] = {
    {"causal", 30, "      s[j] = (j + k0 < n && j + k0 <= row) ? s[j] : -INFINITY;"},
    {"sliding-window", 30,
     "      s[j] = j + k0 < n ? ((row - 20 <= j + k0 && j + k0 <= row) ? s[j] : -1e30f) : "
     "-INFINITY;"},
    {"softcap", 29, "      s[j] = 20.0f * tanhf(dot * scale / 20.0f);"},
    {"alibi", 29, "      s[j] = dot * scale - 0.25f * (float)(row - (j + k0));"},
    {"relative-position", 29, "      s[j] = dot * scale + (float)(row - (j + k0));"},
};

/// The proposal for one changed statement of a kernel.
Json proposal_for(const LoweredFrom& from, const std::string& old, const std::string& now) {
  return from.lower(with_text(from.ir, old, now));
}

}  // namespace

TEST_SUITE("tools.lower_proposal") {
  TEST_CASE("a mask or a score is lowered by a machine, and passes") {
    for (const Row& row : kProposed) {
      CAPTURE(std::string(row.variant));
      const std::string target = recorded_target(row.variant);
      const Json output = attention().lower(target);
      REQUIRE_MESSAGE(output.contains("proposal"), output.value("no_proposal", ""));
      const Json& edits = output["proposal"]["edits"];
      REQUIRE(edits.size() == 1);
      CHECK(edits[0]["from"] == row.line);
      CHECK(edits[0]["text"] == std::string(row.text));
      CHECK(output["next_steps"][0]["why"] ==
            "send the same call with `edits`: those of the proposal, or your own");
      CHECK(attention().lower(target, edits)["verdict"] == "passed");
    }
  }

  TEST_CASE("a proposal for another target is caught") {
    const Json edits = attention().lower(recorded_target("alibi"))["proposal"]["edits"];
    CHECK(attention().lower(recorded_target("relative-position"), edits)["verdict"] == "incorrect");
  }

  TEST_CASE("another normalisation and an extra epilogue operation are lowered too") {
    struct Change {
      const char* problem;
      const char* kernel;
      const char* old;
      const char* now;
      const char* wrong;  // The text that it has, and the mistake that is planted there.
      const char* planted;
    };

    const Change changes[] = {
        // Weights that sum to less than one.
        {"attention-plain", "attention_plain", "acc_ / sum_", "acc_ / (sum_ + exp(-most_))",
         "-most", "most"},
        {"matmul", "tiled16", "store(self.C, (blockIdx.y, blockIdx.x), sum_)",
         "store(self.C, (blockIdx.y, blockIdx.x), maximum(sum_, 0.0) * 2.0)", "2.0f", "3.0f"},
    };
    for (const Change& change : changes) {
      CAPTURE(std::string(change.kernel));
      const LoweredFrom from = lifted_example(change.problem, change.kernel);
      const std::string target = with_text(from.ir, change.old, change.now);
      const Json output = from.lower(target);
      REQUIRE_MESSAGE(output.contains("proposal"), output.dump());
      Json edits = output["proposal"]["edits"];
      const Json made = from.lower(target, edits);
      CHECK_MESSAGE(made["verdict"] == "passed", made.dump());
      edits[0]["text"] = with_text(edits[0]["text"], change.wrong, change.planted);
      CHECK(from.lower(target, edits)["verdict"] == "incorrect");
    }
  }

  TEST_CASE("what no table knows is no proposal, with its reason") {
    CHECK(attention().lower(recorded_target("relu"))["no_proposal"] ==
          "the change is not one of single statements");
    CHECK(attention().lower(recorded_target("shared-question"))["no_proposal"] ==
          "`s_1 = where((k < self.n) & ((k <= i) & ((k < 64) | ((i - 64) // 32 == (k - 64) // "
          "32))), s, -inf)`: there is no form for `//` here");
    CHECK(proposal_for(attention(), "s = dot * self.scale", "s = pow(dot, 2.0)")["no_proposal"] ==
          "`s = pow(dot, 2.0)`: there is no form for `pow`");
  }
}

}  // namespace ws::test
