// Textures, which no plan declares: one error that says what to use.
#include <string>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {

TEST_SUITE("device.cpu.textures") {
  TEST_CASE("a kernel that reads textures gets one error, at the first of them") {
    struct Case {
      const char* name;
      const char* source;
      const char* message;
      int line;
    };

    constexpr const char* kObject =
        "a texture or surface is not supported on the CPU engine, and no plan declares one: pass "
        "the buffer as an argument and read it by its index, as in `in[y * width + x]`";
    const Case cases[] = {
        {"an object",
         "__global__ void k(cudaTextureObject_t t, float* out) {\n  int x = threadIdx.x;\n"
         "  out[x] = tex2D<float>(t, x + 0.5f, 0.5f);\n  out[x] += tex1Dfetch<float>(t, x);\n}",
         kObject, 3},
        {"vectors, in a function",
         "__device__ float4 at(cudaTextureObject_t t, int x) {\n"
         "  return tex3D<float4>(t, x, 1, 1);\n}\n"
         "__global__ void k(cudaTextureObject_t t, float* out) {\n  out[0] = at(t, 1).x;\n}",
         kObject, 2},
        {"a surface",
         "__global__ void k(cudaSurfaceObject_t s, float* out) {\n"
         "  surf2Dwrite(out[0], s, threadIdx.x * 4, 0);\n}",
         kObject, 2},
        {"a reference, as old code has it",
         "texture<float, 2, cudaReadModeElementType> image;\n"
         "__global__ void k(float* out) {\n  out[0] = 1;\n}",
         "'texture<float, 2>' is unavailable: textures are not supported "
         "on the CPU engine, and no plan declares one: pass the buffer as an argument and read it "
         "by its index, as in `in[y * width + x]`",
         1},
    };
    for (const Case& c : cases) {
      CAPTURE(std::string(c.name));
      CompileRequest request;
      request.source.language = "cuda";
      request.source.source = c.source;
      request.source.entries = {"k"};
      const auto reply = cpu_engine().compile(request, {}, false);
      REQUIRE(reply.has_value());
      const CompileOutcome& outcome = *reply->outcome;
      CHECK(outcome.verdict != CompileVerdict::kCompiled);
      int errors = 0;
      for (const Diagnostic& diagnostic : outcome.diagnostics) {
        if (diagnostic.severity == "error") {
          ++errors;
          CHECK(diagnostic.message == std::string(c.message));
          CHECK(diagnostic.line == c.line);
        }
      }
      CHECK(errors == 1);
    }
  }
}

}  // namespace ws::test
