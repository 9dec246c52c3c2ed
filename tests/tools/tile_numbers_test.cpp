// The numbers that a kernel of tiles computes with: constants beside tiles, and random ones.
#include <doctest/doctest.h>

#include "tests/support/tile_forms.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

const std::string kTriton =
    "import triton\nimport triton.language as tl\n\n@triton.jit\n"
    "def k(x_ptr, y_ptr, n, B: tl.constexpr):\n"
    "    i = tl.program_id(0) * B + tl.arange(0, B)\n    m = i < n\n"
    "    x = tl.load(x_ptr + i, mask=m, other=0.0)\n    one = (x * 0 + 1).to(tl.float16)\n";
const std::string kTritonEnd = "    tl.store(y_ptr + i, 2 * x + wrong, mask=m)\n";

const std::string kCutile =
    "import cuda.tile as ct\n\n@ct.kernel\ndef k(x, y, B: ct.Constant[int]):\n"
    "    i = ct.bid(0)\n"
    "    t = ct.load(x, index=(i,), shape=(B,), padding_mode=ct.PaddingMode.ZERO)\n"
    "    one = ct.astype(t * 0 + 1, ct.float16)\n";
const std::string kCutileEnd = "    ct.store(y, index=(i,), tile=2 * t + wrong)\n";

const std::string kJulia =
    "import cuTile as ct\n"
    "function k(x::ct.TileArray{T,1}, y::ct.TileArray{T,1}, b::Int) where {T}\n"
    "    i = ct.bid(1)\n"
    "    t = ct.load(x; index=i, shape=(b,), padding_mode=ct.PaddingMode.Zero)\n"
    "    one = convert(ct.Tile{Float16}, t .* 0 .+ 1)\n";
const std::string kJuliaEnd = "    ct.store(y; index=i, tile=2 .* t .+ wrong)\n    return\nend\n";

/// Each body makes `wrong`, which is zero where numbers are rounded as the language says.
void check(const std::string& language, const std::string& head, const std::string& tail,
           const Json& args, const std::vector<std::string>& bodies) {
  for (const std::string& body : bodies) {
    CAPTURE(body);
    const Json judged =
        tools().judge(tile_doubling(), tile_kernel(language, head + body + tail, args));
    INFO(judged.dump());
    CHECK(judged["verdict"] == "passed");
  }
}

}  // namespace

// 0.1 is 0.0999755859375 in f16, and 0.100000001490116119384765625 in f32.
TEST_SUITE("tools.tile_numbers") {
  TEST_CASE("a constant of Triton takes the type of the tile that it meets") {
    check("triton", kTriton, kTritonEnd, {"x", "y", "n", tile_number("128")},
          {
              "    wrong = tl.where(one * 0.0999755859375 == 0.1, 0.0, 1.0)\n",
              "    wrong = tl.where(one * 2048 == 2049, 0.0, 1.0)\n",
              "    f = x * 0 + 1\n"
              "    wrong = tl.where(f * 0.100000001490116119384765625 == 0.1, 0.0, 1.0)\n",
              // An f32, as the language promotes both.
              "    top = tl.maximum(one * 0, 0.1)\n"
              "    wrong = tl.where(top == 0.100000001490116119384765625, 0.0, 1.0)\n",
              "    kept = tl.where(one > 2, one, 0.1)\n"
              "    wrong = tl.where(kept.to(tl.float32) == 0.0999755859375, 0.0, 1.0)\n",
              // The value that a masked load gives, and a number that changes later.
              "    b = tl.load(x_ptr + i, mask=i < 0, other=0.1)\n"
              "    wrong = tl.where(b == 0.100000001490116119384765625, 0.0, 1.0)\n",
              "    s = 0.1\n    for j in range(1):\n"
              "        wrong = tl.where(x * 0 + s == 0.100000001490116119384765625, 0.0, 1.0)\n"
              "        s = s + 1\n    wrong = x * 0 + (s - s)\n",
          });
  }

  TEST_CASE("a constant of cuTile takes the type of the tile that it meets") {
    check("cutile", kCutile, kCutileEnd, {"x", "y", tile_number("128")},
          {
              "    wrong = ct.where(one * 0.0999755859375 == 0.1, 0.0, 1.0)\n",
              "    top = ct.maximum(one * 0, 0.1)\n"
              "    wrong = ct.where(ct.astype(top, ct.float32) == 0.0999755859375, 0.0, 1.0)\n",
              "    h = ct.astype(one, ct.bfloat16)\n"
              "    wrong = ct.where(h * 0.10009765625 == 0.1, 0.0, 1.0)\n",
          });
  }

  TEST_CASE("a number of Julia takes the type of the tile that it meets") {
    check("cutile_jl", kJulia, kJuliaEnd, {"x", "y", tile_number("128")},
          {
              "    wrong = ifelse.(one .* 0.0999755859375 .== 0.1, 0f0, 1f0)\n",
              // Not a constant: a tile's one element.
              "    s = sum(t .* 0) + 0.1f0\n    h = one .* s\n"
              "    wrong = ifelse.((eltype(h) === Float16) .& (h .== 0.1), 0f0, 1f0)\n",
          });
  }
}

}  // namespace ws::test
