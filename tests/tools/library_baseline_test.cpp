// NVIDIA's libraries as baselines of the tools, as far as a machine without a GPU has answers.
#include <doctest/doctest.h>

#include "tests/support/fake_gpus.h"
#include "tests/support/tool_bench.h"
#include "tools/evidence/benchmark_job.h"

namespace ws::test {
namespace {

Json with_op(Json problem, const std::string& op) {
  problem["op"] = op;
  return problem;
}

std::string problem_of(const std::string& kernel) {
  return tools().services().archive->kernel(kernel)->problem_id;
}

/// A benchmark of two workloads against cuBLAS, as a device would answer it.
StoredBenchmark against_library() {
  StoredBenchmark stored;
  stored.kernel_id = "krn_x";
  stored.evidence_id = "evd_x";
  BenchmarkResult& result = stored.result;
  result.verdict = Verdict::kSlower;
  result.noise_floor = 0.01;
  result.baseline = "cublas";
  result.ratio = {.value = 0.8, .ci = {0.79, 0.81}};
  for (const double ratio : {0.64, 1.0}) {
    WorkloadResult row;
    row.workload = {{{"n", 8}}, {}};
    row.median_us = 10;
    row.stopped_by = "target";
    row.against = {.median_us = 10 * ratio,
                   .ratio = ratio,
                   .ratio_ci = {ratio, ratio},
                   .verdict = Verdict::kSlower};
    row.library = LibraryFacts{"cuBLASLt", "13.1.0", ratio == 1 ? "algorithm 1" : "algorithm 2"};
    result.workloads.push_back(row);
  }
  return stored;
}

}  // namespace

TEST_SUITE("tools.library_baseline") {
  TEST_CASE("a library is no baseline of other problems, nor on an emulated device") {
    const std::string other = tools().compiled(with_op(twice_problem(), "scale"), good_kernel());
    CHECK(tools().refusal("benchmark", {{"kernel_id", other}, {"baseline", "cublas"}}) ==
          "invalid_argument: `cublas` is a baseline of problems with the op `matmul`, and " +
              problem_of(other) +
              " has the op `scale`; choose `root`, `parent`, `reference`, `none` or a kernel id");
    const std::string none = tools().compiled(twice_problem(), good_kernel());
    CHECK(tools().refusal("benchmark", {{"kernel_id", none}, {"baseline", "cudnn"}}) ==
          "invalid_argument: `cudnn` is a baseline of problems with the op `attention`, and " +
              problem_of(none) +
              " has no op; choose `root`, `parent`, `reference`, `none` or a kernel id");
    const std::string kernel = tools().compiled(with_op(twice_problem(), "matmul"), good_kernel());
    const std::string emulated =
        "unsupported: cpu:0 is emulated: its times say nothing about cuBLAS on a GPU; name a GPU "
        "as `device`, or choose another baseline";
    const Json arguments = {{"kernel_id", kernel}, {"baseline", "cublas"}, {"device", "cpu:0"}};
    CHECK(tools().refusal("benchmark", arguments) == emulated);
    CHECK(tools().refusal("evaluate", arguments) == emulated);
    CHECK(tools().refusal("benchmark", {{"kernel_id", kernel}, {"baseline", "cublaslt"}}) ==
          "not_found: no baseline `cublaslt`; choose `root`, `parent`, `reference`, `problem`, "
          "`torch`, `torch.compile`, `cublas`, `cudnn`, `none`, a kernel's id or a ref");
  }

  TEST_CASE("on a GPU a kernel is timed against the library, which computes the same") {
    ToolBench bench(1);
    const std::string kernel =
        bench.compiled(product_problem("product"), product_kernel("product"));
    const Json answer = bench.result("benchmark", {{"kernel_id", kernel}, {"baseline", "cublas"}});
    CHECK(answer["baseline"] == "cublas");
    CHECK(answer["library"] == Json{{"name", "cuBLASLt"},
                                    {"version", "13.2.3"},
                                    {"algorithm",
                                     "algorithm 10, tile 11, stages 16, split-k 12, candidate 2 of "
                                     "3"}});
    CHECK(answer["percent_of_library"].is_number());
    CHECK(answer["workloads"][0]["library"] == answer["library"]);
  }

  TEST_CASE("a problem that asks for more than a product is no problem of the library") {
    ToolBench bench(1);
    const std::string kernel =
        bench.compiled(product_problem("product_and_one"), product_kernel("product_and_one"));
    const Json answer = bench.result("benchmark", {{"kernel_id", kernel}, {"baseline", "cublas"}});
    CHECK(answer["verdict"] == "suspect");
    CHECK(answer["message"] ==
          "in a timed launch, output `C` differs from the baseline's in 256 of 256 elements: the "
          "library computes a plain product or attention, which this problem may not ask for");
  }

  TEST_CASE("an answer names the library, and each workload its algorithm") {
    const StoredBenchmark stored = against_library();
    const Json form = stored;
    CHECK(form["library"] == Json{{"name", "cuBLASLt"}, {"version", "13.1.0"}});
    CHECK(form["percent_of_library"] == 80);
    CHECK(form["workloads"][0]["percent_of_library"] == 64);
    CHECK(form["workloads"][1]["library"] ==
          Json{{"name", "cuBLASLt"}, {"version", "13.1.0"}, {"algorithm", "algorithm 1"}});
    const StoredBenchmark read = form.get<StoredBenchmark>();
    CHECK(read.result.workloads[0].library == stored.result.workloads[0].library);
    CHECK(Json(read) == form);
    CHECK(answer_of(stored).summary ==
          "krn_x is slower: 0.80x against cublas, 95 % interval 0.79 to 0.81, 80.0 % of cuBLASLt "
          "13.1.0");
  }

  TEST_CASE("the algorithm of a single workload stands beside the ratio") {
    StoredBenchmark stored = against_library();
    stored.result.workloads.pop_back();
    CHECK(Json(stored)["library"] ==
          Json{{"name", "cuBLASLt"}, {"version", "13.1.0"}, {"algorithm", "algorithm 2"}});
    stored.result.workloads[0].library.reset();
    CHECK_FALSE(Json(stored).contains("library"));
    CHECK_FALSE(Json(stored).contains("percent_of_library"));
  }
}

}  // namespace ws::test
