// The state that all blocks of a launch share: global memory, options and findings.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/ir/exec/finding.h"
#include "runtime/ir/exec/memory.h"
#include "runtime/ir/exec/past.h"
#include "runtime/ir/exec/schedule.h"
#include "runtime/ir/exec/work.h"
#include "runtime/ir/syntax/ast.h"

namespace ws::ir {

struct Grid {
  const Program* program = nullptr;
  Schedule schedule;
  ValueMode mode = ValueMode::kF64;
  std::int64_t steps_left = 0;                 ///< Statements that may still run.
  std::int64_t max_live = kMaxTensorElements;  ///< Elements of tiles and buffers at once.
  std::map<std::string, Value> arguments;
  std::map<const Buffer*, Past> past;
  std::array<std::int64_t, 3> size = {1, 1, 1};     ///< In blocks, once a block has said it,
  std::array<std::int64_t, 3> cluster = {1, 1, 1};  ///< and so many of them are a cluster.
  Work* work = nullptr;                             ///< Not null: what is done is counted there.
  std::map<std::int64_t, std::int64_t> rounds;      ///< The most of each loop, by its line.
  Findings findings;
};

}  // namespace ws::ir
