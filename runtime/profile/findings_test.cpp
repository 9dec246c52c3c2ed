// Tests of findings from counts, beyond what the planted kernels of tests/planted show.
#include "runtime/profile/findings.h"

#include <doctest/doctest.h>

namespace ws {

TEST_SUITE("profile.findings") {
  /// The stores of tests/planted/uncoalesced.json, as counted and timed on an H100.
  ProfileInput scattered_stores() {
    constexpr double kRequests = 131'072;
    ProfileInput input;
    Counts& total = input.counts.total;
    total.sectors = kRequests * (4 + 32);
    total.ideal_sectors = kRequests * (4 + 4);
    total.requests[static_cast<std::size_t>(MemorySpace::kGlobal)] = 2 * kRequests;
    total.warp_instructions = 2'753'000;
    total.thread_instructions = 32 * total.warp_instructions;
    total.present_instructions = total.thread_instructions;
    input.counts.lines = {{"source", 7, total}};
    input.launches = {{.entry = "k",
                       .blocks = 4096,
                       .threads = 1024,
                       .shared_bytes = 0,
                       .occupancy = 1,
                       .occupancy_limit = "",
                       .registers = 16,
                       .spill_bytes = 0}};
    input.measured_us = 115.3;
    return input;
  }

  TEST_CASE("scattered accesses explain as much as the memory system was counted to be busy") {
    ProfileInput input = scattered_stores();
    CHECK(findings_of(input, model_of(input)).empty());
    input.memory = {.busy = 0.5518, .local_share = 0};
    const std::vector<Finding> findings = findings_of(input, model_of(input));
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].cause == "uncoalesced");
    CHECK(findings[0].may_explain == doctest::Approx(0.5518 * 28 / 36));
    CHECK(findings[0].lines == std::vector<int>{7});
  }

  TEST_CASE("where spills keep the memory busy, scattered accesses are not to blame") {
    // tests/planted/spills.json on an H100: sectors of global accesses and of spills.
    constexpr double kGlobal = 1'930'000 + 16'380;
    constexpr double kLocal = 14'190'000 + 14'600'000;
    ProfileInput input = scattered_stores();
    input.memory = {.busy = 0.584, .local_share = kLocal / (kLocal + kGlobal)};
    CHECK(findings_of(input, model_of(input)).empty());
    input.launches[0].spill_bytes = 400;
    const std::vector<Finding> findings = findings_of(input, model_of(input));
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].cause == "spills");
    CHECK(findings[0].may_explain >= 0.584 * kLocal / (kLocal + kGlobal));
  }

  TEST_CASE("a busy memory system alone is no finding") {
    ProfileInput input = scattered_stores();
    input.counts.total.sectors = input.counts.total.ideal_sectors;
    input.counts.lines[0].counts = input.counts.total;
    input.memory = {.busy = 0.95, .local_share = 0};
    CHECK(findings_of(input, model_of(input)).empty());
  }
}

}  // namespace ws
