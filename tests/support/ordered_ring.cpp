#include "tests/support/ordered_ring.h"

#include <sstream>

#include <doctest/doctest.h>

#include "runtime/base/text.h"

namespace ws::test {

const std::string kOrderCopy =
    "  if (threadIdx.x < PLACES) queue[threadIdx.x] = order[blockIdx.x * PLACES + threadIdx.x];\n";

namespace {

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
     "  __shared__ int queue[PLACES];\n" + kOrderCopy + "  int group = threadIdx.x / 128;\n"},
    {"Tiles tiles(m, n, blockIdx.x);", "Tiles tiles(&queue[0]);"},
};

/// The last tile first; block b has the tiles b, b + 3, ... of that order.
const std::string kLeft = "(m // 128 * (n // 128) - 1 - i // 16 - 3 * (i % 16))";

}  // namespace

LiftedRing lift_ordered_ring(const Edits& more, const std::string& end) {
  const std::string tile = kLeft + " // (n // 128) * 65536 + " + kLeft + " % (n // 128)";
  const std::string value = end + " if " + kLeft + " < 0 else " + tile;
  const Json order = {{"name", "order"},
                      {"type", "i32"},
                      {"shape", {"3 * 16"}},
                      {"role", "in"},
                      {"fill", {{"kind", "computed"}, {"value", value}}}};
  return lift_ring(edited(ring_source(kOrder), more),
                   {.workload = {{"m", 256}, {"n", 384}, {"k", 320}},
                    .args = {"tmA", "tmB", "C", "m", "n", "k", "order"},
                    .more_maps = Json::array(),
                    .more_problem_args = Json::array({order})});
}

LiftedRing lift_ordered_ring(const Statements& more) {
  const std::string at = "  Tiles tiles(&queue[0]);\n";
  return lift_ordered_ring({{at, at + more.statements + "\n"},
                            {"class Tiles {", std::string(more.function) + "\nclass Tiles {"}});
}

std::string program_lines(const LiftedRing& answer) {
  std::string all;
  std::istringstream program(answer.lift.value("ir", ""));
  for (std::string line; std::getline(program, line);) {
    all += trimmed(std::string_view(line).substr(0, line.find("  # @")), " ");
    all += '\n';
  }
  return all;
}

void check_told(const LiftedRing& answer) {
  CHECK(answer.lift["verdict"] == "partial");
  CHECK_FALSE((answer.lift["not_lifted"].empty() && answer.lift["holes"].empty()));
}

void check_all_told(const std::vector<Statements>& rows) {
  for (const Statements& row : rows) {
    CAPTURE(row.statements);
    check_told(lift_ordered_ring(row));
  }
}

void check_lifted(const Statements& more, const std::string& lines) {
  CAPTURE(more.statements);
  const LiftedRing answer = lift_ordered_ring(more);
  CHECK_MESSAGE(answer.lift["verdict"] == "lifted", answer.lift.dump());
  const std::string made = program_lines(answer);
  CHECK_MESSAGE(made.find(lines) != std::string::npos, made);
}

}  // namespace ws::test
