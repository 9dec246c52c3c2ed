// Plans that ask for what only some GPUs have, on a device that lacks it: an answer, not an error.
#include <doctest/doctest.h>

#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

struct Row {
  const char* pointer;
  Json value;
  const char* feature;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {"/launches/0/cluster", {"2"}, "cluster"},
      {"/launches/0/pdl", true, "pdl"},
      {"/tensor_maps", {{{"name", "tm"}, {"of", "x"}, {"box", {64}}}}, "tensor_maps"},
  };
  return all;
}

}  // namespace

TEST_SUITE("tools.features") {
  TEST_CASE("the CPU engine says which feature of a plan it cannot run, in every tool") {
    const DeviceInfo cpu = *tools().services().devices.back().backend->info();
    for (const Row& row : rows()) {
      CAPTURE(std::string(row.feature));
      Json kernel = good_kernel();
      kernel["launches"][0]["grid"] = {"2 * cdiv(n, 64)"};
      kernel[Json::json_pointer(row.pointer)] = row.value;
      const Json compiled = tools().result(
          "compile_kernel", {{"problem", twice_problem()}, {"kernel", kernel}, {"device", cpu.id}});
      CHECK(compiled["verdict"] == "unsupported");
      REQUIRE(compiled["diagnostics"].size() == 1);
      const std::string why = std::string("the plan has `") + row.feature + "`, which " + cpu.name +
                              " (" + cpu.arch + ") cannot run";
      CHECK(compiled["diagnostics"][0]["message"] == why);
      CHECK(compiled["diagnostics"][0]["region"] == "plan");
      const Json validated =
          tools().result("validate", {{"kernel_id", compiled["kernel_id"]}, {"device", cpu.id}});
      CHECK(validated["verdict"] == "unsupported");
      CHECK(validated["message"] == why);
    }
  }
}

}  // namespace ws::test
