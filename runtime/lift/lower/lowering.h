// Lowering: the changes of a kernel that a changed program requires. It gives the lines that may be
// edited, and checks whether an edited kernel, lifted again, matches the changed program.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/lift/lower/regions.h"

namespace ws::lift {

/// Lines of the kernel that may be edited, and the statements of the program that they stand for.
struct Window {
  std::string region;  ///< "source" or "macros".
  std::int32_t first = 0;
  std::int32_t last = 0;  ///< Both ends belong to it.
  std::vector<std::string> was;
  std::vector<std::string> becomes;
  /// The first and last line of the loops and branches around it that hold nothing else of the
  /// program: text may be inserted before and behind them, too. 0: none.
  std::pair<std::int32_t, std::int32_t> nest = {0, 0};
};

struct Lowering {
  std::vector<Window> windows;        ///< In order, apart from each other.
  std::vector<std::string> plan_was;  ///< Statements of no line: arguments, grid, attributes.
  std::vector<std::string> plan_becomes;
  std::vector<std::string> rules;  ///< "R3": what the change uses.
  std::vector<std::string>
      breaches;  ///< Changes of parts that have to stay; if there are any, nothing can be lowered.
  bool arguments = false;  ///< The program has other arguments than the kernel.
  std::string target;      ///< Canonical, without its marks: nothing proves them.

  [[nodiscard]] bool changes_plan() const { return !plan_was.empty() || !plan_becomes.empty(); }

  [[nodiscard]] bool changes_nothing() const { return windows.empty() && !changes_plan(); }
};

/// @param lifted  As the lifter wrote it: its marks are the windows. @param target  As a client
/// made
///                of it.
/// @errors kInvalidArgument: it does not parse, or is of another kernel;
///         kUnsupported: it differs in too many lines.
Result<Lowering> plan_lowering(const std::string& lifted, const std::string& target,
                               const Tree& tree, FunctionId entry);

/// Why lines may not be edited: "lines 3-4 are in no window; the nearest is source:29-30". Empty:
/// they may. An insertion is before line `from`, and `to` is the line before it.
std::string outside(const Lowering& lowering, const std::string& region, std::int64_t from,
                    std::int64_t to);

/// Regions of the kernel, outside of the windows, that the edited kernel lacks, as "R12345678
/// (lines 3-4)". Ids are hashes of what regions do. None where a loop's or branch's own line is in
/// a window: the ids of all in it depend on that.
std::vector<std::string> lost_regions(const Lowering& lowering, const Tree& tree, FunctionId entry,
                                      const std::vector<Region>& before,
                                      const std::vector<Region>& after);

/// A synchronisation that only one of the kernels has, or has more often; empty: there is none. The
/// program does not tell: barriers with nothing between them are one there.
std::string other_sync(const std::vector<Region>& before, const std::vector<Region>& after);

/// How an edited kernel, lifted again, orders its operations differently from the target; empty:
/// it does not.
/// @errors kUnsupported: the programs differ in too many lines.
Result<std::string> disorder(const std::string& target, const std::string& lifted_again);

}  // namespace ws::lift
