// Half, bfloat16, 8-bit floats and complex numbers on the CPU engine, and what works on any type.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"
#include "tests/support/expression_bench.h"

namespace ws::test {

TEST_SUITE("device.cpu.number_headers") {
  TEST_CASE("halves and bfloat16 have their constructors, operators and raw bits") {
    constexpr ExpressionValue kValues[] = {
        {"__high2float(half2(one, 2.5f) + half2(1.0f, 1.0f))", 3.5},
        {"half2(one, 2) == half2(1, 2)", 1},
        {"half2(one, 2) != half2(1, 2)", 0},
        {"(float)__half(__half_raw{(unsigned short)(0x3c00 * one)})", 1},
        {"__half_raw(__half(2 * one)).x", 0x4000},
        {"(float)__half((unsigned long)one) + (float)__half((long)one)", 2},
        {"__high2float(__hfma2_relu(half2(1, 1), half2(-2 * one, 3), half2(1, 1)))", 4},
        {"__low2float(__hfma2_relu(half2(1, 1), half2(-2 * one, 3), half2(1, 1)))", 0},
        {"__low2float(__hfma2_sat(half2(2, 2), half2(one, 1), half2(1, 1)))", 1},
        {"__high2float(__nv_bfloat162(one, 2.5f) / __nv_bfloat162(1, 2))", 1.25},
        {"__low2float(-__nv_bfloat162(one, 2.5f))", -1},
        {"__nv_bfloat162(one, 2) == __nv_bfloat162(1, 2)", 1},
        {"__nv_bfloat16(one) < __nv_bfloat16(2)", 1},
        {"(float)-__nv_bfloat16(one)", -1},
        {"__nv_bfloat16_raw(__nv_bfloat16(one)).x", 0x3f80},
        {"(float)__float2bfloat16_rz(1.0078124f * one)", 1},
        {"(float)__float2bfloat16_rn(1.0078124f * one)", 1.0078125},
        {"__low2float(__heq2(__nv_bfloat162(one, 2), __nv_bfloat162(1, 3)))", 1},
        {"__hbeq2(__nv_bfloat162(one, 2), __nv_bfloat162(1, 3))", 0},
        {"__low2float(__lowhigh2highlow(__nv_bfloat162(one, 2)))", 2},
        {"(float)__hfma_relu(__nv_bfloat16(-3 * one), __nv_bfloat16(2), __nv_bfloat16(1))", 0},
        {"(float)hexp10(__nv_bfloat16(2 * one))", 100},
        {"__bfloat162uint_rn(__nv_bfloat16(2.5f * one))", 2},
    };
    check_expressions("#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n", kValues);
  }

  TEST_CASE("a float beyond an integer's range becomes what it becomes on a GPU") {
    constexpr ExpressionValue kValues[] = {
        {"(int)(1e10f * one)", 2147483647},
        {"(int)(-1e10f * one)", -2147483648.0},
        {"(unsigned)(-1.5f * one)", 0},
        {"(unsigned)(1e10f * one)", 4294967295},
        {"(unsigned char)(-1.5f * one)", 0},
        {"(unsigned char)(300.0f * one)", 300 - 256},
        {"(signed char)(200.0f * one)", 200 - 256},
        {"(unsigned short)(1e10f * one)", 65535},
        {"(short)(1e10f * one)", -1},
        {"(unsigned long long)(-1e30f * one)", 0},
        {"(long long)(-1e30 * one)", -0x1p63},
        {"(int)(0.0f / (one - 1))", 0},
        {"(int)(0.0 / (one - 1))", -2147483648.0},
        {"(unsigned)(0.0 / (one - 1))", 0x1p31},
        {"(long long)(0.0f / (one - 1))", -0x1p63},
        {"(int)1e10f", 2147483647},
        {"(unsigned)-1.5f", 0},
        {"__float2uint_rn(-1.5f * one)", 0},
        {"__float2int_rz(1e10f * one)", 2147483647},
        {"__double2int_rn(1e10 * one)", 2147483647},
        {"(int)__float2half(3.75f * one)", 3},
    };
    check_expressions("#include <cuda_fp16.h>\n", kValues);
  }

  TEST_CASE("a shift by as many bits as a number has does what it does on a GPU") {
    constexpr ExpressionValue kValues[] = {
        {"1 << (int)(31 * one)", -0x1p31},     {"1 << (int)(32 * one)", 0},
        {"1u << (unsigned)(1e9f * one)", 0},   {"5 << (int)(-1 * one)", 0},
        {"1ull << (int)(64 * one)", 0},        {"1ull << (int)(63 * one)", 0x1p63},
        {"-8 >> (int)(40 * one)", -1},         {"8 >> (int)(32 * one)", 0},
        {"0x80000000u >> (int)(32 * one)", 0}, {"(long long)(-8 * one) >> (int)(64 * one)", -1},
        {"8ull >> (int)(100 * one)", 0},
    };
    check_expressions("", kValues);
  }

  TEST_CASE("8-bit floats round to nearest even, saturate, and know their special values") {
    constexpr ExpressionValue kValues[] = {
        {"__nv_fp8_e4m3(1.0f * one).__x", 0x38},
        {"__nv_fp8_e5m2(1.0f * one).__x", 0x3c},
        {"(float)__nv_fp8_e4m3(3.3f * one)", 3.25},
        {"(float)__nv_fp8_e5m2(3.3f * one)", 3.5},
        {"(float)__nv_fp8_e4m3(1.0625f * one)", 1},
        {"(float)__nv_fp8_e4m3(1.1875f * one)", 1.25},
        {"(float)__nv_fp8_e4m3(1.96875f * one)", 2},
        {"(float)__nv_fp8_e4m3(0x1p-9f * one)", 0x1p-9},
        {"__nv_fp8_e4m3(0x1p-10f * one).__x", 0},
        {"__nv_fp8_e4m3(0x1.8p-10f * one).__x", 1},
        {"__nv_fp8_e4m3(-0x1p-20f * one).__x", 0x80},
        {"(float)__nv_fp8_e5m2(0x1p-16f * one)", 0x1p-16},
        {"(float)__nv_fp8_e4m3(464.0f * one)", 448},
        {"(float)__nv_fp8_e4m3(-1e30f * one)", -448},
        {"(float)__nv_fp8_e5m2(1e30f * one)", 57344},
        {"__nv_cvt_float_to_fp8(464.0f * one, __NV_NOSAT, __NV_E4M3)", 0x7e},
        {"__nv_cvt_float_to_fp8(465.0f * one, __NV_NOSAT, __NV_E4M3)", 0x7f},
        {"__nv_cvt_float_to_fp8(-61440.0f * one, __NV_NOSAT, __NV_E5M2)", 0xfc},
        {"__nv_cvt_float_to_fp8(INFINITY * one, __NV_SATFINITE, __NV_E5M2)", 0x7b},
        {"isnan((float)__nv_fp8_e4m3(NAN * one))", 1},
        {"isnan((float)__nv_fp8_e5m2(NAN * one))", 1},
        {"(int)__nv_fp8_e4m3(-7 * one)", -7},
        {"(bool)__nv_fp8_e4m3(-0.0f * one)", 0},
        {"(float)(__half)__nv_fp8_e5m2(__half(6 * one))", 6},
        {"((float2)__nv_fp8x2_e4m3(make_float2(1, 2 * one))).y", 2},
        {"__high2float((__half2)__nv_fp8x2_e5m2(half2(1, 2 * one)))", 2},
        {"((float4)__nv_fp8x4_e4m3(make_float4(1, 2, 3, 4 * one))).w", 4},
        {"__nv_cvt_float2_to_fp8x2(make_float2(1, 2 * one), __NV_SATFINITE, __NV_E4M3)", 0x4038},
        {"__nv_cvt_fp8x2_to_halfraw2(0x4038 * one, __NV_E4M3).y", 0x4000},
    };
    check_expressions("#include <cuda_fp8.h>\n", kValues);
  }

  TEST_CASE("every 8-bit float is what its own value converts to") {
    EngineRun run;
    run.source =
        "#include <cuda_fp8.h>\n__global__ void k(int* y) {\n  int c = threadIdx.x;\n"
        "  __nv_fp8_e4m3 a;\n  a.__x = c;\n  __nv_fp8_e5m2 b;\n  b.__x = c;\n"
        "  y[c] = __nv_cvt_float_to_fp8((float)a, __NV_NOSAT, __NV_E4M3);\n"
        "  y[256 + c] = __nv_cvt_float_to_fp8((float)b, __NV_NOSAT, __NV_E5M2);\n}\n";
    run.entry = "k";
    run.block = {256, 1, 1};
    run.buffers = {buffer_of("y", DType::kI32, 512)};
    const EngineResult result = run_engine(run);
    REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
    const auto y = result.buffer<int>(0);
    for (int code = 0; code < 256; ++code) {
      CAPTURE(code);
      CHECK(y[static_cast<std::size_t>(code)] == code);
      const bool nan = (code & 0x7f) > 0x7c;  // All NaNs become one.
      CHECK(y[static_cast<std::size_t>(256 + code)] == (nan ? code | 0x7f : code));
    }
  }

  TEST_CASE("complex numbers are added, multiplied and divided") {
    constexpr ExpressionValue kValues[] = {
        {"cuCmulf(make_cuComplex(1, 2 * one), make_cuComplex(3, 4)).x", -5},
        {"cuCmulf(make_cuComplex(1, 2 * one), make_cuComplex(3, 4)).y", 10},
        {"cuCdiv(make_cuDoubleComplex(-5, 10 * one), make_cuDoubleComplex(3, 4)).y", 2},
        {"cuCabs(make_cuDoubleComplex(3, 4 * one))", 5},
        {"cuCimagf(cuConjf(cuCaddf(make_cuComplex(1, 2 * one), make_cuComplex(0, 1))))", -3},
        {"cuCreal(cuCfma(make_cuDoubleComplex(1, one), make_cuDoubleComplex(1, 1), "
         "make_cuDoubleComplex(7, 0)))",
         7},
    };
    check_expressions("#include <cuComplex.h>\n", kValues);
  }

  TEST_CASE("integers in parts of a word, and more constants") {
    constexpr ExpressionValue kValues[] = {
        {"__vcmpgeu4(0x01020304u, 0x01010404u * one)", 0xffff00ffU},
        {"__vcmplts2(0xffff0003u, 0x00000001u * one)", 0xffff0000U},
        {"__vabs4(0xff02fe80u * one)", 0x01020280U},
        {"__vsadu4(0x01020304u, 0x04030201u * one)", 8},
        {"__vsetgtu4(0x01020304u, 0x01010505u * one)", 0x00010000U},
        {"__vhaddu4(0x01ff0302u, 0x01ff0202u * one)", 0x01ff0202U},
        {"rint(M_SQRT2 * M_SQRT1_2 * 1e9 * one)", 1e9},
    };
    check_expressions("", kValues);
  }

  TEST_CASE("shuffles move values of any size, and objects are made in memory that is there") {
    EngineRun run;
    run.source =
        "#include <new>\nstruct Wide { double a; float b; int c[3]; };\n"
        "struct Made { int v; __device__ Made(int x) : v(x) {} };\n"
        "__global__ void k(int* y) {\n  int t = threadIdx.x;\n"
        "  Wide w = {t * 1.0, t * 2.0f, {t, t + 1, t + 2}};\n"
        "  Wide o = __shfl_xor_sync(~0u, w, 3);\n"
        "  float4 f = __shfl_sync(~0u, make_float4(t, 1, 2, -t), 5);\n"
        "  __shared__ int place[32];\n  Made* made = new (&place[t]) Made(t * 10);\n"
        "  y[t] = (int)(o.a + o.b) + o.c[2] + (int)(f.x - f.w) + made->v;\n}\n";
    run.entry = "k";
    run.block = {32, 1, 1};
    run.buffers = {buffer_of("y", DType::kI32, 32)};
    const EngineResult result = run_engine(run);
    REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
    for (int t = 0; t < 32; ++t) {
      CHECK(result.buffer<int>(0)[static_cast<std::size_t>(t)] == 4 * (t ^ 3) + 2 + 10 + 10 * t);
    }
  }

  TEST_CASE("a kernel has overloads of its own of the cached loads, and counts for all blocks") {
    EngineRun run;
    run.source =
        "struct Pair { int a, b; };\n"
        "__device__ Pair __ldg(const Pair* p) { return Pair{p->b, p->a}; }\n"
        "template <class T> __device__ T through(const T* p) { return __ldg(p); }\n"
        "__global__ void k(int* y, Pair* pair, unsigned* count) {\n"
        "  *count = 0;\n  *pair = Pair{1, 2};\n  __stcs(&y[0], 7u);\n"
        "  y[1] = through(pair).a * 10 + __ldg(&y[0]);\n"
        "  atomicInc_system(count, 5);\n  y[2] = atomicInc_block(count, 5);\n}\n";
    run.entry = "k";
    run.buffers = {buffer_of("y", DType::kI32, 3), buffer_of("pair", DType::kI32, 2),
                   buffer_of("count", DType::kI32, 1)};
    const EngineResult result = run_engine(run);
    REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
    CHECK(result.buffer<int>(0)[0] == 7);
    CHECK(result.buffer<int>(0)[1] == 27);
    CHECK(result.buffer<int>(0)[2] == 1);
  }

  TEST_CASE("a device function may be the template argument of an entry") {
    EngineRun run;
    run.source =
        "__device__ int twice(int x) { return 2 * x; }\n"
        "template <int (*F)(int)> __global__ void k(int* y) { *y = F(21); }\n"
        "template <class T> __device__ void never(T x) { nothing_of_this_name(x); }\n";
    run.entry = "k<twice>";
    run.buffers = {buffer_of("y", DType::kI32, 1)};
    const EngineResult result = run_engine(run);
    REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
    CHECK(result.buffer<int>(0)[0] == 42);
  }

  TEST_CASE("static and managed variables are filled by their names") {
    for (const char* kind : {"static __constant__", "__managed__", "static __device__"}) {
      CAPTURE(std::string(kind));
      EngineRun run;
      run.source = std::string(kind) +
                   " int c[4];\n__global__ void k(int* y) { y[threadIdx.x] = c[threadIdx.x]; }\n";
      run.entry = "k";
      run.block = {4, 1, 1};
      run.buffers = {buffer_of("y", DType::kI32, 4), buffer_of("w", DType::kI32, 4)};
      LaunchArg arg;
      arg.kind = LaunchArg::Kind::kBuffer;
      arg.buffer = 0;
      arg.text = "y";
      run.args = {arg};
      run.symbols = {{.name = "c", .buffer = 1}};
      const EngineResult result = run_engine(run, [](EngineResult& made) {
        for (std::size_t i = 0; i < 4; ++i) {
          made.buffer<int>(1)[i] = 7 + static_cast<int>(i);
        }
      });
      REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
      for (int i = 0; i < 4; ++i) {
        CHECK(result.buffer<int>(0)[static_cast<std::size_t>(i)] == 7 + i);
      }
    }
  }

  TEST_CASE("a template that nothing uses may name what is not there") {
    EngineRun run;
    run.source =
        "template <int N> __device__ void never() { nothing_of_this_name = N; }\n"
        "__global__ void k(int* y) { *y = 1; }\n";
    run.entry = "k";
    run.buffers = {buffer_of("y", DType::kI32, 1)};
    const EngineResult result = run_engine(run);
    REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
    CHECK(result.buffer<int>(0)[0] == 1);
  }
}

}  // namespace ws::test
