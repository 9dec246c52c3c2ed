// Parts of arrays in cuTile: slices, and rows that an index picks.
#include <doctest/doctest.h>

#include "tests/support/tile_forms.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// y[i, :] = 2 * x[index[i], :] over f32 x[m, n] and y[k, n].
Json picked_rows() {
  const auto arg = [](const char* name, const char* type, const Json& shape, const char* role) {
    return Json{{"name", name}, {"type", type}, {"shape", shape}, {"role", role}};
  };
  Json index = arg("index", "i32", {"k"}, "in");
  index["fill"] = {{"kind", "range"}, {"high", 20}};
  return {{"name", "picked_rows"},
          {"dims",
           {{"m", {20}},
            {"k", {{"values", {13}}, {"min", 1}, {"max", 40}}},
            {"n", {{"values", {50}}, {"min", 1}, {"max", 60}}}}},
          {"args", {arg("x", "f32", {"m", "n"}, "in"), index, arg("y", "f32", {"k", "n"}, "out")}},
          {"reference",
           {{"kind", "kernel"},
            {"language", "cuda"},
            {"source",
             "__global__ void reference(const float* x, const int* index, float* y, int k, int n) "
             "{\n  int i = blockIdx.x * 64 + threadIdx.x;\n"
             "  if (i < k * n) y[i] = 2 * x[index[i / n] * n + i % n];\n}\n"},
            {"launches",
             {{{"entry", "reference"},
               {"grid", {"cdiv(k*n, 64)"}},
               {"block", {"64"}},
               {"args", {"x", "index", "y", "k", "n"}}}}}}}};
}

Json on_blocks(const std::string& body, const Json& args, const std::string& grid) {
  const std::string head = "import cuda.tile as ct\n\n\n@ct.kernel\n";
  return {{"name", "k"},
          {"language", "cutile"},
          {"source", head + body},
          {"launches", {{{"entry", "k"}, {"grid", {grid}}, {"args", args}}}}};
}

const Json kDoublingArgs = {"x", "y"};
const Json kRowArgs = {"x", "index", "y"};

}  // namespace

TEST_SUITE("tools.tile_views") {
  TEST_CASE("slices of one dimension are read and written") {
    const std::string head =
        "def k(x, y):\n    first = ct.bid(0) * 128\n"
        "    last = min(first + 128, x.shape[0])\n"
        "    a = x.slice(axis=0, start=first, stop=last)\n"
        "    b = y.slice(0, first, last)\n";
    const char* const bodies[] = {
        // A kernel that has returned does nothing more, whatever is written there.
        "    t = ct.load(x, index=(ct.bid(0),), shape=(128,), padding_mode=ct.PaddingMode.ZERO)\n"
        "    if 1 < 2:\n"
        "        ct.store(y, index=(ct.bid(0),), tile=t * 2)\n"
        "        return\n"
        "    for j in range(3):\n"
        "        t = ct.astype(t, ct.float16)\n",
        "    for j in range(ct.num_tiles(a, axis=0, shape=(32,))):\n"
        "        t = ct.load(a, index=(j,), shape=(32,), padding_mode=ct.PaddingMode.ZERO)\n"
        "        ct.store(b, index=(j,), tile=t * 2)\n",
        "    i = ct.arange(128, dtype=ct.int32)\n"
        "    ct.scatter(b, i, ct.gather(a, i, padding_value=0) * 2)\n",
        "    for j in range(a.shape[0]):\n"
        "        ct.scatter(b, j, ct.load(a, (j,), shape=()) * 2)\n",
        "    half = a.slice(axis=0, start=0, stop=a.shape[0] // 2)\n"
        "    rest = a.slice(axis=0, start=a.shape[0] // 2, stop=a.shape[0])\n"
        "    t = ct.load(half, index=0, shape=(64,), padding_mode=ct.PaddingMode.NEG_INF)\n"
        "    u = ct.load(rest, index=0, shape=(64,), padding_mode=ct.PaddingMode.ZERO)\n"
        "    ct.store(b.slice(axis=0, start=0, stop=half.shape[0]), index=(0,), tile=t * 2)\n"
        "    ct.store(b.slice(axis=0, start=half.shape[0], stop=b.shape[0]), index=(0,), "
        "tile=u * 2)\n",
    };
    for (const char* body : bodies) {
      CAPTURE(std::string(body));
      const Json judged = tools().judge(
          tile_doubling(), on_blocks(head + body, kDoublingArgs, "cdiv(n, 128)"), "standard");
      INFO(judged.dump(1));
      CHECK(judged["verdict"] == "passed");
    }
  }

  TEST_CASE("slices of rows, and rows that an index picks") {
    const char* const bodies[] = {
        "def k(x, index, y):\n    row = ct.bid(0)\n    p = ct.load(index, (row,), shape=())\n"
        "    a = x.slice(axis=0, start=p, stop=p + 1)\n"
        "    b = y.slice(axis=0, start=row, stop=row + 1)\n"
        "    for j in range(ct.num_tiles(a, axis=1, shape=(1, 16))):\n"
        "        t = ct.load(a, index=(0, j), shape=(1, 16))\n"
        "        ct.store(b, index=(0, j), tile=t * 2)\n",
        "def k(x, index, y):\n    row = ct.bid(0)\n"
        "    p = ct.load(index, index=row, shape=(1,))\n"
        "    t = ct.load_advanced_indexing(x, (p, ct.Slice(0, 64)))\n"
        "    ct.store(y, index=(row, 0), tile=t * 2)\n",
        "def k(x, index, y):\n    row = ct.bid(0)\n"
        "    p = ct.load(index, index=row, shape=(1,))\n"
        "    for j in range(ct.cdiv(x.shape[1], 8)):\n"
        "        t = ct.load_advanced_indexing(x, (p, ct.Slice(j * 8, 8)), "
        "padding_mode=ct.PaddingMode.ZERO)\n"
        "        ct.store(y, index=(row, j), tile=t * 2)\n",
        "def k(x, index, y):\n    row = ct.bid(0)\n    p = ct.load(index, (row,), shape=())\n"
        "    t = ct.load(x.slice(axis=0, start=p, stop=p + 1), index=(0, 0), shape=(64, 1), "
        "order=(1, 0))\n"
        "    ct.store(y, index=(0, row), tile=t * 2, order=(1, 0))\n",
        "def k(x, index, y):\n    row = ct.bid(0)\n"
        "    p = ct.gather(index, (row,)).item()\n"
        "    for j in range(x.shape[1]):\n"
        "        v = ct.gather(x, (p, j)) + ct.gather(x, (p, j), padding_value=0)\n"
        "        ct.scatter(y, (row, j), v)\n",
    };
    for (const char* body : bodies) {
      CAPTURE(std::string(body));
      const Json judged = tools().judge(picked_rows(), on_blocks(body, kRowArgs, "k"), "standard");
      INFO(judged.dump(1));
      CHECK(judged["verdict"] == "passed");
    }
  }

  TEST_CASE("padding of a slice is undetermined, and its end is an end") {
    const std::string head = "def k(x, y):\n    i = ct.bid(0)\n";
    const auto verdict = [&](const std::string& body) {
      return tools().judge(tile_doubling(), on_blocks(head + body, kDoublingArgs, "cdiv(n, 128)"),
                           "standard");
    };
    const Json padded = verdict(
        "    a = x.slice(axis=0, start=i * 128, stop=i * 128 + 64)\n"
        "    t = ct.load(a, index=(0,), shape=(128,))\n    ct.store(y, index=(i,), tile=t * 2)\n");
    CHECK(padded["verdict"] == "uninitialised_read");
    const Json short_of = verdict(
        "    b = y.slice(axis=0, start=i * 128, stop=i * 128 + 127)\n"
        "    t = ct.load(x, index=(i,), shape=(128,), padding_mode=ct.PaddingMode.ZERO)\n"
        "    ct.store(b, index=(0,), tile=t * 2)\n");
    INFO(short_of.dump(1));
    CHECK(short_of["verdict"] != "passed");
  }

  TEST_CASE("what cannot be a part is told with its line") {
    const struct {
      const char* body;
      const char* want;
    } rows[] = {
        {"    a = x.slice(0, 1)\n", "`slice` needs `axis`, `start` and `stop`"},
        {"    a = x.slice(1, 0, 4)\n", "axis 1 of 1 dimensions"},
        {"    a = ct.load_advanced_indexing(x, (0, 1))\n",
         "`ct.load_advanced_indexing` needs an index or a `ct.Slice` for each of the 1 dimensions"},
        {"    a = ct.load_advanced_indexing(x, (0,))\n",
         "an index is one tile of integers with one dimension, or a `ct.Slice`, got an integer"},
        {"    a = ct.Slice(0)\n", "`ct.Slice` takes a start and a length"},
    };

    for (const auto& row : rows) {
      const Json judged = tools().judge(
          tile_doubling(),
          on_blocks("def k(x, y):\n" + std::string(row.body), kDoublingArgs, "cdiv(n, 128)"));
      INFO(judged.dump(1));
      CHECK(judged["verdict"] == "compile_error");
      CHECK(judged["diagnostics"][0]["message"].get<std::string>().starts_with(row.want));
      CHECK(judged["diagnostics"][0]["line"] == 6);
    }
  }
}

}  // namespace ws::test
