// nvcuda::wmma on the CPU engine, against the same products computed here.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {

TEST_SUITE("device.cpu.wmma") {
  struct Product {
    const char* name;
    const char* small;  ///< Type of the operands,
    const char* sum;    ///< and of the sums.
    const char* a;      ///< Layouts.
    const char* b;
    const char* stored;
  };

  constexpr int kStride = 24;

  /// A kernel of two warps: out = in_a in_b + 1, of small whole numbers, twice over.
  std::string product_source(const Product& c) {
    const std::string small = c.small;
    const std::string sum = c.sum;
    return "#include <mma.h>\nusing namespace nvcuda;\n"
           "__global__ void k(float* out) {\n"
           "  __shared__ __align__(32) " +
           small +
           " a[16 * 24], b[16 * 24];\n"
           "  __shared__ __align__(32) " +
           sum +
           " c[2][16 * 24];\n"
           "  for (int i = threadIdx.x; i < 16 * 24; i += 64) {\n"
           "    a[i] = " +
           small + "(float(i % 7 - 3));\n    b[i] = " + small +
           "(float(i % 5 - 2));\n    c[0][i] = c[1][i] = " + sum +
           "(-9.0f);\n  }\n"
           "  __syncthreads();\n"
           "  wmma::fragment<wmma::matrix_a, 16, 16, 16, " +
           small + ", wmma::" + c.a +
           "> fa;\n"
           "  wmma::fragment<wmma::matrix_b, 16, 16, 16, " +
           small + ", wmma::" + c.b +
           "> fb;\n"
           "  wmma::fragment<wmma::accumulator, 16, 16, 16, " +
           sum +
           "> fc;\n"
           "  wmma::load_matrix_sync(fa, a, 24);\n  wmma::load_matrix_sync(fb, b, 24);\n"
           "  wmma::fill_fragment(fc, " +
           sum +
           "(1.0f));\n"
           "  wmma::mma_sync(fc, fa, fb, fc);\n"
           "  for (int i = 0; i < fc.num_elements; ++i) fc.x[i] = fc.x[i] + fc.x[i];\n"
           "  int warp = threadIdx.x / 32;\n"
           "  wmma::store_matrix_sync(c[warp], fc, 24, wmma::" +
           c.stored +
           ");\n"
           "  wmma::load_matrix_sync(fc, c[warp], 24, wmma::" +
           c.stored +
           ");\n"
           "  wmma::store_matrix_sync(c[warp], fc, 24, wmma::" +
           c.stored +
           ");\n"
           "  __syncthreads();\n"
           "  for (int i = threadIdx.x; i < 2 * 16 * 24; i += 64) out[i] = (float)c[i / 384][i % "
           "384];\n"
           "}\n";
  }

  float operand(const std::string& layout, int row, int column, int divisor) {
    const int place = layout == "row_major" ? row * kStride + column : column * kStride + row;
    return static_cast<float>(place % divisor - divisor / 2);
  }

  TEST_CASE("products of all layouts are those of the matrices") {
    const Product cases[] = {
        {"half, by rows", "half", "float", "row_major", "row_major", "mem_row_major"},
        {"half, b by columns", "half", "float", "row_major", "col_major", "mem_col_major"},
        {"half, a by columns", "half", "float", "col_major", "row_major", "mem_row_major"},
        {"sums in half", "half", "half", "row_major", "row_major", "mem_row_major"},
        {"bfloat16", "__nv_bfloat16", "float", "col_major", "col_major", "mem_col_major"},
    };
    for (const Product& c : cases) {
      CAPTURE(std::string(c.name));
      EngineRun run;
      run.source = product_source(c);
      run.entry = "k";
      run.block = {64, 1, 1};
      run.buffers = {buffer_of("out", DType::kF32, 2 * 16 * kStride)};
      const EngineResult result = run_engine(run);
      REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
      const auto out = result.buffer<float>(0);
      for (int i = 0; i < 2 * 16 * kStride; ++i) {
        const int outer = i % (16 * kStride) / kStride;
        const int inner = i % kStride;
        const bool by_rows = std::string(c.stored) == "mem_row_major";
        float want = 1;
        for (int k = 0; k < 16; ++k) {
          want += operand(c.a, by_rows ? outer : inner, k, 7) *
                  operand(c.b, k, by_rows ? inner : outer, 5);
        }
        CHECK(out[static_cast<std::size_t>(i)] == (inner < 16 ? 2 * want : -9));
      }
    }
  }

  TEST_CASE("what wmma does not have here is refused by name") {
    struct Refused {
      const char* fragment;
      const char* why;
    };

    constexpr Refused kCases[] = {
        {"wmma::accumulator, 32, 8, 16, float",
         "static assertion failed due to requirement 'kShape': wmma here has 16 x 16 x 16 only"},
        {"wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major",
         "static assertion failed due to requirement 'kTypes': wmma here multiplies half and "
         "__nv_bfloat16, and sums in float or half"},
        {"wmma::matrix_a, 16, 16, 16, half",
         "static assertion failed due to requirement 'kLayout': matrix_a and matrix_b have a "
         "layout, an accumulator has none"},
    };
    for (const Refused& c : kCases) {
      CompileRequest request;
      request.source.language = "cuda";
      request.source.source = std::string(
                                  "#include <mma.h>\nusing namespace nvcuda;\n"
                                  "__global__ void k() {\n  wmma::fragment<") +
                              c.fragment + "> f;\n  (void)f;\n}\n";
      request.source.entries = {"k"};
      const auto compiled = cpu_engine().compile(request, {}, false);
      REQUIRE(compiled.has_value());
      CHECK(compiled->outcome->message == c.why);
    }
  }
}

}  // namespace ws::test
