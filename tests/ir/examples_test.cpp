// The programs of examples/cuir against plain loops.
#include <cmath>

#include <doctest/doctest.h>

#include "tests/ir/program_bench.h"

namespace ws::ir {
namespace {

std::string example(const std::string& name) {
  return repository_file("examples/cuir/" + name + ".cuir");
}

// c (m, n) = a (m, k) b (k, n), or b (n, k) when `transposed`.
std::vector<double> multiply_plainly(const Tensor& a, const Tensor& b, bool transposed) {
  const auto m = static_cast<std::size_t>(a.shape[0]);
  const auto k = static_cast<std::size_t>(a.shape[1]);
  const auto n = static_cast<std::size_t>(b.shape[transposed ? 0 : 1]);
  std::vector<double> c(m * n);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t p = 0; p < k; ++p) {
        c[i * n + j] += a.data[i * k + p] * b.data[transposed ? j * k + p : p * n + j];
      }
    }
  }
  return c;
}

// softmax(q k^T / 8) v, row by row.
std::vector<double> attend(const Tensor& q, const Tensor& k, const Tensor& v, bool causal) {
  const auto d = static_cast<std::size_t>(q.shape[1]);
  std::vector<double> result;
  for (std::size_t i = 0; i < static_cast<std::size_t>(q.shape[0]); ++i) {
    std::vector<double> sum(d);
    double weight = 0;
    for (std::size_t j = 0; j < static_cast<std::size_t>(k.shape[0]) && !(causal && j > i); ++j) {
      double score = 0;
      for (std::size_t c = 0; c < d; ++c) {
        score += q.data[i * d + c] * k.data[j * d + c];
      }
      weight += std::exp(score / 8);
      for (std::size_t c = 0; c < d; ++c) {
        sum[c] += std::exp(score / 8) * v.data[j * d + c];
      }
    }
    for (const double x : sum) {
      result.push_back(x / weight);
    }
  }
  return result;
}

TEST_SUITE("ir.examples") {
  TEST_CASE("attention programs are silent on every schedule and equal plain loops") {
    const Tensor q = random_tensor("Q", DType::kF16, {256, 64});
    const Tensor k = random_tensor("K", DType::kF16, {288, 64});
    const Tensor v = random_tensor("V", DType::kF16, {288, 64});
    for (const char* const name : {"attention_fa2", "attention_ws", "attention_pingpong"}) {
      for (const bool causal : {false, true}) {
        CAPTURE(name);
        CAPTURE(causal);
        const std::string text = example(name);
        const RunReport report = run_text(text, {q, k, v, output("O", DType::kF32, {256, 64})}, {},
                                          {{"causal", Value::truth(causal)}});
        CHECK(report.render(text) == "");
        REQUIRE(report.outputs.size() == 1);
        CHECK(distance(report.outputs[0].data, attend(q, k, v, causal)) < 1e-12);
      }
    }
  }

  TEST_CASE("a GEMM of value tiles equals plain loops, on ragged sizes too") {
    const Tensor a = random_tensor("A", DType::kF32, {100, 70});
    const Tensor b = random_tensor("B", DType::kF32, {70, 130});
    const RunReport report =
        run_text(example("gemm_tiles"), {a, b, output("C", DType::kF32, {100, 130})});
    CHECK(report.render("") == "");
    REQUIRE(report.outputs.size() == 1);
    CHECK(distance(report.outputs[0].data, multiply_plainly(a, b, false)) < 1e-12);
  }

  TEST_CASE("GEMMs by cp.async and by TMA are silent and equal plain loops") {
    struct Row {
      const char* name;
      bool transposed;
    };

    for (const Row& row : {Row{"gemm_cp_async", false}, Row{"gemm_tma_store", true}}) {
      CAPTURE(row.name);
      const Tensor a = random_tensor("A", DType::kF16, {128, 192});
      const Tensor b =
          random_tensor("B", DType::kF16, row.transposed ? Shape{64, 192} : Shape{192, 64});
      const std::string text = example(row.name);
      const RunReport report = run_text(text, {a, b, output("C", DType::kF32, {128, 64})});
      CHECK(report.render(text) == "");
      REQUIRE(report.outputs.size() == 1);
      CHECK(distance(report.outputs[0].data, multiply_plainly(a, b, row.transposed)) < 1e-12);
    }
  }

  TEST_CASE("split K adds to what was there, whatever the order of blocks") {
    const Tensor a = random_tensor("A", DType::kF32, {50, 100});
    const Tensor b = random_tensor("B", DType::kF32, {100, 40});
    Tensor c = random_tensor("C", DType::kF32, {50, 40});
    c.role = TensorRole::kInOut;
    const RunReport report = run_text(example("splitk"), {a, b, c});
    CHECK(report.render("") == "");
    std::vector<double> want = multiply_plainly(a, b, false);
    for (std::size_t i = 0; i < want.size(); ++i) {
      want[i] += c.data[i];
    }
    REQUIRE(report.outputs.size() == 1);
    CHECK(distance(report.outputs[0].data, want) < 1e-12);
  }

  TEST_CASE("softmax and layernorm equal plain loops") {
    const Tensor x = random_tensor("X", DType::kF32, {37, 50});
    const Tensor w = random_tensor("W", DType::kF32, {50});
    const Tensor b = random_tensor("B", DType::kF32, {50});
    const Tensor y = output("Y", DType::kF32, {37, 50});
    std::vector<double> softmax;
    std::vector<double> norm;
    for (std::size_t i = 0; i < 37; ++i) {
      const double* const row = x.data.data() + i * 50;
      double sum = 0;
      double exps = 0;
      double squares = 0;
      for (std::size_t j = 0; j < 50; ++j) {
        sum += row[j];
        exps += std::exp(row[j]);
      }
      for (std::size_t j = 0; j < 50; ++j) {
        squares += (row[j] - sum / 50) * (row[j] - sum / 50);
      }
      for (std::size_t j = 0; j < 50; ++j) {
        softmax.push_back(std::exp(row[j]) / exps);
        norm.push_back((row[j] - sum / 50) / std::sqrt(squares / 50 + 1e-5) * w.data[j] +
                       b.data[j]);
      }
    }
    const RunReport first = run_text(example("softmax"), {x, y});
    CHECK(first.render("") == "");
    REQUIRE(first.outputs.size() == 1);
    CHECK(distance(first.outputs[0].data, softmax) < 1e-12);
    const RunReport second = run_text(example("layernorm"), {x, w, b, y});
    CHECK(second.render("") == "");
    REQUIRE(second.outputs.size() == 1);
    CHECK(distance(second.outputs[0].data, norm) < 1e-12);
  }

  TEST_CASE("a warp-specialised GEMM is silent on every schedule and equals plain loops") {
    const Tensor a = random_tensor("A", DType::kF16, {256, 512});
    const Tensor b = random_tensor("B", DType::kF16, {64, 512});
    const std::string text = example("gemm_tma");
    const RunReport report = run_text(text, {a, b, output("C", DType::kF32, {256, 64})});
    CHECK(report.render(text) == "");
    REQUIRE(report.outputs.size() == 1);
    CHECK(report.schedules == 14);
    CHECK(distance(report.outputs[0].data, multiply_plainly(a, b, true)) < 1e-12);
  }
}

}  // namespace
}  // namespace ws::ir
