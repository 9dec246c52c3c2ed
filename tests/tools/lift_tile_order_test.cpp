// Blocks that take their tiles in an order that is read from memory: what lift_to_ir makes of it,
// what the program computes with the order that a problem gives, and mistakes in it.
#include <doctest/doctest.h>

#include "tests/support/ring_kernel.h"

namespace ws::test {
namespace {

/// tests/lift/kernels/barrier_ring.cu with a row of 16 tiles for each of its 3 blocks, which ends
/// with a negative number.
const Edits kOrder = {
    {"BLOCKS = 3, ", "BLOCKS = 3, PLACES = 16, "},
    {"  __device__ Tiles(int rows, int columns, int first) : place(first) {\n"
     "    across = columns / BN;\n    all = rows / BM * across;\n  }\n",
     "  __device__ Tiles(const int* given) {\n    place = 0;\n    tiles = given;\n  }\n"},
    {"    if (place >= all) {\n      return false;\n    }\n"
     "    row = place / across * BM;\n    column = place % across * BN;\n    place += BLOCKS;\n",
     "    if (place >= PLACES) {\n      return false;\n    }\n    int now = tiles[place];\n"
     "    if (now == -1) {\n      return false;\n    }\n"
     "    row = (now >> 16) * BM;\n    column = (now & 65535) * BN;\n    ++place;\n"},
    {"  int place, across, all;\n", "  int place;\n  const int* tiles;\n"},
    {"int k) {\n  extern", "int k, const int* order) {\n  extern"},
    {"  int group = threadIdx.x / 128;\n",
     "  __shared__ int queue[PLACES];\n"
     "  if (threadIdx.x < PLACES) queue[threadIdx.x] = order[blockIdx.x * PLACES + threadIdx.x];\n"
     "  int group = threadIdx.x / 128;\n"},
    {"Tiles tiles(m, n, blockIdx.x);", "Tiles tiles(&queue[0]);"},
};

/// The last tile first; block b has the tiles b, b + 3, ... of that order.
const std::string kLeft = "(m // 128 * (n // 128) - 1 - i // 16 - 3 * (i % 16))";

/// @param end  What stands behind a block's last tile.
LiftedRing lifted(const Edits& more = {}, const std::string& type = "i32",
                  const std::string& end = "-1") {
  const std::string tile = kLeft + " // (n // 128) * 65536 + " + kLeft + " % (n // 128)";
  const std::string value = end + " if " + kLeft + " < 0 else " + tile;
  const Json order = {{"name", "order"},
                      {"type", type},
                      {"shape", {"3 * 16"}},
                      {"role", "in"},
                      {"fill", {{"kind", "computed"}, {"value", value}}}};
  return lift_ring(edited(ring_source(kOrder), more),
                   {.workload = {{"m", 256}, {"n", 384}, {"k", 320}},
                    .args = {"tmA", "tmB", "C", "m", "n", "k", "order"},
                    .more_maps = Json::array(),
                    .more_problem_args = Json::array({order})});
}

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

const std::string kStaged =
    "  if (threadIdx.x < PLACES) queue[threadIdx.x] = order[blockIdx.x * PLACES + threadIdx.x];\n";

}  // namespace

TEST_SUITE("tools.lift_tile_order") {
  TEST_CASE("an order in shared memory is copied by one role and read by all") {
    const LiftedRing answer = lifted();
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
    const LiftedRing consumer = lifted({{kStaged, by_consumer}});
    check_right(consumer);
    check_has(consumer, {"if wg == 2:"});
    check_right(lifted({{kStaged,
                         "  for (int i = threadIdx.x; i < PLACES; i += blockDim.x)\n"
                         "    queue[i] = order[blockIdx.x * PLACES + i];\n"}}));
    const LiftedRing direct = lifted(
        {{"Tiles tiles(&queue[0]);", "Tiles tiles(order + blockIdx.x * PLACES);"}, {kStaged, ""}});
    check_right(direct);
    check_has(direct, {"now = self.order[blockIdx.x * 16 + this_place]"});
  }

  TEST_CASE("unsigned tiles end with the number that C takes for the end") {
    const Edits words = {{"__shared__ int queue", "__shared__ unsigned queue"},
                         {"const int* order", "const unsigned* order"},
                         {"const int* given", "const unsigned* given"},
                         {"const int* tiles;", "const unsigned* tiles;"}};
    const auto with = [&](const std::string& read) {
      Edits edits = words;
      edits.emplace_back("    int now = tiles[place];\n    if (now == -1) {\n", read);
      return lifted(edits, "u32", "4294967295");
    };
    check_right(with("    int now = tiles[place];\n    if (now == -1) {\n"));
    check_right(with("    unsigned now = tiles[place];\n    if (now == -1u) {\n"));
    check_right(with("    unsigned now = tiles[place];\n    if (now + 1 < 1u) {\n"));
  }

  TEST_CASE("mistakes in the order are found") {
    // No barrier between who copies it and who reads it.
    const LiftedRing late =
        lifted({{kStaged, ""}, {"  __syncthreads();\n", "  __syncthreads();\n" + kStaged}});
    CHECK(late.lift["verdict"] == "lifted");
    const Json raced = late.verified("race_only", 14);
    REQUIRE_MESSAGE(!raced["findings"].empty(), raced.dump());
    CHECK(raced["findings"][0]["object"] == "queue[0]");
    // The end is not read.
    const LiftedRing endless = lifted({{"now == -1", "now == -2"}});
    CHECK(endless.verified("race_only", 14)["verdict"] == "runtime_error");
    // The row of another block.
    const LiftedRing other = lifted({{"order[blockIdx.x * PLACES + threadIdx.x]",
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
      const LiftedRing answer = lifted(edits);
      CHECK(answer.lift["verdict"] == "partial");
      CHECK_FALSE((answer.lift["not_lifted"].empty() && answer.lift["holes"].empty()));
    }
  }
}

}  // namespace ws::test
