// Executes a program on tensors, on many schedules, and says what is wrong with it.
//
//   parse  ->  check (types, shapes, rules)  ->  run on each schedule  ->  findings and outputs
//
// A worker is a coroutine (interpreter.h); engines and barriers are the Machine (machine.h). Every
// access is checked by happens-before (knowledge.h, shadow.h), so that most mistakes show on every
// schedule, whatever the values are.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/ir/exec/finding.h"
#include "runtime/ir/exec/schedule.h"
#include "runtime/ir/exec/value.h"
#include "runtime/ir/exec/work.h"
#include "runtime/ir/syntax/ast.h"

namespace ws::ir {

enum class TensorRole : std::uint8_t { kIn, kOut, kInOut };

/// A tensor argument: row-major elements, rounded to `dtype` unless all is f64. An output's may be
/// empty.
struct Tensor {
  std::string name;
  DType dtype = DType::kF32;
  Shape shape;
  TensorRole role = TensorRole::kIn;
  std::vector<double> data;
};

/// A number argument.
struct Scalar {
  std::string name;
  Value value;
};

struct RunOptions {
  ValueMode mode = ValueMode::kF64;
  std::vector<Schedule> schedules = default_schedules();
  std::int64_t max_steps = 5'000'000;  ///< Statements on one schedule, of all blocks together.
  std::int64_t max_blocks = 4096;
  /// The schedules after the first one run only so many blocks of a larger grid (blocks_again), at
  /// least 8. Blocks meet in global memory only, which the first schedule checks for all of
  /// them.
  std::size_t blocks_again = std::numeric_limits<std::size_t>::max();
  unsigned threads = 0;     ///< 0: as many as there are cores.
  bool count_work = false;  ///< On the first schedule.
};

/// A loop of the program, by its line, but for one over numbers that stand in it.
struct LoopRounds {
  std::int64_t line = 0;
  std::int64_t rounds = 0;  ///< The most that it made at once, in any worker of any block.
};

struct RunReport {
  std::vector<Finding> findings;
  std::vector<Tensor> outputs;    ///< The outputs of the first schedule; kOut and kInOut, in order.
  std::size_t schedules = 0;      ///< The schedules that were run.
  Work work;                      ///< Where it was counted.
  std::vector<LoopRounds> loops;  ///< Those that the first schedule reached, by line.

  /// Every finding with its lines.
  [[nodiscard]] std::string render(std::string_view text) const;
};

/// Any thread. @errors kInvalidArgument: the program does not pass the checker with these
/// arguments (all errors in the hint), an argument's data does not fit its shape, or the grid is
/// empty; kUnsupported: the grid or a tensor is too large; kBusy: memory ran out. What goes wrong
/// while it runs is a finding.
Result<RunReport> run_program(const Program& program, const std::vector<Tensor>& tensors,
                              const std::vector<Scalar>& scalars, const RunOptions& options);

}  // namespace ws::ir
