// Counted tiles as the counts of a profile.
#include "runtime/profile/tile_counts.h"

#include <doctest/doctest.h>

#include "runtime/profile/model.h"

namespace ws {
namespace {

TileWork row(std::size_t program, std::int64_t line, TileWorkKind kind, DType type) {
  TileWork work;
  work.program = program;
  work.line = line;
  work.kind = kind;
  work.type = type;
  work.times = 1;
  return work;
}

double of_class(const Counts& counts, InstrClass kind) {
  return counts.instructions[static_cast<std::size_t>(kind)];
}

constexpr auto kGlobal = static_cast<std::size_t>(MemorySpace::kGlobal);

}  // namespace

TEST_SUITE("profile.tile_counts") {
  TEST_CASE("rows become instructions of warps, as often as their program is launched") {
    TileCounters counters;
    TileWork load = row(0, 3, TileWorkKind::kLoad, DType::kF16);
    load.elements = 1024;
    load.used = 1000;
    load.sectors = 63;
    load.ideal_sectors = 63;
    TileWork sum = row(0, 4, TileWorkKind::kArithmetic, DType::kF32);
    sum.elements = 640;
    sum.flops = 640;
    TileWork root = row(1, 9, TileWorkKind::kSpecial, DType::kF32);
    root.elements = 320;
    root.flops = 320;
    counters.rows = {load, sum, root};
    counters.programs = {{.launches = 2, .blocks = 8, .work = 160, .longest_work = 40},
                         {.launches = 1, .blocks = 1, .work = 5, .longest_work = 5}};
    counters.steps = {0, 1, 0};
    const PlanCounts plan = put_together(counters, 2, {0, 1, 0});

    CHECK(plan.total.bytes[kGlobal] == 2 * 2000);
    CHECK(plan.total.sectors == 2 * 63);
    CHECK(plan.total.requests[kGlobal] == doctest::Approx(2 * 2000.0 / 16 / 32));
    CHECK(of_class(plan.total, InstrClass::kF32) == 2 * 640.0 / 32);
    CHECK(of_class(plan.total, InstrClass::kSpecial) == 320.0 / 32);
    CHECK(plan.total.flops == 2 * 640 + 320);
    CHECK(plan.entries[1].flops == 320);
    REQUIRE(plan.lines.size() == 3);
    CHECK(plan.lines[0].line == 3);
    CHECK(plan.lines[0].region == "source");
    CHECK(plan.blocks == 9);
    CHECK(plan.sampled == 9);
    REQUIRE(plan.steps.size() == 3);
    CHECK(plan.steps[0].blocks == 4);
    CHECK(plan.steps[0].share == 0.5);
    CHECK(plan.steps[0].longest == 2);  // 40 where the mean block has 20.
    CHECK(plan.steps[1].share == 1);

    const std::vector<TileWork> rows = of_all_launches(counters);
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].elements == 2048);
    CHECK(rows[2].elements == 320);
  }

  TEST_CASE("elements far from each other are asked for one by one") {
    TileCounters counters;
    TileWork load = row(0, 3, TileWorkKind::kLoad, DType::kF32);
    load.elements = 64;
    load.used = 64;
    load.sectors = 64;
    load.ideal_sectors = 8;
    counters.rows = {load};
    counters.programs = {{.launches = 1, .blocks = 1, .work = 64, .longest_work = 64}};
    counters.steps = {0};
    CHECK(put_together(counters, 1, {0}).total.requests[kGlobal] == 2);
  }

  TEST_CASE("products take the time of their factors' type") {
    struct Case {
      DType type;
      double instructions;
    };

    for (const Case& c :
         {Case{DType::kF16, 8}, {DType::kF8e4m3, 4}, {DType::kF32, 16}, {DType::kF64, 128}}) {
      CAPTURE(std::string(name_of(c.type)));
      TileCounters counters;
      TileWork product = row(0, 3, TileWorkKind::kProduct, c.type);
      product.flops = 8 * 4096;
      counters.rows = {product};
      counters.programs = {{.launches = 1, .blocks = 1, .work = 1, .longest_work = 1}};
      counters.steps = {0};
      ProfileInput input;
      input.counts = put_together(counters, 1, {0});
      CHECK(of_class(input.counts.total, InstrClass::kTensor) == c.instructions);

      input.tiles = of_all_launches(counters);
      input.launches = {{.entry = "k", .occupancy = {}, .occupancy_limit = {}}};
      const Model model = model_of(input);
      CHECK(model.busiest == InstrClass::kTensor);
      CHECK(model.peak_gflops ==
            doctest::Approx(8 * 4096 / c.instructions * 132 * 1.755).epsilon(0.05));
    }
  }
}

}  // namespace ws
