// Two programs line by line: what stands in one of them in place of lines of the other.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/ir/diff/rules.h"
#include "runtime/ir/syntax/ast.h"

namespace ws::lift {

/// One line of a program: what it says, and what it is tied to.
struct ProgramLine {
  std::string text;
  std::optional<ir::Mark> mark;
};

/// A program with its lines, and the statement that stands in each; lines that are equal mean the
/// same.
struct ReadProgram {
  ir::Program program;
  std::vector<ProgramLine> lines;
  std::map<std::string, ir::StmtId>
      statements;  ///< By the first line, without what it begins with.

  /// @errors kInvalidArgument: it does not parse.
  static Result<ReadProgram> read(const std::string& text);
};

/// Lines that stand together in one program in place of others in the other; either may be none.
struct Hunk {
  std::size_t first = 0;  ///< The source lines [first, last) are removed.
  std::size_t last = 0;
  std::size_t target_first = 0;  ///< The target's lines in their place.
  std::size_t target_last = 0;
};

/// The blanks that a line begins with.
std::size_t indent_of(const ProgramLine& line);

/// The canonical text of a program, which has one statement a line.
/// @errors kInvalidArgument: a malformed mark.
Result<std::vector<ProgramLine>> lines_of(const ir::Program& program);

/// In order. @errors kUnsupported: the programs differ in too many lines.
Result<std::vector<Hunk>> hunks_of(const std::vector<ProgramLine>& source,
                                   const std::vector<ProgramLine>& target);

}  // namespace ws::lift
