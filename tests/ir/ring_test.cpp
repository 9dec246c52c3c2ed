// Rings: what they are made of, in findings, in comparisons and in values.
#include <doctest/doctest.h>

#include "runtime/ir/diff/diff.h"
#include "runtime/ir/syntax/parser.h"
#include "tests/ir/corpus.h"

namespace ws::ir {
namespace {

std::string replaced(std::string text, const std::string& part, const std::string& with) {
  const std::size_t at = text.find(part);
  return at == std::string::npos ? "" : text.replace(at, part.size(), with);
}

TEST_SUITE("ir.ring") {
  TEST_CASE("a finding names the barrier of the ring, its stage and its phase") {
    const std::string text = replaced(base_text("rounds"), "self.ring.release(p)", "pass");
    RunOptions options;
    options.schedules.resize(1);
    CHECK(run_text(text, arguments_of(text), options).render(text) ==
          "deadlock: no worker can go on: producer(0) waits at line 15 for `ring.empty[0]`, phase "
          "0: 2 of 2 arrivals missing; consumer(1) waits at line 25 for `ring.full[0]`, phase 1: 1 "
          "of 1 arrivals missing; consumer(2) waits at line 25 for `ring.full[0]`, phase 1: 1 of 1 "
          "arrivals missing\n"
          "  line 15: self.ring.acquire(p)\n"
          "  line 11: self.ring = ring(2, 2)\n"
          "  fix: an arrival at `ring.empty[0]` is missing, its init counts too many, or the wait "
          "names the wrong parity\n"
          "  worker producer(0), block 0, schedule in turn, early\n");
  }

  TEST_CASE("a round that turns out to be negative when it runs is an error") {
    const std::string text = base_text("rounds");
    const auto says = [&](const std::string& part, const std::string& with) {
      const std::string changed = replaced(text, part, with);
      const std::string report = run_text(changed, arguments_of(changed), {}).render(changed);
      return report.substr(0, report.find('\n'));
    };
    CHECK(says("self.ring.acquire(p)", "self.ring.acquire(p - 3)") ==
          "runtime_error: `ring.acquire`: `round` is -3: it is 0 to 1099511627775");
    CHECK(says("self.ring.full(p).arrive", "self.ring.full(p - 3).arrive") ==
          "runtime_error: `ring.full`: `round` is -3: rounds begin with 0");
  }

  TEST_CASE("a comparison tells a method of a ring that is gone") {
    const std::string text = base_text("rounds");
    const Result<Program> base = parse_program(text);
    const Result<Program> changed =
        parse_program(replaced(text, "            self.ring.release(p)\n", ""));
    REQUIRE(base);
    REQUIRE(changed);
    const Result<ProgramDiff> diff = diff_programs(*base, *changed);
    REQUIRE(diff);
    CHECK_FALSE(diff->orchestration_kept);
    REQUIRE(diff->breaches.size() == 1);
    CHECK(diff->breaches[0].message == "`self.ring.release(p)` is gone from `consumer`");
  }

  TEST_CASE("a role gets its number and its place among those bound with it") {
    const std::string text = base_text("rounds");
    const std::vector<Tensor> tensors = arguments_of(text);
    const RunReport report = run_text(text, tensors);
    CHECK(report.render(text) == "");
    REQUIRE(report.outputs.size() == 1);
    std::vector<double> expected;
    expected.reserve(tensors[0].data.size());
    for (std::size_t i = 0; i < tensors[0].data.size(); ++i) {
      expected.push_back(tensors[0].data[i] * tensors[1].data[i % tensors[1].data.size()]);
    }
    CHECK(distance(report.outputs[0].data, expected) < 1e-12);
  }
}

}  // namespace
}  // namespace ws::ir
