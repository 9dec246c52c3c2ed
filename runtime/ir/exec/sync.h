// Barriers, by which a block's workers and engines wait for each other.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/ir/exec/knowledge.h"
#include "runtime/ir/syntax/diagnostics.h"

namespace ws::ir {

/// Bytes that someone expects, or that a copy brings: for reports.
struct TxNote {
  SourcePlace place;
  std::int64_t bytes = 0;
};

/// The workers that came to a barrier in this phase and in the one before: an arrival that is not
/// ordered after all of those might count for that phase.
struct Arrivals {
  struct One {
    std::size_t worker = 0;
    std::uint32_t epoch = 0;
    std::int64_t threads = 0;  ///< The threads that complete a named barrier.
    SourcePlace place;
  };

  std::vector<One> here;
  std::vector<One> before;
  std::set<std::size_t> ever;  ///< Workers.

  void end_phase();
};

/// An mbarrier with its phase as a number that only grows; the hardware keeps the last bit.
struct Mbarrier {
  std::string name;
  bool valid = false;
  std::size_t init_worker = 0;
  std::uint32_t init_epoch = 0;
  SourcePlace init_place;
  std::int64_t expected = 0;
  std::int64_t pending = 0;  ///< Arrivals that the phase still needs.
  std::int64_t tx = 0;       ///< Bytes expected less bytes copied; may be negative for a while.
  std::int64_t phase = 0;
  Knowledge arriving;   ///< The knowledge of those that arrived in this phase.
  Knowledge published;  ///< The knowledge from the last complete phase.
  TxNote expects;       ///< In this phase: the sum, and the last place.
  TxNote copies;
  SourcePlace last_arrive;
  Arrivals arrivals;  ///< `ever` has those who copied for it, too.
  /// By worker: the phases whose end it waited for, and its epoch then; both grow.
  std::map<std::size_t, std::vector<std::pair<std::uint32_t, std::int64_t>>> passed;

  /// The last phase that somebody waited for whose wait is known; -1: none.
  [[nodiscard]] std::int64_t last_known(const Knowledge& known) const;

  /// Ends the phase when nothing is missing; true when it did.
  bool try_complete();

  /// "1 of 2 arrivals and 4096 bytes missing".
  [[nodiscard]] std::string missing() const;
};

/// A hardware barrier of a block, bar.sync 0 to 15, or of a cluster. cta_sync has one of its own.
struct NamedBarrier {
  std::int64_t threads = 0;  ///< The threads that complete it; 0: no worker came yet.
  std::int64_t arrived = 0;
  std::int64_t generation = 0;
  Arrivals arrivals;
  SourcePlace first_place;
  Knowledge arriving;
  std::map<std::int64_t, Knowledge> published;  ///< By generation.

  /// Ends the generation when everyone came; true when it did.
  bool try_complete();
};

}  // namespace ws::ir
