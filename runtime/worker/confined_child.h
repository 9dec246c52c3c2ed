// A piece of work in a process of its own, with limits, whose answer comes back through a pipe.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "runtime/base/result.h"

namespace ws {

struct CompileLimits {
  std::uint64_t cpu_seconds = 0;
  std::uint64_t memory_bytes = 0;  ///< Of address space; not obeyed in sanitizer builds.
  int readable_folder = -1;        ///< As SandboxLimits.
};

/// Forks; the child enters the sandbox, calls `compile`, which gives an encoded CompileOutcome, and
/// ends. A child that crashes or meets a limit gives an outcome that says so.
///
/// @errors kIo: no child can be started.
/// @threads one: the process must have no other.
Result<std::string> compile_in_child(const CompileLimits& limits,
                                     const std::function<std::string()>& compile);

/// Answers requests from the socket until the server is done with this worker.
/// @return The process's exit status.
int serve_compiles(const CompileLimits& limits,
                   const std::function<std::string(const std::string& request)>& compile);

}  // namespace ws
