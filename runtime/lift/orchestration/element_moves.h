// Elements that the threads of a block copy from global to shared memory one by one, before they
// part into roles: the order of a kernel's tiles, a table.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/lift/orchestration/kernel_texts.h"
#include "runtime/lift/orchestration/shared_buffers.h"
#include "runtime/lift/symbolic/threads.h"

namespace ws::lift {

/// Elements in a row, and the warpgroup whose threads copy them.
struct MovedRow {
  int warpgroup = 0;
  std::int64_t to = 0;    ///< The first element's number in the array.
  std::int64_t from = 0;  ///< In the tensor, from `ElementMoves::start()` on.
  std::int64_t count = 0;
};

/// Reads the copies of one statement: `if (t < 64) s[t] = order[row * 64 + t];`, or a loop of such.
/// One thread at a time; what it is given outlives it.
class ElementMoves {
 public:
  ElementMoves(const Tree& tree, const LaunchInput& input, const KernelTexts& texts,
               const ThreadValues& values, const SharedBuffers& buffers);

  /// @param active  The threads that come to the statement.
  /// @return  By warpgroup; nothing: it is another statement, or the elements of a warpgroup are no
  /// rows in both memories.
  std::optional<std::vector<MovedRow>> rows_of(NodeId id, const Lanes& active);

  [[nodiscard]] const std::string& array() const { return array_; }  ///< "self.s"

  [[nodiscard]] const std::string& tensor() const { return tensor_; }  ///< "self.order"

  [[nodiscard]] const std::string& start() const { return start_; }  ///< "row * 64"

 private:
  /// An index: what all threads add, and what each does.
  struct Index {
    std::string shared;
    Lanes own;
  };

  /// The variable of the loop that is being followed.
  struct Round {
    VariableId id = kNone;
    Lanes values;
  };

  bool follow(NodeId id, const Lanes& active, const Round& round);
  bool follow_loop(const Node& node, const Lanes& active);
  bool add(const Node& node, const Lanes& active, const Round& round);
  [[nodiscard]] std::optional<Lanes> lanes_of(NodeId id, const Round& round) const;
  [[nodiscard]] std::optional<Index> index_of(NodeId id, const Round& round) const;

  const Tree& tree_;
  const LaunchInput& input_;
  const KernelTexts& texts_;
  const ThreadValues& values_;
  const SharedBuffers& buffers_;
  std::string array_;
  std::string tensor_;
  std::string start_;
  std::map<int, std::map<std::int64_t, std::int64_t>> moved_;  // By warpgroup and place: from.
};

}  // namespace ws::lift
