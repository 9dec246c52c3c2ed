// Blocks that take their tiles in an order that is read from memory: what lift_to_ir makes of it,
// what the program computes with the order that a problem gives, and mistakes in it.
#include <doctest/doctest.h>

#include "tests/support/ordered_ring.h"

namespace ws::test {
namespace {

void check_right(const LiftedRing& answer) {
  CHECK_MESSAGE(answer.lift["verdict"] == "lifted", answer.lift.dump());
  const Json ordered = answer.verified("race_only", 14);
  CHECK_MESSAGE(ordered["verdict"] == "ok", ordered.dump());
  const Json computed = answer.verified("f32", 2);
  CHECK_MESSAGE(computed["verdict"] == "ok", computed.dump());
}

void check_has(const LiftedRing& answer, const std::vector<std::string>& parts) {
  const std::string ir = answer.lift.value("ir", "");
  for (const std::string& part : parts) {
    CHECK_MESSAGE(ir.find(part) != std::string::npos, part, "\n", ir);
  }
}

}  // namespace

TEST_SUITE("tools.lift_tile_order") {
  TEST_CASE("an order in shared memory is copied by one role and read by all") {
    const LiftedRing answer = lift_ordered_ring();
    check_right(answer);
    check_has(answer, {"self.queue = alloc((16,), \"shared\", \"i32\")",
                       "now = self.queue[this_place]", "if now == -1:", "row = (now >> 16) * 128",
                       "copy(self.queue[:], self.order[blockIdx.x * 16:blockIdx.x * 16 + 16])"});
    const std::string ir = answer.lift["ir"];
    CHECK(ir.find("copy(self.queue") == ir.rfind("copy(self.queue"));
  }

  TEST_CASE("an order may be copied by any warpgroup or in a loop, or stay where it is") {
    const std::string by_consumer =
        "  if (threadIdx.x >= 256 && threadIdx.x < 256 + PLACES)\n    queue[threadIdx.x - 256] = "
        "order[blockIdx.x * PLACES + threadIdx.x - 256];\n";
    const LiftedRing consumer = lift_ordered_ring({{kOrderCopy, by_consumer}});
    check_right(consumer);
    check_has(consumer, {"if wg == 2:"});
    check_right(lift_ordered_ring({{kOrderCopy,
                                    "  for (int i = threadIdx.x; i < PLACES; i += blockDim.x)\n"
                                    "    queue[i] = order[blockIdx.x * PLACES + i];\n"}}));
    const LiftedRing direct =
        lift_ordered_ring({{"Tiles tiles(&queue[0]);", "Tiles tiles(order + blockIdx.x * PLACES);"},
                           {kOrderCopy, ""}});
    check_right(direct);
    check_has(direct, {"now = self.order[blockIdx.x * 16 + this_place]"});
  }

  TEST_CASE("mistakes in the order are found") {
    // No barrier between who copies it and who reads it.
    const LiftedRing late = lift_ordered_ring(
        {{kOrderCopy, ""}, {"  __syncthreads();\n", "  __syncthreads();\n" + kOrderCopy}});
    CHECK(late.lift["verdict"] == "lifted");
    const Json raced = late.verified("race_only", 14);
    REQUIRE_MESSAGE(!raced["findings"].empty(), raced.dump());
    CHECK(raced["findings"][0]["object"] == "queue[0]");
    // The end is not read.
    const LiftedRing endless = lift_ordered_ring({{"now == -1", "now == -2"}});
    CHECK(endless.verified("race_only", 14)["verdict"] == "runtime_error");
    // The row of another block.
    const LiftedRing other =
        lift_ordered_ring({{"order[blockIdx.x * PLACES + threadIdx.x]",
                            "order[(blockIdx.x + 1) % 3 / 2 * PLACES + threadIdx.x]"}});
    CHECK(other.lift["verdict"] == "lifted");
    CHECK(other.verified("race_only", 14)["verdict"] != "ok");
  }

  TEST_CASE("what may be another tile than the program would read is told") {
    const std::vector<Edits> rows = {
        // The pointer moves, so that it has no place.
        {{"tiles[place]", "*tiles++"}},
        // A number of another type lies there.
        {{"    int now = tiles[place];\n",
          "    int now = reinterpret_cast<const short*>(tiles)[2 * place];\n"}},
        // The table is copied in another order.
        {{"queue[threadIdx.x] =", "queue[PLACES - 1 - threadIdx.x] ="}},
    };
    for (const Edits& edits : rows) {
      CAPTURE(edits[0].second);
      const LiftedRing answer = lift_ordered_ring(edits);
      CHECK(answer.lift["verdict"] == "partial");
      CHECK_FALSE((answer.lift["not_lifted"].empty() && answer.lift["holes"].empty()));
    }
  }
}

}  // namespace ws::test
