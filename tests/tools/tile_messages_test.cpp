// What is said of kernels of tiles that cannot be compiled, or go wrong when they run.
#include <doctest/doctest.h>

#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// y[i] = 2 * x[i] over f32 x[n], y[n].
Json doubling() {
  return {{"name", "doubling_tiles"},
          {"dims", {{"n", {{"values", {1000}}, {"min", 1}, {"max", 4096}}}}},
          {"args",
           {{{"name", "x"}, {"type", "f32"}, {"shape", {"n"}}, {"role", "in"}},
            {{"name", "y"}, {"type", "f32"}, {"shape", {"n"}}, {"role", "out"}}}},
          {"reference",
           {{"kind", "kernel"},
            {"language", "cuda"},
            {"entry", "reference"},
            {"source",
             "__global__ void reference(const float* x, float* y, int n) {\n"
             "  int i = blockIdx.x * 256 + threadIdx.x;\n  if (i < n) y[i] = 2 * x[i];\n}\n"},
            {"launches",
             {{{"entry", "reference"},
               {"grid", {"cdiv(n, 256)"}},
               {"block", {"256"}},
               {"args", {"x", "y", "n"}}}}}}}};
}

Json number(const std::string& value) {
  return {{"value", value}, {"type", "i32"}};
}

Json kernel(const std::string& language, const std::string& source, const Json& args) {
  return {{"name", "k"},
          {"language", language},
          {"source", source},
          {"launches", {{{"entry", "k"}, {"grid", {"cdiv(n, 128)"}}, {"args", args}}}}};
}

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
  return kernel("triton", kTriton + body, {"x", "y", "n", number("128")});
}

/// In cuTile Python; `i`, the block's number, is in line 5.
Json cutile(const std::string& body) {
  return kernel("cutile", kCutile + body, {"x", "y", number("128")});
}

/// In Julia; `i` is in line 3.
Json julia(const std::string& body) {
  return kernel("cutile_jl", kJulia + body + "    return\nend\n", {"x", "y", number("128")});
}

struct MessageCase {
  Json kernel;
  std::string verdict;
  std::string message;
};

void check(const std::vector<MessageCase>& cases) {
  for (const MessageCase& each : cases) {
    CAPTURE(each.kernel["source"].get<std::string>());
    const Json judged = tools().judge(doubling(), each.kernel);
    CHECK(judged["verdict"] == each.verdict);
    CHECK(judged.value("message", judged["summary"].get<std::string>()) == each.message);
  }
}

}  // namespace

TEST_SUITE("tools.tile_messages") {
  TEST_CASE("what is right passes, in each language, and host code is never run") {
    const Json passed = tools().judge(
        doubling(), triton("    x = tl.load(x_ptr + i, mask=i < n)\n"
                           "    tl.store(y_ptr + i, 2 * x, mask=i < n)\n\n"
                           "import os\nos.abort()\nprint(open('/etc/passwd').read())\n"));
    CHECK(passed["verdict"] == "passed");
    CHECK(
        tools().judge(doubling(), cutile("    t = ct.load(x, index=(i,), shape=(B,))\n"
                                         "    ct.store(y, index=(i,), tile=t * 2)\n"))["verdict"] ==
        "passed");
    CHECK(tools().judge(doubling(), julia("    t = ct.load(x; index=i, shape=(b,))\n"
                                          "    ct.store(y; index=i, tile=t .* 2)\n"))["verdict"] ==
          "passed");
  }

  TEST_CASE("what does not compile says line, reason and what to write") {
    check({
        {triton("    print 'x'\n"), "compile_error", ""},
        {triton("    x = tl.laod(x_ptr + i)\n"), "compile_error", ""},
        {triton("    import os\n"), "compile_error", ""},
        {triton("    x = tl.load(x_ptr + i, mask=i < n)\n    y = x[:, None] + tl.zeros((64, 128), "
                "tl.float32)\n"),
         "compile_error", ""},
        {triton("    x = tl.zeros((1 << 30,), tl.float32)\n"), "compile_error", ""},
        {triton("    x = tl.zeros((n,), tl.float32)\n"), "compile_error", ""},
        {triton("    if tl.load(x_ptr + i) > 0:\n        pass\n"), "compile_error", ""},
        {triton("    acc = 0.0\n    for j in range(4):\n        acc = acc + tl.load(x_ptr + i)\n"),
         "compile_error", ""},
        {cutile("    t = ct.load(x, index=(i, 0), shape=(B,))\n"), "compile_error", ""},
        {cutile("    t = ct.sigmoid(ct.load(x, index=(i,), shape=(B,)))\n"), "compile_error", ""},
        {cutile("    t = ct.full((B,), 1, ct.float16) + ct.full((B,), 1, ct.bfloat16)\n"),
         "compile_error", ""},
        {julia("    t = ct.load(x; index=i, shape=(b,)) * ct.load(x; index=i, shape=(b,))\n"),
         "compile_error", ""},
        {julia("    t = max(ct.load(x; index=i, shape=(b,)), 0)\n"), "compile_error", ""},
        {julia("    if i > 3\n    end\nend\n"), "compile_error", ""},
    });
  }

  TEST_CASE("what goes wrong while it runs has its line") {
    check({
        {triton("    x = tl.load(x_ptr + i)\n    tl.store(y_ptr + i, 2 * x, mask=i < n)\n"),
         "out_of_bounds", ""},
        {triton("    x = tl.load(x_ptr + i, mask=i < n)\n    s = tl.sum(x, axis=0)\n"
                "    tl.store(y_ptr + i, x + s - s, mask=i < n)\n"),
         "uninitialised_read", ""},
        {triton("    x = tl.load(x_ptr + i, mask=i < n)\n"
                "    tl.store(y_ptr + i % 64, 2 * x, mask=i < n)\n"),
         "data_race", ""},
        {triton("    x = tl.load(x_ptr + i, mask=i < n)\n"
                "    tl.store(x_ptr + i, 2 * x, mask=i < n)\n"),
         "input_modified", ""},
        {triton("    k = 0\n    while k < 1:\n        k = k * 1\n"), "timeout", ""},
        {cutile("    t = ct.load(x, index=(i + 100,), shape=(B,))\n"
                "    ct.store(y, index=(i,), tile=t)\n"),
         "out_of_bounds", ""},
    });
  }

  TEST_CASE("a launch that does not fit its kernel") {
    Json missing = triton("    pass\n");
    missing["launches"][0]["args"] = {"x", "y", "n"};
    Json swapped = triton("    pass\n");
    swapped["launches"][0]["args"] = {"x", "n", "y", number("128")};
    Json many = triton("    pass\n");
    many["launches"][0]["args"] = {"x", "y", "n", number("128"), "n"};
    Json other = triton("    pass\n");
    other["launches"][0]["entry"] = "kk";
    check(
        {{missing, "compile_error", ""},
         {swapped, "compile_error", ""},
         {many, "compile_error", ""},
         {other, "compile_error", ""},
         {kernel("triton", "def k(x, y, n):\n    pass\n", {"x", "y", "n"}), "compile_error", ""}});
  }
}

}  // namespace ws::test
