#include "runtime/kernel/plan/workloads.h"

#include <algorithm>
#include <map>
#include <set>

#include <doctest/doctest.h>

#include "runtime/kernel/form/test_forms.h"
#include "runtime/kernel/plan/params.h"

namespace ws {
namespace {

using Json = nlohmann::json;

/// A vector problem with one dim, as the text of its JSON.
Problem vector_problem(const char* dims, const char* more = "{}") {
  Json form = Json::parse(R"({"args": [{"name": "x", "type": "f32", "shape": ["n"], "role": "in"},
                                       {"name": "y", "type": "f32", "shape": ["n"], "role": "out"}],
                              "reference": {"kind": "first_kernel"}})");
  form["dims"] = Json::parse(dims);
  form.update(Json::parse(more));
  return read_problem(form);
}

Workload square(std::int64_t n) {
  return {{{"m", n}, {"n", n}, {"k", n}}, {{"alpha", 1.0}}};
}

/// The matrix product with all three dims open, at most 8192.
Problem open_matmul(std::int64_t multiple) {
  Json form = matmul_problem();
  for (const char* dim : {"m", "n", "k"}) {
    form["dims"][dim] = {{"values", {1024 / multiple * multiple, 4096 / multiple * multiple}},
                         {"min", multiple},
                         {"max", 8192},
                         {"multiple_of", multiple}};
  }
  return read_problem(form);
}

}  // namespace

TEST_SUITE("kernel.workloads") {
  TEST_CASE("every choice of dims and scalars that meets valid is listed, last one fastest") {
    const auto workloads = expand_workloads(read_problem(matmul_problem()));
    REQUIRE(workloads->size() == 4);
    CHECK(to_json_text((*workloads)[1]) == R"({"alpha":0.5,"k":1024,"m":1024,"n":1024})");
    CHECK(to_json_text((*workloads)[2]) == R"({"alpha":1.0,"k":2048,"m":2048,"n":2048})");
    CHECK(to_json_text(Workload()) == "{}");
  }

  TEST_CASE("too many choices are refused before they are made") {
    Json form = matmul_problem();
    for (const char* dim : {"m", "n", "k"}) {
      form["dims"][dim] = {{"range", {1, 4096}}};
    }
    CHECK(error_text(problem_from_json(form)) ==
          "invalid_argument: problem: dims and scalars span more than 4096 choices; "
          "list the `workloads` that matter");
  }

  TEST_CASE("a workload is read with what it leaves out, and checked against the dims") {
    const Problem problem = read_problem(matmul_problem());
    const auto read = [&](const char* text) {
      const auto workload = workload_from_json(Json::parse(text), problem, "workloads[0]");
      return workload ? to_json_text(*workload) : to_text(workload.error());
    };
    CHECK(read(R"({"m": 1024, "n": 1024, "k": 1024})") ==
          R"({"alpha":1.0,"k":1024,"m":1024,"n":1024})");
    CHECK(read(R"({"m": 1024, "n": 1024})") ==
          "invalid_argument: workloads[0]: dim `k` is missing");
    CHECK(read(R"({"m": 1024, "n": 1024, "k": 1000})") ==
          "invalid_argument: workloads[0]: the workload does not meet `n == k`");
    CHECK(read(R"({"m": 7, "n": 1024, "k": 1024})") ==
          "invalid_argument: workloads[0]: dim `m`: expected one of 1024, 2048, got 7");
    CHECK(read(R"({"m": 1024, "n": 1024, "k": 9000})") ==
          "invalid_argument: workloads[0]: dim `k`: expected a multiple of 1 from 1 to 8192, got "
          "9000");
    CHECK(read(R"({"m": 1024, "n": 1024, "k": 1024, "alpha": 2})") ==
          "invalid_argument: workloads[0]: scalar `alpha`: expected one of its declared values");
    CHECK(read(R"({"M": 1})") ==
          "invalid_argument: workloads[0]: unknown field `M`; did you mean `m`?");
  }

  TEST_CASE("flops and bytes are computed, integer scalars are names") {
    const Problem problem = read_problem(matmul_problem());
    CHECK(flops_of(problem, square(1024)).value() == std::int64_t{2} << 30U);
    CHECK(bytes_of(problem, square(1024)).value() == 3 * 4 * 1024 * 1024);
    const Problem plain = vector_problem(R"({"n": [8, 4]})");
    CHECK(flops_of(plain, {{{"n", 8}}, {}}).value() == std::nullopt);
    CHECK(cost_of(plain, {{{"n", 8}}, {}}) == 16);
    CHECK(smallest_workload(plain, *expand_workloads(plain))->dims.at("n") == 4);
    // A problem that only moves data says that it computes nothing; its sizes differ all the same.
    Problem moves = plain;
    moves.flops = "0";
    CHECK(cost_of(moves, {{{"n", 8}}, {}}) == 16);
    CHECK(smallest_workload(moves, *expand_workloads(moves))->dims.at("n") == 4);
    CHECK(error_text(smallest_workload(plain, {})) ==
          "invalid_argument: no workload to choose from");
    const Problem scalar = vector_problem(
        R"({"n": [8]})", R"({"args": [{"name": "y", "type": "f32", "shape": ["n"], "role": "out"},
                                     {"name": "s", "type": "i32", "role": "scalar", "values": [3]}],
                            "flops": "n*s"})");
    CHECK(flops_of(scalar, {{{"n", 8}}, {{"s", 3.0}}}).value() == 24);
  }

  TEST_CASE("constraints split the workloads, and leaving none is an error") {
    const Problem problem = vector_problem(R"({"n": [64, 65, 128]})");
    const Kernel kernel =
        one_launch_kernel(problem, R"({"params": {"B": [64, 3]}, "constraints": ["n % B == 0"]})");
    const auto workloads = *expand_workloads(problem);
    const auto coverage = cover(problem, kernel, workloads, {{"B", 64}});
    REQUIRE_MESSAGE(coverage.has_value(), error_text(coverage));
    CHECK(coverage->run.size() == 2);
    REQUIRE(coverage->unsupported.size() == 1);
    CHECK(coverage->unsupported[0].constraint == "n % B == 0");
    CHECK(error_text(cover(problem, kernel, workloads, {{"B", 3}})) ==
          "invalid_argument: no workload left by constraints: {\"n\":64} breaks `n % B == 0`; "
          "choose other params, or relax the constraints");
    CHECK(cover(problem, kernel, {}, {{"B", 3}})->run.empty());
  }

  TEST_CASE("hidden workloads are allowed, unlisted, and the same for the same seed") {
    const Problem problem = open_matmul(1);
    const auto hidden = hidden_workloads(problem, {square(1024)}, 5, 7);
    REQUIRE_MESSAGE(hidden.has_value(), error_text(hidden));
    REQUIRE(hidden->size() == 5);
    CHECK((*hidden)[0].dims == Bindings{{"k", 1}, {"m", 1}, {"n", 1}});
    std::set<std::string> seen;
    for (const Workload& workload : *hidden) {
      CHECK(check_workload(problem, workload).has_value());
      seen.insert(to_json_text(workload));
    }
    CHECK(seen.size() == 5);
    CHECK(*hidden_workloads(problem, {square(1024)}, 5, 7) == *hidden);
    CHECK(*hidden_workloads(problem, {square(1024)}, 5, 8) != *hidden);
    const auto multiples = hidden_workloads(open_matmul(48), {square(1008)}, 3, 1);
    REQUIRE(multiples->size() == 3);
    for (const Workload& workload : *multiples) {
      CHECK(workload.dims.at("m") % 48 == 0);
    }
    const Problem closed = vector_problem(R"({"n": [64]})");
    CHECK(hidden_workloads(closed, {Workload{{{"n", 64}}, {}}}, 3, 1)->empty());
  }

  TEST_CASE("hidden sizes come from the whole domain, whatever is listed") {
    const Problem problem =
        vector_problem(R"({"n": {"values": [20000], "min": 1, "max": 1000000}})");
    constexpr int kSeeds = 60;
    std::map<std::string, int> kinds;
    for (int seed = 0; seed < kSeeds; ++seed) {
      std::set<std::string> seen;
      const auto hidden = hidden_workloads(problem, {Workload{{{"n", 20000}}, {}}}, 13, seed);
      for (const Workload& workload : hidden.value()) {
        const std::int64_t n = workload.dims.at("n");
        seen.insert(n % 2 == 0 ? "even" : "odd");
        seen.insert(n > 1 && n < 100 ? "small" : "not small");
        seen.insert(n >= 30000 ? "beyond" : "below");
        seen.insert(n % 32 == 0 ? "whole warps" : "ragged");
        seen.insert(n % 1024 == 0 ? "whole blocks" : "ragged");
        seen.insert(n % 256 == 255 ? "last of a block" : "ragged");
      }
      for (const std::string& kind : seen) {
        ++kinds[kind];
      }
    }
    CHECK(kinds["beyond"] == kSeeds);
    CHECK(kinds["whole blocks"] == kSeeds);
    CHECK(kinds["last of a block"] == kSeeds);
    CHECK(kinds["even"] > kSeeds / 2);
    CHECK(kinds["whole warps"] > kSeeds / 6);
    CHECK(kinds["small"] > kSeeds * 3 / 4);
  }

  TEST_CASE("a dim that ends below a block has sizes of whole and of nearly whole tiles") {
    const Problem problem = read_problem(Json::parse(R"({
        "name": "rows", "dims": {"rows": {"values": [20], "min": 1, "max": 200},
                                 "cols": {"values": [30], "min": 1, "max": 200}},
        "args": [{"name": "x", "type": "f32", "shape": ["rows", "cols"], "role": "in"},
                 {"name": "y", "type": "f32", "shape": ["rows", "cols"], "role": "out"}],
        "reference": {"kind": "first_kernel"}})"));
    const Workload listed{{{"rows", 20}, {"cols", 30}}, {}};
    for (int seed = 0; seed < 30; ++seed) {
      bool whole = false;
      bool last = false;
      const auto hidden = hidden_workloads(problem, {listed}, 13, seed);
      for (const Workload& workload : hidden.value()) {
        const auto all = [&](std::int64_t of, std::int64_t rest) {
          return std::ranges::all_of(workload.dims,
                                     [&](const auto& dim) { return dim.second % of == rest; });
        };
        whole = whole || all(32, 0);
        last = last || all(16, 15);
      }
      CHECK(whole);
      CHECK(last);
    }
  }

  TEST_CASE("each open dim has a hidden size well above its largest listed one") {
    const Workload small{{{"m", 32}, {"n", 48}, {"k", 100}}, {{"alpha", 1.0}}};
    Json form = matmul_problem();
    for (const auto& [dim, size] : small.dims) {
      form["dims"][dim] = {{"values", {size}}, {"min", 1}, {"max", 4096}};
    }
    form["valid"] = Json::array();
    const Problem problem = read_problem(form);
    for (int seed = 0; seed < 60; ++seed) {
      std::map<std::string, std::int64_t> largest;
      const auto hidden = hidden_workloads(problem, {small}, 13, seed);
      for (const Workload& workload : hidden.value()) {
        for (const auto& [dim, size] : workload.dims) {
          largest[dim] = std::max(largest[dim], size);
        }
      }
      for (const auto& [dim, size] : small.dims) {
        CAPTURE(dim);
        CHECK(largest[dim] > size);
      }
    }
  }

  TEST_CASE("of two open dims each is once the smallest beside one that is not") {
    const Problem problem = read_problem(Json::parse(R"({
        "name": "rows", "dims": {"rows": {"values": [60], "min": 1, "max": 900},
                                 "cols": {"values": [70], "min": 2, "max": 900, "multiple_of": 2}},
        "args": [{"name": "x", "type": "f32", "shape": ["rows", "cols"], "role": "in"},
                 {"name": "y", "type": "f32", "shape": ["rows", "cols"], "role": "out"}],
        "reference": {"kind": "first_kernel"}})"));
    const Workload listed{{{"rows", 60}, {"cols", 70}}, {}};
    for (int seed = 0; seed < 30; ++seed) {
      bool row = false;
      bool column = false;
      const auto hidden = hidden_workloads(problem, {listed}, 13, seed);
      for (const Workload& workload : hidden.value()) {
        const std::int64_t rows = workload.dims.at("rows");
        const std::int64_t columns = workload.dims.at("cols");
        row = row || (rows == 1 && columns > 2);
        column = column || (rows > 1 && columns == 2);
      }
      CHECK(row);
      CHECK(column);
    }
  }

  TEST_CASE("a costly workload shrinks to the smallest whole tiles that dims and kernel allow") {
    struct Case {
      std::string what;
      Problem problem;
      std::string constraint;
      std::int64_t asked;
      std::int64_t want;
    };

    const Problem listed =
        vector_problem(R"({"n": [16, 1024, 1048576]})", R"({"flops": "n * 1000"})");
    const std::vector<Case> cases = {
        {"below the limit", open_matmul(1), "1", 256, 256},
        {"to a tile of 256", open_matmul(1), "1", 4096, 256},
        {"to a multiple", open_matmul(96), "1", 4032, 288},
        {"as the kernel allows", open_matmul(64), "m % 384 == 0 or m == 1024", 4096, 1024},
        {"to a listed value", read_problem(matmul_problem()), "1", 2048, 1024},
    };
    for (const Case& c : cases) {
      CAPTURE(c.what);
      const Kernel kernel =
          one_launch_kernel(c.problem, ("{\"constraints\": [\"" + c.constraint + "\"]}").c_str());
      const auto shrunk = shrink_for_emulation(c.problem, kernel, {}, square(c.asked));
      REQUIRE_MESSAGE(shrunk.has_value(), error_text(shrunk));
      CHECK(shrunk->workload.dims.at("m") == c.want);
      CHECK(shrunk->from.has_value() == (c.want != c.asked));
    }
    const Kernel kernel = one_launch_kernel(listed);
    const auto shrunk = shrink_for_emulation(listed, kernel, {}, {{{"n", 1048576}}, {}});
    CHECK(shrunk->workload.dims.at("n") == 1024);
  }

  TEST_CASE("a kernel of tiles gets smaller workloads: its elements are what takes time") {
    const Problem problem = vector_problem(R"({"n": {"values": [4194304], "min": 1}})", "{}");
    Kernel kernel = one_launch_kernel(problem);
    const Workload asked = {{{"n", 4194304}}, {}};
    CHECK(shrink_for_emulation(problem, kernel, {}, asked)->workload == asked);
    kernel.language = "triton";
    const auto shrunk = shrink_for_emulation(problem, kernel, {}, asked);
    CHECK(shrunk->workload.dims.at("n") == 256);
    CHECK(shrunk->from == asked);
  }
}

TEST_SUITE("kernel.params") {
  TEST_CASE("requested values are laid over the defaults, and must be listed") {
    const Kernel kernel = read_kernel(matmul_kernel(), read_problem(matmul_problem()));
    CHECK(choose_params(kernel, {{"BM", 16}}).value() ==
          Params{{"BM", 16}, {"BN", 32}, {"K_SPLITS", 2}, {"TILE_K", 16}});
    CHECK(error_text(choose_params(kernel, {{"BM", 24}})) ==
          "invalid_argument: params.BM: 24 is not one of the parameter's values; values: 16, 32");
    CHECK(error_text(choose_params(kernel, {{"Bm", 16}})) ==
          "invalid_argument: params: the kernel has no parameter `Bm`; did you mean `BM`?");
  }

  TEST_CASE("the broken constraint is named") {
    const Problem problem = read_problem(matmul_problem());
    const Kernel kernel = read_kernel(
        patched(matmul_kernel(), "/constraints", {"BM*BN <= 512", "k % TILE_K == 0"}), problem);
    const Workload workload = square(1024);
    CHECK(broken_constraint(problem, kernel, workload, kernel.defaults) == "BM*BN <= 512");
    CHECK(broken_constraint(problem, kernel, workload, *choose_params(kernel, {{"BM", 16}})) == "");
  }

  TEST_CASE("valid points are those that hold on every workload, samples are some of them") {
    const Problem problem = vector_problem(R"({"n": [24, 36]})");
    const Kernel kernel =
        one_launch_kernel(problem, R"({"params": {"A": [2, 3, 4, 5, 8], "B": [1, 2]},
                    "constraints": ["n % A == 0", "A * B <= 6"]})");
    const auto workloads = *expand_workloads(problem);
    CHECK(count_points(kernel) == 10);
    const auto points = valid_points(problem, kernel, workloads);
    REQUIRE_MESSAGE(points.has_value(), error_text(points));
    CHECK(*points == std::vector<Params>{{{"A", 2}, {"B", 1}},
                                         {{"A", 2}, {"B", 2}},
                                         {{"A", 3}, {"B", 1}},
                                         {{"A", 3}, {"B", 2}},
                                         {{"A", 4}, {"B", 1}}});
    const auto samples = sample_points(problem, kernel, workloads, 2, 1);
    REQUIRE(samples->size() == 2);
    CHECK(*sample_points(problem, kernel, workloads, 2, 1) == *samples);
    const auto all = sample_points(problem, kernel, workloads, 99, 1);
    CHECK(all->size() == 4);  // Without the defaults.
    CHECK(std::find(all->begin(), all->end(), kernel.defaults) == all->end());
  }

  TEST_CASE("a space too large to list is sampled") {
    const Problem problem = vector_problem(R"({"n": [24]})");
    Json params;
    for (int i = 0; i < 30; ++i) {
      params["P" + std::to_string(i)] = {1, 2, 3, 4, 5};
    }
    const Kernel kernel = one_launch_kernel(
        problem, Json{{"params", params}, {"constraints", {"P0 != P1"}}}.dump().c_str());
    CHECK(count_points(kernel) == INT64_MAX);
    CHECK(error_text(valid_points(problem, kernel, {})).find("at most 65536 can be listed") !=
          std::string::npos);
    const auto samples = sample_points(problem, kernel, *expand_workloads(problem), 20, 3);
    REQUIRE(samples->size() == 20);
    for (const Params& point : *samples) {
      CHECK(point.at("P0") != point.at("P1"));
    }
  }
}

}  // namespace ws
