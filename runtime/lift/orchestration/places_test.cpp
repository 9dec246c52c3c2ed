#include "runtime/lift/orchestration/places.h"

#include <doctest/doctest.h>

namespace ws::lift {

TEST_SUITE("lift.places") {
  TEST_CASE("texts are listed with commas") {
    CHECK(listed({}).empty());
    CHECK(listed({"a"}) == "a");
    CHECK(listed({"a", "b[0]"}) == "a, b[0]");
  }

  TEST_CASE("an instruction is its name and its operands, braces one operand of several words") {
    const Instruction load = take_apart(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "
        "[%1, {%3, %4}], [%2]");
    REQUIRE(load.operands.size() == 4);
    CHECK(load.operands[0].words == std::vector<std::string>{"%0"});
    CHECK(load.operands[2].words == std::vector<std::string>{"%3", "%4"});
    CHECK(load.operands[3].words == std::vector<std::string>{"%2"});
    const Instruction wait = take_apart("mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1");
    CHECK(wait.name == "mbarrier.try_wait.parity.shared::cta.b64");
    REQUIRE(wait.operands.size() == 3);
    CHECK_FALSE(wait.operands[0].address);
    CHECK(wait.operands[1].address);
    CHECK_FALSE(wait.operands[2].address);
  }

  TEST_CASE(
      "an operand with nothing in its braces has an empty word, and so has one that is missing") {
    const Instruction odd = take_apart("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {}, {");
    REQUIRE(odd.operands.size() == 2);
    for (const std::size_t operand : {0, 1, 2}) {
      CAPTURE(operand);
      CHECK(odd.first_word(operand).empty());
      CHECK(odd.at(operand).words.size() == 1);
    }
  }

  TEST_CASE("a word names an expression that the assembly has, or none") {
    Node assembly;
    assembly.kids = {7, 9};
    CHECK(operand_node(assembly, "%1") == 9);
    CHECK(operand_node(assembly, "%2") == kNone);
    CHECK(operand_node(assembly, "1") == kNone);
    CHECK(operand_node(assembly, "") == kNone);
  }

  TEST_CASE("shapes and operands have numbers, other words have none") {
    CHECK(shape_number("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16", 'n') == 128);
    CHECK(shape_number("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16", 'k') == 16);
    CHECK(shape_number("wgmma.fence.sync.aligned", 'n') == 0);
    CHECK(operand_number("%12") == 12);
    CHECK(operand_number("%tid") == -1);
    CHECK(operand_number("%") == -1);
    CHECK(operand_number("12") == -1);
  }

  TEST_CASE("a part of an array has the sizes that are asked for, from its place on") {
    const SharedArray array{{4, 128, 64}, DType::kF16, false, {}};
    const MemoryPlace place = place_of("self.As[s % 4][wg * 64][at[0]]");
    CHECK(place.base == "self.As");
    CHECK(place.indices == std::vector<std::string>{"s % 4", "wg * 64", "at[0]"});
    CHECK(place_text(place) == "self.As[s % 4, wg * 64, at[0]]");
    CHECK(part_text(place, array, 64, 16) ==
          "self.As[s % 4, wg * 64:wg * 64 + 64, at[0]:at[0] + 16]");
    CHECK(part_text(place_of("self.As[s]"), array, 128, 16) == "self.As[s, :, 0:16]");
    CHECK(part_text(place_of("self.As[a][b][c][d]"), array, 64, 16).empty());
    CHECK(part_text(place_of("self.x"), {{8}, DType::kF32, false, {}}, 4, 4).empty());
  }
}

}  // namespace ws::lift
