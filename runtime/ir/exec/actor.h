// One worker of a block: its knowledge, the operations that it started, and its present wait.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/ir/exec/knowledge.h"
#include "runtime/ir/exec/shadow.h"

namespace ws::ir {

struct Mbarrier;

/// Why a worker stands still.
struct Wait {
  SourcePlace place;
  std::function<bool()> ready;
  std::function<void()> passed;         ///< Runs once, when it goes on.
  std::function<std::string()> reason;  ///< "full[0], phase 1: 1 of 1 arrivals missing".
  Mbarrier* barrier = nullptr;          ///< When it is one.
  /// The workers that ever came to what it waits for, by their numbers; null: it is no barrier.
  const std::set<std::size_t>* came = nullptr;
};

/// Asynchronous operations of one engine, by id: those not committed, and groups, oldest first.
struct Groups {
  std::vector<std::uint32_t> open;
  std::deque<std::vector<std::uint32_t>> committed;
};

struct Actor {
  std::string name;
  std::size_t index = 0;
  std::size_t rank = 0;      ///< The place of its block in the cluster.
  std::int64_t threads = 0;  ///< The threads that come to a named barrier.
  Knowledge known;
  Knowledge agreed;  ///< The knowledge that all of its threads have: as of the last barrier that
                     ///< they reached.
  std::optional<Wait> wait;
  std::array<Groups, 4> groups;                                          ///< By Engine.
  std::map<const Mbarrier*, std::pair<std::int64_t, SourcePlace>> seen;  ///< Last phase waited for.
  std::uint64_t wgmma_fence_at = 0;  ///< The block's count of accesses at the last wgmma_fence.
  std::int64_t max_registers = 255;  ///< The limit of a thread; setmaxnreg changes it.
  std::map<std::uint32_t, std::int64_t> register_bytes;  ///< By the line that allocates them.
  std::optional<std::int64_t> cluster_arrived;  ///< The generation that cluster_wait waits for.
  std::optional<std::uint32_t> arrives_since;   ///< The epoch of the first of arrivals in a row.
  bool done = false;
};

}  // namespace ws::ir
