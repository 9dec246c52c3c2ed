// The toolkit's header names on the CPU engine: which are found, and what is said on first use.
#include <string>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {
namespace {

std::shared_ptr<const CompileOutcome> compiled_text(const std::string& source) {
  CompileRequest request;
  request.source.language = "cuda";
  request.source.source = source;
  request.source.entries = {"k"};
  const auto compiled = cpu_engine().compile(request, {}, false);
  REQUIRE_MESSAGE(compiled.has_value(), to_text(compiled.error()));
  return compiled->outcome;
}

}  // namespace

TEST_SUITE("device.cpu.toolkit_headers") {
  TEST_CASE("including a header of the toolkit is no error where nothing of it is used") {
    std::string source;
    for (const char* name :
         {"cuda_fp8.h", "cuda_pipeline.h", "cub/cub.cuh", "cub/block/block_load.cuh",
          "cuda/pipeline", "cuda/std/type_traits", "cuda/atomic", "cooperative_groups/scan.h",
          "stdio.h", "cstdio", "string.h", "cuComplex.h", "curand_kernel.h", "sm_20_intrinsics.h",
          "builtin_types.h", "crt/host_defines.h", "device_functions.h", "thrust/tuple.h"}) {
      source += "#include <" + std::string(name) + ">\n";
    }
    source += "using namespace cub;\n__global__ void k(int* y) { if (y != NULL) *y = 1; }\n";
    CHECK(compiled_text(source)->message.empty());
  }

  TEST_CASE("a macro of the options changes no header of the engine") {
    CompileRequest request;
    request.source.language = "cuda";
    request.source.source =
        "__global__ void k(float* y, cudaTextureObject_t t) { y[N] = tex2D<float>(t, TWO(1), 0); "
        "}\n"
        "#ifndef SET\n#error\n#endif\n";
    request.source.entries = {"k"};
    request.source.options = {"-DN=1", "-DT=x", "-DSET", "-DTWO(a)=(2*a)"};
    const auto compiled = cpu_engine().compile(request, {}, false);
    REQUIRE_MESSAGE(compiled.has_value(), to_text(compiled.error()));
    CHECK(compiled->outcome->message.empty());
  }

  TEST_CASE("the types of a tensor map's elements have the driver's names and numbers") {
    const std::string source =
        "#include <cudaTypedefs.h>\n"
        "template <int N> struct Maps { static constexpr CUtensorMapDataType type =\n"
        "  CU_TENSOR_MAP_DATA_TYPE_BFLOAT16; };\n"
        "static_assert(Maps<1>::type == 9 && CU_TENSOR_MAP_DATA_TYPE_FLOAT16 == 6);\n"
        "__global__ void k() {}\n";
    CHECK(compiled_text(source)->message.empty());
  }

  TEST_CASE(
      "what is missing of a header is named where it is used, and other headers are not there") {
    struct Missing {
      const char* source;
      const char* message;
    };

    constexpr Missing kMissing[] = {
        {"#include <cufft.h>\n__global__ void k() { cufftHandle h; }\n",
         "unknown type name 'cufftHandle'"},
        {"#include <thrust/tuple.h>\n__global__ void k() { thrust::stable_partition(0); }\n",
         "no member named 'stable_partition' in namespace 'thrust'"},
        {"#include <cuda_of_mine.h>\n__global__ void k() {}\n", "'cuda_of_mine.h' file not found"},
        {"#include <cub>\n__global__ void k() {}\n", "'cub' file not found"},
    };
    for (const Missing& missing : kMissing) {
      CHECK(compiled_text(missing.source)->message == missing.message);
    }
  }

  TEST_CASE("a header that the client sends under a name of the toolkit is the one that counts") {
    CompileRequest request;
    request.source.language = "cuda";
    request.source.source = "#include <cub/mine.cuh>\n__global__ void k(int* y) { *y = mine; }\n";
    request.source.headers = {{"cub/mine.cuh", "__device__ const int mine = 3;\n"}};
    request.source.entries = {"k"};
    const auto compiled = cpu_engine().compile(request, {}, false);
    REQUIRE(compiled.has_value());
    CHECK(compiled->outcome->message.empty());
  }

  TEST_CASE("printf prints nothing, says so, and gives the number of its values") {
    const std::string source =
        "#include <cstdio>\n__global__ void k(int* y) {\n  y[0] = printf(\"%d %s\", y[0], \"a\");\n"
        "}\n";
    const auto outcome = compiled_text(source);
    REQUIRE(outcome->diagnostics.size() == 1);
    CHECK(outcome->diagnostics[0].message == "printf prints nothing on the CPU engine");
    CHECK(outcome->diagnostics[0].severity == "warning");
    CHECK(outcome->diagnostics[0].line == 3);
    EngineRun run;
    run.source = source;
    run.entry = "k";
    run.buffers = {buffer_of("y", DType::kI32, 1)};
    const EngineResult result = run_engine(run);
    REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
    CHECK(result.buffer<int>(0)[0] == 2);
  }
}

}  // namespace ws::test
