// Compares two programs, of which one was made from the other: what changed, by which rules,
// whether the orchestration stayed, and where an edit of the CUDA source may reach.
//
//   lines of both (outline.h)  ->  aligned (align.h)  ->  regions, steps of orchestration, windows
//
// A region is what a source mark names (`# @ flash.cu:120-134 R7`; what stands below a marked head
// belongs to it), or else a run of lines of one block that do, or do not, orchestrate.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/ir/diff/rules.h"
#include "runtime/ir/syntax/ast.h"

namespace ws::ir {

enum class Change : std::uint8_t { kKept, kChanged, kAdded, kRemoved };

/// "kept", "changed", "added", "removed".
std::string_view word_of(Change change);

/// Lines from 1, both ends in it; first 0: none.
struct Lines {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

struct RegionDiff {
  std::string region;  ///< "flash.cu:120-134", or where it starts: "worker 7.3".
  std::string method;  ///< Empty for what stands outside of methods.
  Change change = Change::kKept;
  Rules rules;  ///< R1 and R3 to R6: used by the change.
  Lines source;
  Lines target;
};

/// A promise that the target breaks.
struct Breach {
  Rule rule = Rule::kKeepStructure;  ///< kKeepStructure or kUntouched.
  std::string message;               ///< "`cta_sync()` is gone from `worker`".
  SourcePlace source;  ///< Where it is, or would be; line 0 when the method is not there.
  SourcePlace target;
};

/// Lines of a file that an edit may touch.
struct Window {
  std::string file;  ///< The CUDA source; empty: the source program itself.
  Lines lines;
};

struct ProgramDiff {
  std::vector<RegionDiff> regions;  ///< In the order of the source; what was added comes last.
  Rules rules;                      ///< The rules of all regions.
  bool orchestration_kept = true;
  std::vector<Breach> breaches;
  std::vector<Window>
      windows;  ///< Set for regions that were changed or removed, and next to added ones.
};

/// Any thread. @errors kInvalidArgument: a malformed source mark; kUnsupported: programs that
/// differ in too many lines.
Result<ProgramDiff> diff_programs(const Program& source, const Program& target);

}  // namespace ws::ir
