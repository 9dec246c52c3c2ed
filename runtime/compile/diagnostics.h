// The handling of collected messages that both compilers share.
#pragma once

#include <vector>

#include "runtime/compile/compile.h"

namespace ws {

/// The lines of a text, without their newlines; views into it.
std::vector<std::string_view> line_views(std::string_view text);

/// Its line `number`, from 1; empty where it has none.
std::string_view line_at(std::string_view text, int number);

/// The text of a region as the client sent it: source, macros or a header's name; null for another.
const std::string* region_text(const CompileRequest& request, const std::string& region);

/// "line\n    ^" with the caret under `column` (1-based); tabs become blanks. Empty when the line
/// is too long to be worth showing, or has no such column.
std::string snippet_of(std::string_view line, int column);

/// Puts `seen` into the outcome: errors first, each followed by its notes, at most kMaxDiagnostics.
/// The first error decides verdict and message: kPruned where it says "ws_invalid:", else
/// kCompileError; without one the verdict stays.
void settle(std::vector<Diagnostic> seen, CompileOutcome& outcome);

}  // namespace ws
