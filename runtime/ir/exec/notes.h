// Notes about what workers did, for findings at the end of a block and for the fixes of others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "runtime/ir/exec/shadow.h"
#include "runtime/ir/exec/sync.h"

namespace ws::ir {

/// Something that a worker of the block `rank` must know before that block ends.
struct EndNote {
  std::size_t rank = 0;
  std::size_t worker = 0;  ///< The worker that did it.
  SourcePlace place;
  std::string object;
  std::uint32_t awaited = 0;  ///< An operation: its id. A use of another block: the worker's epoch.
};

/// An operation of an engine, by number: its id / 2.
struct Started : EndNote {
  const Mbarrier* barrier = nullptr;  ///< It completes there, if anywhere.
  std::int64_t phase = 0;             ///< The phase of the barrier when it was started,
  bool expected = false;              ///< which expected bytes then, or had arrivals.
  std::uint64_t committed_at = 0;     ///< The block's count of accesses; 0: it is in no group.
  Engine engine = Engine::kTma;
  bool stores = false;  ///< From shared memory: its source is what has to be waited for.
};

/// The last arrival of a worker at a barrier from one line.
struct Arrived {
  std::uint64_t at = 0;  ///< The block's count of accesses.
  std::uint32_t epoch = 0;
  bool waits = false;  ///< bar_sync and its like: it goes on when all have come.
};

}  // namespace ws::ir
