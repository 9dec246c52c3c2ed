// Tests of the model on counts that are written down; tests/tools/model_order_test.cpp has kernels.
#include "runtime/profile/model.h"

#include <doctest/doctest.h>

namespace ws {
namespace {

ProfileInput input_of(double blocks, double threads) {
  ProfileInput input;
  input.launches.push_back({});
  input.launches[0].blocks = blocks;
  input.launches[0].threads = threads;
  StepCounts step;
  step.blocks = blocks;
  step.share = 1;
  input.counts.steps = {step};
  input.counts.entries.resize(1);
  input.counts.blocks = blocks;
  return input;
}

double cycles(const ProfileInput& input, Part part) {
  return model_of(input).cycles.at(static_cast<std::size_t>(part));
}

}  // namespace

TEST_SUITE("profile.model") {
  TEST_CASE("the SM with most blocks sets the pace of a small grid") {
    const struct {
      double blocks;
      double busiest;  // Its work over that of one block.
    } cases[] = {{1, 1}, {132, 1}, {133, 2}, {264, 2}, {13'200, 100}};

    for (const auto& c : cases) {
      CAPTURE(c.blocks);
      ProfileInput input = input_of(c.blocks, 256);
      input.counts.entries[0].warp_instructions = 4000 * c.blocks;
      CHECK(cycles(input, Part::kIssue) == doctest::Approx(1000 * c.busiest));
    }
  }

  TEST_CASE("a block that does all the work is not shared out") {
    ProfileInput input = input_of(13'200, 256);
    input.counts.entries[0].warp_instructions = 4000 * 13'200.0;
    input.counts.steps[0].chain = 10;
    input.counts.steps[0].longest = 13'200;
    CHECK(cycles(input, Part::kIssue) == doctest::Approx(1000 * 13'200.0));
    CHECK(cycles(input, Part::kLatency) == doctest::Approx(10 * 13'200.0));
  }

  TEST_CASE("one warp issues on one scheduler of four") {
    ProfileInput input = input_of(132, 32);
    input.counts.entries[0].warp_instructions = 132 * 1000.0;
    CHECK(cycles(input, Part::kIssue) == doctest::Approx(1000));
  }

  TEST_CASE("blocks that an SM does not hold at once wait for each other") {
    ProfileInput input = input_of(132 * 8, 1024);
    input.counts.steps[0].chain = 100;
    CHECK(cycles(input, Part::kLatency) == doctest::Approx(400));
    input.launches[0].live_words = 118;  // 128 registers: one block of 512 threads, or two of 256.
    input.launches[0].threads = 256;
    CHECK(cycles(input, Part::kLatency) == doctest::Approx(400));
  }

  TEST_CASE("what is read twice costs its way from L2 twice") {
    ProfileInput once = input_of(1320, 256);
    once.bytes = 40e6;
    once.counts.entries[0].l2_sectors = 40e6 / kSectorBytes;
    ProfileInput twice = once;
    twice.counts.entries[0].l2_sectors *= 2;
    CHECK(model_of(twice).total_us > 1.04 * model_of(once).total_us);
  }

  TEST_CASE("updates of one sector go one after another, fifteen cycles each") {
    ProfileInput input = input_of(1320, 256);
    input.counts.steps[0].hottest = 1e6;
    CHECK(cycles(input, Part::kL2) == doctest::Approx(15e6));
  }

  TEST_CASE("launches are added up") {
    ProfileInput input = input_of(132, 256);
    for (int i = 0; i < 9; ++i) {
      input.launches.push_back(input.launches[0]);
      input.counts.steps.push_back(input.counts.steps[0]);
    }
    CHECK(model_of(input).total_us == doctest::Approx(25));
    CHECK(model_of(input).limiter == "launch");
  }
}

}  // namespace ws
