#include "runtime/worker/tool_worker.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

#include "runtime/compile/tool_process.h"
#include "runtime/device/cuda/worker/denied_calls.h"
#include "runtime/queue/file_rules.h"
#include "runtime/queue/process.h"

namespace ws {
namespace {

constexpr rlim_t kMaxMemory = rlim_t{2} << 30U;
constexpr rlim_t kMaxOutput = rlim_t{64} << 20U;
constexpr std::size_t kMaxCommand = 8192;

void set_limit(__rlimit_resource what, rlim_t most) {
  const rlimit limit{most, most};
  ::setrlimit(what, &limit);
}

/// The path of the program, its name, and its arguments.
Result<std::vector<std::string>> read_words() {
  std::string text(kMaxCommand, '\0');
  const ssize_t bytes = ::pread(kToolCommandFile, text.data(), text.size(), 0);
  if (bytes <= 0) {
    return fail_errno("pread", "the command cannot be read");
  }
  text.resize(static_cast<std::size_t>(bytes));
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

/// No network, no other process, no file but the system's and the program's own, and none written.
Status confine_tool(const std::string& program) {
  set_limit(RLIMIT_AS, kMaxMemory);
  set_limit(RLIMIT_FSIZE, kMaxOutput);
  set_limit(RLIMIT_CORE, 0);
  WS_TRY(const FileRules rules, FileRules::begin());
  rules.allow_system();
  rules.allow_program(program);
  WS_CHECK(rules.enter());
  return cuda::enter(cuda::denying_filter());
}

/// Comes back only when it fails.
Status become_tool() {
  WS_TRY(std::vector<std::string> words, read_words());
  WS_CHECK(confine_tool(words.front()));
  ::close(kToolCommandFile);
  std::vector<char*> arguments;
  for (std::size_t i = 1; i < words.size(); ++i) {
    arguments.push_back(words[i].data());
  }
  arguments.push_back(nullptr);
  std::array<char*, 1> environment = {nullptr};
  ::execve(words.front().c_str(), arguments.data(), environment.data());
  return fail_errno("execve", "cannot start " + words.front());
}

}  // namespace

int tool_worker_main() {
  tie_to_parent();
  const Status failed = become_tool();
  const std::string reason = failed ? std::string() : to_text(failed.error());
  // The server reads it from the file behind stdout; if that is full, the status says enough.
  [[maybe_unused]] const ssize_t written = ::write(STDOUT_FILENO, reason.data(), reason.size());
  return kToolNotStarted;
}

}  // namespace ws
