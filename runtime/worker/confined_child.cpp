#include "runtime/worker/confined_child.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/files.h"
#include "runtime/compile/compile.h"
#include "runtime/device/cpu/sandbox.h"
#include "runtime/queue/frame.h"
#include "runtime/queue/process.h"

namespace ws {
namespace {

constexpr std::size_t kMaxRequest = std::size_t{32} << 20U;
constexpr std::size_t kMaxOutcome = std::size_t{64} << 20U;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kLimitMemory = false;  // The sanitizer reserves terabytes of address space.
#else
constexpr bool kLimitMemory = true;
#endif

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

[[noreturn]] void run_child(const CompileLimits& limits,
                            const std::function<std::string()>& compile, int pipe) {
  const Status confined =
      cpu::enter_sandbox({.memory_bytes = kLimitMemory ? limits.memory_bytes : 0,
                          .cpu_seconds = limits.cpu_seconds,
                          .readable_folder = limits.readable_folder});
  if (!confined) {
    ::_exit(1);
  }
  const std::string outcome = compile();
  write_all(pipe, outcome.data(), outcome.size());
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
std::string outcome_of_death(int status, const CompileLimits& limits) {
  CompileOutcome outcome;
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (signal == SIGXCPU || signal == SIGKILL) {
    outcome.verdict = CompileVerdict::kTimeout;
    outcome.message = "the compiler ran past its limit of " + std::to_string(limits.cpu_seconds) +
                      " s of processor time";
  } else {
    outcome.verdict = CompileVerdict::kResourceLimit;
    outcome.message =
        signal != 0 ? "the compiler crashed with signal " + std::to_string(signal)
                    : "the compiler gave up with status " + std::to_string(WEXITSTATUS(status));
    outcome.message += " (memory limit " + std::to_string(limits.memory_bytes >> 30U) + " GiB)";
  }
  return encode(outcome);
}

}  // namespace

Result<std::string> compile_in_child(const CompileLimits& limits,
                                     const std::function<std::string()>& compile) {
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
    run_child(limits, compile, write_end.get());
  }
  write_end.reset();
  std::string bytes = read_to_end(read_end.get());
  ::kill(child, SIGKILL);  // It has written all it will, or too much.
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return decode_compile_outcome(bytes) ? bytes : outcome_of_death(status, limits);
}

int serve_compiles(const CompileLimits& limits,
                   const std::function<std::string(const std::string& request)>& compile) {
  for (;;) {
    const Result<Received> request = receive_frame(kWorkerSocket, kMaxRequest);
    if (!request) {
      return 0;  // The server is done with this worker.
    }
    const Result<std::string> outcome =
        compile_in_child(limits, [&] { return compile(request->payload); });
    if (!outcome || !send_frame(kWorkerSocket, *outcome)) {
      return 1;
    }
  }
}

}  // namespace ws
