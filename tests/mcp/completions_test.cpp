// Ids are completed while a person types them.
#include "server/cli/completions.h"

#include <doctest/doctest.h>

#include "tests/support/tool_bench.h"

namespace ws::test {

TEST_SUITE("mcp.completions") {
  TEST_CASE("ids of kernels and devices are completed, and words of a tool's choice") {
    ToolBench bench;
    const server::Completions completions(bench.services(), bench.registry());
    const std::string good = bench.judge(twice_problem(), good_kernel())["kernel_id"];
    const std::string other = bench.compiled(twice_problem(), twice_kernel("  y[0] = 1;"));
    const Json prompt = {{"type", "ref/prompt"}, {"name", "optimize_kernel"}};
    const Json source = {{"type", "ref/resource"}, {"uri", "kernel://{id}/source"}};
    const Json device = {{"type", "ref/resource"}, {"uri", "device://{id}"}};
    using Texts = std::vector<std::string>;
    const Json none = Json::object();
    CHECK(completions.complete(prompt, "kernel_id", "krn_", none) == Texts{good});
    CHECK(completions.complete(source, "id", good.substr(0, 12), none) == Texts{good});
    CHECK(completions.complete(source, "id", "krn_x", none).empty());
    CHECK(completions.complete(device, "id", "c", none) == Texts{"cpu:0"});
    CHECK(completions.complete(prompt, "detail", "c", none) == Texts{"concise"});
    CHECK(completions.complete(prompt, "goal", "", none).empty());
  }
}

}  // namespace ws::test
