// The examples in both languages: for an AMD GPU by hiprtc, and as HIP on the CPU engine.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "runtime/compile/sass.h"
#include "runtime/compile/toolkit.h"
#include "runtime/lineage/workflow_script.h"
#include "tests/support/examples_here.h"
#include "tests/support/golden.h"
#include "tests/support/hip_here.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kArch = "gfx90a";

std::string isa_of(const std::string& kernel, const std::string& query) {
  const auto resource = tools().resources().read("kernel://" + kernel + "/isa" + query);
  return resource ? resource->text : to_text(resource.error());
}

Json read_json(const fs::path& path) {
  return Json::parse(read_file(path).value());
}

Json in_hip(Json kernel) {
  kernel["language"] = "hip";
  return kernel;
}

struct Expected {
  const char* name;     ///< The name of the example.
  const char* verdict;  ///< For the AMD GPU; all others compile.
};

/// The kernels without PTX: the one that does not compile must not.
constexpr Expected kOthers[] = {{"broken_compile", "compile_error"}};

std::string wanted(const std::string& name) {
  const auto* const at = std::find_if(std::begin(kOthers), std::end(kOthers),
                                      [&](const Expected& row) { return name == row.name; });
  return at == std::end(kOthers) ? "compiled" : at->verdict;
}

/// y = 2 x as HIP's own programs spell it.
Json hip_kernel() {
  return in_hip(
      with_source("#include <hip/hip_runtime.h>\n"
                  "__global__ void k(const int* x, int* y, int n) {\n"
                  "  HIP_DYNAMIC_SHARED(int, unused)\n"
                  "  int i = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;\n"
                  "  if (i < n) y[i] = 2 * x[i];\n}\n"));
}

/// y = 2 x, each element by way of its neighbours in the wavefront and a vote.
Json wave_kernel() {
  return in_hip(
      with_source("#include <hip/hip_runtime.h>\n"
                  "__global__ void k(const int* x, int* y, int n) {\n"
                  "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                  "  int v = i < n ? x[i] : 0;\n"
                  "  int there = __shfl_xor(v, 1);\n"
                  "  int back = __shfl_xor(there, 1, warpSize);\n"
                  "  unsigned long long here = __ballot(1);\n"
                  "  if (i < n && (here >> __lane_id() & 1)) y[i] = v + back;\n}\n"));
}

}  // namespace

TEST_SUITE("hip.examples") {
  TEST_CASE("every example compiles for an AMD GPU as it is written, with its registers") {
    if (!hiprtc_is_here()) {
      return;
    }
    for (const fs::path& folder : example_folders()) {
      const Json problem = read_json(folder / "problem.json");
      for (const fs::path& file : sorted_entries(folder)) {
        if (file.filename() == "problem.json" || !least_arch(file).empty()) {
          continue;
        }
        CAPTURE(file.string());
        const Json output = tools().result(
            "compile_kernel", {{"problem", problem}, {"kernel", read_json(file)}, {"arch", kArch}});
        CHECK_MESSAGE(output["verdict"] == wanted(file.stem()), output["summary"]);
        for (const Json& entry : output["entries"]) {
          CHECK(entry["registers"] > 0);
        }
      }
    }
  }

  TEST_CASE("the code for an AMD GPU can be read where LLVM's disassembler is") {
    const std::string kernel = tools().compiled(twice_problem(), good_kernel());
    CHECK(isa_of(kernel, "") == "no ISA: name an AMD architecture, such as ?arch=gfx90a\n");
    if (!hiprtc_is_here()) {
      return;
    }
    const std::string text = isa_of(kernel, "?arch=gfx90a");
    if (find_amd_disassembler().empty()) {
      CHECK(text == "no ISA: llvm-objdump is not here; apt install llvm\n");
      return;
    }
    CHECK(text.find("global_load_dword ") != std::string::npos);
    CHECK(text.find("s_endpgm") != std::string::npos);
  }

  TEST_CASE("the kernel that each workflow begins with compiles for an AMD GPU") {
    if (!hiprtc_is_here()) {
      return;
    }
    for (const char* name : {"layernorm", "matmul-f16", "matmul-f32", "softmax"}) {
      CAPTURE(std::string(name));
      const auto workflow = read_workflow(source_dir() / "examples" / "workflows" / name);
      REQUIRE_MESSAGE(workflow.has_value(), to_text(workflow.error()));
      const Json output = tools().result(
          "compile_kernel",
          {{"problem", workflow->problem}, {"kernel", workflow->kernel}, {"arch", kArch}});
      CHECK_MESSAGE(output["verdict"] == "compiled", output["summary"]);
    }
  }

  TEST_CASE("every example is right as HIP on the CPU engine") {
    for (const fs::path& folder : example_folders()) {
      const Json problem = read_json(folder / "problem.json");
      for (const fs::path& file : sorted_entries(folder)) {
        const std::string name = file.stem();
        if (name == "problem" || name.starts_with("broken_") || !least_arch(file).empty()) {
          continue;
        }
        CAPTURE(file.string());
        const Json output = tools().judge(problem, in_hip(read_json(file)));
        CHECK_MESSAGE(output["verdict"] == "passed", output["summary"]);
      }
    }
  }

  TEST_CASE("HIP's own spellings are right on the CPU engine, and compile for AMD GPUs") {
    for (const Json& kernel : {hip_kernel(), wave_kernel()}) {
      CHECK(tools().judge(twice_problem(), kernel)["verdict"] == "passed");
      if (hiprtc_is_here()) {
        const Json output = tools().result(
            "compile_kernel", {{"problem", twice_problem()}, {"kernel", kernel}, {"arch", kArch}});
        CHECK_MESSAGE(output["verdict"] == "compiled", output["summary"]);
      }
    }
  }

  TEST_CASE("CUDA's header is not there for a kernel in HIP's, nor HIP's for one in CUDA") {
    Json cuda = hip_kernel();
    cuda["language"] = "cuda";
    const Json output =
        tools().result("compile_kernel", {{"problem", twice_problem()}, {"kernel", cuda}});
    CHECK(output["verdict"] == "compile_error");
    CHECK(output["diagnostics"][0]["message"] == "'hip/hip_runtime.h' file not found");
  }

  TEST_CASE("a kernel in HIP does not go to NVIDIA's compiler") {
    if (!find_toolkit({})) {
      MESSAGE("left out: a kernel in HIP for an NVIDIA GPU (no CUDA toolkit is here)");
      return;
    }
    const Json output = tools().result(
        "compile_kernel",
        {{"problem", twice_problem()}, {"kernel", in_hip(good_kernel())}, {"arch", "sm_80"}});
    CHECK(output["verdict"] == "unsupported");
    CHECK(output["diagnostics"][0]["message"] ==
          "the kernel's language is `hip`, which sm_80 without a device (sm_80) does not take: "
          "compile it for cpu:0 or a device with that language");
  }

  TEST_CASE("more LDS than the architecture has is a resource limit, found without it") {
    if (!hiprtc_is_here()) {
      return;
    }
    Json kernel = good_kernel();
    kernel["launches"][0]["shared_bytes"] = "70000";
    const Json refused = tools().result(
        "compile_kernel", {{"problem", twice_problem()}, {"kernel", kernel}, {"arch", kArch}});
    CHECK(refused["verdict"] == "resource_limit");
    CHECK(refused["diagnostics"][0]["message"] ==
          "launches[0]: `k` needs 70000 bytes of shared memory (0 static, 70000 dynamic); the "
          "device has 65536");
  }
}

}  // namespace ws::test
