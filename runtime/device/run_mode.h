// How a launch differs from a plain one, for a validation that looks at more than one way in which
// a kernel may run.
#pragma once

#include <cstdint>
#include <string_view>

namespace ws {

/// The order in which the blocks of a grid start, and in which the threads of a block take turns
/// between barriers.
// NOLINTNEXTLINE(performance-enum-size): a field of 32 bits in a doorbell.
enum class RunOrder : std::uint32_t { kAscending, kDescending, kRandom };

/// "ascending", "descending", "random".
constexpr std::string_view name_of(RunOrder order) {
  return order == RunOrder::kAscending    ? "ascending"
         : order == RunOrder::kDescending ? "descending"
                                          : "random";
}

/// Any other name is the ascending order's.
constexpr RunOrder order_of_name(std::string_view name) {
  return name == "descending" ? RunOrder::kDescending
         : name == "random"   ? RunOrder::kRandom
                              : RunOrder::kAscending;
}

/// At most so many blocks of each launch run where RunMode::sparse is set.
inline constexpr std::uint64_t kSparseBlocks = 32;

struct RunMode {
  RunOrder order = RunOrder::kAscending;  ///< A random one follows from the launch's poison.
  /// Blocks start in ascending order all the same: `order` is that of the threads of a block.
  bool ascending_blocks = false;
  /// The kernel's own variables keep what the launch before left in them.
  bool keep_variables = false;
  /// RunReply::changed_variable is asked for.
  bool watch_variables = false;
  /// Shared and local memory begin as zeros, as a fresh process's memory does; the caller sees to
  /// outputs and scratch.
  bool zero_memory = false;
  /// Only some blocks of each launch run, the first and the last among them; and zero_memory.
  bool sparse = false;
};

}  // namespace ws
