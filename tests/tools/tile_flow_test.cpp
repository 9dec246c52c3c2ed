// Control flow and values of kernels of tiles: each case computes y = 2 x in its own way.
#include <tuple>

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
    "import triton\nimport triton.language as tl\n"
    "if triton.runtime.driver.active:\n    try:\n"
    "        from triton.language.extra.libdevice import rsqrt\n"
    "    except ImportError:\n"
    "        from triton.language.extra.cuda.libdevice import rsqrt\n\nSCALE: tl.constexpr = 2\n\n"
    "@triton.jit\ndef pair(a, b):\n    return b, a\n\n"
    "@triton.jit\ndef below(a, b):\n    c = a * 1\n    return c < b\n\n"
    "@triton.jit\ndef put(p, v):\n    tl.store(p, v)\n    return v < 3\n\n"
    "@triton.jit\ndef put_all(p, m):\n    tl.store(p, 100.0, mask=m)\n    return m | True\n\n"
    "@triton.jit\ndef put_if(p, v, m, go):\n    if go == 0:\n"
    "        tl.store(p, 7.0, mask=m)\n        return\n    if go < 0:\n        return\n"
    "    tl.store(p, v, mask=m)\n\n"
    "@triton.jit\ndef again(v):\n    return v\n\n"
    "@triton.jit\ndef again(v):\n    return 2 * v\n\n"
    "@triton.jit\ndef scaled(v, SCALE, BY: tl.constexpr = SCALE):\n    return v * BY\n\n"
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
    "function last_value(t, n)\n    if n == 2\n        t .* n\n    else\n        t\n    end\nend\n"
    "by_default(t, s=t) = t .+ s\n"
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
    {"import under a condition", "    y = x * 2 * rsqrt(tl.full([B], 1.0, tl.float32))\n"},
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
    {"early return",
     "    put_if(y_ptr + i, x * 0, m, n - n)\n"
     "    put_if(y_ptr + i, x * 0, m, 0 - n)\n"
     "    y = tl.load(y_ptr + i, mask=m) - 7.0 + 2 * x\n"},
    {"no early return",
     "    put_if(y_ptr + i, x * 2, m, n)\n"
     "    y = tl.load(y_ptr + i, mask=m)\n"},
    {"parts",
     "    t = (x + 5, x + 6)\n"
     "    t_0 = x + 9\n"
     "    y = x + t[0] - 5 + 0 * t_0\n"},
    {"block pointer",
     "    b = tl.make_block_ptr(x_ptr, (n,), (1,), (tl.program_id(0) * B,), (B,), (0,))\n"
     "    y = x * 0\n"
     "    for j in range(2):\n"
     "        b_0 = tl.load(b, boundary_check=(0,), padding_option='zero')\n"
     "        y += b_0\n"
     "        b = tl.advance(b, (0,))\n"},
    {"while call",
     "    j = 0\n"
     "    while below(j, 2):\n"
     "        j += 1\n"
     "    y = x * j\n"},
    {"cond expr call",
     "    y = x * (below(1, 2) if tl.program_id(0) >= 0 else put(y_ptr + n, 1)) * 2\n"},
    {"counter",
     "    j = 2\n"
     "    for j in range(tl.program_id(0), tl.program_id(0)):\n"
     "        pass\n"
     "    y = x * j\n"},
    {"last counter",
     "    j = 7\n"
     "    for j in range(3):\n"
     "        pass\n"
     "    y = x * j\n"},
    {"counter in branches",
     "    if tl.program_id(0) >= 0:\n"
     "        for j in tl.static_range(3):\n"
     "            pass\n"
     "    else:\n"
     "        j = 7\n"
     "    y = x * j\n"},
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
    {"read before write",
     "    tl.store(y_ptr + i, x, mask=m)\n"
     "    y = x + tl.load(y_ptr + i, mask=m, other=0.0) + tl.where(put_all(y_ptr + i, m), 0.0, "
     "1.0)\n"},
    {"block of variables",
     "    size = n + 0\n"
     "    b = tl.make_block_ptr(x_ptr, (size,), (1,), (tl.program_id(0) * B,), (B,), (0,))\n"
     "    size = 0\n"
     "    y = 2 * tl.load(b, boundary_check=(0,), padding_option='zero') + size\n"},
    {"last definition", "    y = again(x)\n"},
    {"default of the file", "    y = scaled(x, 5)\n"},
    {"text of half a surrogate pair", "    '\\ud800'\n    y = x * 2\n"},
    {"types",
     "    h = x.to(tl.float16)\n"
     "    b = x.to(tl.bfloat16)\n"
     "    e = x.to(tl.float8e5)\n"
     "    tl.static_assert((h / 3).dtype == tl.float32, 'halves are divided in f32')\n"
     "    tl.static_assert(h.type.block_type.element_ty == tl.float16)\n"
     "    tl.static_assert((h / h).dtype == tl.float32 and (b / b).dtype == tl.float32)\n"
     "    tl.static_assert((h * 3).dtype == tl.float16 and (h + b).dtype == tl.float16)\n"
     "    tl.static_assert((b + b).dtype == tl.bfloat16 and (b + i).dtype == tl.float32)\n"
     "    tl.static_assert((b + e).dtype == tl.float32 and (h + e).dtype == tl.float16)\n"
     "    tl.static_assert((e + x.to(tl.float8e4nv)).dtype == tl.float16)\n"
     "    tl.static_assert((h + i).dtype == tl.float16 and (i / 2).dtype == tl.float32)\n"
     "    tl.static_assert(tl.maximum(h, 0.0).dtype == tl.float32)\n"
     "    tl.static_assert(tl.maximum(h, 0).dtype == tl.float16)\n"
     "    tl.static_assert(tl.maximum(b, b).dtype == tl.float32)\n"
     "    tl.static_assert(tl.max(h, axis=0).dtype == tl.float32)\n"
     "    tl.static_assert(tl.sum(h, axis=0).dtype == tl.float16)\n"
     "    tl.static_assert(tl.max(i.to(tl.int8), axis=0).dtype == tl.int32)\n"
     "    y = x * 2\n"},
    {"quotient of halves",
     "    q = (x * 0 + 1).to(tl.float16) / (x * 0 + 3).to(tl.float16)\n"
     "    y = x * 2 + tl.where(tl.abs(q * 3 - 1) > 0.00001, 1.0, 0.0)\n"},
    {"numbers are rounded",
     "    h = (tl.program_id(0) * 0 + 2049).to(tl.float16) - 2048\n"
     "    s = tl.program_id(0) * 0.0 + 16777216.0\n"
     "    y = x * 2 + h + ((s + 1.0) - s) + (tl.full((), 2049.0, tl.float16) - 2048)\n"},
    {"truth of a fraction",
     "    f = tl.program_id(0) * 0.0 + 0.5\n"
     "    y = x * 2 if f.to(tl.int1) else x\n"},
    {"short offsets",
     "    big = (tl.arange(0, B) % 2 * 100 + 27).to(tl.int8)\n"
     "    p = x_ptr + big + tl.arange(0, B).to(tl.int8)\n"
     "    z = tl.load(p, mask=n > 300, other=0.0)\n"
     "    y = x * 2 + tl.where(n > 300, z - z, 0.0)\n"},
    {"argmax of all",
     "    z = tl.reshape(tl.where(tl.arange(0, B) == 77, 1.0, 0.0), (16, 8))\n"
     "    top, where = tl.max(tl.ravel(z), axis=0, return_indices=True)\n"
     "    y = x * 2 + (tl.argmax(tl.ravel(z), axis=0) - 77) + (where - 77)\n"},
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

const std::string kCutile =
    "import cuda.tile as ct\n\n@ct.kernel\ndef k(x, y, B: ct.Constant[int]):\n"
    "    i = ct.bid(0)\n"
    "    t = ct.load(x, index=(i,), shape=(B,), padding_mode=ct.PaddingMode.ZERO)\n";
const std::string kCutileEnd = "    ct.store(y, index=(i,), tile=r)\n";

const std::vector<Case> kCutileCases = {
    {"break",
     "    r = t * 0\n"
     "    for j in range(10):\n"
     "        if j >= 3:\n"
     "            break\n"
     "        if j == 1:\n"
     "            continue\n"
     "        r += t\n"},
    {"argmax of all",
     "    z = ct.reshape(ct.where(ct.arange(B, dtype=ct.int32) == 77, 1.0, 0.0), (16, 8))\n"
     "    r = t * 2 + (ct.argmax(z) - 77)\n"
     "    kept = ct.argmax(z, keepdims=True)\n"
     "    r = r + ct.reshape(ct.broadcast_to(kept - 77, (16, 8)), (B,))\n"},
    {"static_assert",
     "    ct.static_assert(B == 128, 'the block')\n"
     "    r = t * 2\n"},
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
    {"counter",
     "    j = 2\n"
     "    for j in 5:6\n"
     "        b\n"
     "    end\n"
     "    for j in (7, 8)\n"
     "        b\n"
     "    end\n"
     "    r = t .* j\n"},
    {"argmax",
     "    z = reshape(ifelse.(ct.arange(b) .== 78, 1, 0), (16, 8))\n"
     "    r = t .* 2 .+ (argmax(z) - 78) .+ (argmax(ifelse.(ct.arange(b) .== 78, 1, 0); dims=1) .- "
     "78)\n"},
    {"muladd", "    r = muladd.(t, 2, t .* 0) .* muladd(1, 3, -2)\n"},
    {"cat",
     "    z = reshape(t, (16, 8))\n"
     "    r = reshape(ct.cat((ct.extract(z, (1, 1), (8, 8)), ct.extract(z, (2, 1), (8, 8))), 1), "
     "(b,)) .* 2\n"},
    {"value of a function", "    r = last_value(t, 2)\n"},
    {"default after a parameter", "    r = by_default(t)\n"},
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
  TEST_CASE("Julia sees the dimensions of an array as they lie in memory") {
    // One row, by rows and by columns: (n, 1) and (1, n) to Julia.
    for (const auto& [strides, index, shape] :
         {std::tuple{"n", "(i, 1)", "(b, 1)"}, std::tuple{"1", "(1, i)", "(1, b)"}}) {
      Json problem = tile_doubling();
      for (Json& arg : problem["args"]) {
        arg["shape"] = {"1", "n"};
        arg["strides"] = {strides, "1"};
      }
      const std::string place = std::string("index=") + index;
      const std::string kernel =
          "import cuTile as ct\nfunction k(x, y, b)\n    i = ct.bid(1)\n"
          "    t = ct.load(x; " +
          place + ", shape=" + shape + ")\n    ct.store(y; " + place +
          ", tile=t .* 2)\n    return\nend\n";
      const Json judged =
          tools().judge(problem, tile_kernel("cutile_jl", kernel, {"x", "y", tile_number("128")}));
      INFO(judged.dump());
      CHECK(judged["verdict"] == "passed");
    }
  }

  TEST_CASE("control flow, helper functions and shapes of Triton") {
    check(kTritonCases, "triton", kTriton, kTritonEnd, {"x", "y", "n", tile_number("128")});
  }

  TEST_CASE("control flow and reductions of cuTile Python") {
    check(kCutileCases, "cutile", kCutile, kCutileEnd, {"x", "y", tile_number("128")});
  }

  TEST_CASE("control flow, helper functions and shapes of cuTile.jl, between host code") {
    check(kJuliaCases, "cutile_jl", kJulia, kJuliaEnd + kJuliaHost, {"x", "y", tile_number("128")});
  }
}

}  // namespace ws::test
