// Kernels of clusters: what lift_to_ir makes of multicast, arrivals at other blocks and the barrier
// of the cluster, and what verify_ir finds in them.
#include <doctest/doctest.h>

#include "tests/ir/program_bench.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

using Edits = std::vector<std::pair<std::string, std::string>>;

/// examples/kernels/gemm-f16/warp_specialized, where two blocks share their tiles of B.
const Edits kClusters = {
    {"ws::mbarrier_init(&shared.empty[s], 8);", "ws::mbarrier_init(&shared.empty[s], 16);"},
    {"  __syncthreads();\n", "  ws::cluster_sync();\n"},
    {"ws::tma_load_2d(shared.Bs[s], &tmB, &shared.full[s], t * BK, col0);",
     "if (ws::cluster_block() == 0) {\n"
     "ws::tma_load_2d_multicast(shared.Bs[s], &tmB, &shared.full[s], t * BK, col0, 3); }"},
    {"        ws::mbarrier_arrive(&shared.empty[s]);\n",
     "        ws::mbarrier_arrive_remote(&shared.empty[s], 0);\n"
     "        ws::mbarrier_arrive_remote(&shared.empty[s], 1);\n"},
    {"__floats2half2_rn(sums[2], sums[3]);\n      }\n    }\n  }\n",
     "__floats2half2_rn(sums[2], sums[3]);\n      }\n    }\n  }\n  ws::cluster_sync();\n"},
};

struct Answer {
  Json lift;
  Json checked;
};

Answer answer(const Edits& more = {}) {
  const auto form = [](const std::string& path) {
    return Json::parse(ir::repository_file("examples/kernels/gemm-f16/" + path + ".json"));
  };
  Json kernel = form("warp_specialized");
  std::string source = kernel["source"];
  for (const Edits* edits : {&kClusters, &more}) {
    for (const auto& [old, now] : *edits) {
      const std::size_t at = source.find(old);
      REQUIRE_MESSAGE(at != std::string::npos, old);
      source.replace(at, old.size(), now);
    }
  }
  kernel["source"] = source;
  kernel["launches"][0]["grid"][0] = "cdiv(m, 256) * 2";
  kernel["launches"][0]["cluster"] = Json::array({"2"});
  const Json compiled =
      tools().result("compile_kernel", {{"problem", form("problem")}, {"kernel", kernel}});
  const Json workload = {{"m", 512}, {"n", 256}, {"k", 640}};
  Answer made;
  made.lift = tools().result(
      "lift_to_ir",
      {{"kernel_id", compiled["kernel_id"]}, {"workload", workload}, {"detail", "full"}});
  REQUIRE_MESSAGE(made.lift["verdict"] == "lifted", made.lift.dump());
  made.checked = tools().result("verify_ir", {{"ir", made.lift["ir"]},
                                              {"problem_id", compiled["problem_id"]},
                                              {"mode", more.empty() ? "f32" : "race_only"},
                                              {"schedules", more.empty() ? 2 : 14},
                                              {"workload", workload}});
  return made;
}

std::string first_kind(const Json& checked) {
  return checked["findings"].empty() ? "" : checked["findings"][0]["kind"].get<std::string>();
}

TEST_SUITE("tools.lift_cluster") {
  TEST_CASE("a kernel whose blocks share tiles is lifted, and computes what the problem asks for") {
    const Answer right = answer();
    const std::string ir = right.lift["ir"];
    for (const char* part :
         {"self.clusterDim = (2, 1, 1)", "cluster_arrive()", "cluster_wait()",
          "if blockIdx.x % 2 == 0", ", multicast=3)", "at_block(self.empty[s], 0).arrive(4)",
          "at_block(self.empty[s], 1).arrive(4)"}) {
      CHECK_MESSAGE(ir.find(part) != std::string::npos, part, "\n", ir);
    }
    CHECK_MESSAGE(right.checked["verdict"] == "ok", right.checked.dump());
  }

  TEST_CASE("what is particular to clusters is found") {
    const std::vector<std::pair<Edits, std::string>> rows = {
        // Nobody waits for the other block to begin, or to end.
        {{{"  ws::cluster_sync();\n  const int row0", "  __syncthreads();\n  const int row0"}},
         "barrier_not_initialised"},
        {{{"    }\n  }\n  ws::cluster_sync();\n", "    }\n  }\n"}}, "block_ended"},
        // Only the block itself gives the stage back that both fill.
        {{{"ws::mbarrier_arrive_remote(&shared.empty[s], 0)",
           "ws::mbarrier_arrive(&shared.empty[s])"},
          {"        ws::mbarrier_arrive_remote(&shared.empty[s], 1);\n", ""},
          {"&shared.empty[s], 16)", "&shared.empty[s], 8)"}},
         "overwritten_in_flight"},
        // The other block waits for bytes that it does not get.
        {{{"t * BK, col0, 3)", "t * BK, col0, 1)"}}, "wrong_expect_tx"},
    };
    for (const auto& [edits, kind] : rows) {
      CAPTURE(kind);
      const Answer wrong = answer(edits);
      CHECK_MESSAGE(first_kind(wrong.checked) == kind, wrong.checked.dump());
    }
  }
}

}  // namespace
}  // namespace ws::test
