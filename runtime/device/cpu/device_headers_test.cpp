// Parts of CUDA's device library on the CPU engine, and those that it refuses.
#include <string>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"
#include "tests/support/expression_bench.h"

namespace ws::test {

TEST_SUITE("device.cpu.headers") {
  TEST_CASE("constants of math_constants.h and structs of the host are there") {
    constexpr ExpressionValue kValues[] = {
        {"CUDART_PI_F * one", 3.14159265358979323846F},
        {"CUDART_PI * one", 3.14159265358979323846},
        {"CUDART_LN2_HI + CUDART_LN2_LO * one", 0.69314718055994530942},
        {"CUDART_MIN_DENORM_F * one", 0x1p-149},
        {"CUDART_TWO_TO_M54 * one", 0x1p-54},
        {"__double2hiint(CUDART_NAN) * one", -524288},
        {"make_cudaPitchedPtr(nullptr, 512, 100, 7 * one).ysize", 7},
        {"make_cudaExtent(1, 2, 3 * one).depth", 3},
        {"make_cudaPos(4 * one, 5, 6).x", 4},
    };
    check_expressions("#include <math_constants.h>\n", kValues);
  }

  TEST_CASE("memory is filled and copied by bytes, and written past the cache") {
    EngineRun run;
    run.source =
        "__global__ void k(int* out) {\n  int own[4];\n  memset(own, 0xff, sizeof(own));\n"
        "  own[2] = (int)threadIdx.x;\n  memcpy(out + threadIdx.x * 5, own, sizeof(own));\n"
        "  __stwt(out + threadIdx.x * 5 + 4, 7);\n}\n";
    run.entry = "k";
    run.block = {2, 1, 1};
    run.buffers = {buffer_of("out", DType::kI32, 10)};
    const EngineResult result = run_engine(run);
    REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
    const auto out = result.buffer<int>(0);
    for (std::size_t thread = 0; thread < 2; ++thread) {
      const int want[] = {-1, -1, static_cast<int>(thread), -1, 7};
      for (std::size_t i = 0; i < 5; ++i) {
        CHECK(out[thread * 5 + i] == want[i]);
      }
    }
  }

  TEST_CASE("functions of the math API and intrinsics give what CUDA's pages say") {
    struct Value {
      const char* expression;
      double want;
    };

    constexpr Value kValues[] = {
        {"sinpif(0.5f * one)", 1},
        {"sinpif(3.0f * one)", 0},
        {"cospi(1.0 * one)", -1},
        {"rhypotf(3, 4 * one)", 0.2F},
        {"norm3df(1, 2, 2 * one)", 3},
        {"lroundf(2.5f * one)", 3},
        {"llrint(2.5 * one)", 2},
        {"scalbnf(3, one)", 6},
        {"ilogbf(9.0f * one)", 3},
        {"ilogb(0x1p-1070 * one)", -1070},
        {"frexpf(12.0f * one, &e) + 100 * e", 400.75},
        {"modf(-2.75 * one, &whole) + whole * 100", -200.75},
        {"rint(erfinv(erf(0.75 * one)) * 1e9)", 750000000},
        {"rint(normcdfinv(normcdf(-1.25 * one)) * 1e9)", -1250000000},
        {"__brevll(1ull * one) >> 63", 1},
        {"__umul24(0x1000003u, 5 * one)", 15},
        {"__umul64hi(1ull << 40, (unsigned long long)one << 40)", 65536},
        {"__hadd(-3, 2 * one)", -1},
        {"__rhadd(-3, 2 * one)", 0},
        {"__sad(-3, 4, 10u * one)", 17},
        {"__funnelshift_lc(7u, 9u, 32u * one)", 7},
        {"__dp4a(0x01020304u, 0x05060708u * one, 10u)", 80},
        {"__dp2a_lo(0x00020003, 0x0000ff05 * one, 1)", 14},
        {"__fns(0xb2u, 0u, 3 * one)", 5},
        {"__fns(0xb2u, 31u, -2 * one)", 5},
        {"__vadd4(0x01ff0203u, 0x01010101u * one)", 0x02000304},
        {"__vsubss4(0x80000000u, 0x01000000u * one) >> 24", 128},
        {"__vcmpne4(0x01020304u, 0x01000300u * one)", 0x00ff00ff},
        {"__vmaxs2(0xffff0003u, 0x00020001u * one)", 0x00020003},
        {"__float2uint_rz(2.75f * one)", 2},
        {"__double2ll_rd(-2.25 * one)", -3},
        {"__hiloint2double(__double2hiint(1.5 * one), __double2loint(1.5))", 1.5},
        {"__ldcv(&one)", 1},
        {"__ldcg(&one) + atomicAdd_block(&one, 0) + atomicCAS_system(&one, 5, 6)", 3},
        {"(float)__hfma_relu(__half(2), __half(-3 * one), __half(1))", 0},
        {"(float)__hadd_sat(__half(0.75), __half(0.75f * one))", 1},
        {"(float)__float2half_rz(2049.9f * one)", 2048},
        {"__hisinf(__half(-1e9f * one))", -1},
        {"__high2float(__lowhigh2highlow(make_half2(__half(3), __half(4 * one))))", 3},
        {"__low2float(__highs2half2(make_half2(__half(3), __half(4)), make_half2(one, 7)))", 4},
        {"__low2float(__hlt2(make_half2(3, 4), make_half2(4 * one, 4)))", 1},
        {"__hblt2(make_half2(3, 4), make_half2(4 * one, 4))", 0},
        {"(float)hexp2(__half(3 * one))", 8},
        {"(float)__hmax(__nv_bfloat16(3), __nv_bfloat16(4 * one))", 4},
        {"(float)__low2bfloat16(__hfma2(make_bfloat162(2, 3), make_bfloat162(4, 5), "
         "make_bfloat162(one, one)))",
         9},
    };
    EngineRun run;
    run.source =
        "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
        "__global__ void k(double* out, int* ones) {\n"
        "  int& one = *ones;\n  int e = 0;\n  double whole = 0;\n  one = 1;\n";
    std::size_t count = 0;
    for (const Value& value : kValues) {
      run.source += "  { double v = (double)(" + std::string(value.expression) + "); out[" +
                    std::to_string(count++) + "] = v; }\n";
    }
    run.source += "}\n";
    run.entry = "k";
    run.buffers = {buffer_of("out", DType::kF64, static_cast<std::int64_t>(count)),
                   buffer_of("ones", DType::kI32, 1)};
    const EngineResult result = run_engine(run);
    REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
    for (std::size_t i = 0; i < count; ++i) {
      CAPTURE(std::string(kValues[i].expression));
      CHECK(result.buffer<double>(0)[i] == kValues[i].want);
    }
  }

  TEST_CASE("halves are added by atomics, and lanes know whether all have one value") {
    EngineRun run;
    run.source =
        "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
        "__global__ void k(float* out, __half2* sum, __nv_bfloat16* other) {\n"
        "  int t = threadIdx.x, same = 0, differ = 1;\n"
        "  if (t == 0) { *sum = make_half2(0, 0); *other = 0; }\n  __syncthreads();\n"
        "  atomicAdd(sum, make_half2(1, t));\n  atomicAdd(&sum->x, __half(1));\n"
        "  atomicAdd(other, __nv_bfloat16(1));\n  __syncthreads();\n"
        "  __match_all_sync(~0u, 7, &same);\n  __match_all_sync(~0u, t, &differ);\n"
        "  if (t == 0) { out[0] = __low2float(*sum); out[1] = __high2float(*sum); out[2] = "
        "*other;\n"
        "    out[3] = same; out[4] = differ; }\n}\n";
    run.entry = "k";
    run.block = {32, 1, 1};
    run.buffers = {buffer_of("out", DType::kF32, 5), buffer_of("sum", DType::kF32, 1),
                   buffer_of("other", DType::kF32, 1)};
    const EngineResult result = run_engine(run);
    REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
    const float want[] = {64, 496, 32, 1, 0};
    for (std::size_t i = 0; i < 5; ++i) {
      CHECK(result.buffer<float>(0)[i] == want[i]);
    }
  }

  TEST_CASE("an address in shared memory is a number from 0 on, and back again") {
    EngineRun run;
    run.source =
        "__global__ void k(int* out) {\n  __shared__ int tile[4];\n  tile[threadIdx.x] = 7;\n"
        "  const size_t at = __cvta_generic_to_shared(tile + threadIdx.x);\n"
        "  out[2 * threadIdx.x] = (int)at;\n"
        "  out[2 * threadIdx.x + 1] = *(int*)__cvta_shared_to_generic(at);\n}\n";
    run.entry = "k";
    run.block = {2, 1, 1};
    run.buffers = {buffer_of("out", DType::kI32, 4)};
    const EngineResult result = run_engine(run);
    REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
    const int want[] = {0, 7, 4, 7};
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK(result.buffer<int>(0)[i] == want[i]);
    }
  }
}

}  // namespace ws::test
