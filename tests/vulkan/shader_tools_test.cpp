// The tools on shaders: what is judged, timed and tuned, and every bad input.
#include <doctest/doctest.h>

#include "tests/vulkan/doubling.h"

namespace ws::test {
TEST_SUITE("tools.vulkan") {
  TEST_CASE("indices of 16 bits have bounds") {
    if (!lavapipe_is_here()) {
      return;
    }
    for (const char* index : {"int16_t(i) - int16_t(1)", "uint16_t(i) + uint16_t(2000)"}) {
      CAPTURE(index);
      Json kernel =
          shader(std::string("layout(local_size_x = 64) in;\n"
                             "layout(std430) readonly buffer X { float x[]; };\n"
                             "layout(std430) writeonly buffer Y { float y[]; };\n"
                             "layout(push_constant) uniform Sizes { uint n; };\n"
                             "void k() { uint i = gl_GlobalInvocationID.x; if (i < n) y[") +
                 index + "] = 2 * x[i]; }\n");
      kernel["language"] = "glsl";
      CHECK(shader_tools().judge(doubling_problem(), kernel)["verdict"] == "out_of_bounds");
    }
  }

  TEST_CASE("a capability that the device lacks is named") {
    if (!lavapipe_is_here()) {
      return;
    }
    Json kernel = shader(
        "#extension GL_KHR_shader_subgroup_clustered : enable\n"
        "layout(local_size_x = 64) in;\n"
        "layout(std430) readonly buffer X { float x[]; };\n"
        "layout(std430) writeonly buffer Y { float y[]; };\n"
        "layout(push_constant) uniform Sizes { uint n; };\n"
        "void k() { uint i = gl_GlobalInvocationID.x; if (i < n) y[i] = "
        "subgroupClusteredAdd(x[i], 4u); }\n");
    kernel["language"] = "glsl";
    const Json answer = shader_tools().judge(doubling_problem(), kernel);
    CHECK(answer["verdict"] == "unsupported");
    const Json device =
        shader_tools().result("list_devices", {{"device", "vulkan:0"}})["devices"][0];
    CHECK(answer["summary"] == answer["kernel_id"].get<std::string>() +
                                   ": unsupported: the shader needs GroupNonUniformClustered, "
                                   "which " +
                                   device["name"].get<std::string>() + " does not have");
  }

  TEST_CASE("without a name of a device, shaders go where they can run") {
    if (!lavapipe_is_here()) {
      return;
    }
    const std::string id = shader_tools().compiled(doubling_problem(), shader(doubling(kRight)));
    const Json seen = shader_tools().result("validate", {{"kernel_id", id}});
    CHECK(seen["verdict"] == "passed");
    const Json refused =
        shader_tools().result("compile_kernel", {{"problem", doubling_problem()},
                                                 {"kernel", shader(doubling(kRight))},
                                                 {"device", "cpu:0"}});
    CHECK(refused["verdict"] == "unsupported");
  }

  TEST_CASE("a shader is timed against another one") {
    if (!lavapipe_is_here()) {
      return;
    }
    const std::string id = shader_tools().compiled(doubling_problem(), shader(doubling(kRight)));
    CHECK(shader_tools().result("validate", {{"kernel_id", id}})["verdict"] == "passed");
    const Json timed =
        shader_tools().result("benchmark", {{"kernel_id", id}, {"baseline", "none"}});
    CHECK(timed["emulated"] == true);
    CHECK(timed["workloads"][0]["median_us"] > 0);
  }

  TEST_CASE("a shader whose reference is in CUDA is evaluated against its root") {
    if (!lavapipe_is_here()) {
      return;
    }
    const std::string id = shader_tools().compiled(doubling_problem(), shader(doubling(kRight)));
    const Json answer = shader_tools().result("evaluate", {{"kernel_id", id}});
    CHECK(answer["baseline"] == "root");
    CHECK(answer["validation"]["verdict"] == "passed");
    const std::string refusal =
        shader_tools().refusal("evaluate", {{"kernel_id", id}, {"baseline", "reference"}});
    CAPTURE(refusal);
    CHECK(refusal.starts_with("unsupported: krn_reference_"));
    CHECK(refusal.find(" does not run on ") != std::string::npos);
    CHECK(
        refusal.ends_with(" does not take: compile it for cpu:0 or a device with that language; "
                          "choose another baseline or other workloads"));
  }

  TEST_CASE("after shaders that hang, the next one is right") {
    if (!lavapipe_is_here()) {
      return;
    }
    const Json endless = shader(
        doubling("float s = 1; while (s > 0) { s += abs(x[0]); } if (id.x < n) y[id.x] = s;"));
    // This one does not reach the number of turns at which lavapipe ends loops.
    const Json endless_groups =
        shader(doubling("float s = 0; for (uint i = 0; i < 60000; ++i) { s += x[i % n]; } "
                        "if (id.x < n) y[id.x] = s;"),
               R"({"grid": ["60000", "60000"]})");
    for (int i = 0; i < 3; ++i) {
      CHECK(shader_tools().judge(doubling_problem(), endless)["verdict"] == "timeout");
      CHECK(shader_tools().judge(doubling_problem(), endless_groups)["verdict"] == "timeout");
    }
    CHECK(shader_tools().judge(doubling_problem(), shader(doubling(kRight)))["verdict"] ==
          "passed");
  }

  TEST_CASE("what tools cannot do with a shader they say") {
    if (!lavapipe_is_here()) {
      return;
    }
    const std::string id = shader_tools().compiled(doubling_problem(), shader(doubling(kRight)));
    CHECK(
        shader_tools().refusal("profile", {{"kernel_id", id}}) ==
        "unsupported: the kernel's language is `hlsl`, and nothing counts what shaders do; profile "
        "the kernel in CUDA C++");
    CHECK(shader_tools().refusal("validate", {{"kernel_id", id}, {"level", "sanitize"}}) ==
          "unsupported: level `sanitize` needs a sanitizer, and vulkan:0 has none; use level "
          "`standard`, which checks each access of a shader");
    CHECK(shader_tools().refusal("lift_to_ir", {{"kernel_id", id}}) ==
          "unsupported: a kernel in HLSL cannot be lifted; kernels in CUDA, HIP and languages of "
          "tiles can");
  }

  TEST_CASE("beside devices of Vulkan, kernels in CUDA are lifted as before") {
    if (!lavapipe_is_here()) {
      return;
    }
    Json problem = doubling_problem();
    const Json kernel = {{"source", problem["reference"]["source"]},
                         {"launches", problem["reference"]["launches"]}};
    const std::string id = shader_tools().compiled(problem, kernel);
    CHECK(shader_tools().result("lift_to_ir", {{"kernel_id", id}})["verdict"] == "lifted");
  }

  TEST_CASE("launches that are no shaders' are refused") {
    const std::string source = doubling(kRight);
    CHECK(tools().refusal("compile_kernel",
                          {{"problem", doubling_problem()},
                           {"kernel", shader(source, R"({"shared_bytes": "64"})")}}) ==
          "invalid_argument: kernel.launches[0].shared_bytes: a shader's launch has no "
          "`shared_bytes`; declare shared memory in the source");
    CHECK(
        tools().refusal(
            "compile_kernel",
            {{"problem", doubling_problem()},
             {"kernel",
              shader(source, R"({"args": ["x", "y", {"value": "n", "type": "u32"}]})")}}) ==
        "invalid_argument: kernel.launches[0].args[2]: `as` is missing: a shader's arguments go by "
        R"(their names in it; say {"value": ..., "type": ..., "as": "<name in the shader>"})");
    CHECK(
        tools().refusal("compile_kernel",
                        {{"problem", doubling_problem()},
                         {"kernel", shader(source, R"({"args": ["x", {"null": true}, "n"]})")}}) ==
        "invalid_argument: kernel.launches[0].args[1]: a shader takes buffers and numbers, each by "
        "its name");
  }

  TEST_CASE("without Vulkan, a shader and its device are refused with what to install") {
    CHECK(tools().refusal("compile_kernel", {{"problem", doubling_problem()},
                                             {"kernel", shader(doubling(kRight))},
                                             {"device", "vulkan:0"}}) ==
          "not_found: no device `vulkan:0`; the devices here are cpu:0; apt install "
          "mesa-vulkan-drivers for one of Vulkan");
    const Json answer = tools().result(
        "compile_kernel", {{"problem", doubling_problem()}, {"kernel", shader(doubling(kRight))}});
    CHECK(answer["verdict"] == "unsupported");
  }
}

}  // namespace ws::test
