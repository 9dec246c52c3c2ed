#include "tests/support/ring_kernel.h"

#include <doctest/doctest.h>

#include "tests/ir/program_bench.h"

namespace ws::test {

std::string edited(std::string source, const Edits& edits) {
  for (const auto& [old, now] : edits) {
    const std::size_t at = source.find(old);
    REQUIRE_MESSAGE(at != std::string::npos, old);
    REQUIRE_MESSAGE(source.find(old, at + 1) == std::string::npos, old);
    source.replace(at, old.size(), now);
  }
  return source;
}

std::string ring_source(const Edits& edits) {
  return edited(ir::repository_file("tests/lift/kernels/barrier_ring.cu"), edits);
}

std::string ring_source_with_end(const std::string& end, const Edits& edits) {
  const std::string source = ring_source();
  const std::size_t at = source.find("      const int lane = threadIdx.x % 32;");
  REQUIRE(at != std::string::npos);
  return edited(source.substr(0, at) + end, edits);
}

Json LiftedRing::verified(const std::string& mode, int schedules) const {
  REQUIRE_MESSAGE(lift.contains("ir"), lift.dump());
  return tools().result("verify_ir", {{"ir", lift["ir"]},
                                      {"problem_id", problem_id},
                                      {"mode", mode},
                                      {"schedules", schedules},
                                      {"workload", workload}});
}

LiftedRing lift_ring(const std::string& source, const RingForm& form) {
  const Json tma = Json::parse(ir::repository_file("examples/kernels/gemm-f16/tma.json"));
  Json maps = {tma["tensor_maps"][0], tma["tensor_maps"][1]};
  maps.insert(maps.end(), form.more_maps.begin(), form.more_maps.end());
  Json problem = Json::parse(ir::repository_file("examples/kernels/gemm-f16/problem.json"));
  problem["args"].insert(problem["args"].end(), form.more_problem_args.begin(),
                         form.more_problem_args.end());
  const Json launch = {{"entry", "ring::gemm"},
                       {"grid", {"3"}},
                       {"block", {"384"}},
                       {"shared_bytes", "99328"},
                       {"args", form.args}};
  const Json kernel = {{"name", "ring"},      {"language", "cuda"},
                       {"source", source},    {"headers", tma["headers"]},
                       {"tensor_maps", maps}, {"launches", Json::array({launch})}};
  const Json compiled =
      tools().result("compile_kernel", {{"problem", problem}, {"kernel", kernel}});
  REQUIRE_MESSAGE(compiled.contains("kernel_id"), compiled.dump());
  return {tools().result("lift_to_ir", {{"kernel_id", compiled["kernel_id"]},
                                        {"workload", form.workload},
                                        {"detail", "full"}}),
          compiled["problem_id"], form.workload};
}

}  // namespace ws::test
