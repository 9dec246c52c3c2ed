// The twelve attention variants as edits of one program: O = norm(mask(score(S))) V.
#include <cmath>
#include <functional>

#include <doctest/doctest.h>

#include "runtime/ir/diff/diff.h"
#include "runtime/ir/syntax/parser.h"
#include "tests/ir/program_bench.h"

namespace ws::ir {
namespace {

constexpr std::int64_t kLength = 256;

struct Variant {
  const char* name;
  const char* lines;  // What stands for the causal mask; `i` and `k` are the indices.
  std::function<double(double score, std::int64_t i, std::int64_t k)> score;
  const char* weight = nullptr;  // Instead of softmax: what a score weighs.
  std::function<double(double)> weigh = nullptr;
};

double masked(bool seen, double score) {
  return seen ? score : -INFINITY;
}

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

const std::vector<Variant> kVariants = {
    {"relative position", "x = x + (i - k)",
     [](double s, auto i, auto k) { return s + static_cast<double>(i - k); }},
    {"softcap", "x = 20.0 * tanh(x / 20.0)",
     [](double s, auto, auto) { return 20 * std::tanh(s / 20); }},
    {"ALiBi", "x = x - 0.25 * (i - k).to('f32')",
     [](double s, auto i, auto k) { return s - 0.25 * static_cast<double>(i - k); }},
    {"causal", "x = where(k <= i, x, -inf)",
     [](double s, auto i, auto k) { return masked(k <= i, s); }},
    {"sliding window", "x = where((i - 20 <= k) & (k <= i), x, -inf)",
     [](double s, auto i, auto k) { return masked(i - 20 <= k && k <= i, s); }},
    {"prefix", "x = where((k <= 40) | (k <= i), x, -inf)",
     [](double s, auto i, auto k) { return masked(k <= 40 || k <= i, s); }},
    {"global window", "x = where((abs(i - k) <= 16) | (i < 4) | (k < 4), x, -inf)",
     [](double s, auto i, auto k) { return masked(std::abs(i - k) <= 16 || i < 4 || k < 4, s); }},
    {"shared question",
     "x = where((k <= i) & ((k < 64) | ((i - 64) // 32 == (k - 64) // 32)), x, -inf)",
     [](double s, auto i, auto k) {
       const bool own = k < 64 || (i >= 64 && (i - 64) / 32 == (k - 64) / 32);
       return masked(k <= i && own, s);
     }},
    {"causal blockwise", "x = where((k <= i) & ((i // 48 == k // 48) | (i >= 192)), x, -inf)",
     [](double s, auto i, auto k) { return masked(k <= i && (i / 48 == k / 48 || i >= 192), s); }},
    {"ReLU", "", [](double s, auto, auto) { return s; }, "relu(x) / 256.0",
     [](double x) { return std::max(x, 0.0) / 256; }},
    {"sigmoid", "", [](double s, auto, auto) { return s; }, "sigmoid(x) / 256.0",
     [](double x) { return sigmoid(x) / 256; }},
    {"prefix, softcap and sigmoid", "x = where((k <= 40) | (k <= i), 20.0 * tanh(x / 20.0), -inf)",
     [](double s, auto i, auto k) { return masked(k <= 40 || k <= i, 20 * std::tanh(s / 20)); },
     "sigmoid(x) / 256.0", [](double x) { return sigmoid(x) / 256; }},
};

// From the line that starts with `first` to the one that starts with `last`, both in whole.
void replace_lines(std::string& text, const std::string& first, const std::string& last,
                   const std::string& with) {
  const std::size_t from = text.find(first);
  REQUIRE(from != std::string::npos);
  const std::size_t to = text.find('\n', text.find(last, from));
  text.replace(from, to - from, with);
}

std::string program_text() {
  return repository_file("examples/cuir/attention_fa2.cuir");
}

std::string program_of(const Variant& variant) {
  std::string text = program_text();
  replace_lines(text, "            if self.causal", "                x = where",
                "            k = j * self.BN + arange(self.BN)[None, :]\n            " +
                    std::string(*variant.lines == 0 ? "pass" : variant.lines));
  if (variant.weight != nullptr) {
    replace_lines(text, "            new = maximum", "            m = new",
                  "            p = " + std::string(variant.weight) + "\n            scale = 1.0");
    replace_lines(text, "        l = zeros", "        l = zeros",
                  "        l = ones((self.BM, 1), \"f32\")");
  }
  return text;
}

std::vector<double> attend(const Variant& variant, const Tensor& q, const Tensor& k,
                           const Tensor& v) {
  std::vector<double> result;
  for (std::int64_t i = 0; i < kLength; ++i) {
    std::vector<double> sum(64);
    double total = 0;
    for (std::int64_t j = 0; j < kLength; ++j) {
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
    const Tensor q = random_tensor("Q", DType::kF16, {kLength, 64});
    const Tensor k = random_tensor("K", DType::kF16, {kLength, 64});
    const Tensor v = random_tensor("V", DType::kF16, {kLength, 64});
    for (const Variant& variant : kVariants) {
      CAPTURE(variant.name);
      const std::string text = program_of(variant);
      const RunReport report = run_text(text, {q, k, v, output("O", DType::kF32, {kLength, 64})});
      CHECK(report.render(text) == "");
      REQUIRE(report.outputs.size() == 1);
      CHECK(distance(report.outputs[0].data, attend(variant, q, k, v)) < 1e-12);
    }
  }

  TEST_CASE("each variant is told by the rules it uses, and keeps the orchestration") {
    const Result<Program> source = parse_program(program_text());
    REQUIRE(source);
    for (const Variant& variant : kVariants) {
      CAPTURE(variant.name);
      const Result<Program> target = parse_program(program_of(variant));
      REQUIRE(target);
      const Result<ProgramDiff> diff = diff_programs(*source, *target);
      REQUIRE(diff);
      CHECK(diff->breaches.empty());
      CHECK(diff->orchestration_kept);
      // What replaces softmax changes the mask too: the source's own goes.
      const bool normalised = variant.weight != nullptr;
      CHECK(diff->rules == (normalised ? Rules{Rule::kComputation, Rule::kNormalisation}
                                       : Rules{Rule::kComputation}));
      for (const RegionDiff& region : diff->regions) {
        CHECK((region.change == Change::kKept || region.method == "worker"));
      }
    }
  }

  TEST_CASE("an orchestration that changed along with the mask is told with both lines") {
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
    const Result<Program> source = parse_program(program_text());
    REQUIRE(source);
    for (const Planted& planted : kPlanted) {
      CAPTURE(std::string(planted.from));
      std::string text = program_of(kVariants[4]);
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
