// The parts of a kernel that IR operations are tied to: runs of statements with one set of threads.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "runtime/lift/symbolic/threads.h"
#include "runtime/lift/tree/tree.h"

namespace ws::lift {

struct Region {
  /// Made from what the region does and its place in the kernel's structure; blanks, comments and
  /// line numbers do not count.
  std::string id;
  Range range;
  std::string worker;              ///< worker_text() of the threads that come here.
  std::vector<std::string> reads;  ///< Memory that may be read, by name.
  std::vector<std::string> writes;
  std::vector<std::string> syncs;  ///< Synchronisations, as CuIR has them, or by their own names.
  std::vector<std::string> ops;    ///< Other operations of the table.
};

/// The entry's regions, in order of the source. Synchronisations stand alone.
std::vector<Region> regions_of(const Tree& tree, FunctionId entry,
                               const std::array<std::int64_t, 3>& block);

/// Threads that do something of their own: what `if`s over thread indices choose.
struct Worker {
  std::string threads;  ///< worker_text()
  Range range;          ///< The source lines of the statements.
};

std::vector<Worker> workers_of(const Tree& tree, FunctionId entry,
                               const std::array<std::int64_t, 3>& block);

}  // namespace ws::lift
