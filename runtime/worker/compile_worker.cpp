#include <string>

#include "runtime/compile/clang/plugin.h"
#include "runtime/compile/compile.h"
#include "runtime/queue/frame.h"
#include "runtime/queue/process.h"
#include "runtime/worker/compiler_plugin.h"
#include "runtime/worker/confined_child.h"
#include "runtime/worker/run_worker.h"

namespace ws {
namespace {

constexpr std::uint64_t kCompileCpuSeconds = 20;
constexpr std::uint64_t kCompileMemory = std::uint64_t{3} << 30U;

constexpr CompilerPlugin kClangPlugin = {
    kClangPluginFile, "warpsmith_clang_plugin", kClangPluginAbi,
    "the CPU engine's compiler plug-in cannot be loaded",
    "build warpsmith with llvm-19-dev and libclang-19-dev installed"};

/// One small compile in the parent: children then start with clang's tables already in memory.
void warm_up(const WsClangPlugin& plugin) {
  CompileRequest request;
  request.source.source = "__global__ void k(float* a) { a[threadIdx.x] = expf(a[0]); }\n";
  request.source.entries = {"k"};
  const std::string bytes = encode(request);
  plugin.prepare(bytes.data(), bytes.size());
  compile_with(plugin, bytes);
}

}  // namespace

int compile_worker_main() {
  tie_to_parent();
  const Result<const WsClangPlugin*> plugin = load_compiler<WsClangPlugin>(kClangPlugin);
  if (!plugin) {
    [[maybe_unused]] const Status sent =
        send_frame(kWorkerSocket, "error\n" + to_text(plugin.error()));
    return 1;
  }
  warm_up(**plugin);
  const std::string ready = std::string("ready\n") + (*plugin)->version + "\n" + (*plugin)->arch;
  if (!send_frame(kWorkerSocket, ready)) {
    return 1;
  }
  // Everything the compiler reads is in memory: it needs no more rights than a kernel does.
  return serve_compiles(
      {.cpu_seconds = kCompileCpuSeconds, .memory_bytes = kCompileMemory},
      [&](const std::string& request) { return compile_with(**plugin, request); },
      [&](const std::string& request) {
        return (*plugin)->prepare(request.data(), request.size()) != 0;
      });
}

}  // namespace ws
