// Threads that run a method of a program, as one worker or several.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/lift/symbolic/threads.h"

namespace ws::lift {

/// The threads that run a method, and how many of them there are in each worker.
struct Role {
  WorkerKind kind = WorkerKind::kNobody;  ///< kNobody: what comes before roles.
  std::vector<int> numbers;
  Lanes lanes = {1};
  std::size_t unit = 1;

  /// The role of a set of threads: whole warpgroups or warps, a thread, or else the block.
  /// @param threads  Of the whole block, here and below.
  static Role of(const Lanes& active, std::size_t threads);

  /// For each worker, the number of active threads.
  [[nodiscard]] std::vector<std::int64_t> counts(const Lanes& active, std::size_t threads) const;

  /// A number that is the same in all threads of a worker, by the worker's own number: "wg * (2)";
  /// empty: there is no such one. @param values  One for each thread.
  [[nodiscard]] std::string number_text(const Lanes& values) const;
};

/// Whether the threads are whole warpgroups or warps, or a single one, so that a role can have
/// them.
bool are_workers(const Lanes& active, std::size_t threads);

}  // namespace ws::lift
