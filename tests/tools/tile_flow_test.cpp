// Control flow and values of kernels of tiles: each case computes y = 2 x in its own way.
#include <doctest/doctest.h>

#include "tests/support/tile_forms.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

struct Case {
  const char* name;
  const char* body;
};

const std::string kTriton =
    "import triton\nimport triton.language as tl\n\nSCALE: tl.constexpr = 2\n\n"
    "@triton.jit\ndef pair(a, b):\n    return b, a\n\n"
    "@triton.jit\ndef twice(v, K: tl.constexpr = 2):\n    if K == 2:\n        return v + v\n"
    "    else:\n        return v * K\n\n"
    "@triton.jit\ndef k(x_ptr, y_ptr, n, B: tl.constexpr):\n"
    "    i = tl.program_id(0) * B + tl.arange(0, B)\n    m = i < n\n"
    "    x = tl.load(x_ptr + i, mask=m, other=0.0)\n";
const std::string kTritonEnd = "    tl.store(y_ptr + i, y, mask=m)\n";

// Host code that a front end has to skip.
const std::string kJuliaHost =
    "\nfunction main()\n  A = CuArray(rand(3))\n  @cuda backend=cuTile blocks=3 k(A)\n"
    "  for i in 1:3 println(\"$(i)\") end\nend\nif abspath(PROGRAM_FILE) == @__FILE__\n"
    "  main()\nend\n";
const std::string kJulia =
    "import cuTile as ct\nhelper(a, b) = a .+ b\n"
    "function twice(t)\n    r = t .* 2\n    return r\nend\n"
    "function k(x::ct.TileArray{T,1}, y::ct.TileArray{T,1}, b::Int) where {T}\n"
    "    i = ct.bid(1)\n"
    "    t = ct.load(x; index=i, shape=(b,), padding_mode=ct.PaddingMode.Zero)\n";
const std::string kJuliaEnd = "    ct.store(y; index=i, tile=r)\n    return nothing\nend\n";

const std::vector<Case> kTritonCases = {
    {"swap",
     "    a = x\n"
     "    b = x * 2\n"
     "    a, b = b, a\n"
     "    a, b = b, a\n"
     "    a, b = b, a\n"
     "    y = a + b - b\n"
     "    y = b * 2\n"},
    {"helper tuple",
     "    a, b = pair(x, 2 * x)\n"
     "    y = a\n"},
    {"loop const",
     "    c = 1\n"
     "    for j in range(3):\n"
     "        c += j\n"
     "    y = x * (c - 2)\n"},
    {"loop const2",
     "    y = x\n"
     "    c = 0\n"
     "    for j in range(4):\n"
     "        if j == 2:\n"
     "            c = c + 1\n"
     "        else:\n"
     "            c = c + 0\n"
     "    y = x * (c + 1)\n"},
    {"while",
     "    j = 0\n"
     "    y = x - x\n"
     "    while j < 4:\n"
     "        y += x * 0.5\n"
     "        j += 1\n"},
    {"runtime if",
     "    pid = tl.program_id(0)\n"
     "    s = 2.0\n"
     "    if pid > 3:\n"
     "        s = 1.0 + 1.0\n"
     "    elif pid > 2:\n"
     "        s = 4.0 / 2\n"
     "    y = x * s\n"},
    {"static_range",
     "    y = x - x\n"
     "    for j in tl.static_range(4):\n"
     "        if j % 2 == 0:\n"
     "            y = y + x\n"},
    {"nested",
     "    y = x * 0\n"
     "    for a in range(2):\n"
     "        for b in range(2):\n"
     "            t = a * 2 + b\n"
     "            y = y + x * (t // 3) * 2\n"},
    {"ptr loop",
     "    p = x_ptr + i\n"
     "    y = x * 0\n"
     "    for j in range(0, 2):\n"
     "        y += tl.load(p, mask=m, other=0.0)\n"
     "        p += 0\n"},
    {"helper in loop",
     "    y = x * 0\n"
     "    for j in range(2):\n"
     "        y = y + twice(x, 3) / 3\n"},
    {"cond expr", "    y = x * (2 if B == 128 else 3)\n"},
    {"cond expr rt",
     "    f = 2.0 if tl.program_id(0) >= 0 else 3.0\n"
     "    y = x * f\n"},
    {"2d",
     "    z = tl.reshape(x, (16, 8))\n"
     "    z = tl.trans(z)\n"
     "    z = tl.trans(z) * 2\n"
     "    y = tl.reshape(z, (128,))\n"},
    {"dot",
     "    z = tl.reshape(x, (16, 8))\n"
     "    e = tl.where(tl.arange(0, 8)[:, None] == tl.arange(0, 8)[None, :], 2.0, 0.0)\n"
     "    y = tl.reshape(tl.dot(z, e, input_precision='ieee'), (128,))\n"},
    {"global const", "    y = x * SCALE\n"},
    {"early return",
     "    if tl.program_id(0) * B >= n:\n"
     "        return\n"
     "    y = x * 2\n"},
    {"break",
     "    y = x * 0\n"
     "    for j in range(10):\n"
     "        if j >= 2:\n"
     "            break\n"
     "        y += x\n"},
    {"int trunc",
     "    q = (i * 0 - 7) // 2\n"
     "    r = (i * 0 - 7) % 2\n"
     "    y = x * (q * -1 + r) \n"},
    {"cdiv",
     "    y = x * (tl.cdiv(i * 0 + 5, 2) - 1) + x * (tl.cdiv(4, 2) - tl.cdiv(B - 125, 2))\n"},
    {"cumsum",
     "    c = tl.cumsum(x, axis=0)\n"
     "    y = c - c + x * 2\n"},
    {"argmax",
     "    a = tl.argmax(x, axis=0)\n"
     "    mx, ix = tl.max(x, axis=0, return_indices=True)\n"
     "    y = x * 2 + (a - ix)\n"},
    {"f16", "    y = (x.to(tl.float16).to(tl.float32) * 0 + x) * 2\n"},
    {"broadcast",
     "    z = tl.reshape(x, (16, 8)) + tl.zeros((8,), tl.float32)\n"
     "    y = tl.reshape(z * 2, (128,))\n"},
    {"min max",
     "    y = tl.maximum(x, x) + tl.minimum(x, x)\n"
     "    lo = min(B, 128)\n"
     "    y = y * (lo // 128)\n"},
};

const std::vector<Case> kJuliaCases = {
    {"helper", "    r = helper(t, t)\n"},
    {"fn", "    r = twice(t)\n"},
    {"loop",
     "    r = zeros(T, (b,))\n"
     "    for j in Int32(1):Int32(2)\n"
     "        r = r .+ t\n"
     "    end\n"},
    {"while",
     "    r = zeros(Float32, (b,))\n"
     "    j = 1\n"
     "    while j <= 2\n"
     "        r = r + t\n"
     "        j += 1\n"
     "    end\n"},
    {"empty loop",
     "    for j in 1:3\n"
     "    end\n"
     "    r = t .* 2\n"},
    {"cond", "    r = i > 3 ? t .* 2 : t .+ t\n"},
    {"if",
     "    r = t\n"
     "    if i == 1\n"
     "        r = r .* 2\n"
     "    elseif i == 2\n"
     "        r = r .* T(2)\n"
     "    else\n"
     "        r = r .+ r\n"
     "    end\n"},
    {"gather",
     "    idx = (i - 1) * b .+ ct.arange(b)\n"
     "    u = ct.gather(x, idx)\n"
     "    r = u .+ t\n"},
    {"reshape",
     "    z = reshape(t, (16, 8))\n"
     "    z = permutedims(z, (2, 1))\n"
     "    z = transpose(z)\n"
     "    r = reshape(z, (b,)) .* 2\n"},
    {"options",
     "    s = ct.@fpmode rounding_mode=ct.Rounding.Approx begin\n"
     "        t .* 2\n"
     "    end\n"
     "    r = s .+ ct.Tile(0.0f0)\n"},
    {"extract",
     "    z = reshape(t, (16, 8))\n"
     "    a = ct.extract(z, (1, 1), (8, 8))\n"
     "    c = ct.extract(z, (2, 1), (8, 8))\n"
     "    r = reshape(cat(a, c; dims=1), (b,)) .* Float32(exp2(1))\n"},
    {"cld", "    r = t .* (cld(5, 2) - 1) .+ t .* (cld.(ct.arange(b) .* 0 .+ 5, 2) .- 3)\n"},
    {"and",
     "    r = t .* 2\n"
     "    i > 1000 && return\n"},
};

void check(const std::vector<Case>& cases, const std::string& language, const std::string& head,
           const std::string& tail, const Json& args) {
  for (const Case& each : cases) {
    CAPTURE(each.name);
    const Json judged =
        tools().judge(tile_doubling(), tile_kernel(language, head + each.body + tail, args));
    INFO(judged.dump());
    CHECK(judged["verdict"] == "passed");
  }
}

}  // namespace

TEST_SUITE("tools.tile_flow") {
  TEST_CASE("control flow, helper functions and shapes of Triton") {
    check(kTritonCases, "triton", kTriton, kTritonEnd, {"x", "y", "n", tile_number("128")});
  }

  TEST_CASE("control flow, helper functions and shapes of cuTile.jl, between host code") {
    check(kJuliaCases, "cutile_jl", kJulia, kJuliaEnd + kJuliaHost, {"x", "y", tile_number("128")});
  }
}

}  // namespace ws::test
