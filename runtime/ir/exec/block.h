// One block of a cluster: __init__, run, and the roles that run binds.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/ir/exec/machine.h"
#include "runtime/ir/exec/task.h"

namespace ws::ir {

class Interpreter;

using Names = std::map<std::string, Value>;

/// How a list of statements ends; kStop: the block cannot go on, and a finding says why.
enum class Flow : std::uint8_t { kNext, kBreak, kContinue, kReturn, kStop };

/// A role as run bound it.
struct Bound {
  std::string method;
  std::string kind;
  std::int64_t index = 0;
  std::int64_t place = 0;  ///< Among those of its bind.
};

/// The state that the workers of a block share besides the hardware.
struct BlockState {
  Machine& machine;
  Names self;
  Names globals;
  std::vector<Bound> bound;
};

/// A worker and the coroutine that it is. It stays where it is: others point at the actor.
struct Worker {
  explicit Worker(Actor who);
  ~Worker();

  Actor actor;
  std::unique_ptr<Interpreter> interpreter;
  Chain chain;
  Task<Flow> task;
  Flow end = Flow::kNext;
};

/// Runs until the worker waits, yields or is through.
void resume(Worker& worker);

class Block {
 public:
  /// @param rank  Its place in the cluster of `machine`.
  Block(Grid& grid, Machine& machine, std::size_t rank);

  /// Constants, __init__, and run when it binds roles. False: it cannot go on.
  bool setup();

  /// Constants and __init__ alone, for the sizes of grid and cluster, into `grid`. False as
  /// setup().
  bool measure();

  /// The workers of the roles, which are started and have not run yet.
  std::vector<std::unique_ptr<Worker>> start_roles();

 private:
  bool initialise();
  std::unique_ptr<Worker> add(const std::string& name, std::int64_t threads);
  bool constants();
  bool finish(const Method& method, Names given);
  [[nodiscard]] std::array<std::int64_t, 3> size_of(const std::string& name) const;

  Grid& grid_;
  const Program& program_;
  std::size_t rank_;
  BlockState state_;
  std::unique_ptr<Worker> setup_;  // It runs __init__ and run, and takes no part in what follows.
};

}  // namespace ws::ir
