// Parts of CUDA's device library on the CPU engine, and those that it refuses.
#include <string>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {

TEST_SUITE("device.cpu.headers") {
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

  TEST_CASE("what is PTX by another name is refused where it is called") {
    CompileRequest request;
    request.source.language = "cuda";
    request.source.source =
        "#include <cuda/barrier>\n__global__ void k() {\n"
        "  __shared__ cuda::barrier<cuda::thread_scope_block> ready;\n"
        "  init(&ready, 1);\n  ready.arrive_and_wait();\n}\n";
    request.source.entries = {"k"};
    const auto compiled = cpu_engine().compile(request, {}, false);
    REQUIRE(compiled.has_value());
    CHECK(compiled->outcome->message ==
          "function `__cvta_generic_to_shared` is declared but not known on the CPU engine");
  }
}

}  // namespace ws::test
