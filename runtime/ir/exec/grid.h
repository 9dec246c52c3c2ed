// What all blocks of a launch share: global memory, options and findings.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/ir/exec/finding.h"
#include "runtime/ir/exec/memory.h"
#include "runtime/ir/exec/schedule.h"
#include "runtime/ir/syntax/ast.h"

namespace ws::ir {

/// A use of global memory by a block that is through.
struct PastAccess {
  Access access;
  std::int64_t block = 0;
  std::string worker;
};

/// Of one tensor. Blocks that read the same part are told apart by nothing: the first stands for
/// all of them.
struct Past {
  std::vector<PastAccess> writes;
  std::map<std::pair<Shape, Shape>, PastAccess> reads;  ///< By the box that was read.
};

struct Grid {
  const Program* program = nullptr;
  Schedule schedule;
  ValueMode mode = ValueMode::kF64;
  std::int64_t steps_left = 0;                 ///< Statements that may still run.
  std::int64_t max_live = kMaxTensorElements;  ///< Elements of tiles and buffers at once.
  std::map<std::string, Value> arguments;
  std::map<const Buffer*, Past> past;
  std::array<std::int64_t, 3> size = {1, 1, 1};  ///< Of the grid, once a block has said it.
  Findings findings;
};

}  // namespace ws::ir
