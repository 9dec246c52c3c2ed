// Kernels of tiles as programs on one set of tensors.
#include "runtime/reference/tile_program.h"

#include <cstring>

#include <doctest/doctest.h>

namespace ws {
namespace {

/// One program over x and y, both of n elements of `type`; its grid is `grid`.
HostJob job_of(const std::string& grid, const std::string& lines, std::int64_t n, DType type) {
  HostJob job;
  job.tensors = {
      {"x", type, BufferRole::kIn, {n}, type, 0},
      {"y", type, BufferRole::kOut, {n}, type, size_of(type) * static_cast<std::size_t>(n)}};
  HostProgram program;
  program.source =
      "class K(KernelBase):\n    def __init__(self, X, Y):\n        self.gridDim = " + grid +
      "\n        self.X = X; self.Y = Y\n    def run(self):\n        i = blockIdx.x\n        " +
      lines + "\n";
  program.tensors = {{"X", 0, {n}}, {"Y", 1, {n}}};
  job.programs = {program};
  job.steps = {0};
  return job;
}

/// "kind: message; fix" of the first finding; "" where there is none.
std::string found(const HostJob& job, const std::vector<std::int64_t>& values = {}) {
  TileProgram program(job);
  const HostReply prepared = program.prepare();
  REQUIRE_MESSAGE(prepared.ok(), prepared.message);
  const HostTensor& last = job.tensors.back();
  std::vector<std::byte> arena(2 * last.offset);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::memcpy(arena.data() + i * sizeof values[i], &values[i], sizeof values[i]);
  }
  const HostReply reply = program.run(arena, 1);
  CHECK(reply.ok());
  if (reply.findings.empty()) {
    return "";
  }
  const ProgramFinding& first = reply.findings.front();
  return first.kind + ": " + first.message + "; " + first.fix;
}

}  // namespace

TEST_SUITE("reference.tile_program") {
  TEST_CASE("a grid that the executor does not run is a limit of it, not of the kernel") {
    const std::string lines = "scatter(self.Y, i + arange(1), gather(self.X, i + arange(1)))";
    CHECK(found(job_of("(8, 1, 1)", lines, 8, DType::kF32)) == "");
    CHECK(found(job_of("(256, 256, 2)", lines, 8, DType::kF32)) ==
          "executor_limit: a grid of (256, 256, 2) blocks: the executor runs 1 to 65536; run it on "
          "smaller shapes, or give each block more to do");
  }

  TEST_CASE("inputs that the executor cannot hold are its limit where a result depends on them") {
    const auto copied = [](const std::string& value) {
      const HostJob job = job_of(
          "(1, 1, 1)", "x = gather(self.X, arange(2)); scatter(self.Y, arange(2), " + value + ")",
          2, DType::kI64);
      return found(job, {7, INT64_MAX - 1});
    };
    CHECK(copied("x") ==
          "executor_limit: `Y` gets a value that depends on a whole number beyond 2^53, which the "
          "executor cannot hold: it keeps numbers as f64; keep whole numbers within 2^53, by other "
          "inputs or other arithmetic: nothing beyond is judged");
    CHECK(copied("where(arange(2) < 1, x, 0)") == "");
  }
}

}  // namespace ws
