// A problem's arguments as a library sees them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/device/library_run.h"
#include "runtime/kernel/plan/plan.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// One argument, as declared and as resolved.
struct LibraryArgument {
  const ArgSpec* arg = nullptr;
  const BufferSpec* buffer = nullptr;
  std::uint32_t index = 0;  ///< In the plan's buffers.

  /// "A[m, k]"
  [[nodiscard]] std::string text() const;
};

struct LibraryArguments {
  std::vector<LibraryArgument> inputs;
  LibraryArgument output;
  std::optional<double> factor;  ///< The scalar's value, where there is one.
};

/// The arguments that a call takes beside its output.
struct LibraryTakes {
  Library library = Library::kCublas;
  std::size_t inputs = 0;
  std::string_view scalar;  ///< By this name.
};

/// @param plan  Has the problem's arguments among its buffers, resolved for `workload`.
/// @errors kUnsupported: other arguments.
Result<LibraryArguments> library_arguments(const LibraryTakes& takes, const Problem& problem,
                                           const ResolvedPlan& plan, const Workload& workload);

/// @errors kInvalidArgument: the problem is not of the baseline's op.
Status check_library_op(const LibraryBaseline& baseline, const Problem& problem);

/// kUnsupported: "cuBLAS cannot be called for prb_...: REASON".
Error not_for_library(Library library, const Problem& problem, const std::string& reason);

}  // namespace ws
