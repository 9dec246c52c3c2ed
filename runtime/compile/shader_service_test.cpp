// Through real workers with the real glslang, where this build has it.
#include "runtime/compile/shader_service.h"

#include <filesystem>

#include <doctest/doctest.h>

#include "runtime/compile/glslang/plugin.h"
#include "runtime/compile/spirv/module.h"
#include "runtime/compile/test_requests.h"

namespace ws {

TEST_SUITE("compile.spirv") {
  /// Null where the plug-in was not built; says so once.
  CompileService* shader_compiler() {
    static const std::unique_ptr<CompileService> shared = [] {
      const std::string folder = WS_BINARY_DIR;
      if (!std::filesystem::exists(folder + "/" + kSpirvPluginFile)) {
        MESSAGE("left out: the tests of HLSL and GLSL (built without glslang-dev)");
        return std::unique_ptr<CompileService>();
      }
      return std::make_unique<CompileService>(shader_service(folder + "/warpsmith"));
    }();
    return shared.get();
  }

  CompileOutcome compile_shaders(const CompileRequest& request) {
    const auto reply = shader_compiler()->compile(request, {}, /*fresh=*/true);
    REQUIRE_MESSAGE(reply.has_value(), to_text(reply.error()));
    return *reply->outcome;
  }

  CompileRequest hlsl(std::string source, std::vector<std::string> entries = {"k"}) {
    return request_in("hlsl", "", std::move(source), std::move(entries));
  }

  /// "a:buffer of float n:uint "
  std::string names_and_types(const CompiledEntry& entry) {
    std::string text;
    for (const EntryParam& param : entry.params) {
      text += param.name + ":" + param.type + " ";
    }
    return text;
  }

  TEST_CASE("an entry has the buffers and constants that it uses, its threads and shared memory") {
    if (shader_compiler() == nullptr) {
      return;
    }
    const CompileOutcome outcome =
        compile_shaders(hlsl("StructuredBuffer<float4> a : register(t7);\n"
                             "RWByteAddressBuffer raw : register(u7);\n"
                             "RWStructuredBuffer<int> unused;\n"
                             "[[vk::push_constant]] cbuffer Sizes { uint n; uint other; };\n"
                             "cbuffer More { float alpha; };\n"
                             "groupshared float tile[4][33];\n"
                             "[numthreads(8, 4, 2)] void first(uint i : SV_GroupIndex) {\n"
                             "  tile[i % 4][i % 33] = a[i].x * alpha;\n"
                             "  GroupMemoryBarrierWithGroupSync();\n"
                             "  raw.Store(n, asuint(tile[0][0]));\n"
                             "}\n"
                             "[numthreads(32, 1, 1)] void second() { unused[other] = 1; }\n",
                             {"first", "second"}));
    REQUIRE_MESSAGE(outcome.verdict == CompileVerdict::kCompiled, outcome.message);
    REQUIRE(outcome.image.entries.size() == 2);
    const CompiledEntry& first = outcome.image.entries[0];
    CHECK(names_and_types(first) == "a:a buffer of float raw:a buffer of uint alpha:float n:uint ");
    CHECK(first.block == std::array<std::int64_t, 3>{8, 4, 2});
    CHECK(first.shared_bytes == 4 * 33 * 4);
    CHECK(first.by_name);
    const CompiledEntry& second = outcome.image.entries[1];
    CHECK(names_and_types(second) == "unused:a buffer of int other:uint ");
    CHECK(second.shared_bytes == 0);
    CHECK(outcome.image.sites.empty());
    const auto shaders = spirv::decode_shaders(outcome.image.blob);
    REQUIRE(shaders.has_value());
    CHECK(shaders->size() == 2);
  }

  TEST_CASE("a build that checks knows each access, each loop and their lines") {
    if (shader_compiler() == nullptr) {
      return;
    }
    CompileRequest request = hlsl(
        "RWStructuredBuffer<float> a;\n"
        "groupshared float tile[64];\n"
        "[numthreads(64, 1, 1)] void k(uint i : SV_GroupIndex) {\n"
        "  tile[i] = a[i];\n"
        "  for (uint j = 0; j < i; ++j) {\n"
        "    a[j] = tile[0];\n"
        "  }\n"
        "}\n");
    request.build = Build::kBounds;
    const CompileOutcome outcome = compile_shaders(request);
    REQUIRE_MESSAGE(outcome.verdict == CompileVerdict::kCompiled, outcome.message);
    const auto shaders = spirv::decode_shaders(outcome.image.blob);
    REQUIRE(shaders.has_value());
    std::string text;
    for (const spirv::CheckedAccess& access : shaders->at(0).accesses) {
      text += std::to_string(outcome.image.sites.at(access.site).line) +
              (access.element_bytes == 0 ? " loop"
               : access.write != 0       ? " write "
                                         : " read ") +
              (access.element_bytes == 0 ? "" : outcome.image.objects.at(access.object)) + ", ";
    }
    CHECK(text == "4 read a, 4 write tile, 6 write a, 5 loop, ");
  }

  TEST_CASE("GLSL has its own entries by name, headers that were sent along, and defines") {
    if (shader_compiler() == nullptr) {
      return;
    }
    CompileRequest request = request_in(
        "glsl", "",
        "#version 450\n"
        "#include \"scale.h\"\n"
        "layout(local_size_x = 32) in;\n"
        "layout(std430) buffer Data { float a[]; };\n"
        "layout(push_constant) uniform Sizes { int n; };\n"
        "void twice() { if (gl_GlobalInvocationID.x < n) a[gl_GlobalInvocationID.x] *= SCALE; }\n",
        {"twice"});
    request.source.headers = {{"scale.h", "#define SCALE FACTOR\n"}};
    request.source.options = {"-DFACTOR=2"};
    const CompileOutcome outcome = compile_shaders(request);
    REQUIRE_MESSAGE(outcome.verdict == CompileVerdict::kCompiled, outcome.message);
    CHECK(names_and_types(outcome.image.entries.at(0)) == "a:a buffer of float n:int ");
  }

  struct BadShader {
    const char* name;
    const char* source;
    const char* message;
  };

  constexpr BadShader kBadShaders[] = {
      {"syntax", "[numthreads(1, 1, 1)] void k() {\n  int i = ;\n}\n", "`initializer`: Expected"},
      {"name", "[numthreads(1, 1, 1)] void k() {\n  int i = missing;\n}\n",
       "`missing`: unknown variable"},
      {"types", "[numthreads(1, 1, 1)] void k() { float3 v = float2(1, 2); }\n",
       "`=`: cannot convert from ' const 2-component vector of float' to ' temp 3-component vector "
       "of float'"},
      {"entry", "[numthreads(1, 1, 1)] void other() {}\n",
       "entry `k`: the source has no such function"},
      {"header", "#include \"secret.h\"\n[numthreads(1, 1, 1)] void k() {}\n",
       "`#include`: the header `secret.h` was not sent along, in `headers`"},
      {"file", "#include \"/etc/passwd\"\n[numthreads(1, 1, 1)] void k() {}\n",
       "`#include`: the header `/etc/passwd` was not sent along, in `headers`"},
      {"pushed",
       "[[vk::push_constant]] cbuffer P { float4 a, b, c, d, e, f, g, h; float i; };\n"
       "RWStructuredBuffer<float> o;\n[numthreads(1, 1, 1)] void k() { o[0] = i; }\n",
       "entry `k`: its push constants have 132 bytes; every device has 128, and a cbuffer may have "
       "more"},
      {"recursion",
       "RWStructuredBuffer<float> y;\nvoid f(uint n) { if (n > 0) f(n - 1); y[n] = 1; }\n"
       "[numthreads(1, 1, 1)] void k() { f(3); }\n",
       "Recursion detected"},
      {"array of buffers",
       "RWStructuredBuffer<float> y[2];\n[numthreads(1, 1, 1)] void k(uint i : SV_GroupIndex) { "
       "y[i][0] = 1; }\n",
       "`expression`: left of '[' is not of type array, matrix, or vector"},
      {"code that is not valid",
       "RWByteAddressBuffer y;\n[numthreads(1, 1, 1)] void k() { y.InterlockedAdd(0, 1); }\n",
       "entry `k`: the code that glslang made of it is not valid: AtomicIAdd: expected Value to be "
       "of type Result Type"},
      {"vector",
       "cbuffer P { float2 v; };\nRWStructuredBuffer<float> o;\n"
       "[numthreads(1, 1, 1)] void k() { o[0] = v.x; }\n",
       "entry `k`: the constant `v` is no number, which arguments are"},
      {"image",
       "RWTexture2D<float> image;\n[numthreads(1, 1, 1)] void k() { image[uint2(0, 0)] = 1; }\n",
       "entry `k`: `image` is an image, a typed buffer or a sampler, which no argument is"},
  };

  TEST_CASE("a header that includes itself is a compile error") {
    if (shader_compiler() == nullptr) {
      return;
    }
    CompileRequest request = hlsl("#include \"x.h\"\n[numthreads(1, 1, 1)] void k() {}\n");
    request.source.headers["x.h"] = "#include \"x.h\"\n";
    const CompileOutcome outcome = compile_shaders(request);
    CHECK(outcome.verdict == CompileVerdict::kCompileError);
    CHECK(outcome.message == "`#include`: headers include each other more than 64 deep");
    REQUIRE_FALSE(outcome.diagnostics.empty());
    CHECK(outcome.diagnostics[0].region == "x.h");
  }

  TEST_CASE("a wrong shader is a compile error that says what is wrong") {
    if (shader_compiler() == nullptr) {
      return;
    }
    for (const BadShader& row : kBadShaders) {
      CAPTURE(row.name);
      const CompileOutcome outcome = compile_shaders(hlsl(row.source));
      CHECK(outcome.verdict == CompileVerdict::kCompileError);
      CHECK(outcome.message == row.message);
    }
  }

  TEST_CASE("a diagnostic has the client's line and shows it") {
    if (shader_compiler() == nullptr) {
      return;
    }
    CompileRequest request = hlsl("[numthreads(1, 1, 1)] void k() {\n  int i = missing;\n}\n");
    request.source.macros = "#define ONE 1\n#define TWO 2\n";
    const CompileOutcome outcome = compile_shaders(request);
    REQUIRE(!outcome.diagnostics.empty());
    CHECK(outcome.diagnostics[0].region == "source");
    CHECK(outcome.diagnostics[0].line == 2);
    CHECK(outcome.diagnostics[0].snippet == "  int i = missing;\n  ^");
  }

  TEST_CASE("a shader may prune itself") {
    if (shader_compiler() == nullptr) {
      return;
    }
    const CompileOutcome outcome =
        compile_shaders(hlsl("#error ws_invalid: too large\n[numthreads(1, 1, 1)] void k() {}\n"));
    CHECK(outcome.verdict == CompileVerdict::kPruned);
  }
}

}  // namespace ws
