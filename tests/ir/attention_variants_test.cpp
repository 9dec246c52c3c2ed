// The twelve attention variants as edits of one program: O = norm(mask(score(S))) V.
#include <cmath>

#include <doctest/doctest.h>

#include "runtime/ir/diff/diff.h"
#include "runtime/ir/syntax/parser.h"
#include "tests/ir/program_bench.h"
#include "tests/ir/variants.h"

namespace ws::ir {
namespace {

std::vector<double> attend(const Variant& variant, const Tensor& q, const Tensor& k,
                           const Tensor& v) {
  std::vector<double> result;
  for (std::int64_t i = 0; i < kVariantLength; ++i) {
    std::vector<double> sum(64);
    double total = 0;
    for (std::int64_t j = 0; j < kVariantLength; ++j) {
      double dot = 0;
      for (std::int64_t c = 0; c < 64; ++c) {
        dot += q.data[static_cast<std::size_t>(i * 64 + c)] *
               k.data[static_cast<std::size_t>(j * 64 + c)];
      }
      const double score = variant.score(dot / 8, i, j);
      const double weight = variant.weigh ? variant.weigh(score) : std::exp(score);
      total += weight;
      for (std::int64_t c = 0; c < 64; ++c) {
        sum[static_cast<std::size_t>(c)] += weight * v.data[static_cast<std::size_t>(j * 64 + c)];
      }
    }
    for (const double x : sum) {
      result.push_back(variant.weigh ? x : x / total);
    }
  }
  return result;
}

TEST_SUITE("ir.attention") {
  TEST_CASE("each of twelve variants is one edit, silent on every schedule, and right") {
    const Tensor q = random_tensor("Q", DType::kF16, {kVariantLength, 64});
    const Tensor k = random_tensor("K", DType::kF16, {kVariantLength, 64});
    const Tensor v = random_tensor("V", DType::kF16, {kVariantLength, 64});
    for (const Variant& variant : variants()) {
      CAPTURE(variant.name);
      const std::string text = program_of(variant);
      const RunReport report =
          run_text(text, {q, k, v, output("O", DType::kF32, {kVariantLength, 64})});
      CHECK(report.render(text) == "");
      REQUIRE(report.outputs.size() == 1);
      CHECK(distance(report.outputs[0].data, attend(variant, q, k, v)) < 1e-12);
    }
  }

  TEST_CASE("each variant is recognised by the rules it uses, and keeps the orchestration") {
    const Result<Program> source = parse_program(variant_source());
    REQUIRE(source);
    for (const Variant& variant : variants()) {
      CAPTURE(variant.name);
      const Result<Program> target = parse_program(program_of(variant));
      REQUIRE(target);
      const Result<ProgramDiff> diff = diff_programs(*source, *target);
      REQUIRE(diff);
      CHECK(diff->breaches.empty());
      CHECK(diff->orchestration_kept);
      // A variant that replaces softmax changes the mask too: the source's own goes.
      const bool normalised = variant.weight != nullptr;
      CHECK(diff->rules == (normalised ? Rules{Rule::kComputation, Rule::kNormalisation}
                                       : Rules{Rule::kComputation}));
      for (const RegionDiff& region : diff->regions) {
        CHECK((region.change == Change::kKept || region.method == "worker"));
      }
    }
  }

  TEST_CASE("an orchestration that changed along with the mask is reported with both lines") {
    struct Planted {
      const char* from;
      const char* to;
      const char* message;
    };

    constexpr Planted kPlanted[] = {
        {"wait_group(1, \"cp.async\")", "wait_group(2, \"cp.async\")",
         "`wait_group(1, \"cp.async\")` became `wait_group(2, \"cp.async\")` in `worker`"},
        {"            cta_sync()\n        store", "        store",
         "`cta_sync()` is gone from `worker`"},
        {"gemm(q, self.sK[j % 2].T)", "gemm(q, self.sV[j % 2].T)",
         "`gemm(_, self.sK[j % 2].T)` became `gemm(_, self.sV[j % 2].T)` in `worker`"},
        {"self.sK = alloc((2,", "self.sK = alloc((3,",
         "`self.sK = alloc((2, BN, 64), \"shared\", \"f16\")` became `self.sK = alloc((3, BN, 64), "
         "\"shared\", \"f16\")` in `__init__`"},
        {"\"block\"", "\"warpgroup\", 0",
         "`self.bind(self.worker, \"block\")` became `self.bind(self.worker, \"warpgroup\", 0)` in "
         "`run`"},
    };
    const Result<Program> source = parse_program(variant_source());
    REQUIRE(source);
    for (const Planted& planted : kPlanted) {
      CAPTURE(std::string(planted.from));
      std::string text = program_of(variants()[4]);
      REQUIRE(text.find(planted.from) != std::string::npos);
      text.replace(text.find(planted.from), std::string(planted.from).size(), planted.to);
      const Result<Program> target = parse_program(text);
      REQUIRE(target);
      const Result<ProgramDiff> diff = diff_programs(*source, *target);
      REQUIRE(diff);
      CHECK_FALSE(diff->orchestration_kept);
      REQUIRE(diff->breaches.size() == 1);
      CHECK(diff->breaches[0].message == std::string(planted.message));
      CHECK(diff->breaches[0].source.line > 0);
      CHECK(diff->breaches[0].target.line > 0);
    }
  }
}

}  // namespace
}  // namespace ws::ir
