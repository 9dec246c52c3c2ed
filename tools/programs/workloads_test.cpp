#include "tools/programs/workloads.h"

#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "runtime/kernel/form/test_forms.h"

namespace ws {
namespace {

using Json = nlohmann::json;

/// A matrix product with these dims. @param more  What the problem has besides.
Problem product(const Json& dims, const Json& more = Json::object()) {
  Json form = {{"name", "product"},
               {"dims", dims},
               {"args",
                {{{"name", "A"}, {"type", "f32"}, {"shape", {"m", "k"}}, {"role", "in"}},
                 {{"name", "B"}, {"type", "f32"}, {"shape", {"n", "k"}}, {"role", "in"}},
                 {{"name", "C"}, {"type", "f32"}, {"shape", {"m", "n"}}, {"role", "out"}}}},
               {"flops", "2*m*n*k"},
               {"reference", {{"kind", "first_kernel"}}}};
  form.update(more);
  return read_problem(form);
}

Json open_dim(std::int64_t listed, std::int64_t multiple) {
  return {{"values", {listed}}, {"min", multiple}, {"max", 65536}, {"multiple_of", multiple}};
}

std::vector<Workload> others_of(const Problem& problem, std::uint64_t seed,
                                const Kernel& kernel = {}) {
  const auto small = small_workload(problem, kernel);
  REQUIRE(small.has_value());
  const auto others = other_workloads(problem, kernel, small->workload, seed);
  REQUIRE(others.has_value());
  return *others;
}

std::set<std::int64_t> sizes_of(const std::vector<Workload>& workloads, const std::string& dim) {
  std::set<std::int64_t> sizes;
  for (const Workload& workload : workloads) {
    sizes.insert(workload.dims.at(dim));
  }
  return sizes;
}

}  // namespace

TEST_SUITE("tools.verify_ir_workloads") {
  TEST_CASE("each open dim is once as small as it may be, and once many times as large") {
    const Problem problem =
        product({{"m", open_dim(128, 1)}, {"n", open_dim(64, 8)}, {"k", open_dim(64, 8)}});
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const std::vector<Workload> others = others_of(problem, seed);
      CHECK(others.size() == 8);
      CHECK(std::set<std::string>([&] {
              std::set<std::string> texts;
              std::ranges::transform(others, std::inserter(texts, texts.end()), to_json_text);
              return texts;
            }())
                .size() == others.size());
      for (const auto& [dim, small, least] :
           {std::tuple("m", 128, 1), {"n", 64, 8}, {"k", 64, 8}}) {
        CHECK(*sizes_of(others, dim).begin() == least);
        CHECK(*sizes_of(others, dim).rbegin() > 4 * small);
      }
      // One step of the loop over k, and several tiles.
      CHECK(std::ranges::any_of(others, [](const Workload& each) {
        return each.dims.at("k") <= 64 && each.dims.at("m") > 256 && each.dims.at("n") > 128;
      }));
      for (const Workload& each : others) {
        CHECK(check_workload(problem, each).has_value());
      }
    }
  }

  TEST_CASE("a dim that is not open stays, and so does one that is compiled in") {
    const Json dims = {{"m", open_dim(128, 1)}, {"n", {64, 128}}, {"k", open_dim(64, 1)}};
    Kernel kernel;
    kernel.specialize = {"k"};
    const std::vector<Workload> others = others_of(product(dims), 7, kernel);
    CHECK(sizes_of(others, "m").size() > 2);
    CHECK(sizes_of(others, "n") == std::set<std::int64_t>{64});
    CHECK(sizes_of(others, "k") == std::set<std::int64_t>{64});
    CHECK(others_of(product({{"m", {128, 256}}, {"n", {64}}, {"k", {64, 320}}}), 7).empty());
  }

  TEST_CASE("dims that have to be equal are large together, and constraints hold") {
    const Problem problem =
        product({{"m", open_dim(128, 1)}, {"n", open_dim(128, 1)}, {"k", open_dim(64, 1)}},
                {{"valid", Json::array({"m == n"})}});
    Kernel kernel;
    kernel.constraints = {"k % 64 == 0"};
    const std::vector<Workload> others = others_of(problem, 7, kernel);
    REQUIRE_FALSE(others.empty());
    CHECK(*sizes_of(others, "m").rbegin() >= 256);
    CHECK(*sizes_of(others, "k").rbegin() >= 128);
    for (const Workload& each : others) {
      CHECK(each.dims.at("m") == each.dims.at("n"));
      CHECK(each.dims.at("k") % 64 == 0);
    }
  }

  TEST_CASE("what would cost too much is left out") {
    const Problem problem =
        product({{"m", open_dim(2048, 2048)}, {"n", {1024}}, {"k", open_dim(4, 4)}});
    for (const Workload& each : others_of(problem, 7)) {
      CHECK(2 * each.dims.at("m") * each.dims.at("n") * each.dims.at("k") <= 20'000'000);
    }
  }
}

}  // namespace ws
