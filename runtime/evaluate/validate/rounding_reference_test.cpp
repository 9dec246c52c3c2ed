#include "runtime/evaluate/validate/rounding_reference.h"

#include <doctest/doctest.h>

#include "runtime/kernel/kernel.h"

namespace ws::test {
namespace {

Problem with_cuda(const char* source) {
  Problem problem;
  problem.reference_kind = "kernel";
  auto kernel = std::make_shared<Kernel>();
  kernel->source = source;
  problem.reference = kernel;
  return problem;
}

Problem with_python(const char* source) {
  Problem problem;
  problem.reference_kind = "python";
  problem.reference_source = source;
  return problem;
}

}  // namespace

TEST_SUITE("validate.rounding_reference") {
  TEST_CASE("a reference that calls what nobody computes exactly rounds") {
    for (const char* source : {"y[i] = tgamma((acc_t)v);", "y[i] = powf(v, 2);",
                               "y = __fsqrt_rn(v);", "y[i] = __expf(v);", "y[i] = hexp(v);"}) {
      CAPTURE(source);
      CHECK(reference_rounds(with_cuda(source)));
    }
  }

  TEST_CASE("sums, products and indices that are divided do not") {
    for (const char* source : {"s += A[i / n] * B[i % n];", "y[i] = fmaf(a, b, fabsf(c));",
                               "float expected = x; // exp of nothing", "y[i] = x > 0 ? x : 0;"}) {
      CAPTURE(source);
      CHECK_FALSE(reference_rounds(with_cuda(source)));
    }
  }

  TEST_CASE("a division in Python rounds") {
    CHECK(reference_rounds(with_python("return {'y': x.sum() / n}")));
    CHECK(reference_rounds(with_python("return {'y': np.exp(x)}")));
    CHECK_FALSE(reference_rounds(with_python("return {'y': a @ b}")));
  }
}

}  // namespace ws::test
