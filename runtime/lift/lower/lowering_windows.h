// The lines that belong to a window in addition to those that changed statements are tied to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/ir/diff/rules.h"
#include "runtime/lift/lower/lowering.h"

namespace ws::lift {

/// One line of a program: what it says, and what it is tied to.
struct ProgramLine {
  std::string text;
  std::optional<ir::Mark> mark;
};

/// The lines of a function's parameters, from its own line to that of its body. The function must
/// have a body, and both a place in the source.
Window parameter_lines(const Tree& tree, const Function& function);

/// Adds the declarations of the kernel's variables that have no statement in the target any more.
void add_declarations(const std::vector<ProgramLine>& source,
                      const std::vector<ProgramLine>& target, const Tree& tree, FunctionId entry,
                      std::vector<Window>& windows);

/// A statement that was only added may be placed after the statements around the one that it
/// follows, as long as these hold nothing else of the program: the nest of loops that stores a tile
/// is one statement of the program.
void widen_insertions(const std::vector<ProgramLine>& source, const Tree& tree,
                      std::vector<Window>& windows);

/// Where a window lies in a function that the kernel calls and its new statements use names that
/// the old ones do not, the list of the function's parameters and its calls are windows too, and so
/// on up to the kernel: the function may need another argument.
void add_callers(const std::vector<ProgramLine>& source, const Tree& tree, FunctionId entry,
                 std::vector<Window>& windows);

/// In order, those that meet as one; also over lines that nothing kept is tied to, such as a loop's
/// head and end, where what is beside them goes.
void join_windows(const std::vector<ProgramLine>& source, const std::vector<ProgramLine>& target,
                  std::vector<Window>& windows);

}  // namespace ws::lift
