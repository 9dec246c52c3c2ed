// Reads solution files of KernelBench in a sandboxed worker, as syntax trees: nothing of them is
// executed (runtime/worker/python_solution.py).
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "runtime/base/result.h"

namespace ws {

struct SolutionReaderOptions {
  std::string executable;
  std::vector<std::string> interpreters;  ///< Python 3.9 or later; the first that is there reads.
};

/// The parts of a solution's file as JSON: {cpp_sources, cuda_sources} and {own, file}, the text
/// that an export of this program has and all of the file without it, or {function, arguments:
/// [{input: place} or {weight: path}]}.
/// @errors kUnsupported: no interpreter is there; kInvalidArgument: the file has a form that cannot
///         be read, and which; kTimeout; kCancelled.
Result<std::string> read_solution(const SolutionReaderOptions& options, const std::string& source,
                                  const std::stop_token& stop);

}  // namespace ws
