// Sees an index of 32 bits that wraps around within the bounds of an output: blocks far out then
// write to low addresses, and nothing else shows it where only a few blocks run.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/device/arena.h"
#include "runtime/kernel/plan/plan.h"

namespace ws {

/// An element that was written in the place of another one.
struct Wrapped {
  std::string output;
  std::int64_t written = 0;  ///< In elements from the output's first one.
  std::int64_t meant = 0;    ///< The last element, which is as it was.
};

/// Marks the last element of each output, and those that lie whole multiples of 2^32 bytes before
/// it. A launch of some blocks, the last one among them, usually writes the last element; whether
/// it does shows at sizes at which no index wraps. One that wraps writes another marked element
/// instead; a block that covers several, as a loop with the grid's stride may, writes the last one
/// as well.
class WrapMarks {
 public:
  /// Writes the marks. @param arena  Has the plan's buffers; outlives this.
  WrapMarks(const ResolvedPlan& plan, const Arena& arena);

  /// After the launch: what was written while its output's last element was not.
  [[nodiscard]] std::optional<Wrapped> find() const;

  /// After the launch: the names of the outputs whose last element was written.
  [[nodiscard]] std::set<std::string> ended() const;

 private:
  struct Marked {
    std::size_t buffer = 0;
    std::vector<std::int64_t> elements;  ///< The last one first.
  };

  [[nodiscard]] bool is_written(const Marked& marked, std::int64_t element) const;

  const ResolvedPlan& plan_;
  const Arena& arena_;
  std::vector<Marked> marked_;
};

}  // namespace ws
