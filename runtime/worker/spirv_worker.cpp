#include "runtime/worker/spirv_worker.h"

#include <string>

#include "runtime/compile/compile.h"
#include "runtime/compile/glslang/plugin.h"
#include "runtime/queue/frame.h"
#include "runtime/queue/process.h"
#include "runtime/worker/compiler_plugin.h"
#include "runtime/worker/confined_child.h"

namespace ws {
namespace {

constexpr std::uint64_t kShaderCpuSeconds = 20;
constexpr std::uint64_t kShaderMemory = std::uint64_t{2} << 30U;
/// As for NVRTC: a forked process pays for its pages in its first compile.
constexpr int kShadersPerChild = 32;

constexpr CompilerPlugin kShaderPlugin = {
    kSpirvPluginFile, "warpsmith_spirv_plugin", kSpirvPluginAbi,
    "this build has no compiler of HLSL and GLSL",
    "apt install glslang-dev spirv-tools, and build warpsmith again"};

/// Children start with glslang's tables of built-in functions already in memory.
void warm_up_shaders(const WsSpirvPlugin& plugin) {
  CompileRequest request;
  request.source.entries = {"main"};
  request.source.language = "hlsl";
  request.source.source = "[numthreads(1, 1, 1)] void main() {}\n";
  compile_with(plugin, encode(request));
  request.source.language = "glsl";
  request.source.source = "layout(local_size_x = 1) in;\nvoid main() {}\n";
  compile_with(plugin, encode(request));
}

}  // namespace

int spirv_worker_main() {
  tie_to_parent();
  const Result<const WsSpirvPlugin*> plugin = load_compiler<WsSpirvPlugin>(kShaderPlugin);
  if (!plugin) {
    [[maybe_unused]] const Status sent =
        send_frame(kWorkerSocket, "error\n" + to_text(plugin.error()));
    return 1;
  }
  warm_up_shaders(**plugin);
  if (!send_frame(kWorkerSocket, std::string("ready\n") + (*plugin)->version + "\nspirv1.5")) {
    return 1;
  }
  return serve_compiles(
      {.cpu_seconds = kShaderCpuSeconds,
       .memory_bytes = kShaderMemory,
       .compiles = kShadersPerChild},
      [&](const std::string& request) { return compile_with(**plugin, request); });
}

}  // namespace ws
