// Registers that the kernel declares before statements, and that nothing but these statements uses.
#pragma once

#include <set>
#include <vector>

#include "runtime/lift/orchestration/kernel_facts.h"
#include "runtime/lift/symbolic/threads.h"

namespace ws::lift {

/// The declarations of scratch in the order of the source, among the statements or before them:
/// arrays without a value, and pointers to such arrays. Each stands in the block that has the first
/// statement, so that its array has no value whenever the statements begin, and nothing needs the
/// values behind them.
/// @param statements  Some that follow one another, at least one.
[[nodiscard]] std::set<NodeId> scratch_of(const Tree& tree, const KernelFacts& facts,
                                          const ThreadValues& values,
                                          const std::vector<NodeId>& statements);

}  // namespace ws::lift
