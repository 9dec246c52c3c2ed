// Mistakes of orchestration, planted line by line into right programs: each line that waits,
// arrives, fences, copies or counts is left out, moved, or made to name another number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/ir/exec/finding.h"

namespace ws::ir {

struct Planted {
  std::string what;        ///< "left out: self.empty[s].arrive()"
  std::uint32_t line = 0;  ///< The line that was changed, in the program and in what it became.
  std::string old_line;    ///< That line of the right program, without indentation.
  std::string text;        ///< The program with the mistake.
};

/// All of them, in the order of lines.
std::vector<Planted> planted_in(const std::string& text);

/// True when the finding names the changed line, or a barrier, a buffer or an engine of that line.
bool names_cause(const Planted& planted, const Finding& finding);

/// The program with what the finding's `fix` says, where that can be done without thought.
std::optional<std::string> mended(const std::string& text, const Finding& finding);

}  // namespace ws::ir
