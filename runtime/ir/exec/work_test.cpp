// The counts of a program's work.
#include "runtime/ir/exec/work.h"

#include <map>
#include <string>

#include <doctest/doctest.h>

#include "runtime/ir/exec/run.h"
#include "runtime/ir/syntax/parser.h"

namespace ws::ir {
namespace {

/// Programs over A (64 x 40) and B (40 x 32) of f16 and C (64 x 32) of f32; line 5 is the first of
/// `lines`.
std::string program_of(int blocks, const std::string& lines) {
  return "class K(KernelBase):\n    def __init__(self, A, B, C):\n        self.gridDim = (" +
         std::to_string(blocks) +
         ", 1, 1); self.A = A; self.B = B; self.C = C\n    def run(self):\n" + lines;
}

/// By line and kind.
std::map<std::pair<std::int64_t, TileWorkKind>, TileWork> count(const std::string& text,
                                                                TileProgramWork& blocks) {
  const Result<Program> program = parse_program(text);
  REQUIRE_MESSAGE(program, program.error().hint);
  const std::vector<Tensor> tensors = {
      {"A", DType::kF16, {64, 40}, TensorRole::kIn, std::vector<double>(2560, 1)},
      {"B", DType::kF16, {40, 32}, TensorRole::kIn, std::vector<double>(1280, 1)},
      {"C", DType::kF32, {64, 32}, TensorRole::kInOut, std::vector<double>(2048, 0)}};
  RunOptions options;
  options.count_work = true;
  const Result<RunReport> report = run_program(*program, tensors, {}, options);
  REQUIRE_MESSAGE(report.has_value(), to_text(report.error()));
  CHECK_MESSAGE(report->findings.empty(), report->render(text));
  blocks = report->work.blocks();
  std::map<std::pair<std::int64_t, TileWorkKind>, TileWork> rows;
  for (const TileWork& row : report->work.rows()) {
    rows[{row.line, row.kind}] = row;
  }
  return rows;
}

}  // namespace

TEST_SUITE("ir.exec.work") {
  TEST_CASE("accesses, products and arithmetic are counted by line, over all blocks") {
    TileProgramWork blocks;
    const auto rows = count(program_of(2, R"(        x = load(self.A, (blockIdx.x, 0), (32, 64))
        y = load(self.B, (0, 0), (64, 32))
        z = mma(x, y)
        w = exp(z) + 1.0
        v = where(w > 0.0, w, 0.0)
        s = sum(v, 1, keepdim=True)
        store(self.C, (blockIdx.x, 0), v / s)
)"),
                            blocks);

    const TileWork a = rows.at({5, TileWorkKind::kLoad});
    CHECK(a.type == DType::kF16);
    CHECK(a.times == 2);
    CHECK(a.elements == 2 * 32 * 64);
    CHECK(a.used == 2 * 32 * 40);  // 24 of 64 columns lie beyond the edge.
    CHECK(a.sectors == 2 * 32 * 40 * 2 / 32);
    CHECK(a.ideal_sectors == a.sectors);

    const TileWork product = rows.at({7, TileWorkKind::kProduct});
    CHECK(product.type == DType::kF16);
    CHECK(product.flops == 2.0 * 2 * 32 * 32 * 64);
    CHECK(product.elements == 2 * 32 * 32);

    CHECK(rows.at({8, TileWorkKind::kSpecial}).flops == 2 * 32 * 32);     // exp
    CHECK(rows.at({8, TileWorkKind::kArithmetic}).flops == 2 * 32 * 32);  // + 1.0
    // A comparison and a selection.
    CHECK(rows.at({9, TileWorkKind::kArithmetic}).elements == 2 * 2 * 32 * 32);
    // A sum reads all of its tile.
    CHECK(rows.at({10, TileWorkKind::kArithmetic}).elements == 2 * 32 * 32);
    CHECK(rows.at({11, TileWorkKind::kSpecial}).elements == 2 * 32 * 32);  // v / s
    CHECK(rows.at({11, TileWorkKind::kStore}).used == 64 * 32);

    CHECK(blocks.blocks == 2);
    CHECK(blocks.longest_work == doctest::Approx(blocks.work / 2));
  }

  TEST_CASE("elements by index touch the sectors in which they lie, each once for a tile") {
    const std::string text = program_of(1, R"(        at = arange(64)
        x = gather(self.A, at * 40)
        y = gather(self.A, at, at < 20, 0.0)
        scatter(self.C, at * 32, x + y)
)");
    TileProgramWork blocks;
    const auto rows = count(text, blocks);
    CHECK(rows.at({6, TileWorkKind::kLoad}).sectors == 64);  // One element of each row.
    CHECK(rows.at({6, TileWorkKind::kLoad}).ideal_sectors == 64 * 2 / 32);
    CHECK(rows.at({7, TileWorkKind::kLoad}).elements == 64);
    CHECK(rows.at({7, TileWorkKind::kLoad}).used == 20);
    CHECK(rows.at({7, TileWorkKind::kLoad}).sectors == 2);
    CHECK(rows.at({8, TileWorkKind::kStore}).used == 64);
    CHECK(rows.at({8, TileWorkKind::kStore}).sectors == 64);
  }

  TEST_CASE("nothing is counted that nobody asked for") {
    const Work work;
    CHECK(work.rows().empty());
    CHECK(work.blocks().blocks == 0);
  }
}

}  // namespace ws::ir
