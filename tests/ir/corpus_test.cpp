#include "tests/ir/corpus.h"

#include <doctest/doctest.h>

namespace ws::ir {
namespace {

// The mistake in the report of a bug, or nothing.
std::string verdict(const Edited& c, const RunReport& report) {
  return is_found(c, report.findings)
             ? ""
             : "wanted " + c.kind + " at lines " + std::to_string(c.at) + " and " +
                   std::to_string(c.other) + ", got\n" + report.render(c.text);
}

// Endless loops end sooner.
RunOptions quick() {
  RunOptions options;
  options.max_steps = 20'000;
  return options;
}

TEST_SUITE("ir.corpus") {
  TEST_CASE("every base is silent on every schedule") {
    for (const std::string& name : base_names()) {
      CAPTURE(name);
      const std::string text = base_text(name);
      CHECK(run_text(text, arguments_of(text)).render(text) == "");
    }
  }

  TEST_CASE("every bug is found with its kind and both places") {
    std::size_t count = 0;
    for (const std::string& name : base_names()) {
      for (const Edited& c : edits_of("bugs", name)) {
        CAPTURE(name);
        CAPTURE(c.name);
        CHECK(c.error == "");
        const RunReport report = run_text(c.text, arguments_of(c.text), quick());
        CHECK(verdict(c, report) == "");
        for (const Finding& finding : report.findings) {
          CHECK_FALSE(finding.fix.empty());
          CHECK_FALSE(finding.worker.empty());
        }
        ++count;
      }
    }
    CHECK(count >= 60);
  }

  TEST_CASE("correct programs that look suspicious are silent on every schedule") {
    std::size_t count = base_names().size();
    for (const std::string& name : base_names()) {
      for (const Edited& c : edits_of("silent", name)) {
        CAPTURE(name);
        CAPTURE(c.name);
        CHECK(c.error == "");
        CHECK(run_text(c.text, arguments_of(c.text)).render(c.text) == "");
        ++count;
      }
    }
    CHECK(count >= 40);
  }

  TEST_CASE("race-only runs find what runs with values find") {
    RunOptions options = quick();
    options.mode = ValueMode::kNone;
    for (const std::string& name : base_names()) {
      for (const Edited& c : edits_of("bugs", name)) {
        if (c.kind != "undetermined_value") {
          CAPTURE(name);
          CAPTURE(c.name);
          CHECK(verdict(c, run_text(c.text, arguments_of(c.text), options)) == "");
        }
      }
    }
  }
}

}  // namespace
}  // namespace ws::ir
