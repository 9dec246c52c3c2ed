// The indices that each thread of a block has, as far as they are known without running it: they
// tell which threads an `if` lets through.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/lift/symbolic/poly.h"
#include "runtime/lift/tree/tree.h"

namespace ws::lift {

inline constexpr std::size_t kWarpgroupThreads = 128;

/// Values of variables that are set from thread indices and constants, and changed at most once,
/// outside of loops: `--group` where a role begins.
class ThreadValues {
 public:
  ThreadValues(const Tree& tree, const std::array<std::int64_t, 3>& block);

  /// One number a thread; nothing when it depends on anything else.
  [[nodiscard]] std::optional<Lanes> of(NodeId id) const;

  /// The threads for which a condition may hold, by the parts of an `&&` that are known: the others
  /// may depend on data.
  [[nodiscard]] std::optional<Lanes> may_hold(NodeId condition) const;

  /// Whether a variable gets another value than its first one.
  [[nodiscard]] bool changes(VariableId id) const { return changed_.contains(id); }

  [[nodiscard]] std::size_t threads() const { return threads_; }

  /// The values of a variable where the node `at` stands.
  [[nodiscard]] std::optional<Lanes> variable(VariableId id, NodeId at) const;
  /// The values of `threadIdx.x` and the block's sizes.
  [[nodiscard]] std::optional<Lanes> builtin(const Node& node) const;

 private:
  /// The one change of a variable. What comes after the block that it is in may see either value.
  struct Change {
    NodeId at = kNone;
    NodeId block = kNone;
    std::optional<Lanes> after;
  };

  void note_changes();
  [[nodiscard]] NodeId block_of_change(NodeId id, const std::vector<NodeId>& parents) const;
  [[nodiscard]] std::optional<Lanes> changed_value(const Node& change) const;
  [[nodiscard]] std::optional<Lanes> binary(const Node& node) const;
  [[nodiscard]] std::optional<Lanes> warp_first(const Node& node) const;

  const Tree& tree_;
  const std::array<std::int64_t, 3> block_;
  const std::size_t threads_;
  std::set<VariableId> changed_;  // More than once.
  std::map<VariableId, Change> change_;
  std::map<VariableId, std::optional<Lanes>> values_;
};

enum class WorkerKind : std::uint8_t {
  kNobody,
  kThreads,  ///< Some that are no row of threads.
  kThread,
  kWarp,
  kWarpgroup,
  kBlock,
};

/// "warp"; "thread" for any number of threads.
std::string_view word_of(WorkerKind kind);

/// A set of threads by the largest units that it is made of, in a row: `first` to `last`.
struct Workers {
  WorkerKind kind = WorkerKind::kNobody;
  std::int64_t first = 0;  ///< The number of a warp, a warpgroup or a thread, by `kind`.
  std::int64_t last = 0;
  std::int64_t threads = 0;  ///< In all.
};

/// @param threads  Of the whole block.
Workers workers_of(const Lanes& active, std::size_t threads);

/// "block", "warpgroups 1-2", "warp 0", "thread 0", "threads 0-63" or "5 threads": the members of a
/// set of threads.
std::string worker_text(const Lanes& active, std::size_t threads);

/// Those of the active threads for which `truth` is as wanted.
Lanes within(const Lanes& active, const Lanes& truth, bool wanted);

}  // namespace ws::lift
