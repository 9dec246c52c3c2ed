// Surfaces, texture references and what else of textures the engine does not have: one error that
// says what to use. Reads of a texture that is not as the kernel has it: a fault.
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "runtime/device/cpu/test_textures.h"

namespace ws::test {

TEST_SUITE("device.cpu.textures") {
  TEST_CASE("a kernel with what textures lack here gets one error, at the first of them") {
    struct Case {
      const char* name;
      const char* source;
      const char* message;
      int line;
    };

    constexpr const char* kSurface =
        "a surface is not supported on the CPU engine, and no plan declares one: take the buffer "
        "as "
        "a pointer, as in `out[y * width + x]`";
    constexpr const char* kRest =
        "a cubemap, a gather or a gradient of a texture is not supported on the CPU engine: read "
        "it "
        "by tex1D(), tex2D() or tex3D()";
    constexpr const char* kReference =
        "is unavailable: texture references are not supported: say {\"texture\": \"in\", "
        "\"width\": "
        "\"w\", \"height\": \"h\"} among the launch's args, and take it as a `cudaTextureObject_t`";
    const Case cases[] = {
        {"a surface",
         "__global__ void k(cudaSurfaceObject_t s, float* out) {\n"
         "  surf2Dwrite(out[0], s, threadIdx.x * 4, 0);\n}",
         kSurface, 2},
        {"a gather",
         "__device__ float4 at(cudaTextureObject_t t, int x) {\n"
         "  return tex2Dgather<float4>(t, x, 1, 1);\n}\n"
         "__global__ void k(cudaTextureObject_t t, float* out) {\n  out[0] = at(t, 1).x;\n}",
         kRest, 2},
        {"a cubemap",
         "__global__ void k(cudaTextureObject_t t, float* out) {\n"
         "  out[0] = texCubemap<float>(t, 1, 0, 0);\n}",
         kRest, 2},
        {"a reference, as old code has it",
         "texture<float, 2, cudaReadModeElementType> image;\n"
         "__global__ void k(float* out) {\n  out[0] = 1;\n}",
         "'texture<float, 2>' ", 1},
        {"a reference and its reads",
         "texture<float, 1> image;\n"
         "__global__ void k(float* out) {\n  out[0] = tex1Dfetch(image, 3) + tex1Dfetch(image, "
         "4);\n}",
         "'texture<float>' ", 1},
    };
    for (const Case& c : cases) {
      CAPTURE(std::string(c.name));
      const CompileOutcome outcome = compiled_source(c.source);
      CHECK(outcome.verdict != CompileVerdict::kCompiled);
      int errors = 0;
      for (const Diagnostic& diagnostic : outcome.diagnostics) {
        if (diagnostic.severity == "error") {
          ++errors;
          const bool reference = std::string_view(c.message).starts_with('\'');
          CHECK(diagnostic.message == std::string(c.message) + (reference ? kReference : ""));
          CHECK(diagnostic.line == c.line);
        }
      }
      CHECK(errors == 1);
    }
  }

  TEST_CASE("a texture that is read as another one than the plan declares is a fault") {
    struct Case {
      const char* read;
      const char* message;
    };

    const Case cases[] = {
        {"tex2D<float4>(t, 0, 0).x",
         "a texture was read as elements of another type or number at source:2 by thread "
         "(0,0,0) "
         "of block (0,0,0): the type in tex2D<type>() has the texture's `channels`, and the type "
         "of "
         "its buffer: `float` for f16 and for `normalized_float`"},
        {"tex2D<int>(t, 0, 0)",
         "a texture was read as elements of another type or number at source:2 by thread "
         "(0,0,0) "
         "of block (0,0,0): the type in tex2D<type>() has the texture's `channels`, and the type "
         "of "
         "its buffer: `float` for f16 and for `normalized_float`"},
        {"tex1Dfetch<float>(t, 0)",
         "a texture was read by a function for textures of another kind at source:2 by thread "
         "(0,0,0) of block (0,0,0): tex1Dfetch() takes one with `fetch`, tex2D() one with "
         "`height`, "
         "tex3D() one with `depth`, tex2DLayered() one with `layers`"},
        {"tex2D<float>(t + 1, 0, 0)",
         "a texture object that the launch did not pass was read at source:2 by thread (0,0,0) "
         "of "
         "block (0,0,0): pass it as an argument of the launch, and hand it on as it is"},
        {"tex2DLod<float>(t, 0, 0, 1)",
         "a level beyond the only one of a texture was read at source:2 by thread (0,0,0) of "
         "block "
         "(0,0,0): a plan's textures have no mipmaps: read level 0"},
    };
    for (const Build build : {Build::kFast, Build::kBounds}) {
      for (const Case& c : cases) {
        CAPTURE(std::string(c.read));
        EngineRun run;
        run.build = build;
        run.source =
            std::string("__global__ void k(float* y, cudaTextureObject_t t) {\n  y[0] = ") +
            c.read + ";\n}\n";
        run.entry = "k";
        run.buffers = {buffer_of("y", DType::kF32, 1), buffer_of("x", DType::kF32, 12)};
        run.args = {first_buffer(), first_texture()};
        run.textures = {Texture{.buffer = 1, .size = {4, 3, 0}, .modes = {}}};
        const EngineResult result = run_engine(run);
        REQUIRE_FALSE(result.outcome.ok());
        CHECK(result.fault().kind == "bad_texture");
        CHECK(result.fault().message == std::string(c.message));
      }
    }
  }

  TEST_CASE("a texture goes to a parameter of its type only, and nothing else goes there") {
    const CompileOutcome outcome =
        compiled_source("__global__ void k(cudaTextureObject_t t, float* y, int n) {}\n");
    ResolvedPlan plan;
    plan.buffers = {buffer_of("x", DType::kF32, 12), buffer_of("y", DType::kF32, 12)};
    plan.textures = {Texture{.buffer = 0, .size = {4, 3, 0}, .modes = {}}};
    LaunchArg number;
    number.text = "7";
    const auto refusal = [&](const std::vector<LaunchArg>& args) {
      plan.steps = {LaunchStep{.entry = "k", .args = args}};
      return to_text(check_arguments(plan, outcome.image).error());
    };
    plan.steps = {LaunchStep{.entry = "k", .args = {first_texture(), first_buffer(), number}}};
    CHECK(check_arguments(plan, outcome.image).has_value());
    CHECK(refusal({first_buffer(), first_buffer(), number}) ==
          "invalid_argument: launches[0].args[0]: argument `y` is not a texture, but parameter "
          "`cudaTextureObject_t t` is; say {\"texture\": \"<buffer>\", \"width\": \"...\", "
          "\"height\": \"...\"}");
    CHECK(refusal({number, first_buffer(), number}) ==
          "invalid_argument: launches[0].args[0]: argument `7` is not a texture, but parameter "
          "`cudaTextureObject_t t` is; say {\"texture\": \"<buffer>\", \"width\": \"...\", "
          "\"height\": \"...\"}");
    CHECK(
        refusal({first_texture(), first_texture(), number}) ==
        "invalid_argument: launches[0].args[1]: argument `x` is a texture, but parameter `float * "
        "y` is not; declare it as `cudaTextureObject_t`");
    CHECK(refusal({first_texture(), first_buffer(), first_texture()}) ==
          "invalid_argument: launches[0].args[2]: argument `x` is a texture, but parameter `int n` "
          "is not; declare it as `cudaTextureObject_t`");
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
