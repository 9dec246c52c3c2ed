#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/compile/clang/plugin.h"
#include "runtime/compile/compile.h"
#include "runtime/device/cpu/sandbox.h"
#include "runtime/queue/frame.h"
#include "runtime/queue/process.h"
#include "runtime/worker/run_worker.h"

namespace ws {
namespace {

constexpr std::size_t kMaxRequest = std::size_t{32} << 20U;
constexpr std::size_t kMaxOutcome = std::size_t{64} << 20U;
constexpr std::uint64_t kCompileCpuSeconds = 20;
constexpr std::uint64_t kCompileMemory = std::uint64_t{3} << 30U;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kLimitMemory = false;  // The sanitizer reserves terabytes of address space.
#else
constexpr bool kLimitMemory = true;
#endif

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

void write_all(int fd, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t written = ::write(fd, bytes, size);
    if (written < 0 && errno != EINTR) {
      ::_exit(1);
    }
    bytes += std::max<ssize_t>(written, 0);
    size -= static_cast<std::size_t>(std::max<ssize_t>(written, 0));
  }
}

/// The child: compiles under limits and writes the outcome into the pipe.
[[noreturn]] void compile_child(const WsClangPlugin& plugin, const std::string& request, int pipe) {
  // Everything the compiler reads is in memory: it needs no more rights than a kernel does.
  const Status confined = cpu::enter_sandbox(
      {.memory_bytes = kLimitMemory ? kCompileMemory : 0, .cpu_seconds = kCompileCpuSeconds});
  if (!confined) {
    ::_exit(1);
  }
  plugin.compile(
      request.data(), request.size(),
      [](void* context, const char* bytes, std::size_t size) {
        write_all(*static_cast<int*>(context), bytes, size);
      },
      &pipe);
  ::_exit(0);
}

std::string read_to_end(int pipe) {
  std::string bytes;
  std::array<char, 65536> block{};
  for (;;) {
    const ssize_t got = ::read(pipe, block.data(), block.size());
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0 || bytes.size() > kMaxOutcome) {
      return bytes;
    }
    bytes.append(block.data(), static_cast<std::size_t>(got));
  }
}

/// What a child that died stands for.
std::string outcome_of_death(int status) {
  CompileOutcome outcome;
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (signal == SIGXCPU || signal == SIGKILL) {
    outcome.verdict = CompileVerdict::kTimeout;
    outcome.message = "the compiler ran past its limit of " + std::to_string(kCompileCpuSeconds) +
                      " s of processor time";
  } else {
    outcome.verdict = CompileVerdict::kResourceLimit;
    outcome.message =
        signal != 0 ? "the compiler crashed with signal " + std::to_string(signal)
                    : "the compiler gave up with status " + std::to_string(WEXITSTATUS(status));
    outcome.message += " (memory limit " + std::to_string(kCompileMemory >> 30U) + " GiB)";
  }
  return encode(outcome);
}

Result<std::string> compile_in_child(const WsClangPlugin& plugin, const std::string& request) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return fail_errno("pipe", "cannot start a compile");
  }
  const Fd read_end(ends[0]);
  Fd write_end(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) {
    return fail_errno("fork", "cannot start a compile");
  }
  if (child == 0) {
    tie_to_parent();
    compile_child(plugin, request, write_end.get());
  }
  write_end.reset();
  std::string bytes = read_to_end(read_end.get());
  ::kill(child, SIGKILL);  // It has written all it will, or too much.
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return decode_compile_outcome(bytes) ? bytes : outcome_of_death(status);
}

/// One small compile in the parent: children then start with clang's tables already in memory.
void warm_up(const WsClangPlugin& plugin) {
  CompileRequest request;
  request.source.source = "__global__ void k(float* a) { a[threadIdx.x] = expf(a[0]); }\n";
  request.source.entries = {"k"};
  const std::string bytes = encode(request);
  plugin.compile(bytes.data(), bytes.size(), [](void*, const char*, std::size_t) {}, nullptr);
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
  for (;;) {
    const Result<Received> request = receive_frame(kWorkerSocket, kMaxRequest);
    if (!request) {
      return 0;  // The server is done with this worker.
    }
    const Result<std::string> outcome = compile_in_child(**plugin, request->payload);
    if (!outcome || !send_frame(kWorkerSocket, *outcome)) {
      return 1;
    }
  }
}

}  // namespace ws
