// One block: __init__, run, and the roles that run binds, scheduled until all are through.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/ir/exec/machine.h"
#include "runtime/ir/exec/task.h"

namespace ws::ir {

using Names = std::map<std::string, Value>;

/// How a list of statements ends; kStop: the block cannot go on, and a finding says why.
enum class Flow : std::uint8_t { kNext, kBreak, kContinue, kReturn, kStop };

/// A role as run bound it.
struct Bound {
  std::string method;
  std::string kind;
  std::int64_t index = 0;
};

/// The state that the workers of a block share besides the hardware.
struct BlockState {
  Machine machine;
  Names self;
  Names globals;
  std::vector<Bound> bound;
};

/// Runs block number `block` of `grid.size`. False when the launch cannot go on.
bool run_block(Grid& grid, std::int64_t block);

/// Runs __init__ alone for the size of the grid, into `grid.size`. False as run_block.
bool measure_grid(Grid& grid);

}  // namespace ws::ir
