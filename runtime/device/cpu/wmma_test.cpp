// nvcuda::wmma on the CPU engine, against the same products computed here.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"
#include "tests/support/expression_bench.h"

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

  TEST_CASE("products of other shapes and types are those of the matrices") {
    struct Shape {
      const char* shape;  ///< m, n, k
      int m, n, k;
      const char* small;   ///< Type of the fragments of a and b,
      const char* stored;  ///< of their elements in memory,
      const char* sum;     ///< and of the sums.
      const char* one;     ///< 1, as a kernel may spell it.
    };

    constexpr Shape kShapes[] = {
        {"32, 8, 16", 32, 8, 16, "half", "half", "float", "1"},
        {"8, 32, 16", 8, 32, 16, "half", "half", "half", "1.0"},
        {"8, 32, 16", 8, 32, 16, "__nv_bfloat16", "__nv_bfloat16", "float", "1.0f"},
        {"16, 16, 16", 16, 16, 16, "signed char", "signed char", "int", "1"},
        {"32, 8, 16", 32, 8, 16, "unsigned char", "unsigned char", "int", "1"},
        {"16, 16, 8", 16, 16, 8, "wmma::precision::tf32", "float", "float", "1.0f"},
        {"8, 8, 4", 8, 8, 4, "double", "double", "double", "1.0f"},
    };
    for (const Shape& c : kShapes) {
      const std::string small = c.small;
      const std::string shape = c.shape;
      CAPTURE(shape + " " + small);
      EngineRun run;
      run.source =
          "#include <mma.h>\nusing namespace nvcuda;\n__global__ void k(double* out) {\n"
          "  __shared__ __align__(32) " +
          std::string(c.stored) + " a[32 * 32], b[32 * 32];\n  __shared__ __align__(32) " + c.sum +
          " c[32 * 32];\n  for (int i = threadIdx.x; i < 1024; i += 32) {\n    a[i] = (" +
          c.stored + ")(float)(i % 7);\n    b[i] = (" + c.stored +
          ")(float)(i % 5);\n    c[i] = (" + c.sum +
          ")0;\n  }\n  __syncwarp();\n"
          "  wmma::fragment<wmma::matrix_a, " +
          shape + ", " + small + ", wmma::row_major> fa;\n  wmma::fragment<wmma::matrix_b, " +
          shape + ", " + small + ", wmma::col_major> fb;\n  wmma::fragment<wmma::accumulator, " +
          shape + ", " + c.sum + "> fc;\n  wmma::fill_fragment(fc, " + c.one +
          ");\n  wmma::load_matrix_sync(fa, a, 32);\n"
          "  wmma::load_matrix_sync(fb, b, 32);\n  wmma::mma_sync(fc, fa, fb, fc);\n"
          "  wmma::store_matrix_sync(c, fc, 32, wmma::mem_row_major);\n"
          "  for (int i = threadIdx.x; i < 1024; i += 32) out[i] = (double)c[i];\n}\n";
      run.entry = "k";
      run.block = {32, 1, 1};
      run.buffers = {buffer_of("out", DType::kF64, 1024)};
      const EngineResult result = run_engine(run);
      REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
      for (int row = 0; row < c.m; ++row) {
        for (int column = 0; column < c.n; ++column) {
          double want = 1;
          for (int k = 0; k < c.k; ++k) {
            want += static_cast<double>((row * 32 + k) % 7 * ((column * 32 + k) % 5));
          }
          CHECK(result.buffer<double>(0)[static_cast<std::size_t>(row * 32 + column)] == want);
        }
      }
    }
  }

  TEST_CASE("factors of tf32 are rounded by the function for it, and cut by the product") {
    constexpr ExpressionValue kValues[] = {
        {"nvcuda::wmma::__float_to_tf32(1.00048828125f * one)", 1.0009765625},
        {"nvcuda::wmma::__float_to_tf32(-1.0004f * one)", -1},
        {"nvcuda::wmma::ws_factor<nvcuda::wmma::precision::tf32>(1.0009f * one)", 1},
    };
    check_expressions("#include <mma.h>\n", kValues);
  }

  TEST_CASE("what wmma does not have here is refused by name") {
    struct Refused {
      const char* fragment;
      const char* why;
    };

    constexpr Refused kCases[] = {
        {"wmma::accumulator, 8, 8, 32, int",
         "static assertion failed due to requirement 'kSmall || kTf32 || kDouble': wmma here has "
         "16x16x16, 32x8x16, 8x32x16, 16x16x8 for tf32, and 8x8x4 for double"},
        {"wmma::matrix_a, 16, 16, 16, float, wmma::row_major",
         "static assertion failed due to requirement '!(kSmall || kTf32 || kDouble) || kTypes': "
         "wmma has no such type in this shape here"},
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
