// profile of kernels of tiles: what is counted, and that a planted cause is named with its line.
#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "tests/support/golden.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

Json example(const std::string& path) {
  const auto text = read_file(source_dir() / "examples" / path);
  REQUIRE(text.has_value());
  return Json::parse(*text);
}

Json matrix_problem(std::int64_t size) {
  Json problem = example("kernels/matmul/problem.json");
  for (auto& [name, dim] : problem["dims"].items()) {
    dim = {{"values", {size}}, {"min", 1}, {"max", 8192}};
  }
  return problem;
}

/// Transposes, or only copies, a matrix of f32.
Json copy_problem(bool transposed) {
  const std::string target = transposed ? "y[c * rows + r]" : "y[r * cols + c]";
  Json shape = {"rows", "cols"};
  Json other = transposed ? Json{"cols", "rows"} : shape;
  return {{"name", transposed ? "transposed" : "copied"},
          {"dims",
           {{"rows", {{"values", {256, 4096}}, {"min", 1}, {"max", 8192}}},
            {"cols", {{"values", {256, 4096}}, {"min", 1}, {"max", 8192}}}}},
          {"args",
           {{{"name", "x"}, {"type", "f32"}, {"shape", shape}, {"role", "in"}},
            {{"name", "y"}, {"type", "f32"}, {"shape", other}, {"role", "out"}}}},
          {"reference",
           {{"kind", "kernel"},
            {"language", "cuda"},
            {"entry", "reference"},
            {"source",
             "__global__ void reference(const float* x, float* y, int rows, int cols) {\n"
             "  int r = blockIdx.x, c = blockIdx.y * 128 + threadIdx.x;\n"
             "  if (c < cols) " +
                 target + " = x[r * cols + c];\n}\n"},
            {"launches",
             {{{"entry", "reference"},
               {"grid", {"rows", "cdiv(cols, 128)"}},
               {"block", {"128"}},
               {"args", {"x", "y", "rows", "cols"}}}}}}}};
}

Json cutile(const std::string& body, const Json& grid, const Json& args) {
  return {{"name", "k"},
          {"language", "cutile"},
          {"source", "import cuda.tile as ct\n\n@ct.kernel\ndef k(x, y):\n" + body},
          {"launches", {{{"entry", "k"}, {"grid", grid}, {"args", args}}}}};
}

Json profile_of(const Json& problem, const Json& kernel, Json more = Json::object()) {
  more["kernel_id"] = tools().compiled(problem, kernel);
  return tools().result("profile", more);
}

/// The first finding's cause and lines.
Json first_of(const Json& output) {
  REQUIRE_MESSAGE((output.contains("roofline") && !output["findings"].empty()), output.dump(1));
  return {output["findings"][0]["cause"], output["findings"][0]["lines"]};
}

const Json kGrid = {"cdiv(rows, 32)", "cdiv(cols, 64)"};
const Json kArgs = {"x", "y"};

}  // namespace

TEST_SUITE("tools.tile_profile") {
  TEST_CASE("bytes, operations and tiles are counted by line") {
    const Json output =
        profile_of(matrix_problem(128), example("tiles/matmul/matmul_cutile.json"),
                   {{"groups", {"tiles", "memory", "compute", "launch", "stalls"}}});
    CHECK(output["launch"]["blocks_counted"] == 4);
    CHECK(output["launch"]["first"][0]["threads"] == 128);
    const Json lines = output["tiles"]["lines"];
    REQUIRE(lines.size() == 4);
    // 4 blocks with 4 steps each; a tile of A has 64 x 32 elements.
    CHECK(lines[0] == Json{{"line", 11},
                           {"work", "load"},
                           {"type", "f32"},
                           {"tiles", 16},
                           {"elements_per_tile", 2048},
                           {"bytes", 131072},
                           {"used_percent", 100},
                           {"sectors_per_ideal_sector", 1}});
    CHECK(lines[2] == Json{{"line", 13},
                           {"work", "product"},
                           {"type", "f32"},
                           {"tiles", 16},
                           {"elements_per_tile", 4096},
                           {"flops", 2 * 128 * 128 * 128}});
    CHECK(lines[3]["work"] == "store");
    CHECK(lines[3]["bytes"] == 4 * 128 * 128);
    CHECK(output["memory"]["bytes"]["global"] == 327700);  // Four digits.
    CHECK(output["compute"]["flops"] == 4194000);
    CHECK(output["stalls"]["measured"] == false);
    CHECK(profile_of(matrix_problem(128), example("tiles/matmul/matmul_triton.json"),
                     {{"groups", {"compute"}}})["compute"]["flops"] == 4194000);
  }

  TEST_CASE("the record has what each line of tiles moved and computed") {
    const Json output = profile_of(matrix_problem(128), example("tiles/matmul/matmul_cutile.json"));
    const std::string id = output["evidence_id"];
    const auto record = tools().resources().read("evidence://" + id);
    REQUIRE(record.has_value());
    const Json lines = Json::parse(record->text)["lines"];
    CHECK(lines["columns"] ==
          Json{"line", "bytes", "used_percent", "sectors_per_ideal_sector", "flops"});
    const auto of_line = [&](int number) {
      for (const Json& row : lines["rows"]) {
        if (row[0] == number) {
          return row;
        }
      }
      return Json();
    };
    CHECK(of_line(11) == Json{11, 131100, 100, 1, 0});  // Four digits.
    CHECK(of_line(13) == Json{13, 0, nullptr, nullptr, 4194000});
  }

  TEST_CASE("a copy by whole tiles has no cause to name") {
    const Json output =
        profile_of(copy_problem(false),
                   cutile("    i = (ct.bid(0), ct.bid(1))\n"
                          "    ct.store(y, index=i, tile=ct.load(x, index=i, shape=(32, 64)))\n",
                          kGrid, kArgs),
                   {{"workload", {{"rows", 4096}, {"cols", 4096}}}});
    CHECK_MESSAGE(output["findings"].empty(), output["findings"].dump(1));
    CHECK(output["limiter"] == "memory");
  }

  TEST_CASE("tiles across the rows of an array are uncoalesced") {
    const Json output = profile_of(
        copy_problem(true),
        cutile("    t = ct.load(x, index=(ct.bid(0), ct.bid(1)), shape=(1, 1024))\n"
               "    ct.store(y, index=(ct.bid(1), ct.bid(0)), tile=ct.reshape(t, (1024, 1)))\n",
               {"rows", "cdiv(cols, 1024)"}, kArgs));
    CHECK(first_of(output) == Json{"uncoalesced", {6}});
  }

  TEST_CASE("products of small tiles load the same data again and again") {
    Json kernel = example("tiles/matmul/matmul_cutile.json");
    kernel["params"] = {{"TM", {16}}, {"TN", {16}}, {"TK", {32}}};
    CHECK(first_of(profile_of(matrix_problem(4096), kernel)) == Json{"repeated_loads", {11, 12}});
  }

  TEST_CASE("a grid of few blocks leaves SMs idle") {
    const Json output =
        profile_of(copy_problem(false),
                   cutile("    for j in range(ct.num_tiles(x, axis=1, shape=(512, 64))):\n"
                          "        t = ct.load(x, index=(ct.bid(0), j), shape=(512, 64))\n"
                          "        ct.store(y, index=(ct.bid(0), j), tile=t)\n",
                          {"cdiv(rows, 512)"}, kArgs));
    CHECK(first_of(output)[0] == "idle_sms");
  }

  TEST_CASE("tiles that are mostly beyond the edge compute for nothing") {
    Json problem = copy_problem(false);
    problem["dims"]["cols"] = {{"values", {40}}, {"min", 1}, {"max", 64}};
    problem["dims"]["rows"]["values"] = {256, 8192};
    std::string body =
        "    t = ct.load(x, index=(ct.bid(0), 0), shape=(16, 512), "
        "padding_mode=ct.PaddingMode.ZERO)\n"
        "    u = t\n";
    for (int i = 0; i < 6; ++i) {
      body += "    u = ct.exp(u) - ct.exp(u) + t\n";
    }
    body += "    ct.store(y, index=(ct.bid(0), 0), tile=t + (u - u))\n";
    const Json output = profile_of(problem, cutile(body, {"cdiv(rows, 16)"}, kArgs));
    CHECK(first_of(output) == Json{"masked_elements", {5, 13}});
  }

  TEST_CASE("repeated work on elements is what sets the pace") {
    std::string body =
        "    i = (ct.bid(0), ct.bid(1))\n"
        "    t = ct.load(x, index=i, shape=(32, 64))\n"
        "    u = t\n";
    for (int i = 0; i < 10; ++i) {
      body += "    u = ct.exp(u) - ct.exp(u) + t\n";
    }
    body += "    ct.store(y, index=i, tile=u)\n";
    const Json output = profile_of(copy_problem(false), cutile(body, kGrid, kArgs));
    CHECK(first_of(output)[0] == "compute_bound");
    CHECK(output["limiter"] == "compute");
  }

  TEST_CASE("a modelled reward is not given to tiles, whose waiting nobody modelled") {
    const Json output =
        tools().result("evaluate", {{"problem", matrix_problem(128)},
                                    {"kernel", example("tiles/matmul/matmul_cutile.json")},
                                    {"reward_from", "model"},
                                    {"baseline", "reference"}});
    INFO(output.dump(1));
    CHECK(output["reward"] == nullptr);
    CHECK(output.dump().find("the kernel is made of tiles: what its warps wait for is not known "
                             "without its compiler") != std::string::npos);
  }
}

}  // namespace ws::test
