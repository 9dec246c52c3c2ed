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
        {"a reference and its reads",
         "texture<float, 1> image;\n"
         "__global__ void k(float* out) {\n  out[0] = tex1Dfetch(image, 3) + tex1Dfetch(image, "
         "4);\n}",
         "'texture<float>' is unavailable: textures are not supported "
         "on the CPU engine, and no plan declares one: pass the buffer as an argument and read it "
         "by its index, as in `in[y * width + x]`",
         1},
    };
    for (const Case& c : cases) {
      CAPTURE(std::string(c.name));
      const CompileOutcome outcome = compiled_source(c.source);
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

  TEST_CASE("a kernel may have the names of textures for what is its own") {
    const char* const sources[] = {
        "__device__ float tex2D(const float* p, int x, int y) { return p[4 * y + x]; }\n"
        "__global__ void k(float* out) { out[0] = tex2D(out, 1, 2); }",
        "__device__ float tex2D(const float* p, float x, float y) { return p[(int)(4 * y + x)]; }\n"
        "__global__ void k(float* out) { out[0] = tex2D(out, 1, 2); }",
        "struct texture { float x; };\n__global__ void k(texture* t) { t[0].x = 1; }",
        "__constant__ float texture[4] = {1, 2};\n__global__ void k(float* t) { t[0] = texture[1]; "
        "}",
        "__device__ float texture(float x) { return x; }\n"
        "__global__ void k(float* tex1D) { tex1D[0] = texture(tex1D[1]); }",
        "template <class T> __device__ T tex1Dfetch(const T* p, int i) { return p[i]; }\n"
        "__global__ void k(float* out) { out[0] = tex1Dfetch(out, 2); }",
        "enum cudaReadMode { cudaReadModeElementType };\n"
        "__global__ void k(float* out) { int tex3D = cudaReadModeElementType; out[tex3D] = 1; }",
    };
    for (const char* source : sources) {
      CAPTURE(std::string(source));
      const CompileOutcome outcome = compiled_source(source);
      CHECK_MESSAGE(outcome.verdict == CompileVerdict::kCompiled, outcome.message);
    }
  }
}

}  // namespace ws::test
