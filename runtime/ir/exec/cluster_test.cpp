#include "runtime/ir/exec/cluster.h"

#include <doctest/doctest.h>

#include "runtime/ir/exec/run.h"
#include "runtime/ir/syntax/parser.h"

namespace ws::ir {
namespace {

std::string indented(const std::string& lines) {
  std::string body;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    body += "        " + lines.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return body;
}

// Runs a kernel of four blocks, each of one worker, that writes a row of O for each block.
// @return  The report with the outputs, or the refusal's message and hint.
Result<RunReport> run_clusters(const std::string& init, const std::string& lines) {
  const std::string text =
      "class K(KernelBase):\n    def __init__(self, X: f32[4, 8], O):\n"
      "        self.gridDim = (4, 1, 1)\n        self.X = X; self.O = O\n"
      "        self.s = alloc((8,), 'shared', 'f32')\n        self.b = barrier(2)\n"
      "        self.b.init(2)\n" +
      indented(init) + "    def run(self):\n        b = blockIdx.x\n        r = b % 2\n" +
      indented(lines);
  const Result<Program> program = parse_program(text);
  if (!program) {
    return fail(program.error());
  }
  Tensor x{"X", DType::kF32, {4, 8}, TensorRole::kIn, std::vector<double>(32)};
  for (std::size_t i = 0; i < x.data.size(); ++i) {
    x.data[i] = static_cast<double>(i / 8);
  }
  return run_program(*program, {x, {"O", DType::kF32, {4, 8}, TensorRole::kOut, {}}}, {}, {});
}

constexpr const char* kPairs = "self.clusterDim = (2, 1, 1)";

std::string first_of(const Result<RunReport>& report) {
  if (!report) {
    return report.error().message + " | " + report.error().hint;
  }
  return report->findings.empty()
             ? ""
             : std::string(word_of(report->findings[0].kind)) + ": " + report->findings[0].message +
                   " | " + report->findings[0].fix;
}

// A store to the block's own row, so that nothing else is found.
std::string stores(const std::string& lines) {
  return lines + "\nstore(self.O, (b, 0), zeros((1, 8), 'f32'))";
}

// The first element that each block stores, in a run that finds nothing.
std::vector<double> first_elements(const std::string& init, const std::string& lines) {
  const Result<RunReport> report = run_clusters(init, lines);
  CHECK(first_of(report) == "");
  REQUIRE(report);
  std::vector<double> firsts;
  for (std::size_t block = 0; block < 4; ++block) {
    firsts.push_back(report->outputs[0].data[block * 8]);
  }
  return firsts;
}

TEST_SUITE("ir.cluster") {
  TEST_CASE("a block reads the shared memory of the other block of its cluster") {
    CHECK(first_elements(kPairs,
                         "self.s[:] = load(self.X, (b, 0), (1, 8))[0] * 10.0\ncluster_sync()\n"
                         "y = at_block(self.s, 1 - r) + 1.0\ncluster_sync()\n"
                         "store(self.O, (b, 0), y[None, :])") ==
          std::vector<double>{11, 1, 31, 21});
  }

  TEST_CASE("blocks of clusters in two dimensions have their ranks along x first") {
    CHECK(first_elements("self.gridDim = (2, 2, 1)\nself.clusterDim = (2, 2, 1)",
                         "n = blockIdx.y * 2 + b\nself.s[:] = full((8,), n, 'f32')\n"
                         "cluster_sync()\ny = at_block(self.s, 3 - n) * 1.0\ncluster_sync()\n"
                         "store(self.O, (n, 0), y[None, :])") == std::vector<double>{3, 2, 1, 0});
  }

  TEST_CASE("a barrier of another block is named by its rank, and by that of a view") {
    const Result<RunReport> report =
        run_clusters(kPairs, stores("cluster_sync()\nat_block(self.b[1], 0).arrive()\n"
                                    "if r == 0: self.b[1].wait(0)\ncluster_sync()"));
    CHECK(first_of(report) == "");
  }

  TEST_CASE("what a program of clusters may not do is said") {
    const std::vector<std::array<std::string, 3>> rows = {
        {"self.clusterDim = (3, 1, 1)", "pass",
         "a grid of (4, 1, 1) blocks is no whole number of clusters of (3, 1, 1) | round the grid "
         "up to a multiple of self.clusterDim"},
        {"self.clusterDim = (4, 4, 2)", "pass",
         "clusters of (4, 4, 2) blocks: they have 1 to 16 | self.clusterDim says how many blocks "
         "of the grid are a cluster"},
        {"self.clusterDim = (0, 1, 1)", "pass",
         "clusters of (0, 1, 1) blocks: they have 1 to 16 | self.clusterDim says how many blocks "
         "of the grid are a cluster"},
        {"pass", "at_block(self.b[0], 1).arrive()",
         "runtime_error: `at_block`: there is no block 1 in a cluster of 1 | self.clusterDim = (2, "
         "1, 1) in __init__ makes clusters of two"},
        {kPairs, "at_block(self.b[0], 2).arrive()",
         "runtime_error: `at_block`: there is no block 2 in a cluster of 2 | the ranks are 0 to "
         "1"},
        {"self.clusterDim = (2, 1, 1)\nat_block(self.b[0], 1).arrive()", "pass",
         "__init__ does not finish | runtime_error: `at_block`: there is no block 1 in a cluster "
         "of 1\n  line 9: at_block(self.b[0], 1).arrive()\n  fix: self.clusterDim = (2, 1, 1) in "
         "__init__ makes clusters of two\n  worker setup, block 0, schedule in turn, early\n"},
        {kPairs, "cluster_wait()",
         "runtime_error: `cluster_wait`: a wait for the cluster's barrier without an arrival | "
         "cluster_arrive() first, or cluster_sync()"},
        {kPairs, "if r == 0: cluster_sync()",
         "deadlock: no worker can go on: run of block 0 waits at line 12 for the cluster's "
         "barrier: 1 of 2 workers came; run of block 1 is through | every worker that the barrier "
         "counts must come to it"},
        {kPairs, "cluster_sync()\nif r == 0: at_block(self.b[0], 1).arrive(2)",
         "block_ended: run of block 0 uses `b[0]` of block 1, which may have ended: none of "
         "its workers waits for this | cluster_sync() at the end of the kernel, or a wait there "
         "for the last use"},
    };
    for (const auto& [init, lines, message] : rows) {
      CAPTURE(init);
      CAPTURE(lines);
      CHECK(first_of(run_clusters(init, stores(lines))) == message);
    }
  }

  TEST_CASE("the checker refuses what clusters do not have") {
    const std::vector<std::array<std::string, 3>> rows = {
        {"self.clusterDim = 2", "pass",
         "2:9: self.clusterDim must be a tuple of one to three sizes, got an integer"},
        {kPairs, "at_block(self.X, 1)",
         "12:9: `at_block`: `x` must be a barrier or lie in shared memory, got a global buffer (4, "
         "8) of f32"},
        {kPairs, "copy_async(self.s, self.X[0, :], self.b[0], 'tma', multicast=0)",
         "12:9: `copy_async`: `multicast` is 0: it has a bit for each of at most 16 blocks"},
        {kPairs, "copy_async(self.O[0, :], self.s, instruction='tma', multicast=3)",
         "12:9: `copy_async`: `multicast` is for tma from global to shared memory"},
    };
    for (const auto& [init, lines, message] : rows) {
      CAPTURE(lines);
      const Result<RunReport> report = run_clusters(init, stores(lines));
      REQUIRE_FALSE(report);
      CHECK(report.error().message == "the program has 1 error, the first at " + message);
    }
  }
}

}  // namespace
}  // namespace ws::ir
