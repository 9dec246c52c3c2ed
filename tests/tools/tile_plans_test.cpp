// Plans of kernels of tiles: scratch, tensor maps, and files beside the source.
#include <doctest/doctest.h>

#include "tests/support/tile_forms.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// A kernel that adds what is in the scratch `seen` to its result, and then writes there.
Json with_scratch(const std::string& language, const std::string& source, const Json& args,
                  bool zero) {
  Json kernel = tile_kernel(language, source, args);
  kernel["scratch"] = {{{"name", "seen"}, {"type", "f32"}, {"shape", {"n"}}, {"zero", zero}}};
  return kernel;
}

std::vector<Json> scratch_kernels(bool zero) {
  return {
      with_scratch("triton",
                   "import triton\nimport triton.language as tl\n\n@triton.jit\n"
                   "def k(x_ptr, y_ptr, seen, n, B: tl.constexpr):\n"
                   "    i = tl.program_id(0) * B + tl.arange(0, B)\n    m = i < n\n"
                   "    x = tl.load(x_ptr + i, mask=m, other=0.0)\n"
                   "    s = tl.load(seen + i, mask=m, other=0.0)\n"
                   "    tl.store(y_ptr + i, 2 * x + s, mask=m)\n"
                   "    tl.store(seen + i, s + 1, mask=m)\n",
                   {"x", "y", "seen", "n", tile_number("128")}, zero),
      with_scratch("cutile",
                   "import cuda.tile as ct\n\n@ct.kernel\n"
                   "def k(x, y, seen, B: ct.Constant[int]):\n    i = ct.bid(0)\n"
                   "    t = ct.load(x, index=(i,), shape=(B,))\n"
                   "    s = ct.load(seen, index=(i,), shape=(B,))\n"
                   "    ct.store(y, index=(i,), tile=2 * t + s)\n"
                   "    ct.store(seen, index=(i,), tile=s + 1)\n",
                   {"x", "y", "seen", tile_number("128")}, zero),
      with_scratch("cutile_jl",
                   "import cuTile as ct\nfunction k(x, y, seen, b::Int)\n    i = ct.bid(1)\n"
                   "    t = ct.load(x; index=i, shape=(b,))\n"
                   "    s = ct.load(seen; index=i, shape=(b,))\n"
                   "    ct.store(y; index=i, tile=2 .* t .+ s)\n"
                   "    ct.store(seen; index=i, tile=s .+ 1)\n    return\nend\n",
                   {"x", "y", "seen", tile_number("128")}, zero),
  };
}

}  // namespace

TEST_SUITE("tools.tile_plans") {
  TEST_CASE("scratch is zero before each run where the plan says so") {
    for (const Json& kernel : scratch_kernels(true)) {
      CAPTURE(kernel["language"].get<std::string>());
      const Json judged = tools().judge(tile_doubling(), kernel, "standard");
      INFO(judged.dump(1));
      CHECK(judged["verdict"] == "passed");
    }
  }

  TEST_CASE("scratch holds nothing where the plan says nothing") {
    for (const Json& kernel : scratch_kernels(false)) {
      CAPTURE(kernel["language"].get<std::string>());
      CHECK(tools().judge(tile_doubling(), kernel)["verdict"] == "uninitialised_read");
    }
  }
}

}  // namespace ws::test
