// compile_kernel for NVIDIA architectures, where a CUDA toolkit is and no GPU needs to be.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/compile/toolkit.h"
#include "runtime/device/cuda/worker/helper_kernels.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

bool toolkit_is_here() {
  static const bool here = [] {
    const auto toolkit = find_toolkit({});
    if (!toolkit) {
      MESSAGE("left out: compiling for NVIDIA GPUs (" << toolkit.error().message << ")");
    }
    return toolkit.has_value();
  }();
  return here;
}

/// The toolkit's ptxas; empty where there is none.
std::filesystem::path ptxas() {
  const auto toolkit = find_toolkit({});
  std::filesystem::path folder = toolkit ? toolkit->include : "/";
  for (; folder != folder.root_path(); folder = folder.parent_path()) {
    if (std::filesystem::exists(folder / "bin/ptxas")) {
      return folder / "bin/ptxas";
    }
  }
  return {};
}

Json compile_for_arch(const Json& kernel, const std::string& arch) {
  return tools().result("compile_kernel",
                        {{"problem", twice_problem()}, {"kernel", kernel}, {"arch", arch}});
}

std::string read_text(const std::string& uri) {
  const auto resource = tools().resources().read(uri);
  return resource ? resource->text : to_text(resource.error());
}

/// The link of a result.
std::string uri_of(const Json& output, const char* rel) {
  for (const Json& link : output["links"]) {
    if (link["rel"] == rel) {
      return link["uri"];
    }
  }
  return {};
}

}  // namespace

TEST_SUITE("tools.cuda_offline") {
  TEST_CASE("a kernel compiled for a GPU has registers, occupancy and PTX to read") {
    if (!toolkit_is_here()) {
      return;
    }
    const Json output = compile_for_arch(good_kernel(), "sm_90a");
    REQUIRE(output["verdict"] == "compiled");
    CHECK(output["emulated"] == false);
    const Json& entry = output["entries"].at(0);
    CHECK(entry["registers"].get<int>() > 0);
    CHECK(entry["registers"].get<int>() < 33);
    CHECK(entry["local_bytes"] == 0);
    CHECK(entry["max_threads"] == 1024);
    CHECK(entry["occupancy"] == 1.0);
    CHECK(output["instructions"]["store_global"] == 1);
    const std::string id = output["kernel_id"];
    CHECK(output["instructions_from"] == "ptx");
    const auto ptx = tools().resources().read("kernel://" + id + "/ptx");
    REQUIRE(ptx.has_value());
    CHECK(ptx->text.find(".target sm_90a") != std::string::npos);
    CHECK(ptx->text.find("st.global.u32") != std::string::npos);
  }

  TEST_CASE("registers and spills are told of each choice of parameters that is asked for") {
    if (!toolkit_is_here()) {
      return;
    }
    Json kernel = twice_kernel(
        "float v[@V@]; for (int j = 0; j < @V@; ++j) v[j] = x[(i + j) % n];"
        " __syncthreads(); float s = 0; for (int j = 0; j < @V@; ++j) s += v[j] * v[@V@ - 1 - j];"
        " if (i < n) y[i] = (int)s;");
    kernel["params"] = {{"V", {1, 40, 2000}}};
    kernel["constraints"] = {"V < 1000"};
    const auto arguments = [&](const Json& variants) {
      return Json{{"problem", twice_problem()},
                  {"kernel", kernel},
                  {"arch", "sm_90a"},
                  {"variants", variants}};
    };
    const Json output =
        tools().result("compile_kernel", arguments({{{"V", 1}}, {{"V", 40}}, Json::object()}));
    REQUIRE(output["variants"].size() == 3);
    const Json& few = output["variants"][0];
    const Json& many = output["variants"][1];
    CHECK(few["params"] == Json{{"V", 1}});
    CHECK(few["verdict"] == "compiled");
    CHECK(few["entries"] == output["entries"]);  // 1 is the default.
    CHECK(many["entries"][0]["registers"].get<int>() > few["entries"][0]["registers"].get<int>());
    CHECK(output["variants"][2] == few);
    CHECK_FALSE(tools().result("compile_kernel", arguments(Json::array())).contains("variants"));
    CHECK(tools().refusal("compile_kernel", arguments({{{"W", 1}}})) ==
          "invalid_argument: params: the kernel has no parameter `W`; known: V");
  }

  TEST_CASE("PTX is that of the architecture that was asked for, whatever was compiled since") {
    if (!toolkit_is_here()) {
      return;
    }
    const Json hopper = compile_for_arch(good_kernel(), "sm_90a");
    const Json ampere = compile_for_arch(good_kernel(), "sm_86");
    CHECK(read_text(uri_of(hopper, "ptx")).find(".target sm_90a") != std::string::npos);
    CHECK(read_text(uri_of(ampere, "ptx")).find(".target sm_86") != std::string::npos);
    const std::string kernel = "kernel://" + hopper["kernel_id"].get<std::string>();
    CHECK(read_text(kernel + "/ptx?arch=sm_90a").find(".target sm_90a") != std::string::npos);
    CHECK(read_text(kernel + "/ptx?arch=sm_80").empty());
    CHECK(read_text(kernel + "/sass?arch=sm_80") ==
          "no SASS: the kernel was not compiled for an NVIDIA GPU of that architecture; call "
          "compile_kernel\n");
    CHECK(read_text(kernel + "/ptx?ach=sm_80") ==
          "invalid_argument: `ach=sm_80` is not offset=N, limit=N, arch=ARCH, evidence=ID, "
          "from=ID or device=ID");
  }

  TEST_CASE("machine code is disassembled where a disassembler is, and counted on request") {
    if (!toolkit_is_here()) {
      return;
    }
    const Json output = compile_for_arch(good_kernel(), "sm_90a");
    std::vector<std::string>& folders = tools().services().options.cuda_folders;
    const std::vector<std::string> before = folders;
    if (find_disassembler(before).empty()) {
      CHECK(read_text(uri_of(output, "sass")) ==
            "no SASS: unsupported: neither nvdisasm nor cuobjdump is here; pip install "
            "nvidia-cuda-nvdisasm, or apt install cuda-nvdisasm-13-0 from NVIDIA's repository, and "
            "set WARPSMITH_CUDA to the folder with bin/nvdisasm\n");
    }
    const TestFolder folder;
    std::filesystem::create_directories(folder.path() / "bin");
    const auto tool = folder.path() / "bin/nvdisasm";
    std::ofstream(tool) << "#!/bin/sh\nhead -c 4 \"$2\" | tail -c 3; echo\n"
                           "echo '  /*0000*/  @P0 HGMMA.64x8 R1 ;'\n";
    std::filesystem::permissions(tool, std::filesystem::perms::owner_all);
    folders = {folder.path().string()};
    CHECK(read_text(uri_of(output, "sass")) == "ELF\n  /*0000*/  @P0 HGMMA.64x8 R1 ;\n");
    const Json full = tools().result(
        "compile_kernel",
        {{"kernel_id", output["kernel_id"]}, {"arch", "sm_90a"}, {"detail", "full"}});
    CHECK(full["instructions"] == Json{{"HGMMA", 1}});
    CHECK(full["instructions_from"] == "sass");
    folders = before;
  }

  TEST_CASE("too much shared memory for the architecture is a resource limit, found without it") {
    if (!toolkit_is_here()) {
      return;
    }
    Json kernel = good_kernel();
    kernel["launches"][0]["shared_bytes"] = "150000";
    CHECK(compile_for_arch(kernel, "sm_90a")["verdict"] == "compiled");
    const Json refused = compile_for_arch(kernel, "sm_86");
    CHECK(refused["verdict"] == "resource_limit");
    CHECK(refused["diagnostics"][0]["message"] ==
          "launches[0]: `k` needs 150000 bytes of shared memory (0 static, 150000 dynamic); the "
          "device has "
          "101376");
  }

  TEST_CASE("more threads than its launch bounds allow are refused before a launch") {
    if (!toolkit_is_here()) {
      return;
    }
    const Json refused = compile_for_arch(
        with_source("__global__ __launch_bounds__(32) void k(int* x, int* y, int n) {\n"
                    "  int i = blockIdx.x * 64 + threadIdx.x;\n  if (i < n) y[i] = 2 * x[i];\n}\n"),
        "sm_90a");
    CHECK(refused["verdict"] == "resource_limit");
    CHECK(refused["diagnostics"][0]["message"] ==
          "launches[0]: `k` allows blocks of 32 threads by its __launch_bounds__ or registers; the "
          "launch has 64");
  }

  TEST_CASE("an error has its line, whichever compiler finds it") {
    if (!toolkit_is_here()) {
      return;
    }
    const Json output = compile_for_arch(
        with_source("__global__ void k(int* x, int* y, int n) {\n  y[i] = 2;\n}\n"), "sm_80");
    CHECK(output["verdict"] == "compile_error");
    const Json& first = output["diagnostics"][0];
    CHECK(first["region"] == "source");
    CHECK(first["line"] == 2);
    CHECK(first["message"] == "identifier \"i\" is undefined");
  }

  TEST_CASE("our own device code assembles for every GPU that a driver may have") {
    const std::filesystem::path assembler = ptxas();
    if (assembler.empty()) {
      MESSAGE("left out: assembling our own device code (there is no ptxas)");
      return;
    }
    std::string local = cuda::kLocalPoisonPtx;
    local.replace(local.find("BYTES"), 5, "4096");
    for (const std::string& code : {std::string(cuda::kHelperPtx), local}) {
      for (const char* arch : {"sm_75", "sm_90a"}) {
        const TestFolder folder;
        const auto file = folder.path() / "helpers.ptx";
        std::ofstream(file) << code;
        const std::string command =
            assembler.string() + " -arch=" + arch + " -o /dev/null " + file.string();
        CHECK(std::system(command.c_str()) == 0);  // NOLINT(concurrency-mt-unsafe)
      }
    }
  }

  TEST_CASE("an architecture that the compiler does not know is named with those it knows") {
    if (!toolkit_is_here()) {
      return;
    }
    const Json output = compile_for_arch(good_kernel(), "sm_1");
    CHECK(output["verdict"] == "unsupported");
    CHECK(output["next_steps"][0]["tool"] == "list_devices");
    const std::string message = output["diagnostics"][0]["message"];
    CHECK(message.find("does not compile for `sm_1`; it knows sm_") != std::string::npos);
  }
}

}  // namespace ws::test
