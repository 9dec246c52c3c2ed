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

/// y = 2 * x over f32 x[rows, cols] and y[rows, cols].
Json doubled_rows() {
  Json problem = tile_doubling();
  problem["dims"] = {{"rows", {{"values", {37}}, {"min", 1}, {"max", 80}}},
                     {"cols", {{"values", {52}}, {"min", 4}, {"max", 96}, {"multiple_of", 4}}}};
  for (Json& arg : problem["args"]) {
    arg["shape"] = {"rows", "cols"};
  }
  problem["reference"]["launches"][0]["grid"] = {"cdiv(rows*cols, 256)"};
  problem["reference"]["launches"][0]["args"] = {
      "x", "y", {{"value", "rows*cols"}, {"type", "i32"}}};
  return problem;
}

/// A kernel of Triton whose `a` and `b` are descriptors of x and y; `body` begins in line 8.
Json with_maps(const std::string& body) {
  const auto map = [](const char* name, const char* of) {
    return Json{{"name", name}, {"of", of}, {"box", {"BC", "BR"}}};
  };
  return {{"name", "k"},
          {"language", "triton"},
          {"source",
           "import triton\nimport triton.language as tl\n\n@triton.jit\n"
           "def k(a, b, y, BR: tl.constexpr, BC: tl.constexpr):\n"
           "    r = tl.program_id(0) * BR\n    c = tl.program_id(1) * BC\n" +
               body},
          {"params", {{"BR", {8, 16}}, {"BC", {32}}}},
          {"tensor_maps", {map("x_map", "x"), map("y_map", "y")}},
          {"launches",
           {{{"entry", "k"},
             {"grid", {"cdiv(rows, BR)", "cdiv(cols, BC)"}},
             {"args", {"x_map", "y_map", "y", "BR", "BC"}}}}}};
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

  TEST_CASE("descriptors that the host makes are tensor maps of the plan") {
    for (const char* const body : {
             "    t = a.load([r, c])\n    b.store([r, c], 2 * t)\n",
             "    t = tl.load_tensor_descriptor(a, [r, c])\n"
             "    tl.store_tensor_descriptor(b, [r, c], 2 * t)\n",
             "    tl.static_assert(a.block_shape[1] == BC and a.dtype == tl.float32)\n"
             "    z = tl.zeros(a.block_shape, a.dtype)\n"
             "    if r < a.shape[0]:\n        b.store([r, c], z + 2 * a.load([r, c]))\n",
             "    t = a.load([r, c])\n    j = tl.arange(0, BC)\n"
             "    p = y + (r + tl.arange(0, BR))[:, None] * b.strides[0] + (c + j)[None, :]\n"
             "    m = (r + tl.arange(0, BR))[:, None] < b.shape[0]\n"
             "    tl.store(p, 2 * t, mask=m & ((c + j)[None, :] < b.shape[1]))\n",
         }) {
      CAPTURE(std::string(body));
      const Json judged = tools().judge(doubled_rows(), with_maps(body), "standard");
      INFO(judged.dump(1));
      CHECK(judged["verdict"] == "passed");
    }
  }

  TEST_CASE("a descriptor reads zeros or NaN beyond its edge, and writes nothing there") {
    const std::string zeros =
        "    t = a.load([r, c])\n    s = tl.sum(tl.sum(t, axis=1), axis=0)\n"
        "    b.store([r, c], 2 * t + (s - s))\n";
    CHECK(tools().judge(doubled_rows(), with_maps(zeros))["verdict"] == "passed");
    Json kernel = with_maps(zeros);
    kernel["tensor_maps"][0]["oob"] = "nan";
    const Json judged = tools().judge(doubled_rows(), kernel);
    INFO(judged.dump(1));
    CHECK(judged["verdict"] == "incorrect_nan");
  }

  TEST_CASE("what is wrong with a descriptor is told") {
    const std::string no_list =
        "a tensor descriptor of 2 dimensions takes a list of as many offsets, got ";
    const std::string wanted =
        "; tl.make_tensor_descriptor makes one, and so does the host: list it in the kernel's "
        "`tensor_maps`, and pass its name";

    const struct {
      const char* body;
      std::string want;
    } rows[] = {
        {"    t = a.load([r])\n", no_list + "a tuple of 1"},
        {"    t = a.load(r, c)\n", "`load` of a tensor descriptor takes offsets"},
        {"    t = a.load(r)\n", no_list + "an integer"},
        {"    b.store([r, c])\n", "`store` of a tensor descriptor takes offsets and a tile"},
        {"    tl.store_tensor_descriptor(b, [r, c])\n",
         "`tl.store_tensor_descriptor` needs `value`"},
        {"    t = y.load([r, c])\n",
         "a tensor descriptor is wanted, got a pointer to f32" + wanted},
        {"    t = BR.load([r, c])\n", "a tensor descriptor is wanted, got an integer" + wanted},
        {"    t = tl.load_tensor_descriptor(y, [r, c])\n",
         "a tensor descriptor is wanted, got a pointer to f32" + wanted},
        {"    t = tl.zeros((a.shape[0],), tl.float32)\n",
         "a size of a tile must be a constant, got an integer; declare the parameter as "
         "`tl.constexpr`"},
    };

    for (const auto& row : rows) {
      CAPTURE(std::string(row.body));
      const Json judged = tools().judge(doubled_rows(), with_maps(row.body));
      INFO(judged.dump(1));
      CHECK(judged["verdict"] == "compile_error");
      CHECK(judged["diagnostics"][0]["message"] == row.want);
      CHECK(judged["diagnostics"][0]["line"] == 8);
    }
  }

  TEST_CASE("a tensor map that a kernel of tiles cannot have is refused") {
    Json kernel = with_maps("    pass\n");
    kernel["tensor_maps"][0]["swizzle"] = "128B";
    CHECK(tools().refusal("compile_kernel", {{"problem", doubled_rows()}, {"kernel", kernel}}) ==
          "invalid_argument: kernel.tensor_maps[0].swizzle: a tensor descriptor of Triton has no "
          "`swizzle`; leave it "
          "out");
    kernel = with_maps("    pass\n");
    kernel["params"]["BR"] = {24};
    CHECK(tools().judge(doubled_rows(), kernel)["diagnostics"][0]["message"] ==
          "the launch passes `a` a tensor map of `x` with a box whose sizes are no powers of two; "
          "a tile has powers of two");
    kernel = with_maps("    pass\n");
    kernel["language"] = "cutile";
    kernel["source"] = "import cuda.tile as ct\n\n@ct.kernel\ndef k(a, b, y, BR, BC):\n    pass\n";
    const Json judged = tools().judge(doubled_rows(), kernel);
    INFO(judged.dump(1));
    CHECK(judged["diagnostics"][0]["message"] ==
          "the launch passes a tensor map of `x` as `a`: only kernels of Triton take descriptors; "
          "pass `x` itself");
  }
}

}  // namespace ws::test
