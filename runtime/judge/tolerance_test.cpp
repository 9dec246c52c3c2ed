#include "runtime/judge/tolerance.h"

#include <limits>
#include <string>

#include <doctest/doctest.h>

#include "runtime/judge/test_buffers.h"

namespace ws {

TEST_SUITE("judge.tolerance") {
  ArgSpec output(DType type, std::vector<std::string> shape) {
    ArgSpec arg;
    arg.name = "C";
    arg.type = type;
    arg.role = Role::kOut;
    arg.shape = std::move(shape);
    return arg;
  }

  TEST_CASE("the reduction length is computed from flops, else from dims outside the shape") {
    const Workload workload{{{"m", 64}, {"n", 32}, {"k", 512}}, {}};
    const ArgSpec arg = output(DType::kF32, {"m", "n"});
    CHECK(reduction_length(arg, workload, 2.0 * 64 * 32 * 512, 2048) == 512);
    CHECK(reduction_length(arg, workload, std::nullopt, 2048) == 512);
    CHECK(reduction_length(output(DType::kF32, {"m*n", "k"}), workload, std::nullopt, 1) == 1);
    CHECK(reduction_length(output(DType::kF32, {"1"}), workload, std::nullopt, 1) == 64 * 32 * 512);
    CHECK(reduction_length(output(DType::kF32, {"mn", "k2"}), workload, std::nullopt, 1) ==
          64 * 32 * 512);
    CHECK(reduction_length(arg, workload, 5.0, 1000) == 1);
  }

  struct BoundCase {
    DType type;
    double length;
    double usual;
  };

  TEST_CASE("the default bound has a floor by type and grows with the root of K") {
    const BoundCase cases[] = {
        {DType::kF64, 1, 1e-12},
        {DType::kF32, 1, 1e-5},
        {DType::kF32, 1 << 20, 8 * 0x1p-14},
        {DType::kF16, 1024, 2e-3},
        {DType::kBf16, 1024, 1.6e-2},
        {DType::kF8e4m3, 64, 0.1},
    };
    for (const BoundCase& c : cases) {
      CAPTURE(name_of(c.type));
      const ErrorBound bound = error_bound(Problem{}, output(c.type, {"n"}), c.length);
      CHECK(bound.rtol == doctest::Approx(c.usual));
      CHECK(bound.atol == doctest::Approx(c.usual));
      CHECK_FALSE(bound.exact);
    }
    CHECK(error_bound(Problem{}, output(DType::kI32, {"n"}), 1).exact);
  }

  TEST_CASE("each part of a bound says where it comes from") {
    Problem problem;
    ArgSpec arg = output(DType::kF32, {"n"});
    CHECK(explain_bound(problem, arg, 1).rtol_from == BoundOrigin::kType);
    CHECK(explain_bound(problem, arg, 1 << 20).atol_from == BoundOrigin::kReduction);
    problem.tolerance = Tolerance{.rtol = 1e-3, .atol = std::nullopt};
    CHECK(explain_bound(problem, arg, 1).rtol_from == BoundOrigin::kProblem);
    CHECK(explain_bound(problem, arg, 1).atol_from == BoundOrigin::kType);
    arg.tolerance = Tolerance{.rtol = std::nullopt, .atol = 1e-9};
    CHECK(explain_bound(problem, arg, 1).rtol_from == BoundOrigin::kType);
    CHECK(explain_bound(problem, arg, 1).atol_from == BoundOrigin::kArgument);
    // A sum of so many terms cannot keep what was sent.
    CHECK(explain_bound(problem, arg, 1 << 20).atol_from == BoundOrigin::kReduction);
    CHECK(explain_bound(problem, output(DType::kI32, {"n"}), 1).bound.exact);
    for (const auto& [origin, name] :
         {std::pair{BoundOrigin::kType, "type"}, std::pair{BoundOrigin::kReduction, "reduction"},
          std::pair{BoundOrigin::kProblem, "problem"},
          std::pair{BoundOrigin::kArgument, "argument"}}) {
      CHECK(name_of(origin) == name);
    }
  }

  TEST_CASE("the output's tolerance wins over the problem's, and that over the default") {
    Problem problem;
    problem.tolerance = Tolerance{1e-3, 1e-4};
    ArgSpec arg = output(DType::kF32, {"n"});
    CHECK(error_bound(problem, arg, 1).rtol == 1e-3);
    CHECK(error_bound(problem, arg, 1).atol == 1e-4);
    arg.tolerance = Tolerance{0.5, std::nullopt};
    CHECK(error_bound(problem, arg, 1).rtol == 0.5);
    CHECK(error_bound(problem, arg, 1).atol == doctest::Approx(1e-5));
  }

  TEST_CASE("a sent atol is lifted to what a sum of K terms must be allowed, a K of 1 is not") {
    Problem problem;
    problem.tolerance = Tolerance{0, 0};
    const ArgSpec arg = output(DType::kF32, {"n"});
    CHECK(error_bound(problem, arg, 1).atol == 0);
    CHECK(error_bound(problem, arg, 1 << 20).atol == doctest::Approx(4 * 0x1p-14));
  }

  struct FactsCase {
    const char* name;
    DType type;
    std::vector<double> values;
    bool finite;
    bool in_range;
    bool exact;
  };

  TEST_CASE("the reference shows whether it is usable and whether it was exact") {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    const FactsCase cases[] = {
        {"whole numbers", DType::kF32, {1, -7, 1000, 0, 3, 8}, true, true, true},
        {"halves", DType::kF32, {0.5, -7.25, 2, 3}, true, true, true},
        {"one whole number", DType::kF32, {12}, true, true, false},
        {"rows of one element, normalised", DType::kF32, {1, -1, 1, 1, 0, -1}, true, true, false},
        {"a third", DType::kF32, {1.0 / 3, 2}, true, true, false},
        {"large f16 are whole by rounding", DType::kF16, {2048, 4096, 512}, true, true, false},
        {"f8e4m3 to its end, where it saturates",
         DType::kF8e4m3,
         {448, -448, 1.5},
         true,
         true,
         false},
        {"f8e5m2 to its end, beside infinity", DType::kF8e5m2, {57344, 1.5}, true, false, false},
        {"small f16", DType::kF16, {12, 14, 100, 3}, true, true, true},
        {"an infinity", DType::kF32, {1, kInfinity}, false, false, false},
        {"a NaN", DType::kF32, {1, kNan}, false, false, false},
        {"beyond half the range", DType::kF16, {40000, 2, 3, 4, 5}, true, false, true},
        {"integers", DType::kI32, {2000000000, 2, 3, 4, 5}, true, true, true},
    };
    for (const FactsCase& c : cases) {
      CAPTURE(c.name);
      TestBuffer buffer(dense_spec(c.type, {static_cast<std::int64_t>(c.values.size())}));
      for (std::size_t i = 0; i < c.values.size(); ++i) {
        buffer.set(static_cast<std::int64_t>(i), c.values[i]);
      }
      const ReferenceFacts facts = examine_reference(buffer.spec, buffer.view());
      CHECK(facts.finite == c.finite);
      CHECK(facts.in_range == c.in_range);
      if (c.finite) {
        CHECK(facts.exact_sum == c.exact);
      }
    }
  }

  TEST_CASE("a large reference is examined to its last element, and no gap of it") {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    const std::int64_t rows = 1000, columns = 333, pitch = 340;  // Pieces end within a row.
    for (const BufferSpec& spec : {dense_spec(DType::kF32, {rows, columns}),
                                   pitched_spec(DType::kF32, rows, columns, pitch)}) {
      TestBuffer buffer(spec);
      const std::int64_t apart = spec.strides[0];
      for (std::int64_t i = 0; i < spec.span; ++i) {
        const bool gap = i % apart >= columns;
        buffer.set(i, gap ? kNan : static_cast<double>(i % 100));
      }
      CHECK(examine_reference(spec, buffer.view()).finite);
      CHECK(examine_reference(spec, buffer.view()).exact_sum);
      for (const std::int64_t i : {std::int64_t{0}, 500 * apart + 7, spec.span - 1}) {
        const double before = buffer.get(i);
        buffer.set(i, 1.0 / 3);
        CHECK_FALSE(examine_reference(spec, buffer.view()).exact_sum);
        buffer.set(i, 3e38);
        CHECK_FALSE(examine_reference(spec, buffer.view()).in_range);
        buffer.set(i, kNan);
        CHECK_FALSE(examine_reference(spec, buffer.view()).finite);
        buffer.set(i, before);
      }
    }
  }

  TEST_CASE("only exact integers with an exact reference are compared exactly") {
    const ErrorBound bound{.rtol = 1e-3, .atol = 1e-3};
    ReferenceFacts rounded;
    rounded.exact_sum = false;
    CHECK(bound_for_run(bound, Distribution::kExactIntegers, ReferenceFacts{}).exact);
    CHECK_FALSE(bound_for_run(bound, Distribution::kExactIntegers, rounded).exact);
    CHECK_FALSE(bound_for_run(bound, Distribution::kUniform, ReferenceFacts{}).exact);
  }
}

}  // namespace ws
