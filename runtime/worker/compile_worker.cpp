#include <string>

#include <dlfcn.h>

#include "runtime/base/files.h"
#include "runtime/compile/clang/plugin.h"
#include "runtime/compile/compile.h"
#include "runtime/queue/frame.h"
#include "runtime/queue/process.h"
#include "runtime/worker/confined_child.h"
#include "runtime/worker/run_worker.h"

namespace ws {
namespace {

constexpr std::uint64_t kCompileCpuSeconds = 20;
constexpr std::uint64_t kCompileMemory = std::uint64_t{3} << 30U;

using PluginFn = const WsClangPlugin* (*)();

Result<const WsClangPlugin*> load_plugin() {
  const std::string path = (executable_path().parent_path() / kClangPluginFile).string();
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return fail(ErrorCode::kUnsupported, "the CPU engine's compiler plug-in cannot be loaded",
                "build warpsmith with llvm-19-dev and libclang-19-dev installed", ::dlerror());
  }
  const auto function = reinterpret_cast<PluginFn>(::dlsym(library, "warpsmith_clang_plugin"));
  const WsClangPlugin* plugin = function == nullptr ? nullptr : function();
  if (plugin == nullptr || plugin->abi_version != kClangPluginAbi) {
    return fail(ErrorCode::kUnsupported, path + " belongs to another version of warpsmith",
                "build both from one tree");
  }
  return plugin;
}

std::string compile_with(const WsClangPlugin& plugin, const std::string& request) {
  std::string outcome;
  plugin.compile(
      request.data(), request.size(),
      [](void* context, const char* bytes, std::size_t size) {
        static_cast<std::string*>(context)->append(bytes, size);
      },
      &outcome);
  return outcome;
}

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
  const Result<const WsClangPlugin*> plugin = load_plugin();
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
