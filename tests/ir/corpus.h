// Corpora of CuIR programs: correct ones in bases/, and small edits of them that are wrong (bugs/)
// or look so (silent/).
#pragma once

#include <string>
#include <vector>

#include "tests/ir/program_bench.h"

namespace ws::ir {

std::vector<std::string> lines_of(const std::string& text);
std::string join(const std::vector<std::string>& lines);
/// The spaces that a line begins with.
std::string indentation(const std::string& line);

/// One edit of one base, as a *.edits file has it:
///
///   [a sentence about the case]
///   kind: read_before_wait       bugs only
///   at: part of a line           where it is noticed or done; lines of the edited program
///   other: part of a line        the other side; may be missing
///   - a line of the base         in whole, without indentation; it occurs once
///   + what stands there instead  any number of lines, none to remove it
struct Edited {
  std::string name;
  std::string kind;
  std::string text;      ///< The program.
  std::uint32_t at = 0;  ///< Lines; 0 when nothing is said.
  std::uint32_t other = 0;
  std::string error;  ///< Why the case is malformed; empty when it is well.
};

/// True when one finding has the bug's kind and both of its lines. Either side of a pair may be the
/// one that notices it: that depends on who runs first.
bool is_found(const Edited& bug, const std::vector<Finding>& findings);

/// The cases of tests/ir/FOLDER/BASE.edits.
std::vector<Edited> edits_of(const std::string& folder, const std::string& base);

/// "ring", ...: the bases there are, sorted.
std::vector<std::string> base_names();
std::string base_text(const std::string& name);

/// The arguments that a program's first line names, filled.
std::vector<Tensor> arguments_of(const std::string& text);

}  // namespace ws::ir
