// The lines that belong to a window in addition to those that changed statements are tied to.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/lift/lower/hunks.h"
#include "runtime/lift/lower/lowering.h"

namespace ws::lift {

/// The function whose lines hold a window; of several copies the first. kNone: none does.
FunctionId function_of(const Tree& tree, const Window& window);

/// The outermost loops and branches around a window, in its function, that hold nothing else of the
/// program, as lines; the window's own lines where there are none.
std::pair<std::int32_t, std::int32_t> nest_around(const std::vector<ProgramLine>& source,
                                                  const Tree& tree, const Window& window);

/// The lines of a function's parameters, from its own line to that of its body. The function must
/// have a body, and both a place in the source.
Window parameter_lines(const Tree& tree, const Function& function);

/// Adds the declarations of the kernel's variables that have no statement in the target any more.
void add_declarations(const std::vector<ProgramLine>& source,
                      const std::vector<ProgramLine>& target, const Tree& tree, FunctionId entry,
                      std::vector<Window>& windows);

/// A statement that was only added may be placed after the statements around the one that it
/// follows, as long as these hold nothing else of the program: the nest of loops that stores a tile
/// is one statement of the program. A change may also insert text before and behind that nest.
void widen_insertions(const std::vector<ProgramLine>& source, const Tree& tree,
                      std::vector<Window>& windows);

/// Where a window lies in a function that the kernel calls, the list of the function's parameters
/// and its calls are windows too, and so on up to the kernel: the function may need another
/// argument, or its tile may change before the call.
void add_callers(const Tree& tree, FunctionId entry, std::vector<Window>& windows);

/// In order, those that meet as one; also over lines that nothing kept is tied to, such as a loop's
/// head and end, where what is beside them goes.
void join_windows(const std::vector<ProgramLine>& source, const std::vector<ProgramLine>& target,
                  std::vector<Window>& windows);

}  // namespace ws::lift
