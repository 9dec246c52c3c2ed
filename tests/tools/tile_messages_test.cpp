// Messages about kernels of tiles that cannot be compiled, or go wrong when they run.
#include <doctest/doctest.h>

#include "tests/support/tile_forms.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

const std::string kTriton =
    "import triton\nimport triton.language as tl\n\n@triton.jit\n"
    "def k(x_ptr, y_ptr, n, B: tl.constexpr):\n"
    "    i = tl.program_id(0) * B + tl.arange(0, B)\n";
const std::string kCutile =
    "import cuda.tile as ct\n\n@ct.kernel\ndef k(x, y, B: ct.Constant[int]):\n    i = ct.bid(0)\n";
const std::string kJulia =
    "import cuTile as ct\n"
    "function k(x::ct.TileArray{T,1}, y::ct.TileArray{T,1}, b::Int) where {T}\n"
    "    i = ct.bid(1)\n";

/// A kernel in Triton with `body` after the line of `i`, which is line 6.
Json triton(const std::string& body) {
  return tile_kernel("triton", kTriton + body, {"x", "y", "n", tile_number("128")});
}

/// In cuTile Python; `i`, the block's number, is in line 5.
Json cutile(const std::string& body) {
  return tile_kernel("cutile", kCutile + body, {"x", "y", tile_number("128")});
}

/// In Julia; `i` is in line 3.
Json julia(const std::string& body) {
  return tile_kernel("cutile_jl", kJulia + body + "    return\nend\n",
                     {"x", "y", tile_number("128")});
}

struct MessageCase {
  Json kernel;
  std::string verdict;
  std::string message;
};

/// "line: message" of a source that does not compile; else the message of the validation.
std::string message_of(const Json& judged) {
  if (judged["verdict"] != "compile_error") {
    return judged["message"];
  }
  const Json& first = judged["diagnostics"][0];
  const int line = first.value("line", 0);
  return (line == 0 ? "" : std::to_string(line) + ": ") + first["message"].get<std::string>();
}

void check(const std::vector<MessageCase>& cases) {
  for (const MessageCase& each : cases) {
    CAPTURE(each.kernel["source"].get<std::string>());
    const Json judged = tools().judge(tile_doubling(), each.kernel);
    CHECK(judged["verdict"] == each.verdict);
    CHECK(message_of(judged) == each.message);
  }
}

}  // namespace

TEST_SUITE("tools.tile_messages") {
  TEST_CASE("what is right passes, in each language, and host code is never run") {
    const Json passed = tools().judge(
        tile_doubling(), triton("    x = tl.load(x_ptr + i, mask=i < n)\n"
                                "    tl.store(y_ptr + i, 2 * x, mask=i < n)\n\n"
                                "import os\nos.abort()\nprint(open('/etc/passwd').read())\n"));
    CHECK(passed["verdict"] == "passed");
    CHECK(tools().judge(tile_doubling(),
                        cutile("    t = ct.load(x, index=(i,), shape=(B,))\n"
                               "    ct.store(y, index=(i,), tile=t * 2)\n"))["verdict"] ==
          "passed");
    CHECK(tools().judge(tile_doubling(),
                        julia("    t = ct.load(x; index=i, shape=(b,))\n"
                              "    ct.store(y; index=i, tile=t .* 2)\n"))["verdict"] == "passed");
  }

  TEST_CASE("names beyond ASCII") {
    CHECK(tools().judge(tile_doubling(),
                        triton("    α = 1.0\n    β = α + 1.0\n"
                               "    x = tl.load(x_ptr + i, mask=i < n)\n"
                               "    tl.store(y_ptr + i, β * x, mask=i < n)\n"))["verdict"] ==
          "passed");
    CHECK(tools().judge(tile_doubling(),
                        julia("    α² = ct.load(x; index=i, shape=(b,))\n"
                              "    ct.store(y; index=i, tile=α² .+ α²)\n"))["verdict"] == "passed");
  }

  TEST_CASE("functions that cannot be read do not stand in the way of a kernel") {
    std::string broken;
    for (int i = 0; i < 200; ++i) {
      broken += "function f(x)\n    y = x ? 1\nend\n";
    }
    Json kernel =
        julia("    t = ct.load(x; index=i, shape=(b,))\n    ct.store(y; index=i, tile=t .* 2)\n");
    kernel["source"] = broken + kernel["source"].get<std::string>();
    CHECK(tools().judge(tile_doubling(), kernel)["verdict"] == "passed");
  }

  TEST_CASE("what does not compile says line, reason and what to write") {
    check({
        {triton("    print 'x'\n"), "compile_error",
         "7: Python: Missing parentheses in call to 'print'. Did you mean print(...)?"},
        {triton("    x = tl.laod(x_ptr + i)\n"), "compile_error",
         "7: `tl.laod` is not known here; did you mean `load`?"},
        {triton("    import os\n"), "compile_error", "7: a kernel cannot have an import"},
        {triton("    x = tl.load(x_ptr + i, mask=i < n)\n    y = x[:, None] + tl.zeros((64, 128), "
                "tl.float32)\n"),
         "compile_error",
         "8: shapes (128, 1) and (64, 128) do not fit: dimension 0 is 128 and 64; x[:, None] and "
         "x[None, :] say on which side to repeat"},
        {triton("    x = tl.zeros((1 << 30,), tl.float32)\n"), "compile_error",
         "7: a tile of shape (1073741824,) has more than 4194304 elements; loop over smaller "
         "tiles"},
        {triton("    s = tl.arange(0, 4096)[:, None] + tl.arange(0, 4096)[None, :]\n"),
         "compile_error",
         "7: a tile of shape (4096, 4096) has more than 4194304 elements; loop over smaller tiles"},
        {triton("    x = tl.zeros((n,), tl.float32)\n"), "compile_error",
         "7: a size of a tile must be a constant, got an integer; declare the parameter as "
         "`tl.constexpr`"},
        {triton("    if tl.load(x_ptr + i) > 0:\n        pass\n"), "compile_error",
         "7: the condition is a tile (128,) of bool: it must be one number; use "
         "tl.where(condition, x, y) to choose element by element"},
        {triton("    acc = 0.0\n    for j in range(4):\n        acc = acc + tl.load(x_ptr + i)\n"),
         "compile_error",
         "8: `acc` is a number of f32 before the loop and a tile (128,) of f32 at the end of its "
         "body; give it the type and shape of the end before the loop"},
        {cutile("    t = ct.load(x, index=(i, 0), shape=(B,))\n"), "compile_error",
         "6: the index has 2 numbers for an array of 1 dimensions"},
        {cutile("    t = ct.exq(ct.load(x, index=(i,), shape=(B,)))\n"), "compile_error",
         "6: `ct.exq` is not known here; did you mean `exp`?"},
        {cutile("    t = ct.full((B,), 1, ct.float16) + ct.full((B,), 1, ct.bfloat16)\n"),
         "compile_error", "6: the language does not mix f16 and bf16; ct.astype(x, dtype) first"},
        {julia("    t = ct.load(x; index=i, shape=(b,)) * ct.load(x; index=i, shape=(b,))\n"),
         "compile_error",
         "4: `*` of a tile (128,) of f32 and a tile (128,) of f32 needs a dot; x .* y works "
         "element "
         "by element"},
        {julia("    t = max(ct.load(x; index=i, shape=(b,)), 0)\n"), "compile_error",
         "4: `max` of a tile needs a dot; max.(x, y), or maximum(x; dims=1) to reduce"},
        {tile_kernel("triton",
                     "import triton\nimport triton.language as tl\n\n@triton.jit\n"
                     "def again(v):\n    return again(v)\n\n@triton.jit\ndef k(x, y):\n"
                     "    again(1)\n",
                     {"x", "y"}),
         "compile_error", "6: calls nest deeper than 16: `again` may call itself"},
        {julia("    t = 2 ²\n"), "compile_error",
         "4: Julia: expected the end of the statement, got `²`"},
        {julia("    t = (x -> x)(2)\n"), "compile_error",
         "4: Julia: a kernel cannot have a function without a name, got `->`"},
        {julia("    t = 99999999999999999999\n"), "compile_error",
         "4: Julia: a value is expected, got the number `99999999999999999999`, which does not fit "
         "in "
         "64 bits"},
        {julia("    if i > 3\n    end\nend\n"), "compile_error",
         "8: Julia: an `end` that ends nothing"},
    });
  }

  TEST_CASE("what one language does not have") {
    const std::string outer = "    t = ct.full((8, 8), 1.0, ct.float32)\n";
    check({
        {triton("    while i < 3:\n        break\n"), "compile_error",
         "7: the condition of a loop is a number, got a tile (128,) of bool"},
        {triton("    for j in range(3):\n        break\n"), "compile_error",
         "8: Triton has no `break`; say in the condition of a `while` when it ends"},
        {triton("    for j in range(3):\n        continue\n"), "compile_error",
         "8: Triton has no `continue`; put what is skipped into an `if`"},
        {cutile("    for j in (1, 2):\n        break\n"), "compile_error",
         "7: `break` in a loop over constants, which is written out; use a loop over `range`"},
        {julia("    for j in (1, 2)\n        continue\n    end\n"), "compile_error",
         "5: `continue` in a loop over constants, which is written out; use a loop over "
         "first:last"},
        {triton("    y = i.to(tl.uint32) // i\n"), "compile_error",
         "7: a division does not mix u32 and i32; x.to(dtype) first"},
        {cutile(outer + "    r = ct.argmax(t, (0, 1))\n"), "compile_error",
         "7: `ct.argmax` takes one axis, or none"},
        {tile_kernel("cutile_jl",
                     "f(x, y) = x + y\nf(x) = x\nfunction k(x, y)\n    t = f(1)\n    return\nend\n",
                     {"x", "y"}),
         "compile_error",
         "4: `f` is defined more than once: lines 1 and 2; give each method a name of its own"},
        {tile_kernel("cutile_jl",
                     "function k(x)\n    return\nend\nfunction k(x, y)\n    return\nend\n",
                     {"x", "y"}),
         "compile_error",
         "4: `k` is defined more than once: lines 1 and 4; give each method a name of its own"},
    });
  }

  TEST_CASE("assertions on constants") {
    check({
        {triton("    tl.static_assert(B < 100, 'the block is large')\n"), "compile_error",
         "7: `tl.static_assert` failed: the block is large"},
        {triton("    tl.static_assert(B == 64)\n"), "compile_error",
         "7: `tl.static_assert` failed"},
        {triton("    tl.static_assert(n > 3)\n"), "compile_error",
         "7: `tl.static_assert` takes a constant, got a truth value"},
        {cutile("    ct.static_assert(B == 64, \"a block\")\n"), "compile_error",
         "6: `ct.static_assert` failed: a block"},
    });
  }

  TEST_CASE("calls of functions of the file") {
    const auto calls = [](const std::string& body) {
      return tile_kernel("triton",
                         "import triton\nimport triton.language as tl\n\n@triton.jit\n"
                         "def put(p, value=0):\n    tl.store(p, value)\n    return True\n\n"
                         "@triton.jit\ndef k(x, y, n):\n" +
                             body,
                         {"x", "y", "n"});
    };
    check({
        {calls("    put(y, valeu=3)\n"), "compile_error",
         "11: `put` has no parameter `valeu`; did you mean `value`?"},
        {calls("    put(y, p=3)\n"), "compile_error", "11: `put` gets `p` twice"},
        {calls("    put(value=3)\n"), "compile_error", "11: `put` needs `p`"},
        {calls("    put(y, 3, 4)\n"), "compile_error", "11: `put` takes 2 arguments, got 3"},
        {calls("    if n > 3 and put(y):\n        pass\n"), "compile_error",
         "11: a function that writes to memory is called after `and`; call it in a statement "
         "before, or in a branch"},
    });
  }

  TEST_CASE("what goes wrong while it runs has its line") {
    check({
        {triton("    x = tl.load(x_ptr + i)\n    tl.store(y_ptr + i, 2 * x, mask=i < n)\n"),
         "out_of_bounds",
         "line 7: index 1000 is outside `x` of 1000 elements; pass a mask: tl.load(pointer, "
         "mask=offsets < size)"},
        {triton("    x = tl.load(x_ptr + i, mask=i < n)\n    s = tl.sum(x, axis=0)\n"
                "    tl.store(y_ptr + i, x + s - s, mask=i < n)\n"),
         "uninitialised_read",
         "line 9: `y[896:1000]` gets a value that depends on an undetermined value; give tl.load "
         "an `other`, or use tl.where(mask, x, 0) before elements are combined"},
        {triton("    x = tl.load(x_ptr + i, mask=i < n)\n"
                "    tl.store(y_ptr + i % 64, 2 * x, mask=i < n)\n"),
         "data_race",
         "line 8: elements 0 and 64 of one store are both 0: which of them `y` keeps is undefined; "
         "make the indices differ, or mask all but one"},
        {triton("    x = tl.load(x_ptr + i, mask=i < n)\n"
                "    tl.store(x_ptr + i, 2 * x, mask=i < n)\n"),
         "input_modified",
         "line 8: `x[0:128]` is written: `x` is an input; store to an output, or give the argument "
         "the role `inout`"},
        {triton("    k = 0\n    while k < 1:\n        k = k * 1\n"), "timeout",
         "line 8: the program runs more statements than allowed, most likely in this loop; run it "
         "on smaller shapes, or end the loop"},
        {cutile("    t = ct.load(x, index=(i + 100,), shape=(B,))\n"
                "    ct.store(y, index=(i,), tile=t)\n"),
         "out_of_bounds",
         "line 6: `x[12800:12928]` lies wholly beyond the edge: x is (1000,); end the loop, or the "
         "grid, at ct.num_tiles(array, axis, shape)"},
    });
  }

  TEST_CASE("a launch that does not fit its kernel") {
    Json missing = triton("    pass\n");
    missing["launches"][0]["args"] = {"x", "y", "n"};
    Json swapped = triton("    tl.store(y_ptr + i, 0.0, mask=i < n)\n");
    swapped["launches"][0]["args"] = {"x", "n", "y", tile_number("128")};
    Json many = triton("    pass\n");
    many["launches"][0]["args"] = {"x", "y", "n", tile_number("128"), "n"};
    Json other = triton("    pass\n");
    other["launches"][0]["entry"] = "kk";
    check({{missing, "compile_error",
            "5: the launch passes no argument for `B`: `k` takes (x_ptr, y_ptr, n, B); add it to "
            "the launch's args; a constant too, as {\"value\": \"64\", \"type\": \"i32\"} or the "
            "name of a parameter or dim"},
           {swapped, "compile_error",
            "7: a pointer takes `+` and `-` of integers, got `<` of a tile (128,) of i32 and a "
            "pointer "
            "to f32"},
           {many, "compile_error",
            "5: the launch passes 5 arguments, `k` takes 4: (x_ptr, y_ptr, n, B); list the "
            "parameters, and pass them in this order"},
           {other, "compile_error", "the source has no function `kk`; known: k"},
           {tile_kernel("triton", "def k(x, y, n):\n    pass\n", {"x", "y", "n"}), "compile_error",
            "1: `k` is not a kernel; write @triton.jit above it"}});
  }
}

}  // namespace ws::test
