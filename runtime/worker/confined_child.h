// Runs a compile in a process of its own, with limits: a crash, an endless template or a subverted
// compiler ends only that process, and can do no more than answer wrongly.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/compile/compile.h"

namespace ws {

struct CompileLimits {
  std::uint64_t cpu_seconds = 0;  ///< The limit for one compile.
  std::uint64_t memory_bytes =
      0;                     ///< The limit of its address space; not obeyed in sanitizer builds.
  int readable_folder = -1;  ///< As SandboxLimits.
  std::vector<int> scratch_files = {};  ///< As SandboxLimits; empty when a process starts.
  std::uint64_t scratch_bytes = 0;
  bool memory_files = false;  ///< As SandboxLimits.
  int compiles = 1;  ///< One process makes as many; after a failure a fresh one does. Where it is
                     ///< more than one, each request begins with its owner's tag, and a fresh
                     ///< process makes those of another owner.
};

/// Gives an encoded CompileOutcome for an encoded CompileRequest.
using CompileFn = std::function<std::string(const std::string& request)>;

/// CompileFn for a compiler that takes a request as it is: what cannot be read is kUnsupported.
CompileFn decoding(std::function<CompileOutcome(const CompileRequest&)> compile);

/// Answers requests from the worker's socket until the server is done with it. The process that
/// will compile next is forked ahead, and enters the sandbox before it has seen any request.
///
/// A compile whose process somebody else killed has no outcome: this one ends too, and the server
/// asks another.
///
/// @param prepare  Called in this process with each request. True: it has made something that
///                 compiles need from now on, and a fresh process takes this one.
/// @return The process's exit status.
/// @threads one: the process must have no other.
int serve_compiles(const CompileLimits& limits, const CompileFn& compile,
                   const std::function<bool(const std::string& request)>& prepare = nullptr);

}  // namespace ws
