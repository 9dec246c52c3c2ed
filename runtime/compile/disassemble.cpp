// Running a disassembler in a confined process.
#include <csignal>
#include <filesystem>
#include <system_error>
#include <thread>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/call_context.h"
#include "runtime/base/files.h"
#include "runtime/compile/sass.h"
#include "runtime/compile/tool_process.h"
#include "runtime/queue/memory_file.h"
#include "runtime/queue/spawn_actions.h"

namespace ws {
namespace {

constexpr std::size_t kMaxComplaint = 300;
constexpr const char* kLlvmTool = "llvm-objdump";
constexpr int kNewestLlvm = 30;
constexpr int kOldestLlvm = 14;
constexpr std::chrono::milliseconds kPoll{1};

Result<std::string> read_back(const Fd& file) {
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) {
    return fail_errno("fstat", "cannot read what the disassembler wrote");
  }
  std::string text(static_cast<std::size_t>(info.st_size), '\0');
  if (::pread(file.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    return fail_errno("pread", "cannot read what the disassembler wrote");
  }
  return text;
}

/// The option that makes each tool print instructions.
std::string option_of(const std::string& name) {
  if (name.starts_with(kLlvmTool)) {
    return "-d";
  }
  return name == "cuobjdump" ? "-sass" : "-c";
}

/// The path of the program, its name, and its arguments, as the worker reads them.
std::string command_of(const std::string& tool) {
  const std::string name = std::filesystem::path(tool).filename().string();
  return tool + "\n" + name + "\n" + option_of(name) + "\n/proc/self/fd/" +
         std::to_string(kToolCodeFile) + "\n";
}

/// Standard output and error go to `output`.
Result<pid_t> start(const Disassembler& disassembler, const Fd& code, const Fd& output) {
  WS_TRY(const Fd command, memory_file(command_of(disassembler.tool)));
  SpawnActions actions;
  actions.open_nothing(STDIN_FILENO);
  actions.duplicate(output.get(), STDOUT_FILENO);
  actions.duplicate(output.get(), STDERR_FILENO);
  actions.duplicate(code.get(), kToolCodeFile);
  actions.duplicate(command.get(), kToolCommandFile);
  actions.close_from(kToolCommandFile + 1);
  return actions.start(disassembler.executable, {"warpsmith", "worker", "--role", "tool"},
                       "cannot start a worker process");
}

/// Its exit status as waitpid gives it.
Result<int> wait_for(pid_t pid, const std::string& tool, std::chrono::milliseconds limit) {
  const auto deadline = Clock::now() + limit;
  int status = 0;
  while (::waitpid(pid, &status, WNOHANG) == 0) {
    if (Clock::now() >= deadline) {
      ::kill(-pid, SIGKILL);
      ::waitpid(pid, &status, 0);
      return fail(ErrorCode::kTimeout,
                  tool + " took longer than " + std::to_string(limit.count()) + " ms");
    }
    std::this_thread::sleep_for(kPoll);
  }
  return status;
}

}  // namespace

std::string find_amd_disassembler() {
  const std::string tool = std::string("/usr/bin/") + kLlvmTool;
  std::error_code error;
  for (int version = kNewestLlvm; version >= kOldestLlvm; --version) {
    const std::string versioned = tool + "-" + std::to_string(version);
    if (std::filesystem::exists(versioned, error)) {
      return versioned;
    }
  }
  return std::filesystem::exists(tool, error) ? tool : std::string();
}

Result<std::string> disassemble(const Disassembler& disassembler, std::string_view code,
                                std::chrono::milliseconds limit) {
  const std::string& tool = disassembler.tool;
  WS_TRY(const Fd file, memory_file(code));
  WS_TRY(const Fd output, memory_file({}));
  WS_TRY(const pid_t pid, start(disassembler, file, output));
  WS_TRY(const int status, wait_for(pid, tool, limit));
  WS_TRY(std::string text, read_back(output));
  if (WIFEXITED(status) && WEXITSTATUS(status) == kToolNotStarted) {
    return fail(ErrorCode::kUnsupported, tool + " cannot be run confined", {}, text);
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return fail(ErrorCode::kUnsupported, tool + " does not disassemble this code", {},
                text.substr(0, kMaxComplaint));
  }
  return text;
}

}  // namespace ws
