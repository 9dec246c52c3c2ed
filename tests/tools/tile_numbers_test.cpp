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

  TEST_CASE("random numbers are those of Triton") {
    const auto differs = [](const std::string& value, const std::string& known) {
      return "    wrong = tl.where(" + value + " == " + known + ", 0.0, 1.0)\n";
    };
    const auto far = [](const std::string& value, const std::string& known) {
      return "    wrong = tl.where(tl.abs(" + value + " - " + known + ") < 1e-6, 0.0, 1.0)\n";
    };
    check(
        "triton", kTriton, kTritonEnd, {"x", "y", "n", tile_number("128")},
        {
            // Random123, tests/kat_vectors.
            differs("tl.randint(0, i * 0)", "0x6627e8d5"),
            differs("tl.randint4x(0, i * 0)[3]", "0x9b00dbd8"),
            "    a, b, c, d = tl.philox(0x299f31d0a4093822, (i * 0 + 0x243f6a88).to(tl.uint32), "
            "0x85a308d3, 0x13198a2e, 0x03707344)\n"
            "    good = (a == 0xd16cfe09) & (b == 0x94fdcceb) & (c == 0x5001e420) & "
            "(d == 0x24126ea1)\n    wrong = tl.where(good, 0.0, 1.0)\n",
            differs("tl.randint(0, i * 0, n_rounds=7)", "0x5f6fb709"),
            // The same bits by Triton's rule, computed beside it.
            differs("tl.rand(0, i * 0)", "0.7980929017066956"),
            differs("tl.rand4x(0, i * 0)[1]", "0.23895959556102753"),
            differs("tl.rand(1234, i * 0 + 5)", "0.4206197261810303"),
            differs("tl.rand(-1, i * 0 + 7)", "0.8603804111480713"),
            differs("x * 0 + tl.rand(1234, 5)", "0.4206197261810303"),
            differs("tl.uint_to_uniform_float(tl.randint(1234, i * 0 + 5))", "0.4206197261810303"),
            far("tl.randn(0, i * 0)", "0.046551529318094254"),
            far("tl.randn4x(0, i * 0)[3]", "-1.0954265594482422"),
            // Each element has its own.
            "    a = tl.rand(n, i)\n    b = tl.rand(n, tl.where(i == 3, 4, i))\n"
            "    wrong = tl.where((a == b) == (i == 3), 1.0, 0.0)\n",
        });
  }

  TEST_CASE("random numbers of what is no seed or offset") {
    const struct {
      const char* call;
      const char* want;
    } rows[] = {
        {"tl.rand(i, i)", "a seed is one integer, got a tile (128,) of i32"},
        {"tl.rand(0.5, i)", "a seed is one integer, got a number of f32"},
        {"tl.rand(0)", "`tl.rand(seed, offset, n_rounds)` needs integers as `offset`"},
        {"tl.rand(0, x)", "`tl.rand(seed, offset, n_rounds)` needs integers as `offset`"},
        {"tl.rand(0, i.to(tl.int64))",
         "random numbers of an offset of 64 bits: versions of Triton differ; use "
         "offset.to(tl.uint32)"},
        {"tl.rand(0, i, n)", "`n_rounds` must be a constant, got an integer"},
        {"tl.uint_to_uniform_float(x)",
         "random bits are integers of 32 bits, got a tile (128,) of f32"},
        {"x.to(tl.int32, bitcast=True)",
         "the bits of a tile (128,) of f32 are not taken as i32 here; leave `bitcast` out to "
         "convert the values"},
    };

    for (const auto& row : rows) {
      const Json judged = tools().judge(
          tile_doubling(),
          tile_kernel("triton", kTriton + "    wrong = " + row.call + "\n" + kTritonEnd,
                      {"x", "y", "n", tile_number("128")}));
      INFO(judged.dump(1));
      CHECK(judged["verdict"] == "compile_error");
      CHECK(judged["diagnostics"][0]["message"] == row.want);
      CHECK(judged["diagnostics"][0]["line"] == 10);
    }
  }
}

}  // namespace ws::test
