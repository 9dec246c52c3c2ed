// The things that each part of a run works on.
#pragma once

#include "runtime/lift/orchestration/places.h"
#include "runtime/lift/symbolic/arithmetic.h"
#include "runtime/lift/symbolic/pipeline.h"
#include "runtime/lift/symbolic/scalars.h"

namespace ws::lift {

struct Layout;

/// How a run takes its kernel. Set before it begins.
struct RunMode {
  bool by_warps =
      false;  ///< Instructions of a whole warp, and copies by cp.async, are values, too.
  bool together = false;  ///< The kernel has such instructions.
  PipelineCase pipeline;  ///< Loops work on what earlier rounds have loaded.
  /// Where threads share a place of a variable, they have the same number there; nullptr: such
  /// places are not known.
  const std::map<ObjectId, Layout>* layouts = nullptr;
  const SharedArrays* arrays = nullptr;  ///< Set while a part is run: those of the program.

  [[nodiscard]] bool is_part() const { return arrays != nullptr; }

  /// Whether an address in shared memory may be a number.
  [[nodiscard]] bool has_addresses() const { return is_part() || by_warps; }
};

/// The kernel, its launch, and what its values are made of. All of it outlives the run's parts.
struct Basis {
  const Tree& tree;
  const LaunchInput& input;
  const RunMode& mode;
  Terms& terms;
  Symbols& symbols;
  Arithmetic& numbers;
  Scalars& scalars;
};

}  // namespace ws::lift
